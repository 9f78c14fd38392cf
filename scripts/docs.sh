#!/usr/bin/env bash
# docs.sh - the reference of the public headers and the pages of docs/, as HTML in build-docs/html. Fails when something
# public has no comment, or a link leads nowhere.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

need doxygen
mkdir -p build-docs
doxygen docs/doxygen/Doxyfile
say "build-docs/html/index.html"
