// cdr_fuzz.cpp - any bytes as messages of the dialogue: what is read, is written the same again; what is not, changes
// nothing; and whatever comes, a negotiation's counters add up.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "px4_setpoint/px4_setpoint.hpp"

namespace {

using namespace px4_setpoint;

void require(bool condition) {
    if (!condition) std::abort();
}

template <class Message>
void both_ways(const std::uint8_t* data, std::size_t size) {
    Message message;
    const auto before = encode(message);
    if (decode(data, size, message)) {
        require(encode(message) == before);
        return;
    }
    const auto again = encode(message, static_cast<ByteOrder>(data[1]));
    constexpr std::size_t header = 4;  // its options are not kept
    require(std::memcmp(again.data() + header, data + header, again.size() - header) == 0);
}

void negotiate(const std::uint8_t* data, std::size_t size) {
    NegotiatorOptions options;
    options.types = {SetpointType::trajectory, SetpointType::rates};
    Negotiator mode(options);
    Time now{};
    require(!mode.check(now));
    for (std::size_t at = 0; at + setpoint_config_reply_size <= size; at += setpoint_config_reply_size) {
        static_cast<void>(mode.poll(now));
        static_cast<void>(mode.receive(data + at, setpoint_config_reply_size, now));
        static_cast<void>(mode.activate(now));
        static_cast<void>(mode.setpoint(SetpointType::rates, now));
        now += std::chrono::milliseconds(data[at + 2]);
        const auto& counted = mode.statistics();
        require(counted.received ==
                counted.answers + counted.foreign + counted.unexpected + counted.undecodable);
        require((mode.state() == State::failed) == static_cast<bool>(mode.error()));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    both_ways<SetpointConfig>(data, size);
    both_ways<SetpointConfigReply>(data, size);
    negotiate(data, size);
    ZenohAttachment attachment;
    static_cast<void>(decode(data, size, attachment));
    return 0;
}
