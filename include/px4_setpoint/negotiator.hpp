// negotiator.hpp - a mode's side of the dialogue: asks PX4 which setpoints it takes (check), tells it which ones come
// (apply), and says what the mode's arming check has to require. It has neither a socket nor a clock: it is fed replies
// and the time, and tells which request to send. dds.hpp brings both together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "px4_setpoint/error.hpp"
#include "px4_setpoint/messages.hpp"

namespace px4_setpoint {

/// What the caller's steady clock shows.
using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Where a negotiation stands.
enum class State : std::uint8_t {
    idle,         ///< nothing asked yet: check() begins
    discovering,  ///< waits until PX4's side is there
    checking,     ///< asks for one declared type after the other
    checked,      ///< all declared types are good; requirements() holds; the mode may be activated
    applying,  ///< the mode is active; PX4 has been told the type of its setpoints but has not answered yet
    active,    ///< PX4 has taken the type; setpoints flow
    failed,    ///< see error(); check() begins anew
};

/// The name of a state, as in the enumeration. Never null.
[[nodiscard]] PX4_SETPOINT_API const char* to_string(State state) noexcept;

/// PX4 sees only the newest request, so one vehicle must have no more than one open at a time. The modes of one vehicle
/// share a Turn and take turns by themselves; a mode that is alone needs none.
///
/// A Turn and all Negotiators that share it belong to one thread at a time, and it outlives them.
class PX4_SETPOINT_API Turn {
  public:
    Turn() = default;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    friend class Negotiator;
    bool take(const void* who, Time now, Duration at_most) noexcept;
    void leave(const void* who) noexcept;

    const void* holder_ = nullptr;
    Time until_{};
    bool other_waits_ = false;
};

/// What a mode wants. The defaults are those of PX4's own interface library.
struct NegotiatorOptions {
    /// The mode's id, from PX4's answer to its registration: 23 to 30.
    std::uint8_t source_id = first_external_mode;
    /// All types the mode will ever send, each once.
    std::vector<SetpointType> types;
    /// Sent to PX4, and the limit of the watchdog in Negotiator::warning(). 0 turns both off.
    std::uint16_t timeout_ms = 0;
    /// Also asks for types that this library does not know, for a PX4 that is newer than it.
    bool unknown_types = false;

    Duration discovery = std::chrono::milliseconds(3000);     ///< how long PX4's side is waited for
    Duration reply_timeout = std::chrono::milliseconds(300);  ///< how long one answer is waited for
    int tries = 5;                                            ///< how often one type is asked for
    Duration repeat = std::chrono::milliseconds(20);  ///< apply is asked for again no sooner than this
};

/// What has happened so far. These only rise.
struct NegotiatorStatistics {
    std::uint64_t sent = 0;        ///< requests handed out by poll()
    std::uint64_t received = 0;    ///< replies fed in, of whatever kind
    std::uint64_t answers = 0;     ///< of these: those that answered a request
    std::uint64_t foreign = 0;     ///< of these: those for the mode of another source id
    std::uint64_t unexpected = 0;  ///< of these: those for no open request: late, doubled, or of another type
    std::uint64_t undecodable = 0;  ///< of these: bytes that are no reply
    std::uint64_t timeouts = 0;     ///< requests that were not answered in time
};

/// One mode's negotiation.
///
///     Negotiator negotiator({source_id, {SetpointType::trajectory}});
///     negotiator.check(now);                      // before flight
///     ... poll(), receive() until state() is checked; ask for requirements() in the arming check
///     negotiator.activate(now);                    // when PX4's nav_state becomes source_id
///     if (!negotiator.setpoint(SetpointType::trajectory, now)) publish(setpoint);   // for each setpoint
///     negotiator.deactivate();                    // when it becomes another
///
/// Belongs to one thread at a time.
class PX4_SETPOINT_API Negotiator {
  public:
    /// @param turn  shared by the modes of one vehicle; null for a mode that is alone. Has to outlive this object.
    explicit Negotiator(NegotiatorOptions options, Turn* turn = nullptr);
    ~Negotiator();
    Negotiator(const Negotiator&) = delete;
    Negotiator& operator=(const Negotiator&) = delete;

