#!/usr/bin/env bash
# package_test.sh - shows that ap_json can be installed and used in every way that docs/packaging.md names: a stranger's
# program is built against it and flies a frame. Works in build-package-test/.
# usage: scripts/package_test.sh [--all]
#   --all  makes the packages, too: what lintian says, whether they install and go in a clean Debian, whether two builds give
#          the same bytes (ten minutes)
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
all=no
case ${1:-} in
    "") ;;
    --all) all=yes ;;
    *)
        sed -n '4,6s/^# //p' "$0"
        exit 2
        ;;
esac
need cmake g++ make git pkg-config binutils libcli11-dev
[ "$all" = no ] || need nlohmann-json3-dev libasio-dev dpkg-dev file lintian debootstrap man-db

strangers=$root/tests/packaging
work=$root/build-package-test
rm -rf "$work"
mkdir -p "$work"
cd "$work"
umask 022

fail() { echo "$*"; exit 1; }

# ---- what the checks have in common

# build_core KIND OPTIONS...: the libraries alone, in build-KIND.
build_core() {
    local kind=$1
    shift
    cmake -S "$root" -B "build-$kind" -DAP_JSON_BUILD_TESTS=OFF -DAP_JSON_BUILD_EXAMPLES=OFF -DAP_JSON_BUILD_TOOLS=OFF "$@"
    cmake --build "build-$kind" --parallel "$jobs"
}

# find_ap_json FOLDER PREFIX OPTIONS...: configures the stranger's project that finds an installed ap_json.
find_ap_json() {
    local folder=$1 prefix=$2
    shift 2
    rm -rf "$folder"
    cmake -S "$strangers/find_package" -B "$folder" -DCMAKE_PREFIX_PATH="$prefix" "$@"
}

# build_and_fly FOLDER: builds a stranger's project and runs it.
build_and_fly() {
    cmake --build "$1" --target stranger
    "$1/stranger"
}

# fly_found FOLDER PREFIX OPTIONS...: both of them.
fly_found() {
    find_ap_json "$@"
    build_and_fly "$1"
}

is_shared() { readelf -d "$1" | grep 'NEEDED.*libap_json\.so\.[0-9]' || fail "$1 is not linked to the shared library"; }
is_static() { ! readelf -d "$1" | grep 'NEEDED.*libap_json' || fail "$1 is linked to the shared library"; }

# must_not_configure WORDS COMMAND...: the command fails and says the words.
must_not_configure() {
    local words=$1
    shift
    ! "$@" >refusal.log 2>&1 || fail "was configured, but should have been refused: $*"
    tr -s '\n ' ' ' <refusal.log | grep -F -- "$words" || fail "refused without saying '$words': $(cat refusal.log)"
}

