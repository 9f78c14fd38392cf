// interrupt.cpp - see interrupt.hpp.
#include "interrupt.hpp"

volatile std::sig_atomic_t interrupted = 0;

void end_on_ctrl_c() {
    const auto handler = [](int) { interrupted = 1; };
#if defined(_WIN32)
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
#else
    // Without SA_RESTART, so that it also ends the wait for a line of input.
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
#endif
}
