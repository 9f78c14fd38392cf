#!/usr/bin/env bash
# plane_test.sh - the doctor finds nothing wrong with the program plane, without wind and with it; and used wrongly.
# usage: plane_test.sh PROGRAM_PLANE PROGRAM_AP_JSON
plane=$1
ap_json=$2
. "$(dirname "$0")/common.sh"

for options in "" "--wind=-3,4" "--rate=100"; do
    start plane "$plane" $options
    ends_with 0 "$ap_json" check --vehicle plane --port "$port" --speedup 0
    contains run.out "no findings"
    stop plane
    contains plane.out "refused 0"
done
ends_with 0 "$plane" --help
contains run.out "--wind"
ends_with 2 "$plane" --wind 3
contains run.err "--wind"
ends_with 2 "$plane" --rate 1
contains run.err "rate"
echo "right"
