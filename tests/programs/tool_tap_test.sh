#!/usr/bin/env bash
# tool_tap_test.sh - the program `ap_json tap` between simpleRover and the stand-in SITL: what passes, what is counted
# and recorded, what is disturbed, how it ends.
# usage: tool_tap_test.sh PROGRAM_AP_JSON FOLDER_OF_EXAMPLES
ap_json=$1
examples=$2
. "$(dirname "$0")/common.sh"

number() { # number KEY...: of the summary in JSON, such as: number to_sitl lost
    python3 - "$work/tap.out" "$@" <<'END'
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[key]
print(value)
END
}
is() { # is VALUE KEY...
    local value=$1
    shift
    [ "$(number "$@")" = "$value" ] || fail "$* is $(number "$@"), not $value"
}
above() { # above VALUE KEY...
    local value=$1
    shift
    [ "$(number "$@")" -gt "$value" ] || fail "$* is $(number "$@"), not above $value"
}

start_rover() {
    start rover "$examples/simpleRover"
    rover_port=$port
    rover_pid=$pid
}
start_tap() { # start_tap OPTION...
    start tap "$ap_json" tap --backend-port "$rover_port" "$@"
    tap_port=$port
    tap_pid=$pid
}
drive() { # drive COMMANDS: with the stand-in SITL, through tap
    printf '%s\n' "$1" | timeout 60 "$ap_json" sitl --port "$tap_port" --speedup 0 >"$work/sitl.out" 2>"$work/sitl.err"
}
stop_tap() { pid=$tap_pid; stop tap; }
stop_rover() { pid=$rover_pid; stop rover; }

# ---- what it says of itself, and when it is used wrongly
ends_with 0 "$ap_json" tap --help
for word in --record --loss --delay --jitter --duplicate --reorder --truncate --flip --pause --direction --seed Example; do
    contains run.out "$word"
done
ends_with 2 "$ap_json" tap --no-such-option
ends_with 2 "$ap_json" tap --loss 101
contains run.err "loss"
ends_with 2 "$ap_json" tap --delay -1
ends_with 2 "$ap_json" tap --delay nan
ends_with 2 "$ap_json" tap --seconds inf
ends_with 2 "$ap_json" tap --pause 2:10
contains run.err "10:2"
for wrong in x 10 10: :2 10:2x 0:0 nan:1; do ends_with 2 "$ap_json" tap --pause "$wrong"; done
ends_with 2 "$ap_json" tap --direction up
ends_with 2 "$ap_json" tap --seconds -1
ends_with 2 "$ap_json" tap --address localhost
contains run.err '"localhost"'
ends_with 2 "$ap_json" tap --backend-address 1.2.3
contains run.err "--backend-address"
ends_with 2 "$ap_json" tap --port 9003
contains run.err "itself"
ends_with 2 "$ap_json" tap --instance 6000
contains run.err "65535"
ends_with 2 "$ap_json" tap --address 192.0.2.1 --port 0
contains run.err "192.0.2.1"
ends_with 2 "$ap_json" tap --port 0 --record "$work/no/such/folder"
contains run.err "no/such/folder"

start_rover
ends_with 2 "$ap_json" tap --port "$rover_port"
contains run.err "127.0.0.1:$rover_port"
contains run.err "Another program"

