#!/bin/sh
# page_filter.sh - for Doxygen: links between the project's files become links within the reference. Headers and pages have a
# page there; of other files only the name stays.
sed -e '/^```/,/^```/b' \
    -e 's,\[\([^]]*\)\](\(\.\./\)*include/ap_json/\([^)]*\)),[\1](@ref \3),g' \
    -e 's,\[\([^]]*\)\](#[^)]*),\1,g' \
    -e 's,](\(\.\./\)*\([A-Za-z_/]*\.md\)\(#[^)]*\)*),](\2),g' \
    -e 's,\[\([^]]*\)\](\(\.\./\)*\(include\|examples\|bench\|tests\|scripts\|tools\|src\|cmake\|LICENSE\)[^)]*),\1,g' \
    "$1"
