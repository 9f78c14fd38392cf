// dds.hpp - the dialogue over DDS, with topics, types and quality of service as PX4's XRCE agent and ROS 2 nodes have them.
// A target of its own, ap_json::px4_setpoint_dds, built where Eclipse Cyclone DDS is installed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "px4_setpoint/error.hpp"
#include "px4_setpoint/messages.hpp"
#include "px4_setpoint/negotiator.hpp"

namespace px4_setpoint {

/// Where to talk. Which network interface is used, is Cyclone DDS's own setting: the environment variable CYCLONEDDS_URI.
struct DdsOptions {
    /// DDS domain, 0 to 232: that of the XRCE agent; ROS 2 calls it ROS_DOMAIN_ID.
    unsigned domain = 0;
    /// The namespace that PX4's client was started with, such as "uav_1"; usually empty.
    std::string topic_namespace;
};

namespace detail {
struct DdsEntities;  // participant, writer, reader
}

/// A mode's end: requests out, replies in. Belongs to one thread at a time. Closes itself when destroyed.
class PX4_SETPOINT_API DdsClient {
  public:
    DdsClient();
    ~DdsClient();
    DdsClient(DdsClient&&) noexcept;
    DdsClient& operator=(DdsClient&&) noexcept;

    /// Joins the domain. Errors: bad_option; transport, with the words of Cyclone DDS. Closes what was open before.
    Error open(const DdsOptions& options = {});
    void close();

    /// Whether somebody listens to requests and somebody sends replies. False when not open.
    [[nodiscard]] bool matched() const;

    /// Sends a request; does not wait for anybody. Errors: transport.
    Error send(const SetpointConfig& request);

    /// The next reply; nothing when none comes within `wait`, or when not open. The wait is measured by DDS.
    [[nodiscard]] std::optional<SetpointConfigReply> receive(Duration wait);

  private:
    std::unique_ptr<detail::DdsEntities> entities_;
};

/// PX4's end: requests in, replies out. Belongs to one thread at a time. Closes itself when destroyed.
class PX4_SETPOINT_API DdsResponder {
  public:
    DdsResponder();
    ~DdsResponder();
    DdsResponder(DdsResponder&&) noexcept;
    DdsResponder& operator=(DdsResponder&&) noexcept;

    /// As DdsClient::open().
    Error open(const DdsOptions& options = {});
    void close();

    /// Whether a mode sends requests and listens to replies. False when not open.
    [[nodiscard]] bool matched() const;

    /// Sends a reply; does not wait for anybody. Errors: transport.
    Error send(const SetpointConfigReply& reply);

    /// The next request; nothing when none comes within `wait`, or when not open.
    [[nodiscard]] std::optional<SetpointConfig> receive(Duration wait);

  private:
    std::unique_ptr<detail::DdsEntities> entities_;
};

/// One turn of a mode's loop, for all modes of a vehicle: sends the requests that are due, waits at most `wait` for a
/// reply, and hands the replies to all modes. To be called until the states are what was hoped for.
/// Errors: transport.
PX4_SETPOINT_API Error exchange(DdsClient& client, const std::vector<Negotiator*>& modes, Duration wait);

}  // namespace px4_setpoint
