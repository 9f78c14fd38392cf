// px4_parser_fuzz.cpp - any bytes, in any pieces, with and without a key, through the parser; and what it delivers through the
// station. The first byte chooses the pieces, the second one the key.
#include <algorithm>
#include <cstdlib>
#include <px4_hil/parser.hpp>
#include <px4_hil/station.hpp>

namespace {

class Nowhere final : public px4_hil::LineWriter {
  public:
    px4_hil::Error write(px4_hil::Line, const unsigned char*, std::size_t) override { return {}; }
};

void require(bool condition) {
    if (!condition) std::abort();
}

void parse(const unsigned char* data, std::size_t size, std::size_t piece, bool with_key) {
    px4_hil::Parser parser;
    if (with_key) parser.require_signature({}, 0);
    px4_hil::Parser::Time now;
    std::size_t delivered = 0;
    for (std::size_t at = 0; at < size; at += piece) {
        now += std::chrono::milliseconds(7);
        parser.parse(data + at, std::min(piece, size - at), now, [&](const px4_hil::Frame& frame) {
            require(frame.info != nullptr && frame.is_signed == with_key);
            delivered += frame.payload_size + (frame.version == px4_hil::MavlinkVersion::v1 ? 8U : 12U) +
                         (frame.is_signed ? px4_hil::signature_size : 0U);
            alignas(8) unsigned char message[512];
            require(frame.info->struct_size <= sizeof message);
            px4_hil::read_payload(*frame.info, frame.payload.data(), frame.payload_size, message);
        });
        require(parser.pending_bytes() < px4_hil::max_frame);
    }
    require(delivered + parser.statistics().skipped_bytes + parser.pending_bytes() == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t piece = data[0] + std::size_t{1};
    const bool with_key = data[1] % 2 == 1;
    data += 2;
    size -= 2;
    parse(data, size, piece, with_key);
    parse(data, size, std::max<std::size_t>(size, 1), with_key);

    Nowhere nowhere;
    px4_hil::Station station({}, nowhere);
    px4_hil::Station::Time now = px4_hil::Station::Time() + std::chrono::hours(1);
    station.start(now);
    for (std::size_t at = 0; at < size; at += piece) {
        station.receive(px4_hil::Line::command, data + at, std::min(piece, size - at), now);
        station.tick(now);
        static_cast<void>(station.move_along(px4_hil::Route(2), now).code());
        const px4_hil::DriveControls controls = station.controls(now);
        require(controls.throttle >= -1 && controls.throttle <= 1 && controls.brake >= 0 &&
                controls.brake <= 1);
        now += std::chrono::milliseconds(300);
    }
    station.begin_exit(now);
    station.tick(now + std::chrono::seconds(2));
    require(station.state() == px4_hil::StationState::closed);
    return 0;
}
