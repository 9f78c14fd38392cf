// progress.hpp - says on stderr how far long work has come, on one line of a terminal; elsewhere every few seconds.
#pragma once

#include <chrono>
#include <string>

class Progress {
  public:
    /// @param what   such as "reading"
    /// @param quiet  say nothing
    explicit Progress(std::string what, bool quiet = false);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// May be called as often as you like. @param share 0 to 1  @param more shown behind it
    void show(double share, const std::string& more = "");

    /// Takes the line away, before something else is printed.
    void clear();

  private:
    std::string what_;
    bool quiet_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point next_;
};
