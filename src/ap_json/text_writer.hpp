// text_writer.hpp - builds short texts in a fixed buffer: no allocation, no locale. Private to the library.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "ap_json/error.hpp"

namespace ap_json {

/// Appends to a buffer of fixed size; what does not fit is cut.
template <std::size_t Capacity>
class TextWriter {
  public:
    TextWriter() noexcept {
        text_[0] = '\0';
    }  // NOLINT(*-member-init): the rest is written before it is read

    TextWriter& operator<<(std::string_view text) noexcept {
        const std::size_t count = text.size() < room() ? text.size() : room();
        std::memcpy(text_ + length_, text.data(), count);
        length_ += count;
        text_[length_] = '\0';
        return *this;
    }

    TextWriter& operator<<(const char* text) noexcept { return *this << std::string_view(text); }

    /// Numbers as std::to_chars writes them: the shortest text that reads back to the same value.
    template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
    TextWriter& operator<<(Number number) noexcept {
        char digits[32];
        const auto result = std::to_chars(digits, digits + sizeof digits, number);
        return *this << std::string_view(digits, static_cast<std::size_t>(result.ptr - digits));
    }

    [[nodiscard]] const char* c_str() const noexcept { return text_; }
    [[nodiscard]] std::string_view view() const noexcept { return {text_, length_}; }

  private:
    [[nodiscard]] std::size_t room() const noexcept { return Capacity - 1 - length_; }

    char text_[Capacity];
    std::size_t length_ = 0;
};

using MessageWriter = TextWriter<Error::capacity>;

}  // namespace ap_json
