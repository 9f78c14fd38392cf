// client.cpp - fuzzes Client over real sockets with a script: peers that send servo packets and rubbish, receive(), send(),
// cancel(), in any order. Its counters have to add up, what it hands over has to have been sent, and each answer has to
// go, once, to who has asked.
#include <ap_json/client.hpp>
#include <ap_json/sitl_reader.hpp>
#include <utility>

#include "any_state.hpp"
#include "peers.hpp"

using ap_json::Client;
using ap_json::ErrorCode;
using ap_json::Frame;
using ap_json::FrameKind;
using ap_json::LinkStatus;
using ap_json::Statistics;
using fuzz::check;
using fuzz::Sent;

namespace {

constexpr std::size_t most_queued = 40;  // datagrams, which every system's socket holds

fuzz::Peers& peers() {
    static fuzz::Peers all;
    return all;
}

ap_json::ClientOptions any_options(fuzz::Input& input) {
    const unsigned bits = input.byte();
    ap_json::ClientOptions options;
    options.port = 0;
    options.relative_timestamps = (bits & 1) != 0;
    if ((bits & 2) != 0) options.autopilot_address = "127.0.0.1";
    if ((bits & 4) != 0) options.log = [](std::string_view text) { check(!text.empty(), "a sentence"); };
    if ((bits & 8) != 0) options.wait_mode = ap_json::WaitMode::spin;
    if ((bits & 16) != 0) options.address = input.text();
    if ((bits & 32) != 0) options.autopilot_address = input.text();
    options.link_loss_time = std::chrono::milliseconds::max();
    return options;
}

class Script {
  public:
    Script(fuzz::Input& input, const ap_json::ClientOptions& options) : input_(input), options_(options) {
        if (const auto error = client_.open(options)) {
            check(error.code() == ErrorCode::bad_option || error.code() == ErrorCode::address_unavailable ||
                      error.code() == ErrorCode::system_error || error.code() == ErrorCode::port_busy,
                  "a documented error of open()");
            check(!client_.is_open() && client_.port() == 0, "closed after an error");
            return;
        }
        check(client_.is_open() && client_.port() != 0, "open");
        // Another address than the one the peers send to is good for open() only.
        if (options.address != "127.0.0.1" && options.address != "0.0.0.0") return;
        if (!options.autopilot_address.empty() && options.autopilot_address != "127.0.0.1") return;
        peers().talk_to(client_.port());
        while (!input_.empty()) step();
        receive();
    }

  private:
    void step() {
        switch (input_.byte() % 8) {
            default:
                if (queued_.size() >= most_queued) receive();
                queued_.push_back(peers().send(input_));
                break;
            case 3:
            case 4:
                receive();
                break;
            case 5:
            case 6:
                send();
                break;
            case 7:
                rare();
                break;
        }
        check_statistics();
    }

    void rare() {
        switch (input_.byte() % 3) {
            case 0:
                client_.cancel();
                cancelled_ = true;
                break;
            case 1:
                client_.allow_time_reset();
                any_time_allowed_ = true;
                break;
            default: {
                Client moved = std::move(client_);
                check(!client_.is_open(), "moved away from");
                client_ = std::move(moved);
                break;
            }
        }
    }

    void receive() {
        const Statistics before = client_.statistics();
        const auto frame = client_.receive(std::chrono::nanoseconds(0));
        if (cancelled_) {
            cancelled_ = false;
            check(!frame && client_.statistics().received == before.received, "cancel() ends one receive()");
            return;
        }
        check_counts(before);
        if (frame) take(*frame);
        const Statistics& now = client_.statistics();
        const std::uint64_t new_ones = now.received - before.received - (now.stale - before.stale);
        check((new_ones > 0) == frame.has_value(), "a packet that is not stale is handed over");
        check(now.missed - before.missed == (frame ? frame->missed : 0), "missed adds up");
        check(now.repeated - before.repeated == (frame && frame->repeated() ? 1 : 0), "repeated adds up");
        check(!frame || frame->restarted() == (now.restarts > before.restarts), "restarts add up");
        any_datagram_ = any_datagram_ || !queued_.empty();
        queued_.clear();
        check_status();
    }

