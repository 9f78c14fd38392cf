# linux.cmake - builds for Linux on another processor; the tests run in qemu-user. Which one is the variable AP_JSON_MACHINE,
# as in the names of the compilers: aarch64-linux-gnu, s390x-linux-gnu, arm-linux-gnueabihf, i686-linux-gnu. Debian:
# g++-aarch64-linux-gnu, qemu-user.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES AP_JSON_MACHINE)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${AP_JSON_MACHINE})
set(CMAKE_C_COMPILER ${AP_JSON_MACHINE}-gcc)
set(CMAKE_CXX_COMPILER ${AP_JSON_MACHINE}-g++)
string(REPLACE i686 i386 qemu qemu-${CMAKE_SYSTEM_PROCESSOR})
set(CMAKE_CROSSCOMPILING_EMULATOR ${qemu} -L /usr/${AP_JSON_MACHINE})
list(APPEND CMAKE_FIND_ROOT_PATH /usr/${AP_JSON_MACHINE})
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
