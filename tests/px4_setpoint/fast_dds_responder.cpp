// fast_dds_responder.cpp - PX4's side on another vendor's DDS (eProsima Fast DDS), for dds_test.cpp: the bytes come from
// cdr.hpp, so that both our bytes and our topics are seen by an implementation that is not Cyclone's.
// usage: fast_dds_responder respond DOMAIN NAMESPACE
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>

#include <cstdlib>
#include <cstring>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>

#include "px4_setpoint/px4_setpoint.hpp"

using namespace eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

namespace {

// A type of DDS whose bytes are made by our encode() and decode().
template <class Message, std::size_t size>
class CdrType : public TopicDataType {
  public:
    explicit CdrType(std::string_view name) {
        setName(std::string(name).c_str());
        m_typeSize = size;
        m_isGetKeyDefined = false;
    }
    bool serialize(void* data, rtps::SerializedPayload_t* payload) override {
        const auto bytes = px4_setpoint::encode(*static_cast<Message*>(data));
        std::memcpy(payload->data, bytes.data(), bytes.size());
        payload->length = static_cast<std::uint32_t>(bytes.size());
        payload->encapsulation = CDR_LE;
        return true;
    }
    bool deserialize(rtps::SerializedPayload_t* payload, void* data) override {
        return !px4_setpoint::decode(payload->data, payload->length, *static_cast<Message*>(data));
    }
    std::function<std::uint32_t()> getSerializedSizeProvider(void*) override {
        return [] { return static_cast<std::uint32_t>(size); };
    }
    void* createData() override { return new Message; }
    void deleteData(void* data) override { delete static_cast<Message*>(data); }
    bool getKey(void*, rtps::InstanceHandle_t*, bool) override { return false; }
};

// Only the loopback interface, and no multicast: others are looked for at the ports that the first participants have.
DomainParticipantQos loopback_only(unsigned domain) {
    auto qos = PARTICIPANT_QOS_DEFAULT;
    qos.transport().use_builtin_transports = false;
    auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList = {"127.0.0.1"};
    qos.transport().user_transports.push_back(udp);
    for (unsigned participant = 0; participant <= 20; ++participant) {
        rtps::Locator_t peer;
        rtps::IPLocator::setIPv4(peer, 127, 0, 0, 1);
        peer.port = 7410 + 250 * domain + 2 * participant;
        qos.wire_protocol().builtin.initialPeersList.push_back(peer);
    }
    rtps::Locator_t own;
    rtps::IPLocator::setIPv4(own, 127, 0, 0, 1);
    qos.wire_protocol().builtin.metatrafficUnicastLocatorList.push_back(own);
    return qos;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace px4_setpoint;
    if (argc != 4) return 2;
    const auto domain = static_cast<unsigned>(std::atoi(argv[2]));
    auto* participant =
        DomainParticipantFactory::get_instance()->create_participant(domain, loopback_only(domain));
    if (participant == nullptr) return 1;
    TypeSupport request_type(new CdrType<SetpointConfig, setpoint_config_size>(setpoint_config_type));
    TypeSupport reply_type(
        new CdrType<SetpointConfigReply, setpoint_config_reply_size>(setpoint_config_reply_type));
    request_type.register_type(participant);
    reply_type.register_type(participant);
    auto* requests = participant->create_topic(dds_topic(setpoint_config_topic, argv[3]),
                                               request_type.get_type_name(), TOPIC_QOS_DEFAULT);
    auto* replies = participant->create_topic(dds_topic(setpoint_config_reply_topic, argv[3]),
                                              reply_type.get_type_name(), TOPIC_QOS_DEFAULT);
    auto reader_qos = DATAREADER_QOS_DEFAULT;
    reader_qos.reliability().kind = BEST_EFFORT_RELIABILITY_QOS;
    reader_qos.history().depth = 2;
    auto* reader =
        participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT)->create_datareader(requests, reader_qos);
    auto writer_qos = DATAWRITER_QOS_DEFAULT;
    writer_qos.reliability().kind = BEST_EFFORT_RELIABILITY_QOS;
    writer_qos.durability().kind = TRANSIENT_LOCAL_DURABILITY_QOS;
    writer_qos.history().depth = 1;
    auto* writer =
        participant->create_publisher(PUBLISHER_QOS_DEFAULT)->create_datawriter(replies, writer_qos);
    if (reader == nullptr || writer == nullptr) return 1;

    ResponderOptions options;
    options.registered = 0x03;  // 23 and 24
    Responder px4(options);
    SetpointConfig request;
    SampleInfo info;
    for (;;) {
        if (!reader->wait_for_unread_message({1, 0})) continue;
        while (reader->take_next_sample(&request, &info) == ReturnCode_t::RETCODE_OK) {
            if (info.valid_data) px4.request(request);
        }
        if (auto reply = px4.cycle(1)) writer->write(&*reply);
    }
}
