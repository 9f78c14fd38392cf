#!/usr/bin/env bash
# exported_symbols.sh - compares what the shared libraries show with the list exported_symbols.txt: what is missing breaks
# programs that are linked already, what is new is a promise. Inline functions and templates are left out: which of them a
# library holds is up to the compiler.
# usage: exported_symbols.sh [--update] LIBRARY...
#   --update  writes what the libraries show to the list; other libraries' lines stay
set -euo pipefail
export LC_ALL=C
list=$(dirname "${BASH_SOURCE[0]}")/exported_symbols.txt
update=no
[ "${1:-}" != --update ] || { update=yes; shift; }
[ $# -gt 0 ] || { sed -n '5,6s/^# //p' "$0"; exit 2; }

found=$(mktemp)
others=$(mktemp)
trap 'rm -f "$found" "$others"' EXIT
touch "$list"
cp "$list" "$others"
for library in "$@"; do
    name=$(basename "$library" | sed 's/\.so.*//')
    # Strong symbols only (T, D, B, R); no header shows what is in an Implementation.
    symbols=$(nm --dynamic --demangle --defined-only "$library" |
        sed -n "/::Implementation::/d; s/^[0-9a-f]* [TDBR] /$name: /p")
    [ -n "$symbols" ] || { echo "$library shows nothing at all"; exit 1; }
    printf '%s\n' "$symbols" >>"$found"
    sed -i "/^$name: /d" "$others"
done
sort -u -o "$found" "$found"

if [ "$update" = yes ]; then
    sort -u "$found" "$others" >"$list.new"
    mv "$list.new" "$list"
    echo "$(wc -l <"$found") symbols written to $list; look at what git diff says"
elif ! sort -u "$found" "$others" | diff -u "$list" - ; then
    echo "The libraries show other symbols than $list says."
    echo "  '-' is gone: programs that use it no longer start. In a minor version that must not be; in a major one it may."
    echo "  '+' is new: to be kept from now on. When it is no part of the interface, do not mark it with the _API macro."
    echo "When that is what is meant:  ${BASH_SOURCE[0]} --update $*"
    exit 1
fi
