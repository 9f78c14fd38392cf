// screen.cpp - the terminal of live_view.hpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "live_view.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace {

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

Glyphs Screen::glyphs() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string value = environment(name);
        if (value.empty()) continue;
        const bool utf8 = value.find("UTF-8") != std::string::npos ||
                          value.find("utf8") != std::string::npos || value.find("utf-8") != std::string::npos;
        return utf8 ? Glyphs::unicode : Glyphs::ascii;
    }
    return Glyphs::ascii;
}

#if defined(_WIN32)

// Windows shows the lines instead.
bool Screen::possible() { return false; }
Screen::Screen() = default;
Screen::~Screen() = default;
void Screen::show(const std::vector<LiveLine>&) {}
void Screen::write(const std::string&) {}

void print_progress(const std::string& line) {
    std::fprintf(stderr, "%s\n", line.c_str());
    std::fflush(stderr);
}

#else

namespace {

const char* begin_of(LiveLine::Tone tone) {
    switch (tone) {
        case LiveLine::Tone::title:
            return "\x1b[7m";
        case LiveLine::Tone::faint:
            return "\x1b[2m";
        case LiveLine::Tone::warning:
            return "\x1b[1;33m";
        case LiveLine::Tone::normal:
            break;
    }
    return "";
}

constexpr char take_over[] = "\x1b[?1049h\x1b[?25l\x1b[2J";  // second screen, no cursor, empty
constexpr char give_back[] = "\x1b[0m\x1b[?25h\x1b[?1049l";
constexpr char begin[] = "\x1b[H";
constexpr char end_of_line[] = "\x1b[0m\x1b[K";
constexpr char end_of_picture[] = "\x1b[J";

}  // namespace

bool Screen::possible() {
    const std::string terminal = environment("TERM");
    return isatty(STDERR_FILENO) != 0 && !terminal.empty() && terminal != "dumb";
}

/// Opens the terminal once more: O_NONBLOCK on stderr itself would be the shell's problem too.
Screen::Screen() : terminal_(STDERR_FILENO), colours_(*environment("NO_COLOR") == '\0') {
    char name[256];
    if (ttyname_r(STDERR_FILENO, name, sizeof name) == 0) {
        const int opened = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (opened >= 0) {
            terminal_ = opened;
            own_ = true;
        }
    }
    write(take_over);
}

Screen::~Screen() {
    unwritten_.clear();
    // Ctrl-C lets a terminal go on that Ctrl-S has stopped; if it still takes nothing, nobody sees the
    // picture.
    pollfd ready{terminal_, POLLOUT, 0};
    if (poll(&ready, 1, 200) > 0) write(give_back);
    if (own_) close(terminal_);
}

/// What the terminal does not take is written before the next picture, since it may end within a sequence.
void Screen::write(const std::string& text) {
    unwritten_ += text;
    const ssize_t written = ::write(terminal_, unwritten_.data(), unwritten_.size());
    if (written > 0) unwritten_.erase(0, static_cast<std::size_t>(written));
}

void Screen::show(const std::vector<LiveLine>& lines) {
    if (!unwritten_.empty()) {
        write("");
        if (!unwritten_.empty()) return;
    }
    winsize size{};
    const bool known = ioctl(terminal_, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    const std::size_t rows = known ? size.ws_row : live_rows;
    const std::size_t columns = known ? size.ws_col : live_columns;
    std::string picture = begin;
    for (std::size_t i = 0; i < lines.size() && i < rows; ++i) {
        if (i > 0) picture += "\r\n";
        if (colours_) picture += begin_of(lines[i].tone);
        picture += first_columns(lines[i].text, columns) + end_of_line;
    }
    write(picture + end_of_picture);
}

void print_progress(const std::string& line) {
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return;
    const std::string text = line + "\n";
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens any more
}

#endif
