// error.cpp - see error.hpp.
#include "ap_json/error.hpp"

#include <cstring>

namespace ap_json {

const char* to_string(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::ok:
            return "ok";
        case ErrorCode::wrong_length:
            return "wrong_length";
        case ErrorCode::wrong_magic:
            return "wrong_magic";
        case ErrorCode::not_finite:
            return "not_finite";
        case ErrorCode::out_of_range:
            return "out_of_range";
        case ErrorCode::not_normalised:
            return "not_normalised";
        case ErrorCode::incomplete:
            return "incomplete";
        case ErrorCode::buffer_too_small:
            return "buffer_too_small";
        case ErrorCode::bad_option:
            return "bad_option";
        case ErrorCode::address_unavailable:
            return "address_unavailable";
        case ErrorCode::port_busy:
            return "port_busy";
        case ErrorCode::system_error:
            return "system_error";
        case ErrorCode::not_open:
            return "not_open";
        case ErrorCode::no_autopilot:
            return "no_autopilot";
        case ErrorCode::already_answered:
            return "already_answered";
        case ErrorCode::time_not_advanced:
            return "time_not_advanced";
        case ErrorCode::time_went_back:
            return "time_went_back";
        case ErrorCode::time_jumped:
            return "time_jumped";
        case ErrorCode::not_sent:
            return "not_sent";
    }
    return "unknown";
}

Error& Error::operator=(const Error& other) noexcept {
    code_ = other.code_;
    if (code_ != ErrorCode::ok && this != &other) std::memcpy(message_, other.message_, capacity);
    return *this;
}

Error::Error(ErrorCode code, const char* message) noexcept : code_(code) {  // NOLINT(*-member-init)
    const std::size_t length = std::strlen(message);
    const std::size_t kept = length < capacity ? length : capacity - 1;
    std::memcpy(message_, message, kept);
    std::memset(message_ + kept, 0, capacity - kept);
}

}  // namespace ap_json