# from_docs HEADING LANGUAGE: the block of code below a heading of docs/packaging.md, as a reader copies it.
from_docs() {
    local text
    text=$(awk -v heading="$1" -v fence="\`\`\`$2" '
        /^##/ { here = ($0 ~ heading) }
        /^```$/ { inside = 0 }
        inside { print }
        here && $0 == fence { inside = 1 }' "$root/docs/packaging.md")
    [ -n "$text" ] || fail "docs/packaging.md has no $2 below '$1'"
    printf '%s\n' "$text"
}

# stranger_from_docs FOLDER HEADING: a project made of what the docs show.
stranger_from_docs() {
    rm -rf "$1"
    mkdir -p "$1"
    cp "$strangers/stranger.cpp" "$1/my_simulator.cpp"
    from_docs "$2" cmake >"$1/CMakeLists.txt"
}

# ---- the checks; each is a promise of docs/packaging.md

installs_static() {
    build_core static -DBUILD_SHARED_LIBS=OFF
    cmake --install build-static --prefix static
    [ ! -e static/bin ] || fail "a program is installed, though only the core was built"
}

installs_shared() {
    build_core shared -DBUILD_SHARED_LIBS=ON
    cmake --install build-shared --prefix shared
}

installs_side_by_side() {
    cmake --install build-static --prefix both
    cmake --install build-shared --prefix both
}

find_package_static() {
    fly_found found-static "$PWD/static"
    is_static found-static/stranger
    cmake --build found-static
    found-static/stranger_drop_in
}

find_package_shared() {
    fly_found found-shared "$PWD/shared"
    is_shared found-shared/stranger
}

find_package_chooses() {
    fly_found chosen-static "$PWD/both" -DCOMPONENTS=static
    fly_found chosen-shared "$PWD/both" -DCOMPONENTS=shared
    fly_found by-variable "$PWD/both" -DBUILD_SHARED_LIBS=ON
    fly_found by-default "$PWD/both"
    is_static chosen-static/stranger
    is_shared chosen-shared/stranger
    is_shared by-variable/stranger
    is_static by-default/stranger
}

find_package_refuses() {
    must_not_configure "Asked for the components: px4_hull. Installed are: ap_json (static)" \
        find_ap_json refused "$PWD/static" -DCOMPONENTS=px4_hull
    must_not_configure "Installed are: ap_json (static)" find_ap_json refused "$PWD/static" -DCOMPONENTS=shared
    must_not_configure 'compatible with requested version "2"' find_ap_json refused "$PWD/both" -DVERSION=2
    must_not_configure 'compatible with requested version "0.9"' find_ap_json refused "$PWD/both" -DVERSION=0.9
}

each_component_is_found() {
    local file component
    for file in both/lib/cmake/ap_json/*-static.cmake; do
        component=$(basename "$file" -static.cmake)
        find_ap_json found-component "$PWD/both" -DCOMPONENTS="$component;static"
        find_ap_json found-component "$PWD/both" -DCOMPONENTS="$component;shared"
    done
    export PKG_CONFIG_PATH=$PWD/both/lib/pkgconfig
    for file in both/lib/*.a; do
        component=$(basename "$file" .a)
        pkg-config --print-errors --exists "${component#lib}"
    done
}

docs_find_package() {
    stranger_from_docs docs-found "find_package"
    cmake -S docs-found -B docs-found/build -DCMAKE_PREFIX_PATH="$PWD/static"
    cmake --build docs-found/build
    docs-found/build/my_simulator
}

docs_add_subdirectory() {
    stranger_from_docs docs-subdirectory "add_subdirectory"
    ln -s "$root" docs-subdirectory/ap_json
    echo 'install(TARGETS my_simulator)' >>docs-subdirectory/CMakeLists.txt
    cmake -S docs-subdirectory -B docs-subdirectory/build
    cmake --build docs-subdirectory/build --parallel "$jobs"
    docs-subdirectory/build/my_simulator
    cmake --install docs-subdirectory/build --prefix docs-subdirectory/installed
    [ "$(cd docs-subdirectory/installed && find . -type f)" = ./bin/my_simulator ] ||
        fail "ap_json installs itself along with the project it is part of"
}

docs_fetch_content() {
    # A repository that holds the files as they are now, at the address that the docs name.
    rm -rf repository
    mkdir repository
    (cd "$root" && { git ls-files -co --exclude-standard 2>/dev/null || find . -type f -not -path './build*'; } |
        while read -r file; do [ ! -f "$file" ] || echo "$file"; done | tar -c -T - | tar -x -C "$work/repository")
    git -C repository init -q
    git -C repository add -A
    git -C repository -c user.name=test -c user.email=test@localhost commit -qm "as it is now"
    git -C repository tag v1.0.0
    stranger_from_docs docs-fetched "FetchContent"
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$PWD/repository.insteadOf"
    GIT_CONFIG_VALUE_0=$(sed -n 's/.*GIT_REPOSITORY \([^ ]*\).*/\1/p' docs-fetched/CMakeLists.txt)
    export GIT_CONFIG_VALUE_0
    cmake -S docs-fetched -B docs-fetched/build
    cmake --build docs-fetched/build --parallel "$jobs"
    docs-fetched/build/my_simulator
}

docs_pkg_config() {
    local kind
    cp "$strangers/stranger.cpp" my_simulator.cpp
    for kind in static shared; do
        export PKG_CONFIG_PATH=$PWD/$kind/lib/pkgconfig
        from_docs "pkg-config" sh >pkg-config-$kind.sh
        [ "$kind" = shared ] || sed -i 's/ --libs/ --libs --static/; s/g++/g++ -static/' pkg-config-static.sh
        bash -eux pkg-config-$kind.sh
        LD_LIBRARY_PATH=$PWD/shared/lib ./my_simulator
        [ "$(pkg-config --modversion ap_json)" = "$version" ]
    done
    pkg-config --static --libs ap_json | grep pthread
}

one_compiler_command() {
    g++ -std=c++17 -I static/include/ap_json -I static/include "$root/tests/drop_in/old_single_file.cpp" \
        -L static/lib -lap_json -o old_single_file
    ./old_single_file
}

may_be_moved() {
    mkdir -p elsewhere
    rm -rf elsewhere/moved
    cp -a both elsewhere/moved
    mv both both-hidden
    fly_found moved-static "$PWD/elsewhere/moved" -DCOMPONENTS=static
    fly_found moved-shared "$PWD/elsewhere/moved" -DCOMPONENTS=shared
    export PKG_CONFIG_PATH=$PWD/elsewhere/moved/lib/pkgconfig
    pkg-config --define-prefix --cflags ap_json | grep -F "$PWD/elsewhere/moved/include"
    pkg-config --cflags ap_json | tr ' ' '\n' | sed -n 's/^-I//p' >include-folder.txt
    [ -e "$(cat include-folder.txt)/ap_json/ap_json.hpp" ]
    mv both-hidden both
}

# names_no_folder_of_ours FOLDER: no file in it knows where it was made.
names_no_folder_of_ours() { ! grep -r -l -F -e "$root" "$1" || fail "these files name the folder that they were made in"; }
installed_files_name_no_folder() { names_no_folder_of_ours both; }

stages_with_destdir() {
    rm -rf staged
    DESTDIR=$PWD/staged cmake --install build-static --prefix /opt/ap_json
    [ "$(ls staged)" = opt ]
    fly_found from-staged "$PWD/staged/opt/ap_json"
}

other_library_folders() {
    local folder
    for folder in lib64 lib/x86_64-linux-gnu deep/er/lib; do
        cmake -S "$root" -B build-static -DCMAKE_INSTALL_LIBDIR="$folder" >/dev/null
        cmake --install build-static --prefix "folders/$folder"
        [ -e "folders/$folder/$folder/libap_json.a" ]
        find_ap_json found-folder "$PWD/folders/$folder" -Dap_json_DIR="$PWD/folders/$folder/$folder/cmake/ap_json"
        PKG_CONFIG_PATH=folders/$folder/$folder/pkgconfig pkg-config --cflags --libs ap_json |
            tr ' ' '\n' | sed -n 's/^-[IL]//p' | while read -r path; do [ -d "$path" ] || fail "no folder $path"; done
    done
    cmake -S "$root" -B build-static -DCMAKE_INSTALL_LIBDIR=lib >/dev/null
}

docs_uninstall() {
    cmake --install build-static --prefix gone
    cp build-static/install_manifest.txt manifest.txt
    mkdir -p docs-uninstall/build
    cp manifest.txt docs-uninstall/build/install_manifest.txt
    from_docs "Uninstall" sh >docs-uninstall/run.sh
    (cd docs-uninstall && bash -eux run.sh)
    [ -z "$(find gone -type f)" ] || fail "left behind: $(find gone -type f)"
}

symbols_as_listed() { bash "$strangers/exported_symbols.sh" build-shared/libap_json.so build-shared/libap_json_sitl_stand_in.so; }

third_parties_are_named() {
    local name
    for name in $(cd "$root" && find CMakeLists.txt cmake examples tools tests src bench -name '*.cmake' -o -name CMakeLists.txt |
        xargs grep -ohE '^ *(find_package|FetchContent_Declare|find_dependency)\([A-Za-z0-9_]+' | sed 's/.*(//' | sort -u); do
        case $name in ap_json | Threads | Python3) continue ;; esac
        grep -qiE "^\| (Google )?$(echo "$name" | sed 's/^GTest$/googletest/') " "$root/THIRD_PARTY.md" ||
            fail "THIRD_PARTY.md does not say what licence $name has"
    done
    [ -s static/share/doc/ap_json/LICENSE ]
    [ -s static/share/doc/ap_json/THIRD_PARTY.md ]
}

presets_are_valid() { cmake -S "$root" --list-presets=all | grep '"sanitize"'; }

examples_as_a_strangers_project() {
    cmake -S "$root/examples" -B examples -DCMAKE_PREFIX_PATH="$PWD/both"
    cmake --build examples --parallel "$jobs"
    examples/minimal --help
    [ ! -e examples/bullet_rover ] || examples/bullet_rover --help
}

bullet_rover_as_a_strangers_project() {
    [ -e /usr/include/bullet/btBulletDynamicsCommon.h ] || skip "Bullet is not installed (Debian: libbullet-dev)"
    cmake -S "$root/examples/bullet_rover" -B bullet -DCMAKE_PREFIX_PATH="$PWD/both"
    cmake --build bullet --parallel "$jobs"
    bullet/bullet_rover --help
}

# ---- the checks of the packages

packages_are_made() {
    (cd "$root" && scripts/package.sh)
    mkdir -p packages
    cp "$root"/build-package/*.deb "$root"/build-package/*.tar.gz packages
    ls packages/libap-json1_"$version"_*.deb packages/libap-json-dev_*.deb packages/ap-json-tools_*.deb packages/*.tar.gz
}

packages_please_lintian() { lintian --fail-on error,warning --info packages/*.deb; }

packages_name_no_folder() {
    local package
    for package in packages/*.deb; do dpkg-deb -x "$package" debian; done
    mkdir -p tarball
    tar -xf packages/*.tar.gz -C tarball --strip-components=1
    names_no_folder_of_ours debian
    names_no_folder_of_ours tarball
}

debian_development_package_works() {
    fly_found from-debian-static "$PWD/debian/usr" -DCOMPONENTS=static
    fly_found from-debian "$PWD/debian/usr" -DCOMPONENTS=shared
}

tarball_works_anywhere() {
    fly_found from-tarball "$PWD/tarball" -DCOMPONENTS=static
    fly_found from-tarball-shared "$PWD/tarball" -DCOMPONENTS=shared
    tarball/bin/ap_json --version | grep -F "$version"
}

man_page_is_complete() {
    local word
    man --warnings=w -l tarball/share/man/man1/ap_json.1 >man.txt 2>man-warnings.txt
    [ ! -s man-warnings.txt ] || fail "$(cat man-warnings.txt)"
    for word in $(tarball/bin/ap_json --help | sed -n '/^Subcommands/,$s/^  \([a-z]\+\) .*/\1/p'); do
        grep -qE "^ +$word( |$)" man.txt || fail "the man page does not name the subcommand $word"
    done
}

packages_install_and_go() {
    [ "$(id -u)" -eq 0 ] || skip "needs to be root, for debootstrap and chroot"
    local clean=$work/clean-root
    debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$clean"
    cp packages/*.deb from-debian/stranger "$clean/root/"
    chroot "$clean" find / -xdev -not -path '/proc/*' | sort >before.txt
    chroot "$clean" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /root/*.deb'
    chroot "$clean" ap_json --version | grep -F "$version"
    chroot "$clean" /root/stranger
    chroot "$clean" dpkg --verify libap-json1 libap-json-dev ap-json-tools
    chroot "$clean" sh -c 'apt-get purge -y libap-json1 libap-json-dev ap-json-tools'
    chroot "$clean" find / -xdev -not -path '/proc/*' | sort >after.txt
    ! comm -13 before.txt after.txt | grep -i 'ap.json' || fail "left behind after the packages were removed"
    rm -rf --one-file-system "$clean"
}

packages_are_reproducible() {
    [ -d repository ]
    rm -rf "second folder"
    cp -a repository "second folder"
    export SOURCE_DATE_EPOCH
    SOURCE_DATE_EPOCH=$(cd "$root" && git log -1 --format=%ct)
    (cd "second folder" && CCACHE_DISABLE=1 scripts/package.sh)
    (cd packages && sha256sum ./*) >first.txt
    (cd "second folder/build-package" && sha256sum ./*.deb ./*.tar.gz) >second.txt
    diff -u first.txt second.txt || fail "two builds of the same source differ"
    cat first.txt
}

# ---- running them

skip() { echo "$*" >skipped.txt; exit 77; }

count=0 skipped=0
check() {
    local began=$SECONDS outcome=0
    set +e
    (set -euo pipefail; "$1") >"$1.log" 2>&1
    outcome=$?
    set -e
    case $outcome in
        0) printf 'ok       %-40s %3d s\n' "$1" $((SECONDS - began)); count=$((count + 1)) ;;
        77) printf 'skipped  %-40s %s\n' "$1" "$(cat skipped.txt)"; skipped=$((skipped + 1)) ;;
        *)
            tail -40 "$1.log"
            echo "FAILED   $1: the end of its output is above, all of it in ${work#"$root"/}/$1.log"
            result "packages" "$((count + 1)) checks" "failed: $1"
            exit 1
            ;;
    esac
}

version=$(sed -n 's/^#define AP_JSON_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' "$root/include/ap_json/version.hpp" | paste -sd .)
say "ap_json $version as strangers use it"
for name in installs_static installs_shared installs_side_by_side find_package_static find_package_shared \
    find_package_chooses find_package_refuses each_component_is_found docs_find_package docs_add_subdirectory \
    docs_fetch_content docs_pkg_config one_compiler_command may_be_moved installed_files_name_no_folder \
    stages_with_destdir other_library_folders docs_uninstall symbols_as_listed third_parties_are_named \
    presets_are_valid examples_as_a_strangers_project bullet_rover_as_a_strangers_project; do
    check "$name"
done
if [ "$all" = yes ]; then
    for name in packages_are_made packages_please_lintian packages_name_no_folder debian_development_package_works \
        tarball_works_anywhere man_page_is_complete packages_install_and_go packages_are_reproducible; do
        check "$name"
    done
fi
outcome="all right"
[ "$skipped" -eq 0 ] || outcome="all right, $skipped skipped"
result "packages" "$count checks" "$outcome"
