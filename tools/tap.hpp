// tap.hpp - a relay between SITL and a backend: passes on every datagram byte for byte, unless it is told to
// disturb, watches them with a LinkMonitor and records them.
//
//     SITL --> [listening socket] --> [one socket for each SITL] --> backend, and back the same way
//
// Each sender towards the listening socket gets a port of its own towards the backend: a SITL that is started
// again on a new port looks like that to the backend too.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "disturber.hpp"
#include "link_monitor.hpp"

struct TapOptions {
    std::string address = "127.0.0.1";  // IPv4; SITL sends to it
    int port = 9002;                    // 0 = any free one
    std::string backend_address = "127.0.0.1";
    int backend_port = 9003;
    Disturbance to_backend;
    Disturbance to_sitl;
    std::uint64_t seed = 1;
    std::string record;  // path of the recording; empty = none
    std::string note;    // for the recording
};

/// They only rise.
struct TapCounts {
    std::uint64_t not_sent = 0;     // datagrams that the operating system did not take
    std::uint64_t forgotten = 0;    // senders whose place was needed for newer ones
    std::uint64_t senders = 0;      // that got a port of their own
    std::uint64_t crowded_out = 0;  // datagrams that went from the common port
    std::uint64_t recorded = 0;     // datagrams
};

class Tap {
  public:
    /// Senders that have a port of their own at once; a SITL takes the place of whoever else was silent
    /// longest. What others send when all places are taken goes to the backend from one common port, and
    /// cannot be answered.
    static constexpr std::size_t most_senders = 64;

    /// A place is free again for anybody when its owner has been silent so long.
    static constexpr std::chrono::nanoseconds longest_silence = std::chrono::seconds(10);

    explicit Tap(TapOptions options);
    ~Tap();
    Tap(const Tap&) = delete;
    Tap& operator=(const Tap&) = delete;

    /// Opens sockets and recording, and from now on catches Ctrl-C.
    /// @return empty, or why not: with the option, or address and port, and the system's words
    std::string open();

    /// "127.0.0.1:9002"
    [[nodiscard]] std::string listening_on() const;

    /// Relays until Ctrl-C (SIGINT, SIGTERM or SIGHUP), or until so much time has passed; 0 = for ever.
    /// @param every    how often `look` is called meanwhile
    /// @param suspend  what Ctrl-Z does; empty = what it does anyhow
    void run(std::chrono::nanoseconds duration, std::chrono::nanoseconds every,
             const std::function<void()>& look, const std::function<void()>& suspend = {});

    [[nodiscard]] LinkSnapshot snapshot() const;
    [[nodiscard]] const DisturbanceCounts& to_backend() const;
    [[nodiscard]] const DisturbanceCounts& to_sitl() const;
    [[nodiscard]] const TapCounts& counts() const;

    /// Why the recording has ended before the end; empty = it has not, or there is none.
    [[nodiscard]] const std::string& recording_problem() const;

    /// The newest reason why a datagram could not be sent; empty = none.
    [[nodiscard]] const std::string& send_problem() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};
