// fleet.cpp - see fleet.hpp. Poller is the difference between the operating systems.
#include "ap_json/fleet.hpp"

#include <algorithm>
#include <thread>

#include "text_writer.hpp"
#include "udp_socket.hpp"

#if defined(__linux__) && !defined(AP_JSON_POSIX_ONLY)
#define AP_JSON_EPOLL 1
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#elif defined(_WIN32)
#define AP_JSON_EPOLL 0
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#else
#define AP_JSON_EPOLL 0
#include <poll.h>
#endif

namespace ap_json {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr nanoseconds longest_wait = std::chrono::hours(24);

}  // namespace

#if AP_JSON_EPOLL

struct Fleet::Poller {
    int handle = epoll_create1(EPOLL_CLOEXEC);
    std::vector<epoll_event> events;

    Poller() = default;
    ~Poller() {
        if (handle >= 0) close(handle);
    }
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    int add(std::intptr_t socket, std::size_t index) {
        if (handle < 0) return errno;
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = index;
        if (epoll_ctl(handle, EPOLL_CTL_ADD, static_cast<int>(socket), &event) != 0) return errno;
        events.resize(index + 1);
        return 0;
    }

    void wait(milliseconds timeout, std::vector<std::size_t>& ready) {
        const int count = epoll_wait(handle, events.data(), static_cast<int>(events.size()),
                                     static_cast<int>(timeout.count()));
        for (int i = 0; i < count; ++i) {
            const std::uint64_t index =
                events[static_cast<std::size_t>(i)].data.u64;  // a copy: the struct is packed
            ready.push_back(index);
        }
    }
};

#else

struct Fleet::Poller {
#if defined(_WIN32)
    using Entry = WSAPOLLFD;
    static int poll_all(std::vector<Entry>& entries, int timeout) {
        return ::WSAPoll(entries.data(), static_cast<ULONG>(entries.size()), timeout);
    }
#else
    using Entry = pollfd;
    static int poll_all(std::vector<Entry>& entries, int timeout) {
        return ::poll(entries.data(), static_cast<nfds_t>(entries.size()), timeout);
    }
#endif
    std::vector<Entry> entries;

    int add(std::intptr_t socket, std::size_t) {
        entries.push_back({static_cast<decltype(Entry::fd)>(socket), POLLRDNORM, 0});
        return 0;
    }

    void wait(milliseconds timeout, std::vector<std::size_t>& ready) {
        if (poll_all(entries, static_cast<int>(timeout.count())) <= 0) return;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].revents != 0) ready.push_back(i);
        }
    }
};

#endif

Fleet::Fleet() noexcept = default;
Fleet::~Fleet() = default;
Fleet::Fleet(Fleet&& other) noexcept = default;
Fleet& Fleet::operator=(Fleet&& other) noexcept = default;

Error Fleet::add(Client& client) {
    if (!client.is_open()) {
        return {ErrorCode::not_open, "a client has to be open before it becomes part of a fleet"};
    }
    if (!poller_) poller_ = std::make_unique<Poller>();
    if (const int number = poller_->add(client.native_handle(), clients_.size())) {
        MessageWriter text;
        text << "cannot wait for a client: " << UdpSocket::error_text(number).view();
        return {ErrorCode::system_error, text.c_str()};
    }
    clients_.push_back(&client);
    ready_.reserve(clients_.size());
    return {};
}

const std::vector<std::size_t>& Fleet::wait(nanoseconds timeout) {
    ready_.clear();
    timeout = std::clamp(timeout, nanoseconds(0), longest_wait);
    if (!poller_) {
        std::this_thread::sleep_for(timeout);  // so that a loop around it never spins
        return ready_;
    }
    const Clock::time_point deadline = Clock::now() + timeout;
    for (;;) {  // a signal ends the wait early
        poller_->wait(std::chrono::ceil<milliseconds>(timeout), ready_);
        if (!ready_.empty() || timeout <= nanoseconds(0)) return ready_;
        timeout = std::max<nanoseconds>(deadline - Clock::now(), nanoseconds(0));
    }
}

InStep::InStep(Fleet& fleet, nanoseconds patience)
    : fleet_(fleet), patience_(patience), members_(fleet.size()), frames_(fleet.size()) {}

/// Takes what there is from one client.
void InStep::listen(std::size_t index) {
    Client& client = fleet_[index];
    const auto frame = client.receive(nanoseconds(0));
    if (!frame) return;
    Member& member = members_[index];
    if (frame->repeated() && member.takes_part) {
        // Its answer was lost: with the same one again it asks for this step next, and stays in step.
        static_cast<void>(client.send(member.last_answer));
        return;
    }
    if (!frames_[index] && member.takes_part) --missing_;
    member.takes_part = true;
    frames_[index] = frame;
}

/// A client notices that its link is lost when it looks and finds nothing; nobody else looks at those left
/// out.
void InStep::look_at_one_left_out() {
    for (std::size_t tried = 0; tried < members_.size(); ++tried) {
        next_look_ = (next_look_ + 1) % members_.size();
        if (!members_[next_look_].takes_part) return listen(next_look_);
    }
}

const std::vector<std::optional<Frame>>& InStep::gather(nanoseconds idle) {
    missing_ = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        frames_[i].reset();
        if (members_[i].takes_part) ++missing_;
    }
    const nanoseconds longest = missing_ == 0 ? idle : patience_;
    look_at_one_left_out();
    const Clock::time_point start = Clock::now();
    // The look may have brought the only one there is; then the others are only looked at.
    nanoseconds remaining = missing_ == 0 && participants() > 0 ? nanoseconds(0) : longest;
    for (;;) {
        for (std::size_t index : fleet_.wait(remaining)) listen(index);
        if (missing_ == 0 && participants() > 0) return frames_;
        remaining = longest - (Clock::now() - start);
        if (remaining <= nanoseconds(0)) break;
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (!members_[i].takes_part || frames_[i]) continue;
        members_[i].takes_part = false;
        ++left_out_;
    }
    return frames_;
}

Error InStep::answer(std::size_t index, const State& state) {
    auto error = fleet_[index].send(state);
    // A state that was refused must not be what a repetition gets.
    if (!error || error.code() == ErrorCode::not_sent) members_[index].last_answer = state;
    return error;
}

std::size_t InStep::participants() const noexcept {
    return static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(),
                                                  [](const Member& member) { return member.takes_part; }));
}

}  // namespace ap_json
