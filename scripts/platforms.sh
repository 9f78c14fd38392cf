#!/usr/bin/env bash
# platforms.sh - builds the core, the stand-in and their tests for other compilers, libraries, processors and systems, and
# runs the tests there. What each row proves is in docs/platforms.md.
# usage: scripts/platforms.sh              the quick rows, as CI does
#        scripts/platforms.sh --all        all rows
#        scripts/platforms.sh --list       what there is
#        scripts/platforms.sh ROW...       these
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# name | when | Debian packages beside the common ones | what it is | command
rows=(
    "gcc-17|all|g++|g++, C++17|native g++ 17"
    "gcc-20|all|g++|g++, C++20|native g++ 20"
    "gcc-23|all|g++|g++, C++23|native g++ 23"
    "clang-17|all|clang|clang++, C++17|native clang++ 17"
    "clang-20|all|clang|clang++, C++20|native clang++ 20"
    "clang-23|all|clang|clang++, C++23|native clang++ 23"
    "libc++|all|clang libc++-dev libc++abi-dev googletest|clang++ with libc++, C++17|libcxx"
    "posix|quick|clang libc++-dev libc++abi-dev googletest|as on macOS: clang++, libc++, C++20, POSIX calls only|posix"
    "thread|all|clang libclang-rt-dev|clang++, ThreadSanitizer|sanitized thread"
    "address|all|clang libclang-rt-dev|clang++, AddressSanitizer and UBSan|sanitized address,undefined"
    "valgrind|all|g++ valgrind|g++, in valgrind's memcheck|in_valgrind"
    "aarch64|all|g++-aarch64-linux-gnu qemu-user googletest|64-bit ARM Linux, in QEMU|linux aarch64-linux-gnu"
    "s390x|quick|g++-s390x-linux-gnu qemu-user googletest|big-endian Linux, in QEMU|linux s390x-linux-gnu"
    "armhf|all|g++-arm-linux-gnueabihf qemu-user googletest|32-bit ARM Linux, in QEMU|linux arm-linux-gnueabihf"
    "i686|all|g++-i686-linux-gnu qemu-user googletest|32-bit x86 Linux, in QEMU|linux i686-linux-gnu"
    "windows|quick|g++-mingw-w64-x86-64-posix wine64 wine googletest|64-bit Windows by MinGW-w64, in Wine|windows"
)

packages="cmake make g++ nlohmann-json3-dev libgtest-dev libgmock-dev libcli11-dev libasio-dev"
from_source="-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DFETCHCONTENT_SOURCE_DIR_GOOGLETEST=/usr/src/googletest"

# Header-only packages for the cross builds, in a folder without the headers of this machine's own libraries.
header_packages() {
    local folder=$PWD/build-header-packages
    mkdir -p "$folder/include" "$folder/share/cmake"
    cp -r /usr/include/nlohmann /usr/include/CLI /usr/include/asio /usr/include/asio.hpp "$folder/include"
    cp -r /usr/share/cmake/nlohmann_json /usr/share/cmake/CLI11 "$folder/share/cmake"
    echo "$folder"
}

# build OPTIONS...: configures and builds the folder of the row; what it prints is shown when it fails.
build() {
    local launcher=""
    ! command -v ccache >/dev/null || launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DAP_JSON_WARNINGS_AS_ERRORS=ON \
        -DAP_JSON_BUILD_PX4_HIL=OFF -DAP_JSON_BUILD_PX4_SETPOINT=OFF -DAP_JSON_BUILD_COPTERSIM=OFF \
        -DAP_JSON_BUILD_EXAMPLES=OFF -DAP_JSON_BUILD_TOOLS=OFF $launcher "$@" >"$folder/build.log" 2>&1 &&
        cmake --build "$folder" --parallel "$jobs" >>"$folder/build.log" 2>&1
}

# tests OPTIONS...: runs them; sets $tried, such as "345 tests, 2 of them skipped".
tests() {
    local code=0 total skipped
    ctest --test-dir "$folder" --parallel $((2 * jobs)) --output-on-failure "$@" >"$folder/tests.log" 2>&1 || code=$?
    total=$(sed -n 's/.*tests failed out of //p' "$folder/tests.log")
    skipped=$(grep -c '\*\*\*Skipped' "$folder/tests.log" || true)
    tried="${total:-0} tests, $skipped of them skipped"
    sed -n 's/.*(Skipped)$/  skipped: &/p' "$folder/tests.log"
    [ "$code" -eq 0 ] && [ "${total:-0}" -gt 0 ]
}

