// count_system_calls.hpp - counts the system calls that a piece of code makes, by watching a child process
// with ptrace. Linux only. Shared by a test and a benchmark.
#pragma once

#if defined(__linux__)

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace count_system_calls {

/// Marks the beginning and the end of what counts, in turns. Nothing else in the child may call getppid.
inline void mark() { syscall(SYS_getppid); }

struct Count {
    int calls = 0;   // between the marks
    int marks = 0;   // 0 = this system does not allow to watch
    int status = 0;  // how the child ended, as waitpid says
};

/// Follows the child; counts the system calls that it begins between each two marks.
inline Count watch(pid_t child) {
    Count count;
    waitpid(child, &count.status, 0);
    if (!WIFSTOPPED(count.status)) return count;
    ptrace(PTRACE_SETOPTIONS, child, nullptr,
           reinterpret_cast<void*>(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) return count;
        waitpid(child, &count.status, 0);
        if (WIFEXITED(count.status) || WIFSIGNALED(count.status)) return count;
        if (!WIFSTOPPED(count.status) || WSTOPSIG(count.status) != (SIGTRAP | 0x80)) continue;
        __ptrace_syscall_info info{};
        if (ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child,
                   reinterpret_cast<void*>(sizeof info), &info) <= 0) {
            return count;
        }
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
        if (info.entry.nr == SYS_getppid) {
            ++count.marks;
        } else if (count.marks % 2 == 1) {
            ++count.calls;
        }
    }
}

/// Runs `action` in a child process. Its return value is the child's exit code.
template <class Action>
Count of(const Action& action) {
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(0);  // nobody would wake it again
        raise(SIGSTOP);
        _exit(action());
    }
    const Count count = watch(child);
    if (count.marks == 0 && WIFSTOPPED(count.status)) {
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
    }
    return count;
}

}  // namespace count_system_calls

#endif
