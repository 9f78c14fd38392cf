// names.cpp - topics, types and keys by the rules of ROS 2 and PX4.
#include "px4_setpoint/names.hpp"

#include <algorithm>

namespace px4_setpoint {

std::string dds_topic(std::string_view topic, std::string_view topic_namespace, unsigned version) {
    std::string name = "rt/";
    if (!topic_namespace.empty()) name.append(topic_namespace).append("/");
    const auto begin = topic.find_first_not_of('/');
    if (begin != std::string_view::npos) name.append(topic.substr(begin));
    if (version != 0) name.append("_v").append(std::to_string(version));
    return name;
}

Error check_namespace(std::string_view topic_namespace) {
    const auto allowed = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '_' || letter == '/';
    };
    const std::string text(topic_namespace);
    if (!std::all_of(text.begin(), text.end(), allowed) ||
        (!text.empty() && (text.front() == '/' || text.back() == '/')) ||
        text.find("//") != std::string::npos) {
        return {ErrorCode::bad_option,
                "the namespace \"" + text +
                    "\" has to be of letters, digits and _, with / only between two names "
                    "(such as uav_1)"};
    }
    const auto longest = std::max(dds_topic(setpoint_config_topic, text).size(),
                                  dds_topic(setpoint_config_reply_topic, text).size());
    if (longest >= topic_name_limit) {
        return {ErrorCode::bad_option, "the namespace \"" + text +
                                           "\" is too long: PX4 takes topic names of fewer than " +
                                           std::to_string(topic_name_limit) +
                                           " characters, with it they have " + std::to_string(longest)};
    }
    return {};
}

std::string zenoh_key(std::string_view topic, std::string_view type, std::string_view hash, unsigned domain) {
    std::string key = std::to_string(domain);
    key.append(topic).append("/").append(type).append("/");
    if (hash.empty()) return key.append("TypeHashNotSupported");
    return key.append("RIHS01_").append(hash);
}

}  // namespace px4_setpoint
