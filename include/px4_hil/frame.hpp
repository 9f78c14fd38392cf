// frame.hpp - MAVLink frames of version 1 and 2: a message with its sender, its number and its checksum. Pure: no
// socket, no clock, no allocation.
//
//     FrameEncoder encoder({255, 190});
//     const EncodedFrame bytes = encoder.encode(Heartbeat{...});     // send bytes.data(), bytes.size()
//     ...
//     if (const auto heartbeat = frame.as<Heartbeat>()) use(heartbeat->custom_mode);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "px4_hil/export.hpp"
#include "px4_hil/message_info.hpp"
#include "px4_hil/messages.hpp"
#include "px4_hil/signing.hpp"

namespace px4_hil {

/// Who sends: each 1 to 255.
struct Identity {
    std::uint8_t system = 0;
    std::uint8_t component = 0;

    friend constexpr bool operator==(const Identity& a, const Identity& b) noexcept {
        return a.system == b.system && a.component == b.component;
    }
    friend constexpr bool operator!=(const Identity& a, const Identity& b) noexcept { return !(a == b); }
};

enum class MavlinkVersion : std::uint8_t { v1 = 1, v2 = 2 };

/// The longest frame, a signed one, in bytes.
constexpr std::size_t max_frame = 280;

/// A frame's bytes.
class EncodedFrame {
  public:
    [[nodiscard]] const unsigned char* data() const noexcept { return bytes_.data(); }
    [[nodiscard]] unsigned char* data() noexcept { return bytes_.data(); }
    /// 0 when the message cannot be sent: one of an id above 255 in version 1.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    void resize(std::size_t size) noexcept { size_ = size; }

  private:
    std::array<unsigned char, max_frame> bytes_;
    std::size_t size_ = 0;
};

/// A frame received whole: its checksum (and its signature, if it has one) is right.
struct Frame {
    const MessageInfo* info = nullptr;  ///< which message it is
    MavlinkVersion version = MavlinkVersion::v2;
    Identity sender;
    std::uint8_t sequence = 0;
    bool is_signed = false;
    std::uint8_t payload_size = 0;  ///< as received: perhaps truncated, or longer than known
    std::array<unsigned char, max_payload> payload{};

    /// The message, if it is of this kind.
    template <class Message>
    [[nodiscard]] std::optional<Message> as() const noexcept {
        if (info == nullptr || info->id != Message::id) return std::nullopt;
        Message message;
        read_payload(*info, payload.data(), payload_size, &message);
        return message;
    }
};

/// Frames the messages of one sender: counts them, and signs them if it is told to.
class PX4_HIL_API FrameEncoder {
  public:
    explicit FrameEncoder(Identity sender, MavlinkVersion version = MavlinkVersion::v2) noexcept
        : sender_(sender), version_(version) {}

    /// From now on frames of version 2 are signed.
    void sign(const SigningKey& key, std::uint8_t link, std::uint64_t timestamp) noexcept {
        signer_ = Signer{key, link, timestamp};
    }

    /// The number of the next frame.
    void set_sequence(std::uint8_t sequence) noexcept { sequence_ = sequence; }
    [[nodiscard]] Identity sender() const noexcept { return sender_; }

    template <class Message>
    [[nodiscard]] EncodedFrame encode(const Message& message) noexcept {
        return encode(*find_message(Message::id), &message);
    }

    /// @param message  the struct of messages.hpp that `info` describes
    [[nodiscard]] EncodedFrame encode(const MessageInfo& info, const void* message) noexcept;

  private:
    Identity sender_;
    MavlinkVersion version_;
    std::uint8_t sequence_ = 0;
    std::optional<Signer> signer_;
};

}  // namespace px4_hil
