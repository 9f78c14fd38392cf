// address.cpp - see address.hpp.
#include "coptersim/address.hpp"

namespace coptersim {

std::optional<Address> parse_address(std::string_view text) noexcept {
    std::uint32_t result = 0;
    for (int part = 0; part < 4; ++part) {
        if (part > 0) {
            if (text.empty() || text.front() != '.') return std::nullopt;
            text.remove_prefix(1);
        }
        std::uint32_t number = 0;
        std::size_t digits = 0;
        while (digits < text.size() && digits < 4 && text[digits] >= '0' && text[digits] <= '9')
            number = number * 10 + static_cast<std::uint32_t>(text[digits++] - '0');
        const bool leading_zero = digits > 1 && text.front() == '0';
        if (digits == 0 || leading_zero || number > 255) return std::nullopt;
        text.remove_prefix(digits);
        result = result << 8 | number;
    }
    if (!text.empty()) return std::nullopt;
    return Address{result};
}

std::string to_string(Address address) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) {
        text += std::to_string(address.value >> shift & 255);
        if (shift > 0) text += '.';
    }
    return text;
}

std::string to_string(const Endpoint& endpoint) {
    return to_string(endpoint.address) + ":" + std::to_string(endpoint.port);
}

}  // namespace coptersim
