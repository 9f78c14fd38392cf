// names.hpp - what the two topics and types are called in ROS 2, in DDS and in Zenoh.
#pragma once

#include <string>
#include <string_view>

#include "px4_setpoint/error.hpp"
#include "px4_setpoint/messages.hpp"

namespace px4_setpoint {

/// ROS 2's name of the topic to PX4, without namespace and version.
inline constexpr std::string_view setpoint_config_topic = "/fmu/in/setpoint_config";
/// ROS 2's name of the topic from PX4, without namespace and version.
inline constexpr std::string_view setpoint_config_reply_topic = "/fmu/out/setpoint_config_reply";

/// The types' names in DDS.
inline constexpr std::string_view setpoint_config_type = "px4_msgs::msg::dds_::SetpointConfig_";
inline constexpr std::string_view setpoint_config_reply_type = "px4_msgs::msg::dds_::SetpointConfigReply_";

/// The types' hashes (RIHS01, by ROS's REP-2016), in hexadecimal digits.
inline constexpr std::string_view setpoint_config_hash =
    "90843fa8389aac33437c600dfae184278d2209246b118833f83033880e9a7fd6";
inline constexpr std::string_view setpoint_config_reply_hash =
    "f64896624a159716ccf719c252e88f84a3408a97a4e0af9cd3d083fb37383e86";

/// PX4 refuses topic names of this many characters and more.
inline constexpr std::size_t topic_name_limit = 128;

/// The topic's name in DDS: "rt/" + namespace + topic + "_v" and version, unless that is 0.
/// @param topic_namespace  such as "uav_3", as PX4's client was started with (-n, or UXRCE_DDS_NS_IDX); usually empty
[[nodiscard]] PX4_SETPOINT_API std::string dds_topic(std::string_view topic,
                                                     std::string_view topic_namespace = {},
                                                     unsigned version = message_version);

/// Whether a namespace can be one: letters, digits, `_` and `/` between them, and short enough for both topics.
/// Errors: bad_option.
PX4_SETPOINT_API Error check_namespace(std::string_view topic_namespace);

/// The topic's key in Zenoh: domain, topic, type and hash. Under Zenoh there is no suffix for the version.
/// @param hash  empty for firmware that was built without type hashes (for ROS 2 Humble and older)
[[nodiscard]] PX4_SETPOINT_API std::string zenoh_key(std::string_view topic, std::string_view type,
                                                     std::string_view hash, unsigned domain = 0);

}  // namespace px4_setpoint
