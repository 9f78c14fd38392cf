// px4_setpoint.cpp - fuzzes the readers of the set-point dialogue: what is read comes back the same, what is refused changes
// nothing, and whatever comes, a negotiation's counters add up.
#include "px4_setpoint/px4_setpoint.hpp"

#include <cstring>

#include "fuzz.hpp"

namespace {

using namespace px4_setpoint;

template <class Message>
void both_ways(const std::uint8_t* data, std::size_t size) {
    Message message;
    const auto before = encode(message);
    if (decode(data, size, message)) {
        fuzz::check(encode(message) == before, "an error changes nothing");
        return;
    }
    const auto again = encode(message, static_cast<ByteOrder>(data[1]));
    constexpr std::size_t header = 4;  // its options are not kept
    fuzz::check(std::memcmp(again.data() + header, data + header, again.size() - header) == 0,
                "there and back");
}

void negotiate(const std::uint8_t* data, std::size_t size) {
    NegotiatorOptions options;
    options.types = {SetpointType::trajectory, SetpointType::rates};
    Negotiator mode(options);
    Time now{};
    fuzz::check(!mode.check(now), "the options can be meant");
    for (std::size_t at = 0; at + setpoint_config_reply_size <= size; at += setpoint_config_reply_size) {
        static_cast<void>(mode.poll(now));
        static_cast<void>(mode.receive(data + at, setpoint_config_reply_size, now));
        static_cast<void>(mode.activate(now));
        static_cast<void>(mode.setpoint(SetpointType::rates, now));
        now += std::chrono::milliseconds(data[at + 2]);
        const auto& counted = mode.statistics();
        fuzz::check(
            counted.received == counted.answers + counted.foreign + counted.unexpected + counted.undecodable,
            "the counters add up");
        fuzz::check((mode.state() == State::failed) == static_cast<bool>(mode.error()),
                    "failed has a reason");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    both_ways<SetpointConfig>(data, size);
    both_ways<SetpointConfigReply>(data, size);
    negotiate(data, size);
    ZenohAttachment attachment;
    static_cast<void>(decode(data, size, attachment));
    return 0;
}
