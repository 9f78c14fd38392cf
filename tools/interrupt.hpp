// interrupt.hpp - Ctrl-C, and a polite request to end, for all subcommands.
#pragma once

#include <csignal>

/// Not 0 = the program has been asked to end.
extern volatile std::sig_atomic_t interrupted;

/// From now on Ctrl-C sets `interrupted`, and ends waits for input.
void end_on_ctrl_c();
