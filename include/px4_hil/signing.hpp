// signing.hpp - the signature that a frame of MAVLink 2 may have. Pure: no clock, no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "px4_hil/export.hpp"

namespace px4_hil {

/// The secret that both sides share.
using SigningKey = std::array<unsigned char, 32>;

/// Bytes of a signature: link, timestamp, and the beginning of a SHA-256.
constexpr std::size_t signature_size = 13;

/// @param unix_microseconds  since 1970-01-01 UTC
/// @return units of 10 us since 2015-01-01 UTC, as signatures count
[[nodiscard]] constexpr std::uint64_t signing_time(std::uint64_t unix_microseconds) noexcept {
    constexpr std::uint64_t start = 1420070400ULL * 1000000;
    return unix_microseconds > start ? (unix_microseconds - start) / 10 : 0;
}

/// Signs the frames of one link. The timestamp rises by one with each.
struct Signer {
    SigningKey key{};
    std::uint8_t link = 0;
    std::uint64_t timestamp = 0;  ///< of the next frame; see signing_time()
};

/// Writes the signature of a frame behind it.
/// @param frame  from its start marker through its checksum, `size` bytes, and room for signature_size more
PX4_HIL_API void write_signature(Signer& signer, unsigned char* frame, std::size_t size) noexcept;

/// Checks signatures: the hash, and that nobody plays back old frames.
class PX4_HIL_API SignatureCheck {
  public:
    /// @param local_time  see signing_time(); a sender that is not known yet may be a minute behind it
    SignatureCheck(const SigningKey& key, std::uint64_t local_time) noexcept
        : key_(key), local_time_(local_time) {}

    /// @param frame      a signed frame, `size` bytes without the signature, which follows
    [[nodiscard]] bool accepts(const unsigned char* frame, std::size_t size) noexcept;

  private:
    struct Stream {  // of one sender on one link
        std::uint8_t system, component, link;
        std::uint64_t timestamp;  // of its newest frame
    };
    static constexpr std::size_t most_streams = 16;

    SigningKey key_;
    std::uint64_t local_time_;
    std::array<Stream, most_streams> streams_{};
    std::size_t stream_count_ = 0;
};

}  // namespace px4_hil
