// mission_upload.cpp - see mission_upload.hpp.
#include "px4_hil/mission_upload.hpp"

#include <cmath>
#include <utility>

#include "message_writer.hpp"

namespace px4_hil {
namespace {

constexpr std::size_t most_points = 65534;  // the count is 16 bits, and 65535 means something else

Error check(const Route& route) {
    MessageWriter text;
    if (route.empty()) return {ErrorCode::bad_option, "the route has no point: give it one at least"};
    if (route.size() > most_points) {
        return error(ErrorCode::bad_option, text << "the route has " << route.size()
                                                 << " points; MAVLink allows " << most_points
                                                 << ", PX4 on hardware 500 or 1000");
    }
    for (std::size_t i = 0; i < route.size(); ++i) {
        const Waypoint& point = route[i];
        const bool right = std::fabs(point.latitude) <= 90 && std::fabs(point.longitude) <= 180 &&
                           std::isfinite(point.altitude) && std::isfinite(point.hold_time) &&
                           std::isfinite(point.acceptance_radius) && !std::isinf(point.yaw);
        if (right) continue;
        return error(ErrorCode::bad_option, text << "point " << i << " of the route is nowhere: latitude "
                                                 << point.latitude << ", longitude " << point.longitude
                                                 << ", altitude " << point.altitude
                                                 << "; degrees and metres are asked for");
    }
    return {};
}

}  // namespace

Error MissionUpload::begin(Route route, Identity self, Identity target, bool clear_first, Time now,
                           MessageSink& sink) {
    if (auto failed = check(route)) return failed;
    *this = MissionUpload();
    route_ = std::move(route);
    self_ = self;
    target_ = target;
    clear_first ? clear(now, sink) : announce(now, sink);
    return {};
}

void MissionUpload::clear(Time now, MessageSink& sink) {
    stage_ = Stage::clearing;
    cleared_ = true;
    deadline_ = now + resend_time;
    MissionClearAll message;
    message.target_system = target_.system;
    message.target_component = target_.component;
    sink.send(message);
}

void MissionUpload::announce(Time now, MessageSink& sink) {
    stage_ = Stage::announcing;
    deadline_ = now + resend_time;
    MissionCount message;
    message.count = static_cast<std::uint16_t>(route_.size());
    message.target_system = target_.system;
    message.target_component = target_.component;
    sink.send(message);
}

MissionItemInt MissionUpload::item(std::uint16_t sequence) const {
    const Waypoint& point = route_[sequence];
    MissionItemInt item;
    item.param1 = point.hold_time;
    item.param2 = point.acceptance_radius;
    item.param4 = point.yaw;
    item.x = static_cast<std::int32_t>(std::lround(point.latitude * 1e7));
    item.y = static_cast<std::int32_t>(std::lround(point.longitude * 1e7));
    item.z = static_cast<float>(point.altitude);
    item.seq = sequence;
    item.command = point.command;
    item.target_system = target_.system;
    item.target_component = target_.component;
    item.frame = point.above_sea_level ? mav_frame::above_sea_level : mav_frame::above_home;
    item.current = sequence == 0 ? 1 : 0;
    item.autocontinue = 1;
    return item;
}

void MissionUpload::handle(const Frame& frame, Time now, MessageSink& sink) {
    if (!under_way()) return;
    const auto for_us = [this](const auto& message) {
        return message.mission_type == 0 && message.target_system == self_.system &&
               (message.target_component == self_.component || message.target_component == component_id::all);
    };
    if (const auto request = frame.as<MissionRequestInt>()) {
        if (for_us(*request)) handle_request(request->seq, now, sink);
    } else if (const auto old_request = frame.as<MissionRequest>()) {
        if (for_us(*old_request)) handle_request(old_request->seq, now, sink);
    } else if (const auto ack = frame.as<MissionAck>()) {
        if (!for_us(*ack)) return;
        if (stage_ == Stage::clearing && ack->type == mission_result::accepted) {
            resends_ = 0;
            announce(now, sink);
        } else {
            handle_ack(*ack, now);
        }
    }
}

void MissionUpload::handle_request(std::uint16_t sequence, Time now, MessageSink& sink) {
    if (stage_ == Stage::clearing) return;  // of an older transfer
    if (sequence >= route_.size()) {
        acknowledge(mission_result::invalid_sequence, sink);
        MessageWriter text;
        return fail(ErrorCode::mission_rejected, (text << "PX4 asked for point " << sequence
                                                       << " of a route of " << route_.size() << " points")
                                                     .view());
    }
    stage_ = Stage::sending;
    deadline_ = now + silence_limit;
    requested_ = std::max<std::size_t>(requested_, sequence + std::size_t{1});
    ++items_sent_;
    sink.send(item(sequence));
}

void MissionUpload::handle_ack(const MissionAck& ack, Time now) {
    MessageWriter text;
    if (ack.type == mission_result::accepted) {
        if (stage_ == Stage::announcing && cleared_) return;  // the one for the clearing, again
        if (requested_ < route_.size()) {
            return fail(ErrorCode::mission_incomplete,
                        (text << "PX4 says that it has the route after " << requested_ << " of "
                              << route_.size() << " points")
                            .view());
        }
        opaque_id_ = ack.opaque_id;
        stage_ = Stage::done;
        return;
    }
    if (stage_ == Stage::announcing && ack.type == mission_result::error && !busy_retried_) {
        busy_retried_ = true;  // another station may be uploading
        deadline_ = now + busy_wait;
        return;
    }
    text << "PX4 refused the route: " << mission_result_text(ack.type) << " (" << ack.type << ")";
    if (ack.type == mission_result::no_space)
        text << ", after all " << route_.size() << " points are too many";
    if (requested_ > 0) text << "; the last point it asked for was " << requested_ - 1;
    fail(ErrorCode::mission_rejected, text.view());
}

void MissionUpload::tick(Time now, MessageSink& sink) {
    if (!under_way() || now < deadline_) return;
    if (stage_ == Stage::sending) {
        MessageWriter text;
        return fail(ErrorCode::mission_timeout, (text << "PX4 asked for " << requested_ << " of "
                                                      << route_.size() << " points, then for nothing for 5 s")
                                                    .view());
    }
    if (resends_ == most_resends) {
        return fail(
            ErrorCode::mission_timeout,
            "PX4 does not answer to a route: its mission side may be busy, or messages do not get through");
    }
    ++resends_;
    stage_ == Stage::clearing ? clear(now, sink) : announce(now, sink);
}

void MissionUpload::cancel(MessageSink& sink) {
    if (!under_way()) return;
    acknowledge(mission_result::cancelled, sink);
    fail(ErrorCode::cancelled, "the upload was cancelled");
}

void MissionUpload::acknowledge(std::uint8_t result, MessageSink& sink) const {
    MissionAck ack;
    ack.target_system = target_.system;
    ack.target_component = target_.component;
    ack.type = result;
    sink.send(ack);
}

void MissionUpload::fail(ErrorCode code, std::string_view text) {
    stage_ = Stage::failed;
    error_ = Error(code, text);
}

}  // namespace px4_hil
