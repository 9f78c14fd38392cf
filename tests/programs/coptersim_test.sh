#!/usr/bin/env bash
# coptersim_test.sh - `ap_json coptersim` and the example coptersim_setup against `ap_json coptersim-stand-in`, over the
# loopback interface.
# usage: coptersim_test.sh PROGRAM_AP_JSON PROGRAM_COPTERSIM_FREE_PORTS PROGRAM_COPTERSIM_SETUP
ap_json=$1
free_ports=$2
setup=$3
. "$(dirname "$0")/common.sh"

# ---- used wrongly
ends_with 0 "$ap_json" coptersim --help
for word in list init model map mode gps stream display Example; do contains run.out "$word"; done
ends_with 0 "$ap_json" coptersim-stand-in --help
contains run.out "--no-multicast"
ends_with 2 "$ap_json" coptersim
ends_with 2 "$ap_json" coptersim fly
ends_with 2 "$ap_json" coptersim --interface eth0 list
contains run.err '"eth0"'

# ---- ports of our own, held by a program until its input ends
mkfifo "$work/hold"
"$free_ports" <"$work/hold" >"$work/ports" &
pids="$pids $!"
exec 9>"$work/hold"
until [ -s "$work/ports" ]; do sleep 0.01; done
network="--interface 127.0.0.1 $(cat "$work/ports")"
tool() { ends_with "$1" "$ap_json" coptersim $network --wait 10 "${@:2}"; }

# start_stand_in OPTIONS...: sets $pid once all three vehicles beat
start_stand_in() {
    "$ap_json" coptersim-stand-in $network --id 1 2 3 --interval 0.1 "$@" >"$work/vehicles.out" 2>"$work/vehicles.err" &
    pid=$!
    pids="$pids $pid"
    until grep -q "^vehicle 3 beats" "$work/vehicles.err"; do
        kill -0 "$pid" 2>/dev/null || fail "the stand-in ended"
        sleep 0.01
    done
}

# ---- nobody there
ends_with 1 "$ap_json" coptersim $network --wait 0.2 list
contains run.out "no CopterSim heard"
ends_with 1 "$ap_json" coptersim $network --wait 0.2 init 1
contains run.out "in the hope"
ends_with 1 "$setup" $network --wait 0.2
contains run.out "no CopterSim with vehicle 1"

# ---- three vehicles
start_stand_in
tool 0 list --expect 3
contains run.out "127.0.0.1        here       multicast"
tool 0 list --expect 3 --json
contains run.out '"id": 3'
for whom in 0 10001 -1 nobody; do tool 2 init "$whom"; done
tool 2 init 1 --north nan
contains run.err "north is nan"
tool 2 gps 1 91 0 0
contains run.err "latitude"
tool 2 mode 1 warp
contains run.err '"warp"'
tool 2 model 1
tool 2 map 1 "$(printf 'x%.0s' $(seq 49))"
contains run.err "49 bytes"
tool 0 init 1 --north 10.5 --east -20.25 --yaw 90
contains run.out "48 bytes to 224.0.0.10"
contains run.out "beats since"
tool 0 init 2 --north 1 --down -15 --roll 1.5
tool 0 gps 3 40 116 180
tool 0 gps 3 39 115 43.5 --origin
tool 0 mode 1 udp_simple
tool 0 stream 1
tool 0 display 2 gps
tool 0 model 2 --index 7
tool 0 map 3 草地 --json
contains run.out '"error": ""'
contains run.out '"in_hope": false'
stop vehicles
for text in '"north":10.5,"east":-20.25' '"yaw":90.0,"on_terrain":true' '"udp_mode":"udp_simple","stream_target":"127.0.0.1"' \
    '"down":-15.0,"roll":1.5' '"display":"gps","model":"#7"' '"gps_origin":[39.0,115.0,43.5],"gps_pose":[40.0,116.0,180.0]' \
    '"map":"草地"'; do
    contains vehicles.out "$text"
done

# ---- the same without multicast; here each is woken
start_stand_in --no-multicast
tool 0 init 2 --north 5
contains run.out "48 bytes to 127.0.0.1"
stop vehicles
contains vehicles.out '"north":5.0'

# ---- the example
start_stand_in
ends_with 0 "$setup" $network
for text in "vehicle 1 arrived" 'all vehicles: map "Grasslands": 64 bytes' "vehicle 3: put at 0 m north, 4 m east" "vehicle 3 beats"; do
    contains run.out "$text"
done
stop vehicles
contains vehicles.out '"north":0.0,"east":4.0'
[ "$(grep -c '"model":"MulticopterNoCtrl","map":"Grasslands"' "$work/vehicles.out")" -eq 3 ] || fail "not all three were asked"
exec 9>&-
echo "right"
