// discovery.cpp - see discovery.hpp.
#include "discovery.hpp"

#include "message_writer.hpp"
#include "px4_hil/px4_modes.hpp"

namespace px4_hil {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience{3000};
constexpr milliseconds heartbeat_interval{200};

bool has_autopilot(Transport& transport, const StationOptions& options, const std::atomic<bool>& stop) {
    FrameEncoder encoder(options.self);
    Parser parser;
    if (options.signing_key) {
        encoder.sign(*options.signing_key, 0, options.signing_time);
        parser.require_signature(*options.signing_key, options.signing_time);
    }
    Heartbeat message;
    message.type = mav_type::ground_station;
    message.autopilot = mav_autopilot::invalid;
    message.system_status = mav_state::active;
    bool found = false;
    const auto end = Clock::now() + patience;
    for (auto next = Clock::now(); !found && !stop && Clock::now() < end;) {
        if (Clock::now() >= next) {
            next += heartbeat_interval;
            const EncodedFrame frame = encoder.encode(message);
            if (transport.write(frame.data(), frame.size())) return false;
        }
        transport.wait(milliseconds(20));
        unsigned char bytes[1024];
        const std::ptrdiff_t count = transport.read(bytes, sizeof bytes);
        if (count < 0) return false;
        parser.parse(bytes, static_cast<std::size_t>(count), Clock::now(), [&](const Frame& frame) {
            const auto heartbeat = frame.as<Heartbeat>();
            found = found || (heartbeat && heartbeat->autopilot == mav_autopilot::px4 &&
                              frame.sender.component == component_id::autopilot &&
                              (options.system == 0 || frame.sender.system == options.system));
        });
    }
    return found;
}

}  // namespace

Error find_autopilot(const std::string& pattern, unsigned baud, const StationOptions& options,
                     const std::atomic<bool>& stop, TransportPtr& transport) {
    MessageWriter text;
    text << "no serial port has a PX4 behind it; ";
    const std::vector<std::string> candidates = serial_candidates(pattern);
    if (candidates.empty())
        text << "there is no /dev/ttyACM*: is the USB cable in? Name another port as the link";
    for (const std::string& device : candidates) {
        TransportPtr opened;
        const auto failed = open_serial({device, baud}, opened);
        if (!failed && has_autopilot(*opened, options, stop)) {
            transport = std::move(opened);
            return {};
        }
        if (stop) return {ErrorCode::cancelled, "the search for a PX4 was cancelled"};
        text << device << ": " << (failed ? failed.message() : "no heartbeat of a PX4 within 3 s") << "; ";
    }
    return error(ErrorCode::port_not_found, text);
}

}  // namespace px4_hil
