// log.hpp - the callback that a client tells events to, and a limit to how often. The callback is in place of
// std::function, whose header alone takes as long to compile as the rest of this library.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ap_json {

/// Holds anything that can be called with a std::string_view: a function, a lambda. Copies share what they
/// hold.
class LogCallback {
  public:
    /// Nothing to call.
    LogCallback() noexcept = default;
    /// Nothing to call.
    LogCallback(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): reads like a pointer

    /// Allocates, once.
    /// @param function  called with each message; must not throw where exceptions are off
    template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&, std::string_view>>>
    LogCallback(
        Function function)  // NOLINT(google-explicit-constructor): options.log = [](auto text) { ... };
        : held_(std::make_shared<Holder<Function>>(std::move(function))) {}

    /// Whether there is something to call.
    explicit operator bool() const noexcept { return held_ != nullptr; }

    /// Calls it; only when there is one.
    void operator()(std::string_view message) const { held_->call(message); }

  private:
    struct Held {
        virtual ~Held() = default;
        virtual void call(std::string_view message) = 0;
    };
    template <class Function>
    struct Holder final : Held {
        explicit Holder(Function held) : function(std::move(held)) {}
        void call(std::string_view message) override { function(message); }
        Function function;
    };

    std::shared_ptr<Held> held_;
};

/// Keeps events that a peer can cause at any rate from filling a log: five may be told at once, then one a second.
class LogLimit {
  public:
    /// Whether an event at this time may be told; counts it then.
    [[nodiscard]] bool allows(std::chrono::steady_clock::time_point now) noexcept {
        next_ = std::max(next_, now - 4 * interval);
        if (next_ > now) return false;
        next_ += interval;
        return true;
    }

  private:
    static constexpr std::chrono::seconds interval{1};
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace ap_json
