#!/usr/bin/env bash
# bench.sh - builds and runs all benchmarks; ends with one table: what, baseline, ours, ratio, target. Figures are
# ratios against a baseline of the same run. With AP_JSON_ARDUPILOT_BIN set, also with the real ArduRover.
# usage: scripts/bench.sh [--json] [--only codec|round_trip|fleet|lightness|sitl ...]
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

{
    need cmake g++ make nlohmann-json3-dev libcli11-dev libasio-dev libbenchmark-dev binutils
    mkdir -p build-bench build-bench-shared
    say "building into build-bench/"
    cmake -S . -B build-bench -DAP_JSON_BUILD_TESTS=OFF -DAP_JSON_BUILD_BENCHMARKS=ON -DAP_JSON_BUILD_PX4_HIL=OFF \
        -DAP_JSON_BUILD_PX4_SETPOINT=OFF -DAP_JSON_BUILD_COPTERSIM=OFF >build-bench/configure.log
    cmake --build build-bench --parallel "$jobs" >/dev/null
    cmake -S . -B build-bench-shared -DAP_JSON_BUILD_TESTS=OFF -DAP_JSON_BUILD_EXAMPLES=OFF -DAP_JSON_BUILD_TOOLS=OFF \
        -DBUILD_SHARED_LIBS=ON >build-bench-shared/configure.log
    cmake --build build-bench-shared --parallel "$jobs" --target ap_json >/dev/null
    say "measuring; the machine should have nothing else to do"
} >&2
cd build-bench
exec bench/ap_json_bench --shared-library ../build-bench-shared/libap_json.so "$@"
