// progress.cpp - see progress.hpp.
#include "progress.hpp"

#include <cstdio>
#include <utility>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace {

using namespace std::chrono_literals;

bool is_terminal() {
#if defined(_WIN32)
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(STDERR_FILENO) != 0;
#endif
}

}  // namespace

// Work that is soon done needs no words.
Progress::Progress(std::string what, bool quiet)
    : what_(std::move(what)),
      quiet_(quiet),
      terminal_(is_terminal()),
      next_(std::chrono::steady_clock::now() + (terminal_ ? 300ms : 3s)) {}

Progress::~Progress() { clear(); }

void Progress::show(double share, const std::string& more) {
    if (quiet_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000));
    std::fprintf(stderr, terminal_ ? "\r\x1b[K%s: %3.0f %%%s" : "%s: %3.0f %%%s\n", what_.c_str(),
                 100 * share, more.empty() ? "" : (", " + more).c_str());
    std::fflush(stderr);
    shown_ = true;
}

void Progress::clear() {
    if (shown_ && terminal_) std::fprintf(stderr, "\r\x1b[K");
    shown_ = false;
}
