// live_view.hpp - a link at a glance: a screen of 24 lines of 79 columns that shows a LinkMonitor's numbers,
// or one line of them; and the terminal that the screen is painted on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "link_monitor.hpp"

struct LiveLine {
    enum class Tone : std::uint8_t { normal, title, faint, warning };

    std::string text;
    Tone tone = Tone::normal;
};

/// What the screen shows besides the link itself. Texts that are too long are cut.
struct LiveExtras {
    std::string title;                     // of the program
    std::string footer;                    // such as what is recorded, and how to end
    std::vector<std::string> disturbance;  // two lines at most; none = the link is not disturbed
    std::string warning;                   // goes before the advice of the monitor
};

enum class Glyphs : std::uint8_t { ascii, unicode };

constexpr std::size_t live_rows = 24;
constexpr std::size_t live_columns = 79;

/// The screen: live_rows lines at most, of live_columns columns at most, whatever the values are.
[[nodiscard]] std::vector<LiveLine> render_screen(const LinkSnapshot& link, const LiveExtras& extras,
                                                  Glyphs glyphs);

/// The same in one line, for where there is no terminal.
[[nodiscard]] std::string render_line(const LinkSnapshot& link);

/// The first columns of a text in UTF-8.
[[nodiscard]] std::string first_columns(const std::string& text, std::size_t columns);

/// How many columns a text in UTF-8 takes; each character takes one.
[[nodiscard]] std::size_t columns_of(const std::string& text);

/// The terminal that stderr is. Takes the whole of it from construction to destruction, then gives it back as
/// it was. Never waits: a terminal that takes no more (Ctrl-S, a slow ssh) misses pictures.
class Screen {
  public:
    /// Whether stderr is a terminal that understands the usual control sequences.
    [[nodiscard]] static bool possible();

    /// Whether its characters are UTF-8, by the environment.
    [[nodiscard]] static Glyphs glyphs();

    Screen();
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    /// Paints over what was shown. Cuts what the terminal has no room for.
    void show(const std::vector<LiveLine>& lines);

  private:
    void write(const std::string& text);

    int terminal_ = -1;     // file descriptor
    bool own_ = false;      // opened here
    bool colours_ = false;  // unless the environment says NO_COLOR
    std::string unwritten_;
};

/// Writes a line to stderr unless that would have to wait.
void print_progress(const std::string& line);
