// exit_code.hpp - what the program's exit codes mean.
#pragma once

constexpr int exit_ok = 0;
constexpr int exit_found = 1;  // something is wrong with what was looked at
constexpr int exit_used_wrongly = 2;
