// state_document.cpp - fuzzes read_state() of nlohmann.hpp with JSON texts: a problem in words and an untouched state, or a
// state that comes back the same, bit for bit.
#include <ap_json/nlohmann.hpp>
#include <string>

#include "fuzz.hpp"
#include "same_state.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document = nlohmann::json::parse(data, data + size, nullptr, false);
    if (document.is_discarded()) return 0;
    ap_json::State state;
    state.timestamp = 77;
    const ap_json::State before = state;
    const std::string problem = ap_json::read_state(document, state);
    if (!problem.empty()) {
        fuzz::check(fuzz::same(before, state), "a problem leaves the state untouched");
        return 0;
    }
    const nlohmann::json written = state;
    ap_json::State again;
    fuzz::check(ap_json::read_state(written, again).empty(), "what is written can be read");
    // With a quaternion, attitude is not written.
    if (state.quaternion) again.attitude = state.attitude;
    fuzz::check(fuzz::same(state, again), "there and back");
    return 0;
}
