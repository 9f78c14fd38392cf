// messages.cpp - see messages.hpp.
#include "coptersim/messages.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace coptersim {
namespace {

constexpr std::int32_t heartbeat_checksum = 123456789;
constexpr std::int32_t initialise_checksum = 1234567;
constexpr std::int32_t select_checksum = 1234567895;
constexpr std::int32_t wake_checksum = 123450;

template <std::size_t Size>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    using Type = std::uint8_t;
};
template <>
struct UnsignedOf<4> {
    using Type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
    using Type = std::uint64_t;
};

/// Lays values one after the other, without padding.
class Writer {
  public:
    explicit Writer(unsigned char* at) noexcept : at_(at) {}

    template <class Value>
    Writer& operator<<(Value value) noexcept {
        static_assert(std::is_trivially_copyable_v<Value>);
        typename UnsignedOf<sizeof(Value)>::Type bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        for (std::size_t i = 0; i < sizeof bits; ++i) *at_++ = static_cast<unsigned char>(bits >> (8 * i));
        return *this;
    }

    template <class Value, std::size_t Count>
    Writer& operator<<(const std::array<Value, Count>& values) noexcept {
        for (const Value value : values) *this << value;
        return *this;
    }

    void text(const std::string& text) noexcept { std::memcpy(at_, text.data(), text.size()); }

  private:
    unsigned char* at_;
};

class Reader {
  public:
    explicit Reader(const void* at) noexcept : at_(static_cast<const unsigned char*>(at)) {}

    template <class Value>
    Reader& operator>>(Value& value) noexcept {
        using Bits = typename UnsignedOf<sizeof(Value)>::Type;
        Bits bits = 0;
        for (std::size_t i = 0; i < sizeof bits; ++i)
            bits = static_cast<Bits>(bits | static_cast<Bits>(Bits{*at_++} << (8 * i)));
        std::memcpy(&value, &bits, sizeof bits);
        return *this;
    }

    template <class Value, std::size_t Count>
    Reader& operator>>(std::array<Value, Count>& values) noexcept {
        for (Value& value : values) *this >> value;
        return *this;
    }

    /// What stands before the first zero, or all of it.
    [[nodiscard]] std::string text(std::size_t longest) const {
        return {at_, std::find(at_, at_ + longest, static_cast<unsigned char>(0))};
    }

  private:
    const unsigned char* at_;
};

/// Whether a datagram is the message with that length and checksum.
ErrorCode check(const void* data, std::size_t size, std::size_t expected_size,
                std::int32_t expected) noexcept {
    if (size != expected_size) return ErrorCode::wrong_length;
    std::int32_t checksum = 0;
    Reader(data) >> checksum;
    return checksum == expected ? ErrorCode::ok : ErrorCode::wrong_checksum;
}

constexpr std::size_t checksum_size = 4;

const unsigned char* behind_checksum(const void* data) noexcept {
    return static_cast<const unsigned char*>(data) + checksum_size;
}

}  // namespace

HeartbeatBytes encode(const Heartbeat& heartbeat) noexcept {
    HeartbeatBytes bytes{};
    Writer(bytes.data()) << heartbeat_checksum << heartbeat.id << heartbeat.start_time_ms
                         << heartbeat.current_time_ms << heartbeat.count;
    return bytes;
}

InitialiseBytes encode(const InitialiseRequest& request) noexcept {
    InitialiseBytes bytes{};
    Writer(bytes.data()) << initialise_checksum << request.id << request.stream << request.deployment
                         << request.attitude << request.udp_mode << request.reserved << request.z_roll_pitch
                         << request.yaw << request.position;
    return bytes;
}

Error encode(const SelectRequest& request, SelectBytes& bytes) {
    if (request.name.size() > SelectRequest::longest_name) {
        return {ErrorCode::name_too_long, "the name \"" + request.name + "\" has " +
                                              std::to_string(request.name.size()) +
                                              " bytes; CopterSim's message has room for 48"};
    }
    bytes.fill(0);
    Writer writer(bytes.data());
    writer << select_checksum << request.id << request.selection << request.index;
    writer.text(request.name);
    return {};
}

WakeBytes encode(Wake wake) noexcept {
    WakeBytes bytes{};
    Writer(bytes.data()) << wake_checksum << wake;
    return bytes;
}

ErrorCode decode(const void* data, std::size_t size, Heartbeat& heartbeat) noexcept {
    const ErrorCode code = check(data, size, std::tuple_size_v<HeartbeatBytes>, heartbeat_checksum);
    if (code != ErrorCode::ok) return code;
    Reader(behind_checksum(data)) >> heartbeat.id >> heartbeat.start_time_ms >> heartbeat.current_time_ms >>
        heartbeat.count;
    return ErrorCode::ok;
}

ErrorCode decode(const void* data, std::size_t size, InitialiseRequest& request) noexcept {
    const ErrorCode code = check(data, size, std::tuple_size_v<InitialiseBytes>, initialise_checksum);
    if (code != ErrorCode::ok) return code;
    Reader(behind_checksum(data)) >> request.id >> request.stream >> request.deployment >> request.attitude >>
        request.udp_mode >> request.reserved >> request.z_roll_pitch >> request.yaw >> request.position;
    return ErrorCode::ok;
}

ErrorCode decode(const void* data, std::size_t size, SelectRequest& request) {
    const ErrorCode code = check(data, size, std::tuple_size_v<SelectBytes>, select_checksum);
    if (code != ErrorCode::ok) return code;
    Reader reader(behind_checksum(data));
    reader >> request.id >> request.selection >> request.index;
    request.name = reader.text(SelectRequest::longest_name);
    return ErrorCode::ok;
}

ErrorCode decode(const void* data, std::size_t size, Wake& wake) noexcept {
    const ErrorCode code = check(data, size, std::tuple_size_v<WakeBytes>, wake_checksum);
    if (code != ErrorCode::ok) return code;
    Reader(behind_checksum(data)) >> wake;
    return ErrorCode::ok;
}

}  // namespace coptersim
