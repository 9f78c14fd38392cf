// message_sink.hpp - where the state machines of this library put the messages they want sent. They know neither frames
// nor transports.
#pragma once

#include "px4_hil/export.hpp"
#include "px4_hil/message_info.hpp"

namespace px4_hil {

class PX4_HIL_API MessageSink {
  public:
    virtual ~MessageSink() = default;

    template <class Message>
    void send(const Message& message) {
        put(*find_message(Message::id), &message);
    }

    /// @param message  the struct of messages.hpp that `info` describes
    virtual void put(const MessageInfo& info, const void* message) = 0;
};

}  // namespace px4_hil
