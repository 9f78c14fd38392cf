// experiments_test.cpp - the doctor's experiments, on backends that have exactly one weakness, and on one that has none.
#include <gmock/gmock.h>

#include <ap_json/client.hpp>
#include <ap_json/frame_tracker.hpp>
#include <atomic>
#include <experiments.hpp>
#include <optional>
#include <thread>

#include "../src/ap_json/udp_socket.hpp"

namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

enum class Weakness {
    none,
    first_sender_only,
    ignores_repeats,
    sends_unasked,
    ends_after_pause,
    wants_each_count,
    sixteen_channels_only,
    answers_strangers,
    ends_of_strangers,
};

/// A backend in a thread of its own.
class Backend {
  public:
    explicit Backend(Weakness weakness) : weakness_(weakness) {
        EXPECT_FALSE(socket_.open({ap_json::loopback_address, 0}));
        thread_ = std::thread([this] { run(); });
    }
    ~Backend() {
        stop_ = true;
        thread_.join();
    }
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    [[nodiscard]] std::uint16_t port() const { return socket_.local().port; }

  private:
    void run() {
        auto last_packet = std::chrono::steady_clock::now();
        while (!stop_) {
            socket_.wait(5ms);
            char buffer[2000];
            ap_json::Endpoint from;
            const auto size = socket_.receive_one(buffer, sizeof buffer, from);
            const auto now = std::chrono::steady_clock::now();
            if (size < 0) {
                if (weakness_ == Weakness::sends_unasked && first_) answer(*first_);
                continue;
            }
            if (weakness_ == Weakness::ends_after_pause && first_ && now - last_packet > 150ms) return;
            last_packet = now;
            ap_json::ServoPacket packet;
            if (decode(buffer, static_cast<std::size_t>(size), packet) != ap_json::ErrorCode::ok) {
                if (weakness_ == Weakness::ends_of_strangers) return;
                if (weakness_ == Weakness::answers_strangers) answer(from);
                continue;
            }
            if (!first_) first_ = from;
            const auto verdict = frames_.classify(packet.frame_count, true);
            if (weakness_ == Weakness::wants_each_count && verdict.kind == ap_json::FrameKind::missed)
                continue;
            frames_.track(packet.frame_count, true);
            if (weakness_ == Weakness::first_sender_only && !(from == *first_)) continue;
            if (weakness_ == Weakness::ignores_repeats && verdict.kind == ap_json::FrameKind::repeated)
                continue;
            if (weakness_ == Weakness::sixteen_channels_only && packet.channels != 16) continue;
            answer(from);
        }
    }

    void answer(const ap_json::Endpoint& to) { socket_.send(to, "\n{}\n", 4); }

    Weakness weakness_;
    ap_json::UdpSocket socket_;
    ap_json::FrameTracker frames_;
    std::optional<ap_json::Endpoint> first_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

ExperimentResults examine(std::uint16_t port) {
    ExperimentOptions options;
    options.backend_port = port;
    options.strays = true;
    options.resend_time = 100ms;
    options.patience = 300ms;
    options.pause = 200ms;
    options.crossing = 50ms;
    return run_experiments(options);
}

std::vector<std::string> ids(const ExperimentResults& results) {
    std::vector<std::string> ids;
    for (const Finding& f : results.findings) ids.push_back(f.id);
    return ids;
}

TEST(Experiments, AGoodBackendPassesAll) {
    Backend backend(Weakness::none);
    const auto results = examine(backend.port());
    EXPECT_EQ(results.problem, "");
    EXPECT_THAT(ids(results), IsEmpty());
    EXPECT_EQ(results.experiments.size(), 8U);
    for (const Experiment& e : results.experiments) EXPECT_TRUE(e.passed) << e.name;
}

TEST(Experiments, EachWeaknessIsFound) {
    const std::pair<Weakness, const char*> cases[] = {
        {Weakness::ignores_repeats, "repeats-not-answered"},
        {Weakness::sends_unasked, "sends-unasked"},
        {Weakness::wants_each_count, "gap-not-survived"},
        {Weakness::sixteen_channels_only, "32-channels-refused"},
        {Weakness::answers_strangers, "stray-answered"},
        {Weakness::ends_of_strangers, "stray-disturbs"},
    };
    for (const auto& [weakness, id] : cases) {
        Backend backend(weakness);
        EXPECT_THAT(ids(examine(backend.port())), UnorderedElementsAre(id));
    }
}

TEST(Experiments, ABackendThatKnowsOnlyTheFirstSitl) {
    Backend backend(Weakness::first_sender_only);
    EXPECT_THAT(ids(examine(backend.port())), IsEmpty()) << "this is the first one";
    EXPECT_THAT(ids(examine(backend.port())), UnorderedElementsAre("restart-not-followed"));
}

TEST(Experiments, ABackendThatEndsInAPause) {
    Backend backend(Weakness::ends_after_pause);
    EXPECT_THAT(ids(examine(backend.port())), testing::Contains("pause-not-survived"));
}

TEST(Experiments, NobodyThere) {
    ap_json::UdpSocket silent;
    ASSERT_FALSE(silent.open({ap_json::loopback_address, 0}));
    const auto results = examine(silent.local().port);
    EXPECT_THAT(ids(results), UnorderedElementsAre("restart-not-followed"));
    ExperimentOptions nowhere;
    nowhere.backend_address = "nowhere";
    EXPECT_NE(run_experiments(nowhere).problem, "");
}

TEST(Experiments, StrangersComeOnlyWhenAsked) {
    Backend backend(Weakness::ends_of_strangers);
    ExperimentOptions options;
    options.backend_port = backend.port();
    options.pause = 50ms;
    options.crossing = 20ms;
    EXPECT_THAT(ids(run_experiments(options)), IsEmpty());
}

}  // namespace