    /// Begins to ask whether PX4 takes the declared types, without applying any. Afterwards feed matched(), poll() and
    /// receive() until state() is checked or failed: at most discovery + types * tries * reply_timeout, when no other
    /// mode has the turn.
    ///
    /// Errors: not_registered, bad_type, bad_option: the options cannot be meant; wrong_state: the mode is active.
    Error check(Time now);

    /// Tells whether the transport has found PX4's side of both topics. While it has not, check() waits for
    /// options.discovery and then goes on with a warning().
    void matched(bool found) noexcept { matched_ = found; }

    /// The mode has become active (PX4's nav_state is its source id). Errors: wrong_state: check() has not succeeded.
    Error activate(Time now);

    /// The mode is not active any more. PX4 falls back to TRAJECTORY then, so that the next activation applies again.
    void deactivate() noexcept;

    /// To be called for each setpoint before it is published: without error the setpoint may flow, in the states
    /// applying and active. A type other than the last one is applied first; poll() gives the request.
    ///
    /// Errors: wrong_state: the mode is not active; bad_type: not a declared type; else what PX4 refused it for.
    Error setpoint(SetpointType type, Time now);

    /// The request to send now, if there is one. To be called after each call above, when a reply has come, and when
    /// next() is reached.
    [[nodiscard]] std::optional<SetpointConfig> poll(Time now);

    /// When poll() will have something to do if nothing happens before. Time::max() when nothing will. Another mode
    /// that has the turn is not foreseen: poll every options.reply_timeout at least.
    [[nodiscard]] Time next() const noexcept;

    /// A reply has come. Replies that answer no open request are counted and ignored.
    void receive(const SetpointConfigReply& reply, Time now);

    /// A reply has come as bytes (cdr.hpp). Errors: as decode(); such bytes are counted and ignored.
    Error receive(const void* data, std::size_t size, Time now);

    [[nodiscard]] State state() const noexcept { return state_; }

    /// Why state() is failed. No error in all other states.
    [[nodiscard]] const Error& error() const noexcept { return error_; }

    /// What is not as it should be, although the dialogue goes on:
    /// no_reply: PX4's side was not found before the checks began, or has not answered for tries * reply_timeout since
    /// apply was first asked for; setpoints_missing: no setpoint for longer than timeout_ms while the mode is active
    /// (PX4 itself does not act on that, in the sources that were read).
    [[nodiscard]] Error warning(Time now) const;

    /// What the mode's arming check has to require: what all declared types need together. A mode that sends only a
    /// part of a type (a trajectory without position) may clear what it does not need. Valid from checked on; all
    /// false before.
    [[nodiscard]] Requirements requirements() const noexcept { return requirements_; }

    /// The type that PX4 has taken; nothing unless active.
    [[nodiscard]] std::optional<SetpointType> type() const noexcept;

    [[nodiscard]] const NegotiatorStatistics& statistics() const noexcept { return statistics_; }

  private:
    // What was asked of one type, in this round of tries.
    struct Asked {
        int times = 0;
        bool open = false;  // the newest request waits for its reply
        Time first{};
        Time last{};
    };

    Error wrong_state(const char* wish) const;
    Error check_options() const;
    std::size_t index_of(SetpointType type) const noexcept;
    void fail(ErrorCode code, std::string message);
    void fail(const SetpointConfigReply& reply);
    std::optional<SetpointConfig> poll_check(Time now);
    std::optional<SetpointConfig> poll_apply(Time now);
    SetpointConfig ask(SetpointType type, bool should_apply, Time now);
    bool answers(const SetpointConfigReply& reply, Time now) const noexcept;
    void checked(const SetpointConfigReply& reply);
    void applied();

    NegotiatorOptions options_;
    Turn own_turn_;
    Turn* turn_;
    NegotiatorStatistics statistics_;
    State state_ = State::idle;
    Error error_;
    bool matched_ = false;
    bool never_matched_ = false;  // the checks began without PX4's side in sight
    bool mode_active_ = false;
    Time discover_until_{};
    std::size_t checking_ = 0;  // index into options_.types
    Asked asked_;
    SetpointType wanted_ = SetpointType::invalid;
    bool setpoint_came_ = false;  // since the last request to apply
    Time last_setpoint_{};
    // A reply may still belong to an earlier round of the same type until options_.reply_timeout after that was asked.
    std::vector<Time> reply_until_;  // for each of options_.types
    Time doubtful_until_{};          // for the wanted type
    Requirements requirements_;
};

}  // namespace px4_setpoint
