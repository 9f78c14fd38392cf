// negotiator.cpp - the states of a mode's negotiation.
#include "px4_setpoint/negotiator.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "px4_setpoint/cdr.hpp"

namespace px4_setpoint {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::string in_ms(Duration time) { return std::to_string(duration_cast<milliseconds>(time).count()) + " ms"; }

std::string quoted(SetpointType type) {
    return std::string(to_string(type)) + " (" + std::to_string(static_cast<unsigned>(type)) + ")";
}

constexpr const char* is_px4_there =
    "is PX4 running and at least of release 1.18, is the XRCE agent running, and are DDS domain and "
    "namespace the same?";

}  // namespace

const char* to_string(State state) noexcept {
    constexpr const char* names[] = {"idle",     "discovering", "checking", "checked",
                                     "applying", "active",      "failed"};
    const auto number = static_cast<unsigned>(state);
    return number < std::size(names) ? names[number] : "unknown";
}

// ---- taking turns

bool Turn::take(const void* who, Time now, Duration at_most) noexcept {
    if (holder_ == who && now < until_) return true;
    if (holder_ != nullptr && holder_ != who && now < until_) {
        other_waits_ = true;
        return false;
    }
    const bool again = holder_ == who;
    if (again && other_waits_) {  // had it long enough; whoever asks next gets it
        leave(who);
        return false;
    }
    holder_ = who;
    until_ = now + at_most;
    other_waits_ = false;
    return true;
}

void Turn::leave(const void* who) noexcept {
    if (holder_ != who) return;
    holder_ = nullptr;
    other_waits_ = false;
}

// ---- what the owner calls

Negotiator::Negotiator(NegotiatorOptions options, Turn* turn)
    : options_(std::move(options)),
      turn_(turn == nullptr ? &own_turn_ : turn),
      reply_until_(options_.types.size(), Time::min()) {}

Negotiator::~Negotiator() { turn_->leave(this); }

Error Negotiator::check_options() const {
    if (options_.source_id < first_external_mode || options_.source_id > last_external_mode) {
        return {ErrorCode::not_registered,
                "source_id is " + std::to_string(options_.source_id) +
                    ", but PX4 gives its external modes the ids 23 to 30: register the mode "
                    "and use the mode_id of PX4's reply"};
    }
    if (options_.types.empty()) {
        return {ErrorCode::bad_option, "types is empty: declare every setpoint type that the mode will send"};
    }
    for (auto type = options_.types.begin(); type != options_.types.end(); ++type) {
        if (find(*type) == nullptr && (!options_.unknown_types || *type == SetpointType::invalid)) {
            return {ErrorCode::bad_type, "PX4 has no setpoint type " +
                                             std::to_string(static_cast<unsigned>(*type)) +
                                             ", only 1 to 16; for a newer PX4 set unknown_types"};
        }
        if (std::find(options_.types.begin(), type, *type) != type) {
            return {ErrorCode::bad_option, "types has " + quoted(*type) + " twice: declare each type once"};
        }
    }
    if (options_.tries < 1) return {ErrorCode::bad_option, "tries has to be at least 1"};
    constexpr Duration longest = std::chrono::hours(1);
    const std::pair<const char*, Duration> durations[] = {{"discovery", options_.discovery},
                                                          {"reply_timeout", options_.reply_timeout},
                                                          {"repeat", options_.repeat}};
    for (const auto& [name, duration] : durations) {
        if (duration < Duration::zero() || duration > longest) {
            return {ErrorCode::bad_option, std::string(name) + " has to be from 0 to 1 hour"};
        }
    }
    return {};
}

// The place of a declared type, or the number of them.
std::size_t Negotiator::index_of(SetpointType type) const noexcept {
    const auto& types = options_.types;
    return static_cast<std::size_t>(std::find(types.begin(), types.end(), type) - types.begin());
}

Error Negotiator::wrong_state(const char* wish) const {
    return {ErrorCode::wrong_state, std::string(wish) + "; the negotiation is " + to_string(state_) +
                                        (mode_active_ ? " and the mode active" : " and the mode not active")};
}

