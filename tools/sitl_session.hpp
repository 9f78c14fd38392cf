// sitl_session.hpp - one run of the stand-in SITL for a person or a script: carries out commands in
// MAVProxy's words, shows what arrives, says what is wrong. Ctrl-C ends every wait.
#pragma once

#include <ap_json/sitl_stand_in.hpp>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "link_monitor.hpp"

class SitlSession {
  public:
    enum class Outcome { done, failed, quit };

    /// @param out          where the vehicle and the answers to commands are shown
    explicit SitlSession(const ap_json::SitlStandInOptions& options, std::FILE* out = stdout);

    ~SitlSession() { sitl_.stop(); }  // its thread calls what is declared behind it
    SitlSession(const SitlSession&) = delete;
    SitlSession& operator=(const SitlSession&) = delete;

    ap_json::Error start();

    /// Carries out one line. Says on stderr why, when it fails.
    Outcome execute(const std::string& line);

    /// What to show in front of a line of input, as MAVProxy does: "MANUAL> ".
    std::string prompt();

    /// The expectations of the run and whether each was met, and the traffic.
    void print_summary();

    [[nodiscard]] bool all_expectations_met() const { return failed_expectations_ == 0; }

    /// The commands, a line each.
    static const char* help();

  private:
    using Words = std::vector<std::string>;

    Outcome arm(const Words& words);
    Outcome disarm(const Words& words);
    Outcome set_rc(const Words& words);
    Outcome set_mode(const Words& words);
    Outcome set_servo(const Words& words);
    Outcome wait(const Words& words);
    Outcome watch(const Words& words);
    void say(const std::string& text);
    Outcome expect(const Words& words);
    void print_status();
    void print_screen();
    LinkSnapshot snapshot();
    std::string backend_text() const;
    static Outcome complain(const std::string& what);
    bool wait_until_clock(double clock, double patience);
    bool wait_for_start();
    void print_row();
    void show_once(const char* who, std::string_view line);

    ap_json::SitlStandInOptions options_;
    std::FILE* out_;

    std::mutex monitor_mutex_;
    LinkMonitor monitor_;

    ap_json::SitlStandIn sitl_;

    std::mutex console_mutex_;
    std::set<std::string, std::less<>> console_shown_;
    std::string prompt_;  // shown now, behind which the person types

    std::vector<std::string> expectations_;
    int failed_expectations_ = 0;
    bool header_shown_ = false;
};
