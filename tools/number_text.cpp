// number_text.cpp - see number_text.hpp.
#include "number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace {

using Buffer = std::array<char, 64>;

std::string taken(const Buffer& buffer, const std::to_chars_result& result) {
    return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

/// How many bytes the character at the beginning has; 0 when it is not UTF-8.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80                       ? 1
                               : byte(0) >= 0xc2 && byte(0) <= 0xdf ? 2
                               : byte(0) >= 0xe0 && byte(0) <= 0xef ? 3
                               : byte(0) >= 0xf0 && byte(0) <= 0xf4 ? 4
                                                                    : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    if (length == 3) {
        const int code = (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
        const bool too_long = code < 0x800;
        const bool surrogate = code >= 0xd800 && code <= 0xdfff;
        const bool not_in_xml = code >= 0xfffe;
        if (too_long || surrogate || not_in_xml) return 0;
    }
    if (length == 4 && ((byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f))) return 0;
    return length;
}

}  // namespace

std::string fixed_text(double value, int decimals) {
    if (!(std::fabs(value) < 1e15)) return short_text(value);
    if (std::fabs(value) < 0.5 * std::pow(10.0, -decimals)) value = 0;
    Buffer buffer{};
    return taken(buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::fixed, decimals));
}

std::string short_text(double value, int digits) {
    Buffer buffer{};
    return taken(buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value == 0 ? 0 : value,
                                       std::chars_format::general, digits));
}

std::string exact_text(double value) {
    Buffer buffer{};
    return taken(buffer, std::to_chars(buffer.data(), buffer.data() + buffer.size(), value));
}

std::string escape_html(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const char c = text[0];
        if (length == 0 || c == 0x7f || (length == 1 && c >= 0 && c < 0x20 && c != '\n' && c != '\t')) {
            result += "\xef\xbf\xbd";  // the sign for a character that could not be read
        } else if (c == '&') {
            result += "&amp;";
        } else if (c == '<') {
            result += "&lt;";
        } else if (c == '>') {
            result += "&gt;";
        } else if (c == '"') {
            result += "&quot;";
        } else if (c == '\'') {
            result += "&#39;";
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}
