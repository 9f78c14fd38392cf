# cross.cmake - what all cross builds share: programs are this machine's, libraries and packages the other's. Header-only
# packages may come from a folder given as AP_JSON_HEADER_PACKAGES.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES AP_JSON_HEADER_PACKAGES)
list(APPEND CMAKE_FIND_ROOT_PATH ${AP_JSON_HEADER_PACKAGES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
