#!/usr/bin/env bash
# tool_report_test.sh - the program `ap_json report`: pages and tables of good, odd and damaged recordings.
# usage: tool_report_test.sh PROGRAM_AP_JSON PROGRAM_MAKE_RECORDING
ap_json=$1
make_recording=$2
. "$(dirname "$0")/common.sh"
mkdir "$work/files"  # not in $work itself, whose files a failure shows
absent() { [ ! -e "$work/$1" ] || fail "$1 must not be there"; }

ends_with 0 "$ap_json" report --help
for word in "--csv" "--repair" "--title" Example "Exit code"; do contains run.out "$word"; done
ends_with 2 "$ap_json" report
ends_with 2 "$ap_json" report "$work/files/no-such-file.jsonl"
contains run.err "no-such-file"
absent files/no-such-file.html

for kind in drive restart repeats servos states hostile; do
    "$make_recording" "$work/files/$kind.jsonl" "$kind" 4 || fail "no recording $kind"
    ends_with 0 "$ap_json" report "$work/files/$kind.jsonl" --csv "$work/files/$kind.csv"
    contains run.out "wrote $work/files/$kind.html"
    contains files/"$kind.html" "</html>"
    contains files/"$kind.html" "<svg"
    grep -qE '<[^>]*(src|href) *=' "$work/files/$kind.html" && fail "$kind.html loads something"
    absent "files/$kind.html.part"
done
contains files/restart.html "ArduPilot was started again"
contains files/repeats.html "Repeated by SITL"
contains files/servos.html "time since the recording began"
contains files/drive.html "simulated time"
[ "$(grep -c '<script' "$work/files/hostile.html")" -eq 1 ] || fail "a script from the recording is in the page"
contains files/hostile.html "&lt;script&gt;alert"

# The table: a row for each answered frame, all of the same width.
rows=$(grep -c '"from":"backend"' "$work/files/drive.jsonl")
[ "$(wc -l <"$work/files/drive.csv")" -eq $((rows + 1)) ] || fail "the table has not $rows rows"
[ "$(awk -F, '{print NF}' "$work/files/drive.csv" | sort -u | wc -l)" -eq 1 ] || fail "rows of different widths"
contains files/drive.csv "position.north [m]"
[ "$(wc -l <"$work/files/servos.csv")" -eq 1 ] || fail "a row without an answer"

# Where it goes, and what it is called.
ends_with 0 "$ap_json" report "$work/files/drive.jsonl" -o "$work/files/other.html" --title "A <drive>" --json
contains run.out '"frames":'
contains files/other.html "<title>A &lt;drive&gt;</title>"
ends_with 0 "$ap_json" report "$work/files/drive.jsonl" -o -
contains run.out "</html>"
ends_with 2 "$ap_json" report "$work/files/drive.jsonl" -o "$work/files/no/such/folder.html"
contains run.err "cannot write"
ends_with 2 "$ap_json" report "$work/files/drive.jsonl" -o "$work/files/drive.jsonl"
contains run.err "recording itself"
contains files/drive.jsonl ap_json_recording
ends_with 2 "$ap_json" report "$work/files/drive.jsonl" --csv "$work/files/drive.html"
if [ -e /dev/full ]; then
    ends_with 2 "$ap_json" report "$work/files/drive.jsonl" -o /dev/full
    contains run.err "/dev/full"
fi

# Damage is refused with its line; --repair keeps what is readable.
{ head -n 400 "$work/files/drive.jsonl"; echo rubbish; tail -n +401 "$work/files/drive.jsonl"; } >"$work/files/damaged.jsonl"
ends_with 1 "$ap_json" report "$work/files/damaged.jsonl"
contains run.err "line 401"
contains run.err "not JSON"
absent files/damaged.html
absent files/damaged.html.part
ends_with 0 "$ap_json" report "$work/files/damaged.jsonl" --repair
contains run.err "left out 1 damaged lines"
contains files/damaged.html "Damaged lines left out"
head -c 20000 "$work/files/drive.jsonl" >"$work/files/cut.jsonl"
ends_with 1 "$ap_json" report "$work/files/cut.jsonl"
contains run.err "ends within this line"
ends_with 0 "$ap_json" report "$work/files/cut.jsonl" --repair

# Nothing, next to nothing, and what is no recording.
head -n 1 "$work/files/drive.jsonl" >"$work/files/nothing.jsonl"
ends_with 0 "$ap_json" report "$work/files/nothing.jsonl"
contains files/nothing.html "no frame at all"
head -n 3 "$work/files/drive.jsonl" >"$work/files/one.jsonl"
ends_with 0 "$ap_json" report "$work/files/one.jsonl"
: >"$work/files/empty.jsonl"
ends_with 2 "$ap_json" report "$work/files/empty.jsonl"
contains run.err "is empty"
head -c 10000 /dev/urandom >"$work/files/random.jsonl"
ends_with 2 "$ap_json" report "$work/files/random.jsonl"
ends_with 2 "$ap_json" report "$work"

# Well-formed for a parser that is not ours, when there is one.
if command -v python3 >/dev/null; then
    for page in drive restart servos states hostile nothing one; do
        python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$work/files/$page.html" || fail "$page.html is not well-formed"
    done
fi
echo "right"
