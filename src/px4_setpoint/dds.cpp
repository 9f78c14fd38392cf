// dds.cpp - the dialogue with Cyclone DDS, through its C interface.
#include "px4_setpoint/dds.hpp"

#include <dds/dds.h>

#include <algorithm>

#include "px4_setpoint/names.hpp"
#include "setpoint_config.h"

namespace px4_setpoint {
namespace {

constexpr unsigned last_domain = 232;  // the ports of higher ones would not fit into 16 bits

using DdsRequest = px4_msgs_msg_dds__SetpointConfig_;
using DdsReply = px4_msgs_msg_dds__SetpointConfigReply_;

DdsRequest to_dds(const SetpointConfig& message) {
    DdsRequest result{};
    result.timestamp = message.timestamp;
    result.type = static_cast<std::uint16_t>(message.type);
    result.source_id = message.source_id;
    result.should_apply = message.should_apply;
    result.timeout_ms = message.timeout_ms;
    return result;
}

SetpointConfig from_dds(const DdsRequest& message) {
    SetpointConfig result;
    result.timestamp = message.timestamp;
    result.type = static_cast<SetpointType>(message.type);
    result.source_id = message.source_id;
    result.should_apply = message.should_apply;
    result.timeout_ms = message.timeout_ms;
    return result;
}

DdsReply to_dds(const SetpointConfigReply& message) {
    DdsReply result{};
    result.timestamp = message.timestamp;
    result.type = static_cast<std::uint16_t>(message.type);
    result.source_id = message.source_id;
    result.result = static_cast<std::uint8_t>(message.result);
    result.mode_req_angular_velocity = message.mode_req_angular_velocity;
    result.mode_req_attitude = message.mode_req_attitude;
    result.mode_req_local_alt = message.mode_req_local_alt;
    result.mode_req_local_position = message.mode_req_local_position;
    return result;
}

SetpointConfigReply from_dds(const DdsReply& message) {
    SetpointConfigReply result;
    result.timestamp = message.timestamp;
    result.type = static_cast<SetpointType>(message.type);
    result.source_id = message.source_id;
    result.result = static_cast<Result>(message.result);
    result.mode_req_angular_velocity = message.mode_req_angular_velocity;
    result.mode_req_attitude = message.mode_req_attitude;
    result.mode_req_local_alt = message.mode_req_local_alt;
    result.mode_req_local_position = message.mode_req_local_position;
    return result;
}

// One direction of the dialogue: its topic, and the quality of service of the end that is ours.
struct Channel {
    std::string_view topic;
    const dds_topic_descriptor_t* descriptor;
    dds_reliability_kind_t reliability;
    dds_durability_kind_t durability;
    int depth;
};

// What a mode has: writer as ROS 2's default, so that agents of any setting hear it; a reader that is best effort, since
// PX4's writer is, and a reliable reader would not match it.
Channel client_writes() {
    return {setpoint_config_topic, &px4_msgs_msg_dds__SetpointConfig__desc, DDS_RELIABILITY_RELIABLE,
            DDS_DURABILITY_VOLATILE, 1};
}
Channel client_reads() {
    return {setpoint_config_reply_topic, &px4_msgs_msg_dds__SetpointConfigReply__desc,
            DDS_RELIABILITY_BEST_EFFORT, DDS_DURABILITY_VOLATILE, 1};
}

// What PX4's agent has.
Channel px4_reads() {
    return {setpoint_config_topic, &px4_msgs_msg_dds__SetpointConfig__desc, DDS_RELIABILITY_BEST_EFFORT,
            DDS_DURABILITY_VOLATILE, 2};
}
Channel px4_writes() {
    return {setpoint_config_reply_topic, &px4_msgs_msg_dds__SetpointConfigReply__desc,
            DDS_RELIABILITY_BEST_EFFORT, DDS_DURABILITY_TRANSIENT_LOCAL, 1};
}

Error failed(const char* wish, dds_return_t code) {
    return {ErrorCode::transport,
            std::string("Cyclone DDS cannot ") + wish + ": " + dds_strretcode(-code) +
                "; which network interface it uses is set by the variable CYCLONEDDS_URI"};
}

struct QosDeleter {
    void operator()(dds_qos_t* qos) const { dds_delete_qos(qos); }
};

std::unique_ptr<dds_qos_t, QosDeleter> qos_of(const Channel& channel) {
    std::unique_ptr<dds_qos_t, QosDeleter> qos(dds_create_qos());
    dds_qset_reliability(qos.get(), channel.reliability, DDS_MSECS(100));
    dds_qset_durability(qos.get(), channel.durability);
    dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, channel.depth);
    return qos;
}

}  // namespace

namespace detail {

struct DdsEntities {
    dds_entity_t participant = 0;
    dds_entity_t writer = 0;
    dds_entity_t reader = 0;
    dds_entity_t waitset = 0;

    DdsEntities() = default;
    DdsEntities(const DdsEntities&) = delete;
    DdsEntities& operator=(const DdsEntities&) = delete;
    ~DdsEntities() {
        if (participant > 0) dds_delete(participant);  // and all that belongs to it
    }

    dds_entity_t topic(const Channel& channel, const DdsOptions& options) const {
        const auto name = dds_topic(channel.topic, options.topic_namespace);
        return dds_create_topic(participant, channel.descriptor, name.c_str(), nullptr, nullptr);
    }

