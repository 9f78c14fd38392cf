#!/usr/bin/env bash
# program_test.sh - `ap_json px4-setpoint` answers the example setpoint_negotiation over DDS on the loopback interface.
# usage: program_test.sh PROGRAM_AP_JSON PROGRAM_SETPOINT_NEGOTIATION
ap_json=$1
negotiation=$2
. "$(dirname "$0")/../programs/common.sh"
export CYCLONEDDS_URI='<General><Interfaces><NetworkInterface name="lo"/></Interfaces><AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>20</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>'
export ROS_DOMAIN_ID=$(($$ % 100 + 101))

# px4 OPTIONS...: starts the program; sets $pid.
px4() {
    "$ap_json" px4-setpoint --namespace "program_$$" "$@" >"$work/px4.out" 2>"$work/px4.err" &
    pid=$!
    pids="$pids $pid"
    until grep -q "answering as PX4" "$work/px4.out"; do
        kill -0 "$pid" 2>/dev/null || fail "px4-setpoint ended at once"
        sleep 0.01
    done
}

px4
ends_with 0 "$negotiation" --namespace "program_$$"
contains run.out "PX4 takes TRAJECTORY"
contains run.out "angular velocity yes, attitude yes, local altitude yes, local position yes"
contains run.out "PX4 has applied TRAJECTORY"
contains run.out "ROVER_POSITION: unsupported: PX4 answers UNSUPPORTED"
ends_with 1 "$negotiation" --namespace "program_$$" --source-id 22
contains run.err "23 to 30"
stop px4
contains px4.out "mode 23 applies TRAJECTORY (4): SUCCESS"

px4 --vehicle rover --registered 25,26
ends_with 1 "$negotiation" --namespace "program_$$"
contains run.err "FAILURE_OTHER"
contains run.err "register the mode"
ends_with 0 "$negotiation" --namespace "program_$$" --source-id 26
contains run.out "PX4 takes ROVER_POSITION"
stop px4

ends_with 1 "$negotiation" --namespace "nobody_$$"
contains run.err "is PX4 running"

# Used wrongly.
ends_with 0 "$ap_json" px4-setpoint --help
contains run.out "--registered"
ends_with 2 "$ap_json" px4-setpoint --vehicle boat
contains run.err "boat"
ends_with 2 "$ap_json" px4-setpoint --registered 22
ends_with 2 "$ap_json" px4-setpoint --domain 233
ends_with 2 "$ap_json" px4-setpoint --namespace /x
contains run.err "letters, digits and _"
echo "right"
