// fleet.hpp - many vehicles, each with its own ArduPilot, served by one thread. Two shapes:
//
// * independent: Fleet::wait() says whose ArduPilot has sent something; answer those, in any order.
//
//       for (std::size_t i : fleet.wait(100ms)) {
//           if (auto frame = fleet[i].receive(0ms)) { ...step vehicle i...; fleet[i].send(state); }
//       }
//
// * in step, for vehicles that share one world: InStep::gather() waits until every ArduPilot has asked for
//   this step; step the world once, then answer all.
//
//       const auto& frames = step.gather();
//       ...step the world...
//       for (std::size_t i = 0; i < fleet.size(); ++i) if (frames[i]) step.answer(i, states[i]);
//
// Thread rule: as for Client; a Fleet and its clients belong to one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ap_json/client.hpp"

namespace ap_json {

/// Waits for many clients in one system call (epoll, poll or WSAPoll). Does not own them.
class AP_JSON_API Fleet {
  public:
    /// Empty. Does not allocate.
    Fleet() noexcept;
    ~Fleet();
    /// The clients stay where they are.
    Fleet(Fleet&& other) noexcept;
    /// Likewise.
    Fleet& operator=(Fleet&& other) noexcept;
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    /// Adds an open client, which has to stay where it is, and open, as long as it is part of the fleet. Its
    /// index is the size of the fleet before. Allocates.
    /// @return ok, not_open, or system_error
    Error add(Client& client);

    /// How many clients there are.
    [[nodiscard]] std::size_t size() const noexcept { return clients_.size(); }
    /// The client added as number `index`, from 0 on; not checked.
    [[nodiscard]] Client& operator[](std::size_t index) const noexcept { return *clients_[index]; }

    /// Waits until there is something for at least one client, or that client's cancel() is called. One
    /// system call; no allocation.
    /// @param timeout  0 or less looks and returns at once; rounded up to milliseconds
    /// @return the indices of the clients whose receive(0) has something to look at; valid until the next
    ///         call
    const std::vector<std::size_t>& wait(std::chrono::nanoseconds timeout);

  private:
    struct Poller;
    std::unique_ptr<Poller> poller_;  // null until the first add()
    std::vector<Client*> clients_;
    std::vector<std::size_t> ready_;
};

/// Keeps the ArduPilots of one world in step.
///
/// An ArduPilot takes part from its first packet on. One that has gone quiet holds the world up for no longer
/// than `patience`, is then left out, and takes part again when it comes back.
class AP_JSON_API InStep {
  public:
    /// @param fleet     outlives this object; complete before the first gather()
    /// @param patience  longest time to wait for an ArduPilot that is quiet. SITL asks again after 1.1 s when
    ///                  an answer was lost, so a little more than that survives a loss
    explicit InStep(Fleet& fleet, std::chrono::nanoseconds patience = std::chrono::milliseconds(1500));

    /// Waits until every ArduPilot that takes part has asked for this step. Repetitions, which mean that an
    /// answer was lost, are answered with the last state, here.
    /// @param idle  longest wait while none takes part; then all of the frames are empty
    /// @return a frame for each client: empty for those that do not take part. Valid until the next call
    const std::vector<std::optional<Frame>>& gather(
        std::chrono::nanoseconds idle = std::chrono::milliseconds(100));

    /// Answers one that has asked, and remembers the state for the case that the answer is lost.
    /// @return as Client::send()
    Error answer(std::size_t index, const State& state);

    /// Whether an ArduPilot takes part.
    [[nodiscard]] bool takes_part(std::size_t index) const noexcept { return members_[index].takes_part; }
    /// How many take part.
    [[nodiscard]] std::size_t participants() const noexcept;

    /// How often ArduPilots have been left out because they were quiet. Only rises.
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

  private:
    struct Member {
        bool takes_part = false;
        State last_answer;
    };

    void listen(std::size_t index);
    void look_at_one_left_out();

    Fleet& fleet_;
    std::chrono::nanoseconds patience_;
    std::vector<Member> members_;
    std::vector<std::optional<Frame>> frames_;
    std::size_t missing_ = 0;  // take part, and have not asked for this step
    std::size_t next_look_ = 0;
    std::uint64_t left_out_ = 0;
};

}  // namespace ap_json