    Error open(const DdsOptions& options, const Channel& writes, const Channel& reads) {
        participant = dds_create_participant(options.domain, nullptr, nullptr);
        if (participant < 0) return failed("join the domain", participant);
        const auto out = topic(writes, options);
        const auto in = topic(reads, options);
        if (out < 0 || in < 0) return failed("create the topics", std::min(out, in));
        writer = dds_create_writer(participant, out, qos_of(writes).get(), nullptr);
        if (writer < 0) return failed("create the writer", writer);
        reader = dds_create_reader(participant, in, qos_of(reads).get(), nullptr);
        if (reader < 0) return failed("create the reader", reader);
        waitset = dds_create_waitset(participant);
        if (waitset < 0) return failed("create the wait set", waitset);
        const auto condition = dds_create_readcondition(reader, DDS_ANY_STATE);
        if (condition < 0) return failed("create the read condition", condition);
        const auto attached = dds_waitset_attach(waitset, condition, 0);
        return attached < 0 ? failed("wait for samples", attached) : Error();
    }

    bool matched() const {
        dds_publication_matched_status_t readers{};
        dds_subscription_matched_status_t writers{};
        return dds_get_publication_matched_status(writer, &readers) == 0 && readers.current_count > 0 &&
               dds_get_subscription_matched_status(reader, &writers) == 0 && writers.current_count > 0;
    }

    template <class Sample>
    bool take(Sample& sample) const {
        void* samples[] = {&sample};
        dds_sample_info_t info;
        while (dds_take(reader, samples, &info, 1, 1) > 0) {
            if (info.valid_data) return true;  // else somebody has come or gone
        }
        return false;
    }

    // Waits at most until the time is over; what ends a wait may be no sample but somebody who comes or goes.
    template <class Sample>
    bool receive(Sample& sample, Duration wait) const {
        using std::chrono::nanoseconds;
        const auto longest = std::chrono::duration_cast<nanoseconds>(
            std::clamp<Duration>(wait, Duration::zero(), std::chrono::hours(1)));
        const auto end = dds_time() + longest.count();
        while (!take(sample)) {
            const auto rest = end - dds_time();
            if (rest <= 0 || dds_waitset_wait(waitset, nullptr, 0, rest) < 0) return false;
        }
        return true;
    }
};

}  // namespace detail

namespace {

using Entities = std::unique_ptr<detail::DdsEntities>;

Error open_end(Entities& entities, const DdsOptions& options, const Channel& writes, const Channel& reads) {
    entities.reset();
    if (options.domain > last_domain) {
        return {ErrorCode::bad_option, "domain is " + std::to_string(options.domain) +
                                           ", DDS has the domains 0 to " + std::to_string(last_domain)};
    }
    if (auto error = check_namespace(options.topic_namespace)) return error;
    auto created = std::make_unique<detail::DdsEntities>();
    if (auto error = created->open(options, writes, reads)) return error;
    entities = std::move(created);
    return {};
}

template <class Message>
Error send_to(const Entities& entities, const Message& message) {
    if (!entities) return {ErrorCode::transport, "not open: call open() first, and look at its error"};
    const auto sample = to_dds(message);
    const auto code = dds_write(entities->writer, &sample);
    return code < 0 ? failed("send", code) : Error();
}

}  // namespace

DdsClient::DdsClient() = default;
DdsClient::~DdsClient() = default;
DdsClient::DdsClient(DdsClient&&) noexcept = default;
DdsClient& DdsClient::operator=(DdsClient&&) noexcept = default;
Error DdsClient::open(const DdsOptions& options) {
    return open_end(entities_, options, client_writes(), client_reads());
}
void DdsClient::close() { entities_.reset(); }
bool DdsClient::matched() const { return entities_ && entities_->matched(); }
Error DdsClient::send(const SetpointConfig& request) { return send_to(entities_, request); }
std::optional<SetpointConfigReply> DdsClient::receive(Duration wait) {
    DdsReply sample{};
    if (!entities_ || !entities_->receive(sample, wait)) return std::nullopt;
    return from_dds(sample);
}

DdsResponder::DdsResponder() = default;
DdsResponder::~DdsResponder() = default;
DdsResponder::DdsResponder(DdsResponder&&) noexcept = default;
DdsResponder& DdsResponder::operator=(DdsResponder&&) noexcept = default;
Error DdsResponder::open(const DdsOptions& options) {
    return open_end(entities_, options, px4_writes(), px4_reads());
}
void DdsResponder::close() { entities_.reset(); }
bool DdsResponder::matched() const { return entities_ && entities_->matched(); }
Error DdsResponder::send(const SetpointConfigReply& reply) { return send_to(entities_, reply); }
std::optional<SetpointConfig> DdsResponder::receive(Duration wait) {
    DdsRequest sample{};
    if (!entities_ || !entities_->receive(sample, wait)) return std::nullopt;
    return from_dds(sample);
}

Error exchange(DdsClient& client, const std::vector<Negotiator*>& modes, Duration wait) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const bool matched = client.matched();
    auto until = now() + wait;
    for (auto* mode : modes) {
        mode->matched(matched);
        if (const auto request = mode->poll(now())) {
            if (auto error = client.send(*request)) return error;
        }
        // One that waits for its turn is always due; it is asked again after the wait.
        if (const auto next = mode->next(); next > now()) until = std::min(until, next);
    }
    while (const auto reply = client.receive(until - now())) {
        for (auto* mode : modes) mode->receive(*reply, now());
        until = now();  // what else has come already
    }
    return {};
}

}  // namespace px4_setpoint
