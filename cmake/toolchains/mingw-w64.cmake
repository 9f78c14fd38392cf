# mingw-w64.cmake - builds for 64-bit Windows on Linux; the tests run in Wine where that is installed. Debian:
# g++-mingw-w64-x86-64-posix, wine64.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)  # so that no DLL of the compiler has to be found
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)
find_program(AP_JSON_WINE NAMES wine64 wine64-stable PATHS /usr/lib/wine)
if(AP_JSON_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${AP_JSON_WINE})
endif()
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
