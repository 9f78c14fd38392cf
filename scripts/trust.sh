#!/usr/bin/env bash
# trust.sh - tries everything that could show the library wrong, and prints the table of what was tried and what came out.
# About a quarter of an hour; with --long hours: every mutant, every platform, ten million frames, an hour of fuzzing.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
case ${1:-} in
    "")
        parts=("scripts/fuzz.sh" "scripts/soak.sh" "scripts/mutate.py" "scripts/platforms.sh" "scripts/package_test.sh")
        ;;
    --long)
        parts=("scripts/fuzz.sh --minutes 60" "scripts/soak.sh --frames 10000000" "scripts/soak.sh --sanitize"
            "scripts/mutate.py --all" "scripts/platforms.sh --all" "scripts/package_test.sh --all")
        ;;
    *)
        echo "usage: scripts/trust.sh [--long]"
        exit 2
        ;;
esac

mkdir -p build-trust
export AP_JSON_RESULTS=$PWD/build-trust/results.txt
rm -f "$AP_JSON_RESULTS"
failed=0
for part in "${parts[@]}"; do
    say "$part"
    # shellcheck disable=SC2086 -- the options are words of their own
    if ! $part; then
        failed=1
        result "$part" "see above" "FAILED"
    fi
done

say "what was tried, and what came out ($(git log -1 --format=%h 2>/dev/null || echo 'no commit known'), $(date -u +%F))"
{
    echo "what | tried | outcome"
    cat "$AP_JSON_RESULTS"
} | awk -F ' *[|] *' '
    { for (i = 1; i <= 3; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) } }
    END { for (row = 1; row <= NR; row++) printf "%-*s  %-*s  %s\n", width[1], cell[row, 1], width[2], cell[row, 2], cell[row, 3] }'
exit "$failed"