    /// Of the datagrams that were queued, each is counted once.
    void check_counts(const Statistics& before) const {
        std::uint64_t length = 0, magic = 0, sender = 0, good = 0;
        for (const Sent& each : queued_) {
            ap_json::ServoPacket packet;
            const ErrorCode code = decode(each.bytes.data(), each.bytes.size(), packet);
            const bool stranger = !is_wanted(each.peer);
            sender += stranger ? 1 : 0;
            length += !stranger && code == ErrorCode::wrong_length ? 1 : 0;
            magic += !stranger && code == ErrorCode::wrong_magic ? 1 : 0;
            good += !stranger && code == ErrorCode::ok ? 1 : 0;
        }
        const Statistics& now = client_.statistics();
        check(now.rejected_length - before.rejected_length == length, "rejected_length");
        check(now.rejected_magic - before.rejected_magic == magic, "rejected_magic");
        check(now.rejected_sender - before.rejected_sender == sender, "rejected_sender");
        check(now.received - before.received == good, "received");
        check(now.receive_errors == 0 && now.send_errors == 0 && now.losses == 0, "no errors");
    }

    [[nodiscard]] bool is_wanted(std::size_t peer) const {
        return options_.autopilot_address.empty() || peers().address(peer) == ap_json::loopback_address;
    }

    void take(const Frame& frame) {
        ++handed_over_;
        askers_.clear();
        for (const Sent& each : queued_) {
            if (is_wanted(each.peer) && fuzz::is_packet(each.bytes, frame.servos))
                askers_.push_back(each.peer);
        }
        check(!askers_.empty(), "what is handed over has been sent");
        check(frame.kind != FrameKind::stale, "a stale packet is not handed over");
        check((frame.missed > 0) == (frame.kind == FrameKind::missed), "missed goes with its kind");
        owes_ = true;
        repeated_ = frame.repeated();
        if (frame.restarted() || frame.kind == FrameKind::first) any_time_allowed_ = true;
    }

    void send() {
        ap_json::State state = fuzz::any_state(input_);
        if (input_.byte() % 4 != 0) state.timestamp = (newest_ += input_.byte() / 1000.0);
        const auto error = client_.send(state);
        const auto answer = peers().take();
        check(answer.has_value() == !error, "one answer for each ok");
        check(!peers().take(), "only one");
        if (handed_over_ == 0) check(error.code() == ErrorCode::no_autopilot, "nobody to answer yet");
        if (handed_over_ > 0 && !owes_) check(error.code() == ErrorCode::already_answered, "once");
        if (error) {
            ++refused_;
            return check(*error.message() != '\0', "a refusal has words");
        }
        ++sent_;
        check_answer(*answer, state);
    }

    void check_answer(const Sent& answer, const ap_json::State& state) {
        bool asked = false;
        for (const std::size_t peer : askers_) asked = asked || peer == answer.peer;
        check(asked && client_.autopilot() == peers().name(answer.peer), "the answer goes to who has asked");
        check(reader_.feed(answer.bytes.data(), answer.bytes.size()) == ap_json::SitlVerdict::accepted,
              "SITL accepts the answer");
        const double timestamp = reader_.state().timestamp;
        if (!options_.relative_timestamps) check(timestamp == state.timestamp, "the timestamp is that");
        if (!any_time_allowed_) {
            check(timestamp > told_ || (repeated_ && timestamp == told_), "time rises");
            check(timestamp - told_ <= ap_json::longest_jump, "time does not jump");
        }
        told_ = timestamp;
        any_time_allowed_ = false;
        owes_ = false;
    }

    void check_statistics() const {
        const Statistics& s = client_.statistics();
        check(s.received == handed_over_ + s.drained + s.stale, "each packet handed over, drained or stale");
        check(s.sent == sent_ && s.refused == refused_, "sent and refused");
        check(s.repeated <= handed_over_ && s.restarts <= s.received, "parts of the whole");
    }

    void check_status() const {
        const LinkStatus status = client_.status();
        if (!any_datagram_) check(status == LinkStatus::waiting, "waiting");
        if (any_datagram_ && handed_over_ == 0) check(status == LinkStatus::unrecognised, "unrecognised");
        if (handed_over_ > 0)
            check(status == LinkStatus::online || status == LinkStatus::unanswered, "online or unanswered");
        check(client_.autopilot().empty() == (handed_over_ == 0), "the autopilot is who has sent a packet");
    }

    fuzz::Input& input_;
    const ap_json::ClientOptions& options_;
    Client client_;
    ap_json::SitlReader reader_;
    std::vector<Sent> queued_;         // sent, not received yet
    std::vector<std::size_t> askers_;  // peers that have sent the newest packet
    bool any_datagram_ = false;
    bool cancelled_ = false;
    bool owes_ = false;
    bool repeated_ = false;
    bool any_time_allowed_ = true;
    double told_ = 0;    // s, the newest timestamp that arrived
    double newest_ = 0;  // s, the newest timestamp of a sound simulator
    std::uint64_t handed_over_ = 0, sent_ = 0, refused_ = 0;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const ap_json::ClientOptions options = any_options(input);
    const Script script(input, options);
    return 0;
}
