// ctrl_c.hpp - lets a subcommand end well on Ctrl-C and on a polite request to end.
#pragma once

#include <csignal>

inline volatile std::sig_atomic_t ctrl_c_pressed = 0;

inline void end_on_ctrl_c() {
    const auto handler = [](int) { ctrl_c_pressed = 1; };
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
}
