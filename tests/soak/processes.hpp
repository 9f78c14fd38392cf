// processes.hpp - SITL, a backend and a flood of strays as processes of their own, which can be stopped and killed.
// They write what they see to memory that is shared.
#pragma once

#include <sys/types.h>

#include <ap_json/client.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "bare_sitl.hpp"
#include "witness.hpp"

namespace soak {

/// What the processes tell one another.
struct Board {
    // Who has to end by itself; in this order, so that the backend sees all that was sent.
    std::atomic<bool> end_strays{false};
    std::atomic<bool> end_sitl{false};
    std::atomic<bool> end_backend{false};

    std::atomic<std::uint64_t> port{0};      // of the backend, once it listens
    std::atomic<std::uint64_t> accepted{0};  // lines, by all SITLs
    std::atomic<std::uint64_t> packets{0};   // sent by all SITLs
    std::atomic<std::uint64_t> strays{0};    // sent
    std::atomic<std::uint64_t> answered_strays{0};

    Witness witness;                 // the backend's; to be read when it has ended
    ap_json::Statistics statistics;  // of the backend that has ended by itself
    std::uint64_t dropped = 0;       // by its socket, whose buffer was full
};

/// Bytes that processes started later share; ends the program when there are none.
void* share_memory(std::size_t size);
void unshare_memory(void* memory, std::size_t size);

/// Plain data in such memory.
template <class Data>
class Shared {
  public:
    Shared() : data_(new (share_memory(sizeof(Data))) Data) {}
    ~Shared() {
        data_->~Data();
        unshare_memory(data_, sizeof(Data));
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    Data* operator->() const { return data_; }
    Data& operator*() const { return *data_; }

  private:
    Data* data_;
};

/// A child process; killed when this object ends, or this program does.
class Process {
  public:
    explicit Process(const std::function<void()>& action);
    /// Another program, without standard input; its output goes to the file.
    Process(const std::string& program, const std::vector<std::string>& arguments, const std::string& output);
    ~Process() { kill(); }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void kill();  // SIGKILL
    void stop();  // SIGSTOP
    void go_on();
    /// @return whether it has ended by itself with exit code 0 before the time was up
    bool ends_within(std::chrono::milliseconds time);
    [[nodiscard]] pid_t id() const { return id_; }

  private:
    pid_t id_ = -1;
};

/// Polls until the condition holds. @return how long that took; max() when the time was up first
std::chrono::milliseconds time_until(const std::function<bool()>& condition, std::chrono::milliseconds most);

// What the processes do.
void be_sitl(Board& board, Identity identity, std::chrono::nanoseconds resend,
             const ap_json::Endpoint& backend);
void be_backend(Board& board, const char* address);
void be_strays(Board& board, double rate);

/// Datagrams that a socket dropped because its buffer was full.
std::uint64_t dropped_by(std::intptr_t socket);

}  // namespace soak
