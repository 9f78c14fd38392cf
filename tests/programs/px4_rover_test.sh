#!/usr/bin/env bash
# px4_rover_test.sh - px4_rover arrives with the stand-in `ap_json px4`: over a pseudo-terminal, UDP, TCP and as SITL; over a
# bad line, too; and what both say when they are used wrongly or left alone.
# usage: px4_rover_test.sh PROGRAM_PX4_ROVER PROGRAM_AP_JSON
px4_rover=$1
ap_json=$2
. "$(dirname "$0")/common.sh"

route="--route=8,0;8,5"
route=${route//;/ }

free_port() { # prints a port that was free a moment ago
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null ||
        echo $((20000 + (RANDOM + $$) % 20000))
}

# px4 OPTIONS...: the stand-in, in the background
px4() {
    "$ap_json" px4 "$@" >"$work/px4.out" 2>"$work/px4.err" &
    pid=$!
    pids="$pids $pid"
}

# arrives OPTIONS...: px4_rover drives to the end
arrives() {
    timeout 100 "$px4_rover" "$route" "$@" >"$work/rover.out" 2>"$work/rover.err" || fail "px4_rover $* ended with $?"
    contains rover.out "PX4 has reached way point 0"
    contains rover.out "PX4 has reached way point 1"
    contains rover.out "PX4 has arrived"
    contains rover.out "arrived at north"
}

port=$(free_port)
px4 --link "tcp:$port"
arrives --link "tcp:$port" --track "$work/track.csv"
stop px4
contains px4.out "armed, HIL, route of 2"
[ "$(wc -l <"$work/track.csv")" -gt 3 ] || fail "the track is empty"

port=$(free_port)
px4 --link "udp:$port" --release 1.10
arrives --link "udp:$port"
stop px4

port=$(free_port)
px4 --link pty --release 1.8 --armed --lose 0.0003 --flip 0.0003
until grep -q '^serial port' "$work/px4.out"; do
    kill -0 "$pid" 2>/dev/null || fail "the stand-in ended"
    sleep 0.05
done
arrives --link "serial:$(sed -n 's/^serial port //p' "$work/px4.out")"
stop px4

port=$(free_port)
simulator_port=$(free_port)
px4 --link "udp:$port" --simulator-link "tcp:$simulator_port"
arrives --sitl --link "udp:$port" --simulator-link "tcp:$simulator_port"
stop px4

# PX4 falls silent in the middle: the program says so and does not claim to have arrived.
port=$(free_port)
px4 --link "tcp:$port" --silent-after 6
ends_with 1 "$px4_rover" --route "500,0" --link "tcp:$port"
stop px4
grep -qF -e "no heartbeat" -e "the link was lost" "$work/run.out" "$work/run.err" || fail "says nothing of the loss"

ends_with 0 "$px4_rover" --help
ends_with 0 "$ap_json" px4 --help
ends_with 2 "$px4_rover" --route nonsense --link tcp:0
contains run.err "north,east"
ends_with 1 "$px4_rover" --link nonsense
contains run.err "serial:DEVICE"
ends_with 2 "$ap_json" px4 --link nonsense
ends_with 2 "$ap_json" px4 --lose 2
ends_with 2 "$ap_json" px4 --release 0.1
echo "right"
