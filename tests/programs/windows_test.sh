#!/usr/bin/env bash
# windows_test.sh - the Windows programs as a person would start them: simpleRover.exe is driven and minimal.exe is
# connected by ap_json.exe. Elsewhere than on Windows, with an emulator such as wine64.
# usage: windows_test.sh EMULATOR_OR_EMPTY FOLDER_OF_EXAMPLES PROGRAM_AP_JSON
emulator=$1
examples=$2
ap_json=$3
. "$(dirname "$0")/common.sh"

# A Windows program has no SIGINT from here: it is ended as by the task manager.
end() { kill "$pid"; wait "$pid" 2>/dev/null; }

cat >"$work/drive" <<'END'
arm throttle
rc 3 1900
wait 5
expect vn 1 0.001
rc 3 1100
wait 5
expect vn -1 0.001
status
END
start rover $emulator "$examples/simpleRover.exe"
for run in 1 2; do # the second is a SITL that was restarted
    $emulator "$ap_json" sitl --port "$port" --speedup 0 <"$work/drive" >"$work/sitl$run.out" 2>"$work/sitl$run.err" ||
        fail "drive $run was not right"
    contains "sitl$run.out" "rejected 0"
done
contains rover.out "connected to ArduPilot"
contains rover.out "ArduPilot was started again"
ends_with 1 $emulator "$examples/simpleRover.exe" --port "$port"
contains run.err "Another program has this port"
end

start minimal $emulator "$examples/minimal.exe"
printf 'wait 3\nstatus\n' | $emulator "$ap_json" sitl --port "$port" --speedup 4 >"$work/sitl.out" 2>"$work/sitl.err" ||
    fail "minimal was not accepted"
for field in position rng_6 "windvane: speed" airspeed; do contains sitl.out "[$field]"; done
contains sitl.out "rejected 0"
contains minimal.out "online:"
end
echo "right"
