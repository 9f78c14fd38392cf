#!/usr/bin/env bash
# node_mavlink.sh - installs node-mavlink, another MAVLink implementation, into build/node-mavlink, for the test that compares
# it with px4_hil. Where it cannot be installed it says so, and that test is skipped.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

command -v npm >/dev/null || need nodejs npm
[ ! -d build/node-mavlink/node_modules/node-mavlink ] || exit 0
mkdir -p build/node-mavlink
npm install --silent --no-audit --no-fund --prefix build/node-mavlink node-mavlink@2.3.0 mavlink-mappings@1.0.21-20250824-1 ||
    echo "npm could not fetch node-mavlink: no comparison with it"
