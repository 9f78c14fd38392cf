// coptersim_fuzz.cpp - any bytes to all readers of the protocol: what is accepted reads back, what a stand-in or a
// registry makes of it holds together. For libFuzzer; coptersim_fuzz_replay_test.cpp plays a corpus through it.
#include <coptersim/messages.hpp>
#include <coptersim/registry.hpp>
#include <coptersim/requests.hpp>
#include <coptersim/route.hpp>
#include <coptersim/stand_in.hpp>
#include <cstdlib>
#include <cstring>

namespace {

using coptersim::ErrorCode;

void require(bool condition) {
    if (!condition) std::abort();
}

template <class Bytes>
bool same(const Bytes& bytes, const unsigned char* data) {
    return std::memcmp(bytes.data(), data, bytes.size()) == 0;
}

void read_heartbeat(const unsigned char* data, std::size_t size) {
    static coptersim::Registry registry({std::chrono::milliseconds(5000), 64});
    static coptersim::TimePoint now{};
    coptersim::Heartbeat heartbeat;
    if (decode(data, size, heartbeat) != ErrorCode::ok) return;
    require(size == 32 && same(encode(heartbeat), data));
    std::vector<coptersim::Event> events;
    now += std::chrono::milliseconds(heartbeat.count & 1023);
    const coptersim::Address from{0x7F000001U + static_cast<std::uint32_t>(heartbeat.count >> 10 & 3)};
    const auto acceptance = registry.accept(heartbeat, {from, (heartbeat.count & 1) != 0, now}, events);
    require((acceptance == coptersim::Acceptance::bad_id) == (heartbeat.id < 1));
    require(registry.size() <= 64);
    for (const auto& event : events) require(!describe(event).empty());
}

void read_initialise(const unsigned char* data, std::size_t size) {
    coptersim::InitialiseRequest request;
    if (decode(data, size, request) != ErrorCode::ok) return;
    require(size == 48);
    const auto again = encode(request);
    require(same(again, data));
    require(!describe(request).empty());
    const auto error = validate(request);
    require(error || !validate_values(request));
    coptersim::StandInState state;
    apply(request, coptersim::loopback, state);
    require(state.deployments <= 1);
    static_cast<void>(
        coptersim::route(false, coptersim::multicast_group, coptersim::loopback, request.id, {}));
}

void read_select(const unsigned char* data, std::size_t size) {
    coptersim::SelectRequest request;
    if (decode(data, size, request) != ErrorCode::ok) return;
    require(size == 64 && request.name.size() <= coptersim::SelectRequest::longest_name);
    require(!describe(request).empty());
    const auto error = validate(request);
    require(error || !validate_values(request));
    coptersim::SelectBytes bytes{};
    require(!encode(request, bytes));
    coptersim::SelectRequest again;
    require(decode(bytes.data(), bytes.size(), again) == ErrorCode::ok && again.name == request.name);
    coptersim::StandInState state;
    apply(request, state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    read_heartbeat(data, size);
    read_initialise(data, size);
    read_select(data, size);
    coptersim::Wake wake{};
    if (decode(data, size, wake) == ErrorCode::ok) require(size == 8 && same(encode(wake), data));
    const auto address = coptersim::parse_address({reinterpret_cast<const char*>(data), size});
    if (address) {
        const std::string text = to_string(*address);
        require(text.size() == size && std::memcmp(text.data(), data, size) == 0);
    }
    return 0;
}
