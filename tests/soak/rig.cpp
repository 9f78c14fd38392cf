// rig.cpp - see rig.hpp: the course of things, and SITL. The network is in rig_network.cpp, the backend and what is
// checked of it in rig_backend.cpp.
#include "rig.hpp"

#include <algorithm>

#include "memory.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t frames_disturbed = 2000;
constexpr std::uint64_t frames_in_peace = 200;
constexpr int most_turns_until_silent = 100;

// SITL repeats its packet every 1.102 s. The worst that may have to be waited for: a packet that was held back for
// longest_hold, and four repetitions until a SITL is followed whose packets look like those of another one.
constexpr Time longest_return = Disturber::longest_hold + 5 * BareSitl::resend_time;

constexpr Time longest_scenario = 1000h;
constexpr std::size_t lives_remembered = 8;
constexpr std::size_t most_growth = 2 << 20U;  // bytes, of the whole program
constexpr Time never = Time::max();
constexpr std::uint64_t second_seed = 0x9e3779b97f4a7c15U;

Time from_seconds(double seconds) {
    return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

std::string to_text(Time time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

Rig::Rig(const Faults& faults, const Effort& effort, Outcome& outcome)
    : wanted_(faults),
      effort_(effort),
      outcome_(outcome),
      generator_(effort.seed),
      now_(std::chrono::steady_clock::now().time_since_epoch()),
      to_backend_({}, effort.seed, now_),
      to_sitl_({}, effort.seed ^ second_seed, now_),
      starved_(first_stranger, now_, false, BareSitl::resend_time, ap_json::loopback_address + 1),
      witness_(&altered_) {
    starved_.model().set_frame_count(5000);
    expect(starved_.is_open() && !stray_.open({ap_json::loopback_address + 1, 0}),
           "no socket for a stranger");
    start_backend();
    start_sitl();
    lives_.back()->model().set_frame_count(faults.first_count);
}

Time Rig::random_time(double longest_seconds) { return from_seconds(random() * longest_seconds); }

std::uint64_t Rig::accepted() const {
    std::uint64_t sum = accepted_before_;
    for (const auto& sitl : lives_) sum += sitl->accepted();
    return sum;
}

// ---- the course of things

void Rig::run() {
    const Time start = now_;
    while (outcome_.broken.empty() && accepted() < effort_.frames && now_ - start < longest_scenario) {
        if (resident_early_ == 0 && accepted() > effort_.frames / 4) resident_early_ = resident_bytes();
        disturb(accepted() + frames_disturbed);
        calm();
    }
    finish();
}

void Rig::disturb(std::uint64_t frames) {
    faults_ = wanted_;
    if (wanted_.every[change_faults] > 0) redraw_faults();
    to_backend_.change(faults_.to_backend);
    to_sitl_.change(faults_.to_sitl);
    for (std::size_t event = 0; event < events; ++event) {
        const double every = faults_.every[event];
        due_[event] = every > 0 ? now_ + random_time(2 * every) : never;
    }
    const Time start = now_;
    while (outcome_.broken.empty() && accepted() < frames) {
        turn();
        expect(now_ - start < 10h, "SITL does not go on in hours of disturbance");
    }
    // Not just after a frame: it ends best while the link waits for something that was lost.
    peace_begins_ = now_;
    for (int turns = 0; turns < most_turns_until_silent && turn(); ++turns) peace_begins_ = now_;
}

void Rig::calm() {
    faults_ = {};
    to_backend_.change({});
    to_sitl_.change({});
    due_.fill(never);
    if (!sitl_runs_) sitl_returns_ = now_;
    if (!client_.is_open()) backend_returns_ = now_;
    sitl_resumes_ = backend_resumes_ = now_;

    const std::uint64_t before = accepted();
    std::optional<Time> first;
    while (outcome_.broken.empty() && accepted() < before + frames_in_peace) {
        turn();
        if (!first && accepted() > before) first = now_;
        if (now_ - peace_begins_ > longest_return)
            expect(false, "not back within " + to_text(longest_return));
    }
    longest_return_ = std::max(longest_return_, first.value_or(now_) - peace_begins_);
    // What is still under way must not be altered in memory that only grows.
    if (to_backend_.counts().waiting == 0) altered_.senders.clear();
}

/// What can happen at this moment does, or the clock moves on to what comes next. @return whether something did
bool Rig::turn() {
    happen();
    bool busy = deliver_to_backend();
    busy = run_backend() || busy;
    busy = deliver_to_sitl() || busy;
    busy = run_sitl() || busy;
    now_ = busy ? now_ + 20us + random_time(20e-6) : std::max(next_time(), now_ + 1us);
    StoppedClock::set(now_);
    if (!busy) check_status();
    return busy;
}

Time Rig::next_time() const {
    Time next = never;
    for (const auto& each : {to_backend_.next_time(), to_sitl_.next_time()})
        next = std::min(next, each.value_or(never));
    for (const Time each : due_) next = std::min(next, each);
    next = std::min(next, sitl_runs_ ? std::max(lives_.back()->next_time(), sitl_resumes_) : sitl_returns_);
    if (!client_.is_open()) return std::min(next, backend_returns_);
    return backend_resumes_ > now_ ? std::min(next, backend_resumes_) : next;
}

void Rig::happen() {
    for (std::size_t event = 0; event < events; ++event) {
        if (now_ < due_[event]) continue;
        happen(static_cast<Event>(event));
        due_[event] = now_ + random_time(2 * faults_.every[event]);
    }
    if (!sitl_runs_ && now_ >= sitl_returns_) start_sitl();
    if (!client_.is_open() && now_ >= backend_returns_) start_backend();
}

void Rig::happen(Event event) {
    // Most pauses are short; some are longer than any time after which something is given up.
    const Time pause = random() < 0.1 ? random_time(8) : random_time(0.5);
    switch (event) {
        case kill_sitl:
            if (!sitl_runs_) return;
            end_sitl();
            return outcome_.made("SITL killed", 1);
        case kill_backend:
            if (!last_frame_) return;  // one that has just been started gets its first frame
            end_backend();
            return outcome_.made("backend killed", 1);
        case pause_sitl:
            if (now_ < sitl_resumes_) return;
            sitl_resumes_ = now_ + pause;
            return outcome_.made("SITL paused", 1);
        case pause_backend:
            if (now_ < backend_resumes_) return;
            backend_resumes_ = now_ + pause;
            outcome_.made("backend paused", 1);
            return send_strays();  // which are then the first that it finds
        case change_faults:
            redraw_faults();
            to_backend_.change(faults_.to_backend);
            return to_sitl_.change(faults_.to_sitl);
        case events:
            return;
    }
}

/// Anything from nothing to what the scenario says, each for itself.
void Rig::redraw_faults() {
    const auto draw = [this](double most) { return random() < 0.5 ? 0 : most * random(); };
    for (auto way : {&Faults::to_backend, &Faults::to_sitl}) {
        const Disturbance& most = wanted_.*way;
        Disturbance& now = faults_.*way;
        for (auto part :
             {&Disturbance::loss, &Disturbance::delay, &Disturbance::jitter, &Disturbance::duplicate,
              &Disturbance::reorder, &Disturbance::truncate, &Disturbance::flip})
            now.*part = draw(most.*part);
    }
    faults_.strays = static_cast<int>(draw(wanted_.strays));
}

void Rig::finish() {
    outcome_.frames += accepted();
    for (const auto* disturber : {&to_backend_, &to_sitl_}) {
        const DisturbanceCounts& c = disturber->counts();
        expect(c.arrived + c.duplicated == c.lost + c.left + c.waiting,
               "the disturber's counts do not add up");
        outcome_.made("lost", c.lost);
        outcome_.made("duplicated", c.duplicated);
        outcome_.made("delayed", c.delayed);
        outcome_.made("reordered", c.reordered);
        outcome_.made("truncated", c.truncated);
        outcome_.made("flipped", c.flipped);
    }
    expect(!starved_.socket().wait(Time(0)) && !stray_.wait(Time(0)), "a stranger was answered");
    expect(*witness_.complaint() == '\0', witness_.complaint());
    const std::size_t resident = resident_bytes();
    if (memory_is_countable() && resident_early_ > 0)
        expect(resident < resident_early_ + most_growth, "memory grows: from " +
                                                             std::to_string(resident_early_) + " to " +
                                                             std::to_string(resident) + " bytes");
    outcome_.words = "back in " + to_text(longest_return_);
    if (witness_.restarts() > 0) outcome_.words += ", restarts " + std::to_string(witness_.restarts());
    if (witness_.late() > 0) outcome_.words += ", frames of an ended SITL " + std::to_string(witness_.late());
    if (altered_.total > 0)
        outcome_.words += ", altered packets " + std::to_string(altered_.total) + " of which handed over " +
                          std::to_string(witness_.altered_packets());
}

// ---- SITL

void Rig::start_sitl() {
    const bool channels_32 = random() < 0.3;
    lives_.push_back(std::make_unique<BareSitl>(next_identity_++, now_, channels_32));
    expect(lives_.back()->is_open(), "no socket for SITL");
    if (next_identity_ == first_stranger) next_identity_ = 1;
    sitl_runs_ = true;
    sitl_queue_.clear();
    if (lives_.size() <= lives_remembered) return;
    BareSitl& oldest = *lives_.front();
    expect(!oldest.socket().wait(Time(0)), "an answer that nothing asked for went to a SITL that had ended");
    accepted_before_ += oldest.accepted();
    lives_.pop_front();
}

void Rig::end_sitl() {
    sitl_runs_ = false;
    sitl_returns_ = now_ + random_time(0.3);
}

/// @return null when it has been forgotten
BareSitl* Rig::life(std::uint64_t identity) {
    for (auto each = lives_.rbegin(); each != lives_.rend(); ++each)
        if ((*each)->identity() == identity) return each->get();
    return nullptr;
}

/// Its process gets time. @return whether it did something
bool Rig::run_sitl() {
    if (!sitl_runs_ || now_ < sitl_resumes_) return false;
    BareSitl& sitl = *lives_.back();
    const bool any_queued = !sitl_queue_.empty();
    for (; sitl_runs_ && !sitl_queue_.empty(); sitl_queue_.pop_front())
        feed_sitl(std::string(sitl_queue_.front()));
    if (!sitl_runs_) sitl_queue_.clear();
    if (any_queued) return true;
    const auto packet = sitl.packet_when_due(now_);
    if (packet) to_backend_.arrive(now_, sitl.identity(), *packet);
    return packet.has_value();
}

void Rig::feed_sitl(const std::string& line) {
    BareSitl& sitl = *lives_.back();
    if (const auto packet = sitl.take(now_, line)) {
        to_backend_.arrive(now_, sitl.identity(), *packet);
        return;
    }
    const bool altered = wanted_.to_sitl.flip > 0 || wanted_.to_sitl.truncate > 0;
    expect(altered, "SITL has ended: " + sitl.model().death());
    outcome_.made("SITL ended by an altered line", 1);
    end_sitl();
}

}  // namespace soak
