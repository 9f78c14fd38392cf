#!/usr/bin/env bash
# examples_test.sh - the examples against the stand-in SITL, and used wrongly.
# usage: examples_test.sh FOLDER_OF_EXAMPLES PROGRAM_AP_JSON
examples=$1
ap_json=$2
. "$(dirname "$0")/common.sh"

# simpleRover: driven forwards, backwards, stopped, as fast as it goes; then SITL comes back as a new process.
cat >"$work/drive" <<'END'
arm throttle
rc 3 1900
wait 5
expect vn 1 0.001
rc 3 1100
wait 5
expect vn -1 0.001
rc 3 1500
wait 2
expect vn 0 0.001
status
END
start rover "$examples/simpleRover"
for run in 1 2; do
    "$ap_json" sitl --port "$port" --speedup 0 --script "$work/drive" >"$work/sitl$run.out" 2>"$work/sitl$run.err" ||
        fail "drive $run was not right"
    contains "sitl$run.out" "rejected 0"
done
stop rover
contains rover.out "connected to ArduPilot"
contains rover.out "ArduPilot was started again"
contains rover.out "missed 0, drained 0, restarts 1, losses 0, rejected 0, refused 0"

# At another rate.
start rover "$examples/simpleRover" --rate 100
printf 'arm throttle\nrc 3 1900\nwait 3\nexpect vn 1 0.001\n' |
    "$ap_json" sitl --port "$port" --speedup 0 >"$work/sitl.out" 2>"$work/sitl.err" || fail "not with 100 Hz"
stop rover

# minimal: all of the optional sensors arrive.
start minimal "$examples/minimal" --verbose
printf 'wait 4\nstatus\n' | "$ap_json" sitl --port "$port" --speedup 4 >"$work/sitl.out" 2>"$work/sitl.err" ||
    fail "minimal was not accepted"
for field in timestamp "imu: gyro" "imu: accel_body" position attitude quaternion velocity rng_1 rng_2 rng_3 rng_4 rng_5 \
    rng_6 "windvane: direction" "windvane: speed" airspeed; do
    contains sitl.out "[$field]"
done
contains sitl.out "rejected 0"
stop minimal
contains minimal.out "waiting:"
contains minimal.out "online:"
contains minimal.out "PWM 1500 0 1500"
contains minimal.out "link online: received"

# rover and quadcopter: the doctor has nothing to say, and they do what the servos ask for.
start rover "$examples/rover"
"$ap_json" check --port "$port" >"$work/check.out" 2>"$work/check.err" || fail "findings on rover"
contains check.out "no findings"
printf 'arm throttle\nrc 3 1600\nwait 5\nexpect vn 3.2 0.1\nrc 1 1600\nwait 2\nrc 1 1500\nrc 3 1500\nwait 4\nexpect vn 0 0.01\nstatus\n' |
    "$ap_json" sitl --port "$port" --speedup 0 >"$work/sitl.out" 2>"$work/sitl.err" || fail "rover does not drive"
contains sitl.out "rejected 0"
stop rover
start quadcopter "$examples/quadcopter"
"$ap_json" check --vehicle copter --port "$port" >"$work/check.out" 2>"$work/check.err" || fail "findings on quadcopter"
contains check.out "no findings"
stop quadcopter

# all_servos PWM: for the stand-in SITL, the four motors of a quadcopter.
all_servos() {
    for motor in 1 2 3 4; do echo "servo $motor $1"; done
}

# quadcopter: stands, drifts with the wind once it flies, falls and stands again.
start quadcopter "$examples/quadcopter" --wind 4,-3
{
    all_servos 1000
    printf 'wait 3\nexpect north 0 0.01\nexpect down 0 0.001\n'
    all_servos 1550
    printf 'wait 3\nexpect down -4 3\nexpect north 1.5 1.4\nexpect east -1.1 1\n'
    all_servos 0
    printf 'wait 4\nexpect vd 0 0.001\nexpect down 0 0.01\nstatus\n'
} | "$ap_json" sitl --port "$port" --speedup 0 >"$work/sitl.out" 2>"$work/sitl.err" || fail "quadcopter does not fly"
for field in rng_1 velocity_wind "battery: voltage" "battery: current"; do contains sitl.out "[$field]"; done
contains sitl.out "rejected 0"
stop quadcopter

# swarm: three quadcopters, each with a SITL, that start 5 m apart and climb differently; one SITL ends early, the others
# go on.
"$examples/swarm" --vehicles 3 --port 0 >"$work/swarm.out" 2>"$work/swarm.err" &
pid=$!
pids="$pids $pid"
until [ "$(grep -c 'listening on' "$work/swarm.out")" -eq 3 ]; do
    kill -0 "$pid" 2>/dev/null || fail "swarm ended before it listened"
    sleep 0.01
done
sitls=""
for i in 0 1 2; do
    port=$(sed -n "s/^vehicle $i: listening on UDP [0-9.]*:\([0-9]*\)$/\1/p" "$work/swarm.out")
    {
        all_servos 1000
        printf 'wait 3\nexpect east %d 0.001\nexpect down 0 0.001\n' $((5 * i))
        all_servos $((1500 + 50 * i))  # the first does not lift off
        printf 'wait %d\nexpect down %s\nexpect north 0 0.01\nexpect east %d 0.01\n' \
            $((2 + i)) "$(echo "0 0.003:-4 3:-18 10" | cut -d: -f$((i + 1)))" $((5 * i))
    } | "$ap_json" sitl --port "$port" --speedup 10 >"$work/sitl$i.out" 2>"$work/sitl$i.err" &
    sitls="$sitls $!"
done
pids="$pids $sitls"
for sitl in $sitls; do wait "$sitl" || fail "a quadcopter of the swarm did not do what it was told"; done
stop swarm
contains swarm.out "an ArduPilot has gone quiet"
contains swarm.out "0 collisions"
contains swarm.out "vehicle 2 at "
grep -c "refused 0" "$work/swarm.out" | grep -qx 3 || fail "the swarm sent what was refused"

# Used wrongly.
for example in minimal simpleRover rover quadcopter; do
    ends_with 0 "$examples/$example" --help
    for option in --address --port --instance; do contains run.out "$option"; done
    start busy "$examples/$example"
    ends_with 1 "$examples/$example" --port "$port"
    contains run.err "127.0.0.1:$port"
    stop busy
    ends_with 1 "$examples/$example" --address nowhere
    contains run.err '"nowhere"'
    ends_with 1 "$examples/$example" --instance 6000
    contains run.err "instance 6000"
    ends_with 2 "$examples/$example" --instance 100000
    contains run.err "0 to 6553"
    ends_with 2 "$examples/$example" --port 70000
    contains run.err "0 to 65535"
    ends_with 2 "$examples/$example" --no-such-option
    contains run.err "no-such-option"
done
ends_with 2 "$examples/simpleRover" --rate 1
contains run.err "rate"
ends_with 2 "$examples/rover" --drive sideways
contains run.err "drive"
ends_with 2 "$examples/quadcopter" --wind 5
contains run.err "wind"
echo "right"
