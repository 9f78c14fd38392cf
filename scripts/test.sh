#!/usr/bin/env bash
# test.sh - builds everything and runs all tests. With --full, as CI does: also the style checks, other compilers and
# settings, the installed package, and the demo.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
full=no
case ${1:-} in
    "") ;;
    --full) full=yes ;;
    *)
        echo "usage: scripts/test.sh [--full]"
        exit 2
        ;;
esac

need cmake g++ make nlohmann-json3-dev libgtest-dev libgmock-dev libcli11-dev libasio-dev locales python3
need cyclonedds-dev cyclonedds-tools  # of px4_setpoint
[ "$full" = no ] || need clang clang-format clang-tidy libclang-rt-dev libbullet-dev git pkg-config binutils doxygen \
    iproute2 util-linux libfastrtps-dev
[ "$full" = no ] || scripts/node_mavlink.sh  # another MAVLink implementation, to compare px4_hil with

# A locale with a decimal comma, for the test that numbers do not depend on it.
if command -v localedef >/dev/null && [ -e /usr/share/i18n/locales/de_DE ]; then
    mkdir -p build/locale
    [ -e build/locale/de_DE.UTF-8 ] || localedef -i de_DE -f UTF-8 build/locale/de_DE.UTF-8
    export LOCPATH=$PWD/build/locale
fi

# run_tests FOLDER OPTIONS...: one build, all of its tests.
run_tests() {
    local folder=$1
    shift
    say "$folder: $* (a minute or two)"
    mkdir -p "$folder"
    cmake -S . -B "$folder" -DAP_JSON_BUILD_TESTS=ON "$@" >"$folder/configure.log" || { cat "$folder/configure.log"; exit 1; }
    cmake --build "$folder" --parallel "$jobs" | grep -v 'Building\|Linking\|Built target\|Consolidate' || true
    cmake --build "$folder" --parallel "$jobs" >/dev/null  # grep hid whether it failed
    ctest --test-dir "$folder" --parallel $((4 * jobs)) --output-on-failure >"$folder/tests.log" 2>&1 || { cat "$folder/tests.log"; exit 1; }
    sed -n '/tests passed/,/^$/p; /did not run/,/^$/p' "$folder/tests.log"
}

run_tests build
[ "$full" = yes ] || exit 0

say "style: clang-format"
git ls-files '*.cpp' '*.hpp' '*.h' | xargs clang-format --dry-run --Werror
say "style: clang-tidy"
cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
# The core and the models; the programs' command lines take half a minute each for the headers of CLI11 alone.
git ls-files 'src/ap_json/*.cpp' 'examples/*_model.cpp' |
    xargs -P "$jobs" -n 2 clang-tidy -p build --quiet --warnings-as-errors='*' 2>/dev/null

say "documentation: every public name has a comment, every link leads somewhere"
scripts/docs.sh

strict=-DAP_JSON_WARNINGS_AS_ERRORS=ON
core="-DAP_JSON_BUILD_TOOLS=OFF -DAP_JSON_BUILD_PX4_HIL=OFF -DAP_JSON_BUILD_PX4_SETPOINT=OFF -DAP_JSON_BUILD_COPTERSIM=OFF"
# shellcheck disable=SC2086 -- $core is several words
run_tests build-clang-shared $strict $core -DCMAKE_CXX_COMPILER=clang++ -DBUILD_SHARED_LIBS=ON -DAP_JSON_NO_EXCEPTIONS=ON
run_tests build-clang-sanitized $strict $core -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 \
    -DAP_JSON_SANITIZE=address,undefined -DAP_JSON_BUILD_EXAMPLES=OFF
# shellcheck disable=SC2086
run_tests build-clang-thread $strict $core -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 \
    -DAP_JSON_SANITIZE=thread -DAP_JSON_BUILD_EXAMPLES=OFF

say "installed: the examples as a stranger's project, and the drop-in with one compiler command"
cmake --install build --prefix build/installed >/dev/null
cmake -S examples -B build/stranger -DCMAKE_PREFIX_PATH="$PWD/build/installed" >/dev/null
cmake --build build/stranger --parallel "$jobs" >/dev/null
build/stranger/minimal --help >/dev/null
g++ -std=c++17 -I build/installed/include/ap_json -I build/installed/include tests/drop_in/old_single_file.cpp \
    -L build/installed/lib -lap_json -o build/old_single_file
build/old_single_file

say "the benchmarks that are quick"
scripts/bench.sh --only codec

say "the demo"
scripts/demo.sh

say "all right"
sed -n '/tests passed/p' build*/tests.log