Error Negotiator::check(Time now) {
    if (mode_active_) return wrong_state("check() is for before the mode is active: deactivate() first");
    if (auto error = check_options()) return error;
    turn_->leave(this);
    state_ = State::discovering;
    error_ = {};
    discover_until_ = now + options_.discovery;
    never_matched_ = false;
    checking_ = 0;
    asked_ = {};
    requirements_ = {};
    return {};
}

Error Negotiator::activate(Time now) {
    if (state_ == State::failed) return error_;
    if (state_ != State::checked) return wrong_state("activate() needs check() to have succeeded");
    mode_active_ = true;
    last_setpoint_ = now;
    return {};
}

void Negotiator::deactivate() noexcept {
    if (!mode_active_) return;
    mode_active_ = false;
    turn_->leave(this);
    state_ = State::checked;
    error_ = {};
    asked_ = {};
    setpoint_came_ = false;
    wanted_ = SetpointType::invalid;
}

Error Negotiator::setpoint(SetpointType type, Time now) {
    if (state_ == State::failed) return error_;
    if (!mode_active_)
        return wrong_state("setpoints may flow only while the mode is active: activate() first");
    const auto index = index_of(type);
    if (index == options_.types.size()) {
        return {ErrorCode::bad_type, quoted(type) +
                                         " is not among the declared types: add it to options.types, so that "
                                         "PX4 is asked for it before flight"};
    }
    last_setpoint_ = now;
    if (type != wanted_) {
        turn_->leave(this);
        wanted_ = type;
        asked_ = {};
        doubtful_until_ = reply_until_[index];
        state_ = State::applying;
    }
    setpoint_came_ = state_ == State::applying;
    return {};
}

// ---- requests

std::optional<SetpointConfig> Negotiator::poll(Time now) {
    if (state_ == State::discovering && (matched_ || now >= discover_until_)) {
        never_matched_ = !matched_;
        state_ = State::checking;
    }
    if (state_ == State::checking) return poll_check(now);
    if (state_ == State::applying) return poll_apply(now);
    return std::nullopt;
}

std::optional<SetpointConfig> Negotiator::poll_check(Time now) {
    if (asked_.open && now < asked_.last + options_.reply_timeout) return std::nullopt;
    if (asked_.open) {
        ++statistics_.timeouts;
        asked_.open = false;
    }
    const auto type = options_.types[checking_];
    if (asked_.times >= options_.tries) {
        fail(ErrorCode::no_reply, "PX4 has not answered " + std::to_string(asked_.times) + " requests for " +
                                      quoted(type) + " within " + in_ms(options_.reply_timeout) +
                                      " each: " + is_px4_there);
        return std::nullopt;
    }
    if (!turn_->take(this, now, options_.reply_timeout)) return std::nullopt;
    return ask(type, false, now);
}

std::optional<SetpointConfig> Negotiator::poll_apply(Time now) {
    if (!setpoint_came_ || (asked_.times > 0 && now < asked_.last + options_.repeat)) return std::nullopt;
    if (!turn_->take(this, now, options_.reply_timeout)) return std::nullopt;
    setpoint_came_ = false;
    return ask(wanted_, true, now);
}

SetpointConfig Negotiator::ask(SetpointType type, bool should_apply, Time now) {
    if (asked_.times++ == 0) asked_.first = now;
    asked_.last = now;
    asked_.open = true;
    reply_until_[index_of(type)] = now + options_.reply_timeout;
    ++statistics_.sent;
    SetpointConfig request;
    request.type = type;
    request.source_id = options_.source_id;
    request.should_apply = should_apply;
    request.timeout_ms = options_.timeout_ms;
    return request;
}

