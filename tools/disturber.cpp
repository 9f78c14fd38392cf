// disturber.cpp - see disturber.hpp.
#include "disturber.hpp"

#include <algorithm>
#include <cmath>

namespace {

constexpr std::size_t size_of_entry = 64;  // bytes, about, besides the datagram itself

Disturber::Time from_seconds(double seconds) {
    return std::chrono::duration_cast<Disturber::Time>(std::chrono::duration<double>(seconds));
}

/// @param drawn  0 to 1
bool happens(double drawn, double percent) { return drawn * 100 < percent; }

void append(std::string& fates, const char* fate) {
    if (!fates.empty()) fates += ',';
    fates += fate;
}

}  // namespace

/// All that chance decides about one datagram, each 0 to 1. Drawn for each datagram whatever the options are,
/// so that one option does not change what chance does with another.
struct Disturber::Draw {
    double loss, jitter, duplicate, reorder, truncate, length, flip, bit;
};

Disturber::Disturber(const Disturbance& disturbance, std::uint64_t seed, Time start)
    : disturbance_(disturbance), generator_(seed), start_(start), newest_departure_(start) {}

/// The standard distributions differ from one standard library to another; this does not.
double Disturber::random() { return static_cast<double>(generator_() >> 11U) * 0x1p-53; }

Disturber::Draw Disturber::draw() {
    Draw d{};
    for (double* each :
         {&d.loss, &d.jitter, &d.duplicate, &d.reorder, &d.truncate, &d.length, &d.flip, &d.bit})
        *each = random();
    return d;
}

/// @param jitter  0 to 1
Disturber::Time Disturber::leaving_time(Time now, double jitter) const {
    const Time time = std::max(now + from_seconds((disturbance_.delay + jitter * disturbance_.jitter) / 1e3),
                               newest_departure_);
    const Time every = from_seconds(disturbance_.pause_every);
    const Time length = from_seconds(disturbance_.pause_for);
    if (every <= Time(0) || time < start_ + every) return time;
    const Time into = (time - start_) % every;
    return into < length ? time + (length - into) : time;
}

/// What changes the bytes themselves.
void Disturber::damage(const Draw& chance, std::string& bytes, std::string& fate) {
    if (bytes.size() > 1 && happens(chance.truncate, disturbance_.truncate)) {
        bytes.resize(1 + static_cast<std::size_t>(chance.length * static_cast<double>(bytes.size() - 1)));
        ++counts_.truncated;
        append(fate, "truncated");
    }
    if (!bytes.empty() && happens(chance.flip, disturbance_.flip)) {
        const auto bit = static_cast<std::size_t>(chance.bit * 8 * static_cast<double>(bytes.size()));
        bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(bytes[bit / 8]) ^ (1U << bit % 8));
        ++counts_.flipped;
        append(fate, "flipped");
    }
}

std::string Disturber::arrive(Time now, std::uint64_t route, std::string_view datagram) {
    const Draw chance = draw();
    ++counts_.arrived;
    const std::size_t needed = datagram.size() + size_of_entry;
    const bool overflow = waiting_bytes_ + needed > most_waiting;
    if (overflow || happens(chance.loss, disturbance_.loss)) {
        ++counts_.lost;
        if (overflow) ++counts_.overflowed;
        return "lost";
    }
    std::string fate;
    Departure departure{now, route, std::string(datagram)};
    std::string& bytes = departure.bytes;
    damage(chance, bytes, fate);
    const bool twice =
        happens(chance.duplicate, disturbance_.duplicate) && waiting_bytes_ + 2 * needed <= most_waiting;
    if (twice) {
        ++counts_.duplicated;
        append(fate, "duplicated");
    }
    counts_.waiting += twice ? 2 : 1;
    waiting_bytes_ += (twice ? 2 : 1) * (bytes.size() + size_of_entry);
    if (held_.empty() && happens(chance.reorder, disturbance_.reorder)) {
        ++counts_.reordered;
        append(fate, "reordered");
        departure.time = now + longest_hold;
        if (twice) held_.push_back(departure);
        held_.push_back(std::move(departure));
        return fate;
    }
    const Time time = leaving_time(now, chance.jitter);
    if (time > now) {
        ++counts_.delayed;
        append(fate, "delayed");
    }
    if (twice) queue(Departure(departure), time);
    queue(std::move(departure), time);
    release_held(time);
    return fate;
}

void Disturber::queue(Departure&& departure, Time time) {
    newest_departure_ = departure.time = time;
    waiting_.push_back(std::move(departure));
}

void Disturber::release_held(Time time) {
    for (Departure& each : held_) queue(std::move(each), time);
    held_.clear();
}

std::optional<Disturber::Departure> Disturber::take_departure(Time now) {
    if (!held_.empty() && held_.front().time <= now) release_held(leaving_time(held_.front().time, 0));
    if (waiting_.empty() || waiting_.front().time > now) return std::nullopt;
    Departure departure = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= departure.bytes.size() + size_of_entry;
    --counts_.waiting;
    ++counts_.left;
    return departure;
}

std::optional<Disturber::Time> Disturber::next_time() const {
    std::optional<Time> time;
    if (!waiting_.empty()) time = waiting_.front().time;
    if (!held_.empty()) time = std::min(time.value_or(held_.front().time), held_.front().time);
    return time;
}
