// error.cpp - see error.hpp.
#include "coptersim/error.hpp"

namespace coptersim {

const char* to_string(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::ok:
            return "ok";
        case ErrorCode::wrong_length:
            return "wrong_length";
        case ErrorCode::wrong_checksum:
            return "wrong_checksum";
        case ErrorCode::bad_id:
            return "bad_id";
        case ErrorCode::bad_name:
            return "bad_name";
        case ErrorCode::name_too_long:
            return "name_too_long";
        case ErrorCode::out_of_range:
            return "out_of_range";
        case ErrorCode::not_finite:
            return "not_finite";
        case ErrorCode::bad_option:
            return "bad_option";
        case ErrorCode::bind_in_use:
            return "bind_in_use";
        case ErrorCode::socket_error:
            return "socket_error";
        case ErrorCode::multicast_unavailable:
            return "multicast_unavailable";
        case ErrorCode::no_route:
            return "no_route";
        case ErrorCode::send_failed:
            return "send_failed";
        case ErrorCode::closed:
            return "closed";
    }
    return "unknown";
}

}  // namespace coptersim
