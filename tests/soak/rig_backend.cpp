// rig_backend.cpp - the backend of the rig, and what is checked after each of its exchanges: see rig.hpp.
#include <poll.h>

#include "memory.hpp"
#include "rig.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;
using ap_json::LinkStatus;

constexpr std::chrono::microseconds physics_step(2500);

// The clock of the rig stands still while the operating system takes its time to deliver.
constexpr std::chrono::milliseconds longest_delivery = 20s;

}  // namespace

void Rig::start_backend() {
    ap_json::ClientOptions options;
    options.port = port_;
    const auto error = client_.open(options);
    expect(!error, std::string("the backend cannot be opened again: ") + error.message());
    port_ = client_.port();
    witness_.forget();
    loop_.emplace(client_, witness_, physics_step);
    arrivals_.emplace();
    steps_at_start_ = witness_.steps();
    last_timestamp_ = 0;
    last_frame_.reset();
}

void Rig::end_backend() {
    backend_returns_ = now_ + random_time(0.3);
    backend_resumes_ = now_;
    last_frame_.reset();
    client_.close();
    loop_.reset();
    arrivals_.reset();
}

/// Its process gets time. @return whether it did something, or will
bool Rig::run_backend() {
    if (!client_.is_open() || now_ < backend_resumes_ || arrivals_->waiting() == 0) return false;
    if (random() < 0.1) return true;  // busy with something else: more is queued then
    while (outcome_.broken.empty() && arrivals_->waiting() > 0) exchange();
    return true;
}

void Rig::exchange() {
    const ap_json::Statistics before = client_.statistics();
    const std::uint64_t steps = witness_.steps();
    const std::uint64_t restarts = witness_.restarts();
    const std::size_t waiting = arrivals_->waiting();
    const long allocated = allocations();
    const auto error = loop_->exchange(Time(0));
    expect(allocations() == allocated, "the client has allocated");
    if (error) expect(false, std::string("the answer was refused: ") + error.message());

    const std::string problem = arrivals_->compare(client_.statistics());
    expect(problem.empty(), problem);
    if (arrivals_->waiting() == waiting && waiting > 0)
        return expect(wait_for_datagram(), "a datagram that was sent never arrived");
    const bool repeated = client_.statistics().repeated != before.repeated;
    const std::uint64_t handed_over = witness_.steps() - steps + (repeated ? 1 : 0);
    check_counters(before, handed_over);
    check_time(restarts, steps);
    expect(*witness_.complaint() == '\0', witness_.complaint());
    if (handed_over == 0) return;
    last_frame_ = now_;
    collect_answer(repeated);
}

void Rig::check_counters(const ap_json::Statistics& before, std::uint64_t handed_over) {
    const ap_json::Statistics& s = client_.statistics();
    expect(handed_over <= 1, "more than one frame in one exchange");
    expect(s.sent == before.sent + handed_over, "not one answer for one frame");
    expect(s.refused == 0 && s.send_errors == 0 && s.receive_errors == 0 && s.rejected_sender == 0,
           "an error, where there is none");
    const std::uint64_t all = witness_.steps() - steps_at_start_ + s.repeated;
    expect(s.received == all + s.drained + s.stale, "received is not handed over + drained + stale");
    expect(s.missed == witness_.missed(), "the counter `missed` is wrong");
}

/// Physics time rises by one step for each frame, stays for a repetition, and begins anew with a restart only.
void Rig::check_time(std::uint64_t restarts_before, std::uint64_t steps_before) {
    const double timestamp = loop_->state().timestamp;
    const double step = std::chrono::duration<double>(physics_step).count();
    if (witness_.steps() == steps_before) {
        expect(timestamp == last_timestamp_, "time moved without a frame");
    } else if (witness_.restarts() != restarts_before) {
        expect(timestamp == step, "time did not begin anew with a restart");
    } else {
        expect(timestamp > last_timestamp_ && timestamp < last_timestamp_ + 1.5 * step,
               "time went back, or jumped");
    }
    last_timestamp_ = timestamp;
}

/// While nothing comes, the backend looks in vain, and the link counts as lost when it has been silent for 3 s.
void Rig::check_status() {
    if (!client_.is_open() || now_ < backend_resumes_ || arrivals_->waiting() > 0) return;
    exchange();
    if (!last_frame_) return;
    const bool lost = client_.status() == LinkStatus::lost;
    expect(lost == (now_ - *last_frame_ >= 3s), lost ? "lost too early" : "not lost after 3 s of silence");
}

/// Exactly one has been sent: to the SITL whose packet was the newest, and to nobody else.
void Rig::collect_answer(bool repeated) {
    BareSitl* const asked = life(witness_.last_identity());
    if (asked == nullptr) return;  // forgotten, so that nobody listens there
    if (take_answer(*asked)) return;
    for (const auto& other : lives_) {
        if (other.get() == asked || !take_answer(*other)) continue;
        // A repetition from another address is taken for that of the same SITL; which one it was nobody has seen.
        return expect(repeated, "the answer went to another SITL than the one that asked");
    }
    expect(asked->socket().wait(longest_delivery) && take_answer(*asked),
           "the answer did not arrive where the packet came from");
}

bool Rig::take_answer(BareSitl& sitl) {
    ap_json::Endpoint from;
    const std::ptrdiff_t size = sitl.socket().receive_one(buffer_, sizeof buffer_, from);
    if (size < 0) return false;
    expect(from.port == port_, "an answer from elsewhere");
    to_sitl_.arrive(now_, sitl.identity(), {buffer_, static_cast<std::size_t>(size)});
    return true;
}

bool Rig::wait_for_datagram() {
    pollfd entry{static_cast<int>(client_.native_handle()), POLLIN, 0};
    return ::poll(&entry, 1, static_cast<int>(longest_delivery.count())) > 0;
}

}  // namespace soak
