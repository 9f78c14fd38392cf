// consistency.hpp - do the parts of a backend's states agree with one another? Six agreements, each of what two parts say
// about the same thing, over windows of a tenth of a second. Pure.
//
// Each window gives an error between 0 (the same) and 2 (the opposite), whatever the size of the quantity, for each
// axis on which something happens; an agreement's error is the mean over its windows, on the worst axis. So one wild
// state, such as a collision or a teleport, does not decide it, and noise that averages out does not either.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sample.hpp"

enum class Agreement : std::uint8_t {
    rest,          ///< specific force at rest against the attitude: gravity alone
    displacement,  ///< change of position against velocity
    rotation,      ///< change of attitude against gyro
    acceleration,  ///< change of velocity against specific force and attitude
    attitudes,     ///< Euler angles against quaternion, when both are sent
    geodetic,      ///< change of geodetic position against that of position, when both are sent
};
constexpr std::size_t agreements = 6;

const char* to_string(Agreement agreement);

class Consistency {
  public:
    struct Result {
        std::array<double, 3> errors{};  // for each axis, the mean over its windows: 0 to 2
        std::array<int, 3> counts{};     // windows in which there was something on that axis
        int windows = 0;                 // in which there was something on any
        ap_json::Vector3 first_sum;      // of the two sides, for words
        ap_json::Vector3 second_sum;
    };

    void add(const Sample& sample);

    [[nodiscard]] const Result& result(Agreement which) const {
        return results_[static_cast<std::size_t>(which)];
    }

    /// Whether there was enough to compare.
    [[nodiscard]] bool is_known(Agreement which) const;

    /// 0 to 2, on the worst axis; 0 when not known.
    [[nodiscard]] double error(Agreement which) const;

    /// Of the windows in which velocity changed, in how many the specific force did not show it at all.
    [[nodiscard]] int windows_without_motion() const { return windows_without_motion_; }

    static constexpr int fewest_windows = 4;

  private:
    struct Window {
        Sample first;
        ap_json::Quaternion first_attitude;
        double duration = 0;               // s
        ap_json::Vector3 moved;            // m: velocity, integrated
        ap_json::Vector3 turned;           // rad: gyro, integrated
        ap_json::Vector3 attitude_turned;  // rad: change of attitude, summed
        ap_json::Vector3 pushed;           // m/s: specific force and gravity, integrated in NED
        ap_json::Vector3 force_sum;
        bool has_spike = false;  // the specific force jumped: told elsewhere, and not averaged here
        int steps = 0;
    };

    void begin(const Sample& sample, const ap_json::Quaternion& attitude);
    void finish(const Sample& last, const ap_json::Quaternion& attitude);
    void compare_rest(const ap_json::Vector3& force, const ap_json::Vector3& expected);
    void count(Agreement which, std::size_t axis, double error);
    void compare(Agreement which, const ap_json::Vector3& a, const ap_json::Vector3& b, double smallest);

    std::array<Result, agreements> results_{};
    Window window_;
    Sample newest_;
    ap_json::Quaternion newest_attitude_;
    bool started_ = false;
    int windows_without_motion_ = 0;
};

/// The attitude of a sample as SITL takes it: the quaternion wins.
ap_json::Quaternion attitude_of(const Sample& sample);