# ---- undisturbed: all passes, is counted and recorded
start_tap --record "$work/drive.jsonl"
drive "$(cat "$(dirname "$0")/../../examples/drive.txt")" || fail "the drive through tap"
accepted=$(sed -n 's/^lines accepted \([0-9]*\),.*/\1/p' "$work/sitl.out")
[ "$accepted" -gt 3000 ] || fail "only $accepted lines were accepted"
stop_tap
contains tap.out "<> 127.0.0.1:$tap_port <> backend 127.0.0.1:$rover_port"
contains tap.out "repeated 0, lost 0, restarted 0, stale 0"
contains tap.out "refused 0, unasked 0"
contains tap.out "strays        wrong length 0, wrong magic 0"
lines=$(sed -n 's/^lines  *\([0-9]*\),.*/\1/p' "$work/tap.out")
packets=$(sed -n 's/^packets  *\([0-9]*\),.*/\1/p' "$work/tap.out")
[ "$lines" -ge "$accepted" ] && [ "$lines" -le $((accepted + 1)) ] || fail "$lines lines passed, $accepted were accepted"
contains tap.out "recorded      $((lines + packets)) datagrams"
[ "$(grep -c '"from":"sitl"' "$work/drive.jsonl")" -eq "$packets" ] || fail "not all packets are recorded"
[ "$(grep -c '"from":"backend"' "$work/drive.jsonl")" -eq "$lines" ] || fail "not all lines are recorded"
grep -q '"fate"' "$work/drive.jsonl" && fail "an undisturbed datagram has a fate"

if ! command -v python3 >/dev/null; then
    echo "right, as far as can be told without python3"
    exit 0
fi
python3 - "$work/drive.jsonl" <<'END' || fail "the recording is not right"
import json, struct, sys
with open(sys.argv[1]) as file:
    records = [json.loads(line) for line in file]
assert records[0]["ap_json_recording"] == 1
datagrams = records[1:]
times = [r["t"] for r in datagrams]
assert times == sorted(times)
counts = [struct.unpack_from("<HHI", bytes.fromhex(r["hex"]))[2] for r in datagrams if r["from"] == "sitl"]
assert counts == list(range(len(counts)))
stamps = [json.loads(r["text"])["timestamp"] for r in datagrams if r["from"] == "backend"]
assert all(b > a for a, b in zip(stamps, stamps[1:]))
assert len({r["peer"] for r in datagrams}) == 2
END

# ---- SITL is started again: a new port for the backend too, and the rover is back at its start
start_tap --json
drive "wait 1" || fail "the first SITL"
drive "wait 0.5" || fail "the second SITL"
stop_tap
is 1 frames restarted
is 2 senders
is 0 forgotten_senders

# ---- disturbed: the counters add up, the link survives
start_tap --json --loss 0.5 --duplicate 1 --flip 0.1 --truncate 0.1 --reorder 0.1 --delay 0.2 --jitter 0.2 --seed 7
drive "wait 0.8" || fail "the disturbed drive"
stop_tap
for direction in to_backend to_sitl; do
    above 200 "$direction" arrived
    above 0 "$direction" delayed
    [ $(($(number "$direction" arrived) + $(number "$direction" duplicated))) -eq \
        $(($(number "$direction" lost) + $(number "$direction" left) + $(number "$direction" waiting))) ] ||
        fail "the counters of $direction do not add up"
done
[ $(($(number lines) + $(number lines_elsewhere))) -eq "$(number to_sitl left)" ] || fail "lines that left were not seen"

start_tap --json --loss 20 --direction to-sitl --record "$work/lossy.jsonl"
drive "wait 0.02" || fail "the lossy drive"
stop_tap
above 0 to_sitl lost
is 0 to_backend lost
[ "$(grep -c '"fate":"lost"' "$work/lossy.jsonl")" -eq "$(number to_sitl lost)" ] || fail "lost datagrams are not recorded as such"

# ---- strays, a backend that is not there, garbage through and back
start_tap --json
python3 - "$tap_port" <<'END' || fail "strays"
import socket, sys
port = int(sys.argv[1])
for i in range(120):  # each from a port of its own
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.sendto(bytes([i % 256]) * (i * 7 % 100), ("127.0.0.1", port))
    s.close()
END
drive "wait 0.5" || fail "strays have starved SITL"
stop_tap
above 0 rejected length
above 50 crowded_out
is 1 forgotten_senders
is 65 senders
is 0 frames repeated
stop_rover

