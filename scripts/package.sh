#!/usr/bin/env bash
# package.sh - makes the Debian packages and the .tar.gz of ap_json in build-package/. The same source gives the same bytes:
# files get the date of the git commit (or SOURCE_DATE_EPOCH, when it is set).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
if [ $# -gt 0 ]; then
    sed -n '2,3s/^# //p' "$0"
    exit 0
fi

need cmake g++ make nlohmann-json3-dev libcli11-dev libasio-dev dpkg-dev file git
folder=$PWD/build-package
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=$(stat -c %Y include/ap_json/version.hpp)
fi
export SOURCE_DATE_EPOCH
umask 022

# Debian's hardening. Set here alone, as the flags of your own build are yours.
harden="-fstack-protector-strong -D_FORTIFY_SOURCE=2"
link="-Wl,-z,relro,-z,now"
unset CXXFLAGS CPPFLAGS LDFLAGS

# build KIND LIBFOLDER OPTIONS...: configures and builds build-package/KIND.
build() {
    local kind=$1 library_folder=$2
    shift 2
    mkdir -p "$folder/$kind"
    cmake -S . -B "$folder/$kind" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
        -DCMAKE_INSTALL_LIBDIR="$library_folder" -DCMAKE_CXX_FLAGS="$harden" -DCMAKE_EXE_LINKER_FLAGS="$link" \
        -DCMAKE_SHARED_LINKER_FLAGS="$link" -DAP_JSON_BUILD_TESTS=OFF -DAP_JSON_BUILD_EXAMPLES=OFF "$@" \
        >"$folder/$kind/configure.log" || { cat "$folder/$kind/configure.log"; exit 1; }
    cmake --build "$folder/$kind" --parallel "$jobs" >"$folder/$kind/build.log" 2>&1 ||
        { cat "$folder/$kind/build.log"; exit 1; }
}

# pack GENERATOR LIBFOLDER RPATH: both builds, then the package.
pack() {
    say "$1: building static and shared"
    build static "$2" -DBUILD_SHARED_LIBS=OFF -DAP_JSON_BUILD_TOOLS=ON
    build shared "$2" -DBUILD_SHARED_LIBS=ON -DAP_JSON_BUILD_TOOLS=OFF -DCMAKE_SKIP_INSTALL_RPATH="$3"
    rm -rf "$folder/_CPack_Packages"
    # Where dpkg-shlibdeps finds those of our libraries that others of ours need.
    local private
    private=$(find "$folder/shared" -name 'lib*.so' -printf '%h\n' | sort -u | paste -sd ';')
    (cd "$folder" && cpack -G "$1" --config static/CPackConfig.cmake -B "$folder" \
        -D "CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS=$private" \
        -D "CPACK_INSTALL_CMAKE_PROJECTS=$folder/static;ap_json;ALL;/;$folder/shared;ap_json;ALL;/") \
        >"$folder/cpack-$1.log" 2>&1 || { cat "$folder/cpack-$1.log"; exit 1; }
    rm -rf "$folder/_CPack_Packages"
}

rm -f "$folder"/*.deb "$folder"/*.tar.gz
if command -v dpkg-architecture >/dev/null; then
    pack DEB "lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" ON
fi
pack TGZ lib OFF

say "made in build-package/"
(cd "$folder" && ls -1 -- *.deb *.tar.gz 2>/dev/null)
