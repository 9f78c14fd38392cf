// sitl_reader.cpp - fuzzes the stand-in's SITL with datagrams of any text. In the input, byte 255 ends a datagram, and 254
// ends one that comes 100 times, so that the reader's buffer fills.
#include <ap_json/sitl_model.hpp>
#include <string>

#include "fuzz.hpp"
#include "same_state.hpp"

using ap_json::SitlModel;
using ap_json::SitlReader;
using ap_json::SitlVerdict;
using fuzz::check;

namespace {

void check_packet(const SitlModel& model) {
    unsigned char bytes[ap_json::servo_packet_size_32];
    const std::size_t size = model.write_packet(bytes);
    ap_json::ServoPacket packet;
    check(ap_json::decode(bytes, size, packet) == ap_json::ErrorCode::ok, "its packets are servo packets");
    check(packet.frame_count == model.frame_count(), "its packets have its count");
}

void check_reader(const SitlReader& reader, SitlVerdict verdict) {
    const bool taken = verdict == SitlVerdict::accepted || verdict == SitlVerdict::fatal;
    check(reader.buffered() <= SitlReader::buffer_size, "the buffer is not longer than SITL's");
    check(taken == (reader.buffered() >= 1) || !taken, "the last newline stays");
    check(!reader.advice().empty() || verdict == SitlVerdict::accepted, "what is not taken is explained");
    check(reader.console().empty() || verdict != SitlVerdict::incomplete, "SITL says nothing of half a line");
    if (verdict == SitlVerdict::accepted)
        check(!reader.keys().empty() && reader.keys().front() == "timestamp", "a line has a timestamp");
}

/// @param twin  a reader that is fed with the same
void feed(SitlModel& model, SitlReader& twin, const std::string& datagram) {
    const SitlVerdict foreseen = twin.feed(datagram.data(), datagram.size());
    const std::uint32_t count = model.frame_count();
    const double clock = model.clock();
    const SitlVerdict verdict = model.receive(datagram.data(), datagram.size());
    check_reader(twin, foreseen);
    check(foreseen == verdict || verdict == SitlVerdict::fatal, "the same twice gives the same");
    check(fuzz::same(twin.state(), model.reader().state()), "the same twice reads the same");
    const bool accepted = foreseen == SitlVerdict::accepted;
    check(model.frame_count() == count + (accepted ? 1 : 0), "the count rises with each line taken over");
    check(model.clock() >= clock, "the clock never falls");
    check((verdict == SitlVerdict::fatal) == !model.death().empty(), "who dies says why");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    SitlModel model;
    SitlReader twin;
    std::string datagram;
    for (std::size_t i = 0; i <= size; ++i) {
        const int byte = i < size ? data[i] : 255;
        if (byte < 254) {
            datagram += static_cast<char>(byte);
            continue;
        }
        const int times = byte == 254 ? 100 : 1;
        for (int time = 0; time < times && model.death().empty(); ++time) feed(model, twin, datagram);
        check_packet(model);
        datagram.clear();
    }
    check(model.take_console().size() <= 60 * (size + 100), "the console does not flood");
    return 0;
}
