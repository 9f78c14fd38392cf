#!/usr/bin/env bash
# fuzz.sh - coverage-guided fuzzing of all that reads bytes or text, with address and undefined-behaviour sanitizers. Ends
# with 0 only if no input crashed. New inputs are kept in build-fuzz/corpus, so that each run goes on from the last one.
# usage: scripts/fuzz.sh [--minutes N] [--merge] [target ...]
#   --minutes N  for all targets together; default 2
#   --merge      then writes the inputs that reach something new into tests/fuzz/corpus
#   target       a name in tests/fuzz/CMakeLists.txt; default: all
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

minutes=2
merge=no
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --minutes) minutes=${2:?--minutes needs a number}; shift ;;
        --merge) merge=yes ;;
        -*) sed -n '2,7s/^# //p' "$0"; [ "$1" = --help ] && exit 0 || exit 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done

need cmake clang libclang-rt-dev llvm make nlohmann-json3-dev libgtest-dev libgmock-dev libcli11-dev libasio-dev
folder=build-fuzz
programs=$folder/tests/fuzz
say "building the fuzzers into $folder/ (some minutes the first time)"
mkdir -p $folder
cmake -S . -B $folder -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 \
    -DAP_JSON_SANITIZE=address,undefined -DAP_JSON_FUZZ=ON -DAP_JSON_BUILD_EXAMPLES=OFF >$folder/configure.log ||
    { cat $folder/configure.log; exit 1; }
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(sed -n 's/^ *ap_json_fuzzer(\([a-z_0-9]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
fi
cmake --build $folder --target help >$folder/targets
built=()  # without those whose part is not built
for target in "${targets[@]}"; do
    [ -d "tests/fuzz/corpus/$target" ] || { echo "no folder tests/fuzz/corpus/$target"; exit 2; }
    ! grep -qx "... fuzz_$target" $folder/targets || built+=("$target")
done
[ ${#built[@]} -gt 0 ] || { echo "nothing to fuzz"; exit 2; }
cmake --build $folder --parallel "$jobs" --target "${built[@]/#/fuzz_}" >$folder/build.log ||
    { cat $folder/build.log; exit 1; }

# Crashes are those of this run.
rm -rf $folder/crashes $folder/logs
mkdir -p $folder/crashes $folder/logs
seconds=$(awk -v m="$minutes" -v n="${#built[@]}" -v j="$jobs" 'BEGIN { s = m * 60 * j / n; print int(s < 1 ? 1 : s) }')
export ASAN_OPTIONS=quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1

run_one() {
    local folder=$1 seconds=$2 target=$3 dictionary=tests/fuzz/$3.dict
    mkdir -p "$folder/corpus/$target"
    # Its own standard output is closed; some inputs make the programs print.
    LLVM_PROFILE_FILE=/dev/null "$folder/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
        -max_len=16384 -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$folder/crashes/$target-" \
        ${dictionary:+$([ ! -e "$dictionary" ] || echo "-dict=$dictionary")} \
        "$folder/corpus/$target" "tests/fuzz/corpus/$target" >"$folder/logs/$target" 2>&1 || true
}
export -f run_one
say "fuzzing ${#built[@]} targets, $seconds s each, $jobs at once"
printf '%s\n' "${built[@]}" | xargs -P "$jobs" -I '{}' bash -c 'run_one "$@"' run_one $folder "$seconds" '{}'

inputs=0
printf '%-16s %10s %8s %8s\n' target inputs edges crashes
for target in "${built[@]}"; do
    log=$folder/logs/$target
    done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    printf '%-16s %10s %8s %8s\n' "$target" "${done:-0}" "${edges:-0}" \
        "$(find $folder/crashes -name "$target-*" | wc -l)"
    inputs=$((inputs + ${done:-0}))
    # A target that ended for a reason of its own, such as a missing library, has neither inputs nor a crash.
    [ "${done:-0}" -gt 0 ] || { cat "$log"; : >"$folder/crashes/$target-did-not-run"; }
done

# The lines of the library that the inputs kept reach.
if command -v llvm-profdata >/dev/null; then
    rm -f $folder/*.profraw
    for target in "${built[@]}"; do
        LLVM_PROFILE_FILE=$folder/$target.profraw $programs/fuzz_$target -runs=0 -close_fd_mask=3 \
            "$folder/corpus/$target" "tests/fuzz/corpus/$target" >/dev/null 2>&1 || true
    done
    llvm-profdata merge -o $folder/all.profdata $folder/*.profraw
    say "lines of src/ap_json that the inputs reach: lines, not reached, share"
    objects=("${built[@]/#/-object=$programs/fuzz_}")
    llvm-cov report -instr-profile=$folder/all.profdata "$programs/fuzz_${built[0]}" "${objects[@]}" src/ap_json 2>/dev/null |
        awk 'NF > 9 && $1 != "Filename" { print $1, $8, $9, $10 }' | column -t
fi

# Files that are named by a hash are replaced by the fewest that reach as much; those that people named stay.
merge_one() {
    local target=$1 kept=$folder/merged/$1 corpus=tests/fuzz/corpus/$1
    rm -rf "$kept"
    mkdir -p "$kept"
    find "$corpus" -type f -regextype posix-extended -not -regex '.*/[0-9a-f]{40}' -exec cp {} "$kept" \;
    LLVM_PROFILE_FILE=/dev/null $programs/fuzz_$target -merge=1 -use_counters=0 -max_len=4096 -close_fd_mask=1 "$kept" "$corpus" \
        "$folder/corpus/$target" >"$folder/logs/merge-$target" 2>&1
    find "$corpus" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
    cp "$kept"/* "$corpus"
    echo "$target: $(find "$corpus" -type f | wc -l) inputs, $(du -sb "$corpus" | cut -f1) bytes"
}
if [ "$merge" = yes ]; then
    say "merging into tests/fuzz/corpus"
    for target in "${built[@]}"; do merge_one "$target"; done
fi

crashes=$(find $folder/crashes -type f | wc -l)
for crash in $(find $folder/crashes -type f); do
    target=$(basename "$crash" | sed 's/-.*//')
    say "crash: $crash"
    grep -h 'does not hold\|SUMMARY\|ERROR:\|runtime error' "$folder/logs/$target" | sort -u | head -5 || true
    echo "to see it again:    $programs/fuzz_$target $crash"
    echo "to make it a test:  cp $crash tests/fuzz/corpus/$target/what-it-is"
done
result "fuzzing" "$inputs inputs, ${#built[@]} targets, $minutes minutes" "$crashes crashes"
[ "$crashes" -eq 0 ]
