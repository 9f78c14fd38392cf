#!/usr/bin/env bash
# soak.sh - lets the link live through every disturbance there is, and checks all the time that nothing happens that
# must never happen. About a minute; for hours with --frames 10000000. Ends with 1 when an invariant broke, and prints the
# seed that repeats it.
# usage: scripts/soak.sh [--frames N] [--seed S] [--sanitize]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
frames=500000
seed=1
sanitize=no
while [ $# -gt 0 ]; do
    case $1 in
        --frames) frames=${2:?"--frames: how many?"}; shift 2 ;;
        --seed) seed=${2:?"--seed: which?"}; shift 2 ;;
        --sanitize) sanitize=yes; shift ;;
        *) sed -n '5s/^# //p' "$0"; exit 2 ;;
    esac
done

need cmake g++ make nlohmann-json3-dev libgtest-dev libgmock-dev libcli11-dev libasio-dev iproute2 util-linux
folder=build-soak
options=(-DCMAKE_BUILD_TYPE=Release)
if [ "$sanitize" = yes ]; then
    need clang libclang-rt-dev
    folder=build-soak-sanitized
    options=(-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 -DAP_JSON_SANITIZE=address,undefined)
fi
say "building into $folder/"
mkdir -p "$folder"
cmake -S . -B "$folder" "${options[@]}" >"$folder/configure.log" || { cat "$folder/configure.log"; exit 1; }
cmake --build "$folder" --parallel "$jobs" --target soak ap_json_tool simpleRover >"$folder/build.log" 2>&1 ||
    { cat "$folder/build.log"; exit 1; }

say "soaking: $frames frames, seed $seed"
outcome=held
"$folder/tests/soak/soak" --frames "$frames" --seed "$seed" --seconds 5 --kills 100 \
    --tool "$folder/tools/ap_json" --simple-rover "$folder/examples/simpleRover" | tee "$folder/soak.log" || outcome=broken
[ "$outcome" = held ] || echo "to repeat it: scripts/soak.sh $([ "$sanitize" = no ] || echo --sanitize) --frames $frames --seed $seed"

# The line "total: N frames, N faults of N kinds; ..."
tried=$(sed -n 's/^total: \([^;]*\);.*/\1/p' "$folder/soak.log")
skipped=$(sed -n 's/^total: .*, \([1-9][0-9]* skipped\);.*/, \1/p' "$folder/soak.log")
result "soak" "${tried:-it did not end}" "$outcome$skipped"
[ "$outcome" = held ]