native() { # COMPILER STANDARD
    build -DCMAKE_CXX_COMPILER="$1" -DCMAKE_CXX_STANDARD="$2" &&
        cmake --build "$folder" --parallel "$jobs" --target public_headers_no_exceptions >>"$folder/build.log" 2>&1 &&
        tests
}

libcxx() { # OPTIONS...
    build -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-stdlib=libc++ $from_source "$@" && tests
}

posix() { libcxx -DAP_JSON_POSIX_ONLY=ON -DCMAKE_CXX_STANDARD=20; }

sanitized() { build -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-O1 -DAP_JSON_SANITIZE="$1" && tests; }

# Not in valgrind: tests that measure time or count system calls and allocations, since its own are counted and everything
# takes thirty times as long.
not_in_valgrind='Cost\.'
in_valgrind() {
    echo "  left out: $not_in_valgrind"
    build -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS="-O1 -g" -DCMAKE_CROSSCOMPILING_EMULATOR="valgrind;--quiet;--error-exitcode=99;--leak-check=full" &&
        tests --exclude-regex "$not_in_valgrind"
}

cross() { # TOOLCHAIN OPTIONS...
    local toolchain=$1
    shift
    build -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/$toolchain.cmake" \
        -DAP_JSON_HEADER_PACKAGES="$(header_packages)" $from_source "$@" && tests
}

linux() { cross linux -DAP_JSON_MACHINE="$1"; }

# With the program ap_json and the examples, which are started as a person would.
windows() {
    export WINEDEBUG=-all WINEPREFIX=$PWD/$folder/wine
    cross mingw-w64 -DAP_JSON_BUILD_EXAMPLES=ON -DAP_JSON_BUILD_TOOLS=ON
}

# run NAME WHEN PACKAGES WHAT COMMAND: one row of the table.
failed=0
skipped_rows=0
run() {
    local name=$1 needed=$3 what=$4 command=$5 folder=build-$1 start=$SECONDS tried="not built" words
    say "$name: $what"
    mkdir -p "$folder"
    # In a shell of its own, as it ends when packages cannot be installed.
    if ! words=$( (need $packages $needed) 2>&1); then
        echo "$words"
        result "$name" "0 tests" "SKIPPED: its tools cannot be installed here"
        skipped_rows=$((skipped_rows + 1))
        return 0
    fi
    if $command; then
        result "$name ($what)" "$tried" "passed in $((SECONDS - start)) s"
    else
        tail -n 40 "$folder/build.log"
        [ ! -e "$folder/tests.log" ] || cat "$folder/tests.log"
        result "$name ($what)" "$tried" "FAILED"
        failed=$((failed + 1))
    fi
}

chosen=()
case ${1:-} in
    --help | -h) sed -n '2,7s/^# //p' "$0"; exit 0 ;;
    --list)
        for row in "${rows[@]}"; do
            IFS='|' read -r name when needed what command <<<"$row"
            printf '%-12s %-6s %s\n' "$name" "$when" "$what"
        done
        exit 0
        ;;
    "") wanted=quick ;;
    --all) wanted=all ;;
    -*) sed -n '4,7s/^# //p' "$0"; exit 2 ;;
    *) wanted="" ; chosen=("$@") ;;
esac

command -v dpkg-query >/dev/null || { echo "This script needs the packages of Debian or Ubuntu."; exit 1; }
count=0
for row in "${rows[@]}"; do
    IFS='|' read -r name when needed what command <<<"$row"
    case $wanted/$when in
        all/* | quick/quick) ;;
        *) case " ${chosen[*]:-} " in *" $name "*) ;; *) continue ;; esac ;;
    esac
    count=$((count + 1))
    run "$name" "$when" "$needed" "$what" "$command"
done
if [ -z "$wanted" ] && [ "$count" -ne ${#chosen[@]} ]; then
    echo "no such row: one of ${chosen[*]}; see scripts/platforms.sh --list"
    exit 2
fi
say "$((count - failed - skipped_rows)) of $count platforms passed, $failed failed, $skipped_rows skipped"
[ "$failed" -eq 0 ]
