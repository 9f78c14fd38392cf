# setup.sh - for the other scripts: installs what is missing, or says how. Sourced, not run.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*"; }

# need PACKAGE...: Debian or Ubuntu packages. On another system, what is not there is fetched by CMake, or missed by it
# with a clear message.
need() {
    command -v dpkg-query >/dev/null || return 0
    local missing="" package
    for package in "$@"; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
            *"ok installed") ;;
            *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    local install="apt-get install -y --no-install-recommends$missing"
    local as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            as_root="sudo"
        else
            echo "These packages are missing:$missing"
            echo "Install them as root, then run this again:"
            echo "  apt-get update && $install"
            exit 1
        fi
    fi
    say "installing$missing"
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive $install >/dev/null
}

jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# result WHAT TRIED OUTCOME: a line of the table that scripts/trust.sh prints; shown here, too.
result() {
    printf 'result: %s | %s | %s\n' "$1" "$2" "$3"
    [ -z "${AP_JSON_RESULTS:-}" ] || printf '%s | %s | %s\n' "$1" "$2" "$3" >>"$AP_JSON_RESULTS"
}