python3 - "$ap_json" <<'END' || fail "garbage did not pass unchanged"
import os, socket, subprocess, sys
backend = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
backend.bind(("127.0.0.1", 0))
backend.settimeout(10)
tap = subprocess.Popen([sys.argv[1], "tap", "--port", "0", "--quiet", "--backend-port", str(backend.getsockname()[1])],
                       stdout=subprocess.PIPE, text=True)
port = int(tap.stdout.readline().rsplit(":", 1)[1])
sitls = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3)]
seen = set()
for i in range(60):
    sitl = sitls[i % 3]
    sitl.settimeout(10)
    datagram = os.urandom([0, 1, 39, 40, 72, 1400, 20000, 60000][i % 8])
    sitl.sendto(datagram, ("127.0.0.1", port))
    got, sender = backend.recvfrom(65536)
    assert got == datagram
    seen.add(sender)
    answer = os.urandom(1 + i * 37)
    backend.sendto(answer, sender)
    back, _ = sitl.recvfrom(65536)
    assert back == answer
assert len(seen) == 3, "each SITL has a port of its own"

# The backend goes, and comes again on its port: the link is there again.
address = backend.getsockname()
backend.close()
for i in range(20):
    sitls[0].sendto(b"anybody there?", ("127.0.0.1", port))
backend = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
backend.bind(address)
backend.settimeout(10)
sitls[0].sendto(b"now", ("127.0.0.1", port))
while True:
    got, sender = backend.recvfrom(65536)
    if got == b"now":
        break
backend.sendto(b"yes", sender)
assert sitls[0].recvfrom(100)[0] == b"yes"
tap.terminate()
assert tap.wait(10) == 0
END

# ---- the live view: a terminal is taken over, painted, and given back at Ctrl-C
python3 - "$ap_json" <<'END' || fail "the live view"
import os, pty, select, signal, subprocess, sys, time
terminal, other_end = pty.openpty()
environment = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
tap = subprocess.Popen([sys.argv[1], "tap", "--port", "0", "--backend-port", "9", "--loss", "1"],
                       stdout=subprocess.PIPE, stderr=other_end, env=environment, text=True)
os.close(other_end)
assert "listening on" in tap.stdout.readline()
seen = b""
def read_until(wanted):
    global seen
    end = time.monotonic() + 20
    while wanted not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        assert ready, (wanted, seen)
        seen += os.read(terminal, 65536)
read_until(b"\x1b[?1049h")
read_until(b"Ctrl-C ends")
assert b"Nothing from SITL yet" in seen and "─".encode() in seen and b"to backend:" in seen
tap.send_signal(signal.SIGINT)
read_until(b"\x1b[?25h\x1b[?1049l")
assert tap.wait(10) == 0
assert "round trip" in tap.stdout.read()
# A terminal that takes nothing more must stop neither the link nor the end.
terminal, other_end = pty.openpty()
tap = subprocess.Popen([sys.argv[1], "tap", "--port", "0", "--backend-port", "9", "--seconds", "4"],
                       stdout=subprocess.PIPE, stderr=other_end, env=environment, text=True)
assert tap.wait(20) == 0
END

# ---- a full disk ends the recording, not the link
start_rover
if command -v mkfifo >/dev/null; then
    mkfifo "$work/fifo"
    head -c 20000 "$work/fifo" >/dev/null & # a reader that goes away
    pids="$pids $!"
    start_tap --json --record "$work/fifo"
    drive "wait 1" || fail "the link ended with the recording"
    kill -INT "$tap_pid"
    wait "$tap_pid"
    [ $? -eq 1 ] || fail "an incomplete recording has to end with 1"
    contains tap.err "the recording is not complete"
    contains tap.err "fifo"
    above 300 lines
fi

# ---- ends by itself, and at a polite request
ends_with 0 "$ap_json" tap --port 0 --backend-port "$rover_port" --seconds 0.2
contains run.out "packets       0,"
contains run.out "Nothing from SITL yet"
start_tap
kill -TERM "$tap_pid"
wait "$tap_pid" || fail "ended with $? on SIGTERM"
contains tap.out "round trip"
stop_rover
echo "right"
