// mission_upload.hpp - brings a route to PX4: the client's side of MAVLink's mission protocol. Time comes from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "px4_hil/error.hpp"
#include "px4_hil/export.hpp"
#include "px4_hil/frame.hpp"
#include "px4_hil/message_sink.hpp"
#include "px4_hil/px4_modes.hpp"

namespace px4_hil {

/// A key point of a route: a position and what to do there.
struct Waypoint {
    double latitude = 0;                                  ///< deg
    double longitude = 0;                                 ///< deg
    double altitude = 0;                                  ///< m; see above_sea_level
    bool above_sea_level = false;                         ///< false: altitude is above home
    float hold_time = 0;                                  ///< s
    float acceptance_radius = 0;                          ///< m; 0 = PX4's own
    float yaw = std::numeric_limits<float>::quiet_NaN();  ///< deg; NaN = free
    std::uint16_t command = mav_command::waypoint;        ///< MAV_CMD
};

using Route = std::vector<Waypoint>;

/// One upload. Begin it, give it the frames of the autopilot and the time, and look at its stage.
class PX4_HIL_API MissionUpload {
  public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::milliseconds resend_time{1500};  ///< of MISSION_COUNT and MISSION_CLEAR_ALL
    static constexpr int most_resends = 5;
    static constexpr std::chrono::milliseconds silence_limit{5000};  ///< PX4's own, while items go over
    static constexpr std::chrono::milliseconds busy_wait{1000};      ///< when somebody else uploads, too

    enum class Stage : std::uint8_t { idle, clearing, announcing, sending, done, failed };

    /// @param self         who uploads; the same during the whole transfer
    /// @param target       the autopilot
    /// @param clear_first  ask PX4 to forget its route before; not needed, a new route replaces the old one at once
    /// @return ok, or bad_option when the route cannot be meant: no point, too many, a coordinate out of range
    Error begin(Route route, Identity self, Identity target, bool clear_first, Time now, MessageSink& sink);

    /// @param frame  from the target
    void handle(const Frame& frame, Time now, MessageSink& sink);
    void tick(Time now, MessageSink& sink);

    /// Tells PX4, and fails with `cancelled`. Does nothing when nothing is under way.
    void cancel(MessageSink& sink);

    [[nodiscard]] Stage stage() const noexcept { return stage_; }
    [[nodiscard]] bool under_way() const noexcept {
        return stage_ == Stage::clearing || stage_ == Stage::announcing || stage_ == Stage::sending;
    }
    /// Why it failed.
    [[nodiscard]] const Error& error() const noexcept { return error_; }
    [[nodiscard]] std::size_t count() const noexcept { return route_.size(); }
    /// Items that PX4 has asked for; those asked for twice count once.
    [[nodiscard]] std::size_t requested() const noexcept { return requested_; }
    [[nodiscard]] std::uint64_t items_sent() const noexcept { return items_sent_; }
    /// PX4's checksum of the route; 0 from old releases.
    [[nodiscard]] std::uint32_t opaque_id() const noexcept { return opaque_id_; }

  private:
    void announce(Time now, MessageSink& sink);
    void clear(Time now, MessageSink& sink);
    void handle_request(std::uint16_t sequence, Time now, MessageSink& sink);
    void handle_ack(const MissionAck& ack, Time now);
    void acknowledge(std::uint8_t result, MessageSink& sink) const;
    void fail(ErrorCode code, std::string_view text);
    [[nodiscard]] MissionItemInt item(std::uint16_t sequence) const;

    Route route_;
    Identity self_, target_;
    Stage stage_ = Stage::idle;
    Error error_;
    Time deadline_;  // of what is waited for
    int resends_ = 0;
    bool cleared_ = false;  // another ACK for it may still come
    bool busy_retried_ = false;
    std::size_t requested_ = 0;
    std::uint64_t items_sent_ = 0;
    std::uint32_t opaque_id_ = 0;
};

}  // namespace px4_hil
