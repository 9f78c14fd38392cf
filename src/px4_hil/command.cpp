// command.cpp - see command.hpp.
#include "px4_hil/command.hpp"

#include "px4_hil/px4_modes.hpp"

namespace px4_hil {

void Command::begin(const CommandLong& message, Identity self, Time now, MessageSink& sink, int tries) {
    message_ = message;
    self_ = self;
    tries_left_ = tries - 1;
    outcome_ = Outcome::waiting;
    deadline_ = now + patience;
    sink.send(message_);
}

void Command::handle(const CommandAck& ack, Time now) {
    if (!waiting() || ack.command != message_.command) return;
    // Old releases do not say whom they answer.
    if (ack.target_system != 0 && ack.target_system != self_.system) return;
    if (ack.target_component != 0 && ack.target_component != self_.component) return;
    result_ = ack.result;
    if (ack.result == mav_result::in_progress) {
        deadline_ = now + patience_in_progress;
        tries_left_ = 0;
    } else {
        decide(ack.result == mav_result::accepted ? Outcome::accepted : Outcome::rejected, now);
    }
}

void Command::tick(Time now, MessageSink& sink) {
    if (!waiting() || now < deadline_) return;
    if (tries_left_ == 0) return decide(Outcome::timed_out, now);
    --tries_left_;
    ++message_.confirmation;
    deadline_ = now + patience;
    sink.send(message_);
}

}  // namespace px4_hil
