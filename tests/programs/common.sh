# common.sh - for the tests of programs: start a backend on a free port, end it, compare what was printed.
set -u
work=$(mktemp -d)
pids=""
trap 'for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done; rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*"
    for file in "$work"/*; do
        echo "--- $(basename "$file")"
        tail -n 40 "$file"
    done
    exit 1
}

# start NAME COMMAND...: runs it with --port 0 in the background; sets $port and $pid once it listens.
start() {
    local name=$1
    shift
    rm -f "$work/$name.out" "$work/$name.err"  # one of before would tell an old port
    "$@" --port 0 >"$work/$name.out" 2>"$work/$name.err" &
    pid=$!
    pids="$pids $pid"
    port=""
    while [ -z "$port" ]; do
        kill -0 "$pid" 2>/dev/null || fail "$name ended before it listened"
        port=$(sed -n 's/^listening on UDP [0-9.]*:\([0-9]*\)[^0-9]*$/\1/p' "$work/$name.out" "$work/$name.err" 2>/dev/null)
        [ -n "$port" ] || sleep 0.01
    done
}

# stop NAME: as Ctrl-C does; the program has to end with 0.
stop() {
    kill -INT "$pid"
    wait "$pid" || fail "$1 ended with $? on Ctrl-C"
}

# contains FILE TEXT: the file in $work has the text in it.
contains() {
    grep -qF -- "$2" "$work/$1" || fail "$1 does not contain: $2"
}

# ends_with CODE COMMAND...: runs it; stdout and stderr go to $work/run.out and run.err
ends_with() {
    local expected=$1
    shift
    timeout 30 "$@" >"$work/run.out" 2>"$work/run.err" </dev/null
    local code=$?
    [ "$code" -eq "$expected" ] || fail "$* ended with $code, not $expected"
}
