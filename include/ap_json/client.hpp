// client.hpp - the link to one ArduPilot SITL: one UDP socket, who the autopilot is, which frame this is,
// whether the link is up.
//
// Thread rule: a Client belongs to one thread at a time. Two exceptions, each named below: cancel() may be
// called from any thread and from a signal handler, and wait() may run while another thread calls the other
// functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ap_json/error.hpp"
#include "ap_json/export.hpp"
#include "ap_json/frame_tracker.hpp"
#include "ap_json/log.hpp"
#include "ap_json/servo_packet.hpp"
#include "ap_json/state.hpp"

namespace ap_json {

/// The port that SITL instance 0 sends to; instance n sends to 9002 + 10 n.
constexpr std::uint16_t default_port = 9002;

/// The largest step forwards between two timestamps, in s. SITL works through a jump: 1e6 s stop it for 2 s, 1e8 for
/// a minute.
constexpr double longest_jump = 1e5;

/// How receive() waits. The answer to one packet brings the next one some 10 us later if SITL's process is
/// awake; what costs time is waking up. docs/performance.md says which to choose, with figures.
enum class WaitMode : std::uint8_t {
    block,  ///< sleep in the operating system: no load while waiting. Right for most
    spin,   ///< ask again and again: fastest, if the thread has a core of its own; takes that core whole
    spin_then_block,  ///< ask again and again for ClientOptions::spin_time, then sleep
};

/// How to listen and what to do. The first two are what most programs set: client.open({"0.0.0.0", 9002}).
struct ClientOptions {
    /// IPv4 address of this machine to listen on. "127.0.0.1": SITL runs here. "0.0.0.0": from any machine,
    /// which is what SITL in WSL, in Docker or elsewhere needs.
    std::string address = "127.0.0.1";

    /// Port to listen on. 0 = any free one, whatever the instance (see Client::port()).
    std::uint16_t port = default_port;

    /// SITL's instance number (its option -I): adds 10 n to the port.
    int instance = 0;

    /// IPv4 address that alone may be the autopilot; empty = whoever sends valid servo packets.
    std::string autopilot_address = {};

    /// The link counts as lost after this long without a servo packet; max() = never. A waiting SITL repeats
    /// its packet every 1.1 s.
    std::chrono::milliseconds link_loss_time{3000};

    /// true: the first timestamp after each start of ArduPilot becomes 0, the others count from there. For
    /// simulators whose time starts elsewhere, such as at the Unix epoch.
    bool relative_timestamps = false;

    /// How receive() waits.
    WaitMode wait_mode = WaitMode::block;

    /// For WaitMode::spin_then_block.
    std::chrono::microseconds spin_time{50};

    /// Any function that takes a std::string_view. Called, from within open(), receive() and send(), with one
    /// sentence about an event that happens seldom: connected, lost, restarted, and what is wrong. Five at once
    /// are told, then one a second at most. May be empty. Must not open, close, move or destroy the client.
    LogCallback log = nullptr;
};

/// Whether the link works, and if not, what is wrong with it.
enum class LinkStatus : std::uint8_t {
    closed,        ///< open() has not been called, or has failed
    waiting,       ///< no datagram has arrived yet
    unrecognised,  ///< datagrams arrive, but none is a servo packet from the autopilot
    unanswered,    ///< servo packets arrive, but their count does not rise: SITL does not get the answers, or
                   ///< refuses them
    online,        ///< servo packets arrive, and nothing says that the answers are not accepted
    lost,          ///< it was online, but nothing has come for ClientOptions::link_loss_time
};

/// The name of a status, as in the enumeration. Never null.
[[nodiscard]] AP_JSON_API const char* to_string(LinkStatus status) noexcept;

/// What a status means and what to do about it, in a sentence or two. Never null.
[[nodiscard]] AP_JSON_API const char* explain(LinkStatus status) noexcept;

/// Counters since open(). They only rise.
struct Statistics {
    std::uint64_t received = 0;  ///< servo packets; all of the next three included
    std::uint64_t drained = 0;   ///< servo packets that had a newer one queued behind them, and were skipped
    std::uint64_t stale = 0;     ///< servo packets that arrived behind a newer one, and were ignored
    std::uint64_t repeated = 0;  ///< servo packets handed over as `repeated`
    std::uint64_t missed = 0;    ///< frame counts that were never handed over: lost on the way, or drained
    std::uint64_t restarts = 0;  ///< times ArduPilot was started again
    std::uint64_t losses = 0;    ///< times the link was lost
    std::uint64_t rejected_length = 0;  ///< datagrams with the wrong length for a servo packet
    std::uint64_t rejected_magic = 0;   ///< datagrams with the right length and the wrong magic
    std::uint64_t rejected_sender = 0;  ///< datagrams from elsewhere than ClientOptions::autopilot_address
    std::uint64_t receive_errors = 0;   ///< times the operating system reported an error while receiving
    std::uint64_t sent = 0;             ///< states sent
    std::uint64_t refused = 0;          ///< states that send() refused
    std::uint64_t send_errors = 0;      ///< states that the operating system did not take
};

/// One servo packet handed over, and what it is.
struct Frame {
    ServoPacket servos;                 ///< what ArduPilot asks of the servos
    FrameKind kind = FrameKind::first;  ///< never `stale`

