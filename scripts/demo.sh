#!/usr/bin/env bash
# demo.sh - builds the project, starts simpleRover and a stand-in for ArduPilot SITL, and drives: forwards at 1 m/s,
# backwards at 1 m/s, stop. Ends with 0 only if the rover reached each of these speeds.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [ $# -gt 0 ]; then
    sed -n '2,3s/^# //p' "$0"
    exit 0
fi
need cmake g++ make libcli11-dev libasio-dev
say "building simpleRover and the stand-in SITL into build/ (half a minute)"
mkdir -p build
cmake -S . -B build -DAP_JSON_BUILD_TESTS=OFF >build/configure.log || { cat build/configure.log; exit 1; }
cmake --build build --parallel "$jobs" --target simpleRover ap_json_tool

say "starting simpleRover"
output=$(mktemp)
build/examples/simpleRover --port 0 >"$output" &
rover=$!
trap 'kill "$rover" 2>/dev/null || true; rm -f "$output"' EXIT
until port=$(sed -n 's/^listening on UDP 127.0.0.1:\([0-9]*\)$/\1/p' "$output") && [ -n "$port" ]; do
    kill -0 "$rover" || { echo "simpleRover did not start"; exit 1; }
    sleep 0.02
done
cat "$output"

say "driving it: ap_json sitl --script examples/drive.txt"
result=0
build/tools/ap_json sitl --port "$port" --script examples/drive.txt || result=$?

say "what simpleRover says"
kill -INT "$rover"
wait "$rover"
cat "$output"
trap 'rm -f "$output"' EXIT
if [ "$result" -eq 0 ]; then say "simpleRover did what it was told"; else say "simpleRover did NOT do what it was told"; fi
exit "$result"
