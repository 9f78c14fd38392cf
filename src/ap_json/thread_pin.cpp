// thread_pin.cpp - see thread_pin.hpp.
#include "ap_json/thread_pin.hpp"

#include "text_writer.hpp"
#include "udp_socket.hpp"

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#elif defined(__linux__) && !defined(AP_JSON_POSIX_ONLY)
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#endif

namespace ap_json {
namespace {

[[maybe_unused]] Error no_such_core(int core) noexcept {
    MessageWriter text;
    text << "cannot keep this thread on core " << core << ": the process may not use such a core";
    return {ErrorCode::bad_option, text.c_str()};
}

[[maybe_unused]] Error refused(int core, int number) noexcept {
    MessageWriter text;
    text << "cannot keep this thread on core " << core << ": " << UdpSocket::error_text(number).view();
    return {ErrorCode::system_error, text.c_str()};
}

}  // namespace

#if defined(_WIN32)

Error pin_calling_thread(int core) noexcept {
    if (core < 0 || core >= static_cast<int>(8 * sizeof(DWORD_PTR))) return no_such_core(core);
    if (SetThreadAffinityMask(GetCurrentThread(), DWORD_PTR{1} << core) != 0) return {};
    const DWORD number = GetLastError();
    return number == ERROR_INVALID_PARAMETER ? no_such_core(core) : refused(core, static_cast<int>(number));
}

#elif defined(__linux__) && !defined(AP_JSON_POSIX_ONLY)

Error pin_calling_thread(int core) noexcept {
    if (core < 0 || core >= CPU_SETSIZE) return no_such_core(core);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<unsigned>(core), &cores);
    const int number = pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
    if (number == 0) return {};
    return number == EINVAL ? no_such_core(core) : refused(core, number);
}

#else

Error pin_calling_thread(int) noexcept {
    return {ErrorCode::system_error, "this operating system cannot keep a thread on a core"};
}

#endif

}  // namespace ap_json