    /// How many frame counts are missing between this frame and the one before. Step once all the same: time is the
    /// physics' own.
    std::uint32_t missed = 0;

    /// SITL wants the last answer again: do not step the physics, send the same state once more.
    [[nodiscard]] bool repeated() const noexcept { return kind == FrameKind::repeated; }

    /// ArduPilot was started again: put the vehicle back to its start, and time to 0, before stepping.
    [[nodiscard]] bool restarted() const noexcept { return kind == FrameKind::restarted; }
};

/// The link to one ArduPilot SITL.
///
/// Who that is: whoever sends the first servo packet; then whoever goes on counting, begins at 0 (it was started
/// again), or insists on another count while the one before has been silent for 3 s (or link_loss_time, if that is
/// shorter). Others are counted as stale and never answered.
///
/// Cost of a frame: two system calls on Linux (one that waits for and drains what is queued, one that
/// answers) and no allocation after open().
class AP_JSON_API Client {
  public:
    /// Closed. Does not allocate.
    Client() noexcept;
    /// Closes the socket.
    ~Client();
    /// The link goes on in the new object; what was moved from is closed. Not while another thread is in wait().
    Client(Client&& other) noexcept;
    /// Likewise; closes what was open here.
    Client& operator=(Client&& other) noexcept;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Listens. Closes what was open before and sets the counters to 0.
    /// A port that another program listens on is an error, never shared. After an error the client is closed.
    /// @return ok, bad_option, address_unavailable, port_busy or system_error
    Error open(const ClientOptions& options = {});

    /// Stops listening. The counters stay readable.
    void close() noexcept;

    /// Whether open() has succeeded, and close() has not been called since.
    [[nodiscard]] bool is_open() const noexcept;

    /// Waits for the next servo packet, takes all that are queued and hands over the newest. Answer it once
    /// with send().
    ///
    /// Datagrams that are not servo packets change nothing but a counter. A signal does not end the wait.
    /// When the socket fails or is not open, the wait takes its time too, so that a loop around it never
    /// spins.
    ///
    /// @param timeout  the longest wait; 0 (or less) looks and returns at once. Measured on the steady clock.
    /// @return the frame, or nothing: see status() for why
    [[nodiscard]] std::optional<Frame> receive(std::chrono::nanoseconds timeout);

    /// Waits until receive(0) has something to look at, but takes nothing and changes nothing. Allowed while
    /// another thread uses this client, which lets one thread wait while another sends.
    /// @return true when a datagram is there (which may turn out not to be a servo packet) or on cancel()
    bool wait(std::chrono::nanoseconds timeout) const noexcept;

    /// Ends the wait that another thread is in at once, or the next one if there is none: that call of
    /// receive() returns nothing. Allowed from any thread and from a signal handler, as long as the client is
    /// neither moved, opened nor closed meanwhile.
    void cancel() noexcept;

    /// Answers the newest servo packet, to where it came from.
    ///
    /// Refuses, with nothing sent, what would harm: a state that validate() refuses; a second answer to one
    /// packet; a timestamp that is not later than that of the last answer, or later by more than longest_jump.
    /// The same timestamp again is right when the packet is a repetition. After `first` and `restarted` frames
    /// any timestamp is right.
    ///
    /// @return ok, an error of validate(), not_open, no_autopilot, already_answered, time_not_advanced,
    ///         time_went_back, time_jumped or not_sent
    Error send(const State& state) noexcept;

    /// Lets the next timestamp be an earlier one, for a deliberate reset of the physics. SITL then says "Detected
    /// physics reset" and goes on with a step of 0; the autopilot itself is not reset and may be confused:
    /// restart SITL after a teleport. With relative_timestamps the next timestamp may be any, and SITL sees time
    /// go on from where it was.
    void allow_time_reset() noexcept;

    /// Whether the link works. Brought up to date by receive().
    [[nodiscard]] LinkStatus status() const noexcept;

    /// What has happened since open(). The reference is valid as long as the client is neither opened, moved nor
    /// destroyed.
    [[nodiscard]] const Statistics& statistics() const noexcept;

    /// Port listened on, 0 when closed.
    [[nodiscard]] std::uint16_t port() const noexcept;

    /// Where the newest servo packet came from, such as "127.0.0.1:51234"; empty before the first.
    [[nodiscard]] std::string autopilot() const;

    /// The socket (a file descriptor, on Windows a SOCKET) for an event loop of your own; -1 when closed.
    /// Wait for it to be readable, then call receive(0). Do not read from, write to or close it.
    [[nodiscard]] std::intptr_t native_handle() const noexcept;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;  // null until the first open()
};

}  // namespace ap_json
