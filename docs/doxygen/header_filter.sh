#!/bin/sh
# header_filter.sh - for Doxygen: the comment a header begins with, "// name.hpp - what it is for", becomes the page of the
# file. `#pragma once` makes room for the line that says so, so that warnings have the right line numbers.
sed -e '1,/^#pragma once/{
    1s,^// [^ ]* - ,/// @file\n/// ,
    s,^//\( \|$\),///\1,
    /^#pragma once/d
}' "$1"
