// responder.cpp - what PX4's commander does with a request.
#include "px4_setpoint/responder.hpp"

namespace px4_setpoint {
namespace {

// Position of a registered mode among the external ones; nothing when it is none.
std::optional<unsigned> index_of(std::uint8_t source_id, std::uint8_t registered) noexcept {
    if (source_id < first_external_mode || source_id > last_external_mode) return std::nullopt;
    const unsigned index = unsigned{source_id} - first_external_mode;
    return (registered >> index & 1U) != 0 ? std::optional(index) : std::nullopt;
}

}  // namespace

SetpointConfigReply answer(const SetpointConfig& request, const ResponderOptions& options,
                           std::uint64_t time) noexcept {
    SetpointConfigReply reply;
    reply.timestamp = time;
    reply.type = request.type;
    reply.source_id = request.source_id;
    reply.result = index_of(request.source_id, options.registered)
                       ? result_for(request.type, options.vehicle, options.vtol_rule)
                       : Result::failure_other;
    if (reply.result != Result::success) return reply;
    const auto needs = requirements_of(find(request.type)->flags);
    reply.mode_req_angular_velocity = needs.angular_velocity;
    reply.mode_req_attitude = needs.attitude;
    reply.mode_req_local_alt = needs.local_altitude;
    reply.mode_req_local_position = needs.local_position;
    return reply;
}

void Responder::request(const SetpointConfig& message) noexcept {
    ++statistics_.requests;
    if (waiting_) ++statistics_.overwritten;
    waiting_ = message;
}

std::optional<SetpointConfigReply> Responder::cycle(std::uint64_t time) noexcept {
    if (!waiting_) return std::nullopt;
    const auto request = *waiting_;
    waiting_.reset();
    const auto reply = answer(request, options_, time);
    ++statistics_.replies;
    const auto index = index_of(request.source_id, options_.registered);
    if (!index) ++statistics_.unregistered;
    if (index && reply.result == Result::success && request.should_apply) current_[*index] = request.type;
    return reply;
}

std::optional<SetpointType> Responder::current(std::uint8_t source_id) const noexcept {
    const auto index = index_of(source_id, options_.registered);
    return index ? std::optional(current_[*index]) : std::nullopt;
}

void Responder::leave(std::uint8_t source_id) noexcept {
    if (const auto index = index_of(source_id, options_.registered))
        current_[*index] = SetpointType::trajectory;
}

void Responder::leave_all() noexcept {
    for (auto& type : current_) type = SetpointType::trajectory;
}

}  // namespace px4_setpoint
