// log.hpp - the callback that a client tells events to. In place of std::function, whose header alone takes
// as long to compile as the rest of this library.
#pragma once

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
    LogCallback() noexcept = default;
    LogCallback(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): reads like a pointer

    template <class Function, class = std::enable_if_t<std::is_invocable_v<Function&, std::string_view>>>
    LogCallback(
        Function function)  // NOLINT(google-explicit-constructor): options.log = [](auto text) { ... };
        : held_(std::make_shared<Holder<Function>>(std::move(function))) {}

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

}  // namespace ap_json