Time Negotiator::next() const noexcept {
    switch (state_) {
        case State::discovering:
            return matched_ ? Time::min() : discover_until_;
        case State::checking:
            return asked_.open ? asked_.last + options_.reply_timeout : Time::min();
        case State::applying:
            if (!setpoint_came_) return Time::max();
            return asked_.times > 0 ? asked_.last + options_.repeat : Time::min();
        default:
            return Time::max();
    }
}

// ---- replies

Error Negotiator::receive(const void* data, std::size_t size, Time now) {
    SetpointConfigReply reply;
    if (auto error = decode(data, size, reply)) {
        ++statistics_.received;
        ++statistics_.undecodable;
        return error;
    }
    receive(reply, now);
    return {};
}

bool Negotiator::answers(const SetpointConfigReply& reply, Time now) const noexcept {
    if (asked_.times == 0) return false;
    if (state_ == State::checking) return reply.type == options_.types[checking_];
    return state_ == State::applying && reply.type == wanted_ && now >= doubtful_until_;
}

void Negotiator::receive(const SetpointConfigReply& reply, Time now) {
    ++statistics_.received;
    if (reply.source_id != options_.source_id) {
        ++statistics_.foreign;
        return;
    }
    if (!answers(reply, now)) {
        ++statistics_.unexpected;
        return;
    }
    ++statistics_.answers;
    turn_->leave(this);
    if (reply.result != Result::success) return fail(reply);
    if (state_ == State::checking) {
        checked(reply);
    } else {
        applied();
    }
}

void Negotiator::checked(const SetpointConfigReply& reply) {
    requirements_ = requirements_ | requirements_of(reply);
    asked_ = {};
    if (++checking_ == options_.types.size()) state_ = State::checked;
}

void Negotiator::applied() {
    asked_ = {};
    setpoint_came_ = false;
    state_ = State::active;
}

void Negotiator::fail(const SetpointConfigReply& reply) {
    constexpr ErrorCode codes[] = {ErrorCode::ok, ErrorCode::failure_other, ErrorCode::unsupported,
                                   ErrorCode::unknown_setpoint_type};
    const auto number = static_cast<unsigned>(reply.result);
    const auto code = number < std::size(codes) ? codes[number] : ErrorCode::bad_result;
    fail(code, "PX4 answers " + std::string(to_string(reply.result)) + " (" + std::to_string(number) +
                   ") to " + quoted(reply.type) + " of mode " + std::to_string(reply.source_id) + ". " +
                   advice(reply.result));
}

void Negotiator::fail(ErrorCode code, std::string message) {
    turn_->leave(this);
    state_ = State::failed;
    error_ = {code, std::move(message)};
    asked_ = {};
    setpoint_came_ = false;
    requirements_ = mode_active_ ? requirements_ : Requirements{};
}

// ---- what is known

Error Negotiator::warning(Time now) const {
    if (never_matched_ && state_ == State::checking) {
        return {ErrorCode::no_reply, "PX4's side of the topics was not found within " +
                                         in_ms(options_.discovery) +
                                         "; asking all the same: " + is_px4_there};
    }
    const Duration patience = options_.tries * options_.reply_timeout;
    if (state_ == State::applying && asked_.times > 0 && now - asked_.first >= patience) {
        return {ErrorCode::no_reply, "PX4 has not answered " + std::to_string(asked_.times) +
                                         " requests to apply " + quoted(wanted_) + " in " +
                                         in_ms(now - asked_.first) +
                                         " and may take the setpoints for another type; going on asking"};
    }
    const Duration limit = milliseconds(options_.timeout_ms);
    if (mode_active_ && state_ != State::failed && options_.timeout_ms > 0 && now - last_setpoint_ > limit) {
        return {ErrorCode::setpoints_missing, "no setpoint for " + in_ms(now - last_setpoint_) +
                                                  ", timeout_ms is " + std::to_string(options_.timeout_ms) +
                                                  ": the mode should end itself; PX4 is not known to do it"};
    }
    return {};
}

std::optional<SetpointType> Negotiator::type() const noexcept {
    return state_ == State::active ? std::optional(wanted_) : std::nullopt;
}

}  // namespace px4_setpoint
