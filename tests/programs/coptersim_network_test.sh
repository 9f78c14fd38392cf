#!/usr/bin/env bash
# coptersim_network_test.sh - two computers, as two network namespaces with a cable between: `ap_json coptersim` here, CopterSims
# on the other, with multicast and without, on the protocol's own ports. Skipped where namespaces are not permitted.
# usage: coptersim_network_test.sh PROGRAM_AP_JSON
if [ "${1:-}" != inside ]; then
    unshare --user --map-root-user --net true 2>/dev/null && command -v ip nsenter >/dev/null || {
        echo "skipped: network namespaces are not permitted here, or ip or nsenter is not installed"
        exit 77
    }
    exec unshare --user --map-root-user --net bash "$0" inside "$1"
fi
ap_json=$2
. "$(dirname "$0")/common.sh"

# ---- the network: 10.9.0.1 here, 10.9.0.2 there
unshare --net sleep 1000 &
other=$!
pids="$pids $other"
until [ "$(readlink "/proc/$other/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
there() { nsenter --target "$other" --net "$@"; }
ip link add here type veth peer name there netns "$other" || {
    echo "skipped: no virtual network cable can be made here"
    exit 77
}
ip link set lo up && ip addr add 10.9.0.1/24 dev here && ip link set here up
there ip link set lo up && there ip addr add 10.9.0.2/24 dev there && there ip link set there up

tool() { ends_with "$1" "$ap_json" coptersim --wait 10 "${@:2}"; }
start_there() { # OPTIONS...
    nsenter --target "$other" --net "$ap_json" coptersim-stand-in --id 1 2 --interval 0.1 --interface 10.9.0.2 "$@" >"$work/vehicles.out" 2>"$work/vehicles.err" &
    pid=$!
    pids="$pids $pid"
    until grep -q "^vehicle 2 beats" "$work/vehicles.err"; do
        kill -0 "$pid" 2>/dev/null || fail "the stand-in ended"
        sleep 0.01
    done
}

# ---- multicast works
start_there
tool 0 --interface 10.9.0.1 list --expect 2
contains run.out "10.9.0.2         elsewhere  multicast"
tool 0 --interface 10.9.0.1 stream 1
contains run.out "48 bytes to 224.0.0.10:20002"
stop vehicles
contains vehicles.out '"stream_target":"10.9.0.1"'

# ---- multicast is broken: the broadcast wakes it, and requests go to its address
start_there --no-multicast
tool 0 --interface 10.9.0.1 init 2 --north 7
contains run.out "48 bytes to 10.9.0.2:20002"
contains run.out "48 bytes to 10.9.0.2:30102"
stop vehicles
contains vehicles.out '"north":7.0'

# ---- and there is no route to the group either: the computer is named
start_there --no-multicast
tool 0 --host 10.9.0.2 init 1 --north 8
contains run.out "48 bytes to 10.9.0.2:30100"
stop vehicles
contains vehicles.out '"north":8.0'

# ---- no network at all, not even within the computer
ends_with 1 unshare --net "$ap_json" coptersim --wait 0.2 map 1 --index 0
contains run.err "cannot join the multicast group"
contains run.err "address of vehicle 1 is not known"
echo "right"
