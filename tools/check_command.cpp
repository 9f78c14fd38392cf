// check_command.cpp - options of `ap_json check`, its run, and how its results are shown.
#include "check_command.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "backend_options.hpp"
#include "doctor.hpp"
#include "examination.hpp"
#include "exit_code.hpp"
#include "experiments.hpp"
#include "interrupt.hpp"
#include "recording.hpp"
#include "sitl_session.hpp"

namespace {

struct Vehicle {
    const char* name;
    double least_rate;   // Hz
    const char* script;  // in the words of `ap_json sitl`
    std::uint16_t pwm;   // that asks for nothing
};

constexpr Vehicle vehicles[] = {
    {"rover", 90,
     "arm throttle\nrc 3 1900\nwait 3\nrc 1 1700\nwait 2\nrc 1 1500\nrc 3 1100\nwait 3\nrc 3 1500\nwait "
     "1\ndisarm\n",
     1500},
    {"copter", 720,
     "servo 1 1000\nservo 2 1000\nservo 3 1000\nservo 4 1000\nwait 2\nservo 1 1750\nservo 2 1750\nservo 3 "
     "1750\n"
     "servo 4 1750\nwait 1\nservo 1 1755\nwait 0.5\nservo 1 1750\nservo 3 1755\nwait 0.5\nservo 1 "
     "1000\nservo 2 1000\n"
     "servo 3 1000\nservo 4 1000\nwait 1\n",
     1000},
    {"plane", 90,
     "arm throttle\nservo 2 1500\nservo 4 1500\nrc 3 1900\nwait 5\nservo 2 1550\nwait 2\nservo 2 1500\nrc 1 "
     "1550\n"
     "wait 1\nrc 1 1500\nwait 1\n",
     1500},
};

struct Options {
    ap_json::SitlStandInOptions sitl;
    std::string vehicle = "rover";
    std::string script;
    std::string recording;
    std::string record;
    double still = 2;  // s
    bool passive = false;
    bool no_experiments = false;
    bool strays = false;
    bool repair = false;
    bool json = false;
};

const Vehicle& vehicle_of(const Options& options) {
    for (const Vehicle& vehicle : vehicles) {
        if (options.vehicle == vehicle.name) return vehicle;
    }
    return vehicles[0];
}

struct Report {
    std::string what;  // was examined
    std::vector<Finding> findings;
    std::vector<Experiment> experiments;
    std::vector<std::string> not_examined;
    std::uint64_t packets = 0;
    std::uint64_t lines = 0;
    double simulated = 0;  // s
    double rate = 0;       // Hz
};

void add_doctor(Report& report, const Doctor& doctor) {
    report.findings = doctor.conclude();
    report.not_examined = doctor.not_examined();
    report.packets = doctor.packets();
    report.lines = doctor.lines();
    report.simulated = doctor.clock().simulated();
    const double step = doctor.clock().usual_step();
    report.rate = step > 0 ? 1 / step : 0;
}

void print_json(const Report& report) {
    using nlohmann::ordered_json;
    ordered_json findings = ordered_json::array();
    for (const Finding& f : report.findings) {
        findings.push_back({{"id", f.id},
                            {"part", f.part},
                            {"title", f.title},
                            {"seen", f.seen},
                            {"means", f.means},
                            {"pilot", f.pilot},
                            {"change", f.change},
                            {"line", f.line},
                            {"times", f.times}});
    }
    ordered_json experiments = ordered_json::array();
    for (const Experiment& e : report.experiments)
        experiments.push_back({{"name", e.name}, {"passed", e.passed}});
    const ordered_json document = {{"examined", report.what},    {"packets", report.packets},
                                   {"lines", report.lines},      {"simulated_seconds", report.simulated},
                                   {"rate_hz", report.rate},     {"findings", findings},
                                   {"experiments", experiments}, {"not_examined", report.not_examined}};
    std::cout << document.dump(2, ' ', false, ordered_json::error_handler_t::replace) << std::endl;
}

/// A paragraph behind a label, broken at spaces.
void print_labelled(const char* label, const std::string& text) {
    constexpr std::size_t width = 78;
    constexpr std::size_t indent = 12;
    std::string row = std::string("   ") + label;
    row.resize(indent, ' ');
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (row.size() > indent && row.size() + 1 + word.size() > width) {
            std::cout << row << "\n";
            row.assign(indent, ' ');
        }
        row += (row.size() > indent ? " " : "") + word;
    }
    std::cout << row << "\n";
}

void print_text(const Report& report) {
    int number = 0;
    for (const Finding& f : report.findings) {
        std::cout << ++number << ". " << f.title << "  [" << f.id << "]\n";
        print_labelled("seen",
                       f.seen + (f.times > 1 ? ", and " + std::to_string(f.times - 1) + " times more" : ""));
        print_labelled("means", f.means);
        print_labelled("pilot", f.pilot);
        print_labelled("change", f.change);
        if (!f.line.empty()) std::cout << "   line     " << f.line << "\n";
        std::cout << "\n";
    }
    char summary[200];
    std::snprintf(summary, sizeof summary,
                  "%llu servo packets, %llu lines, %.1f s of simulated time at %.4g Hz",
                  static_cast<unsigned long long>(report.packets),
                  static_cast<unsigned long long>(report.lines), report.simulated, report.rate);
    std::cout << report.what << ": " << summary << "\n";
    for (const Experiment& e : report.experiments)
        std::cout << "  " << (e.passed ? "passed " : "FAILED ") << e.name << "\n";
    for (const std::string& name : report.not_examined)
        std::cout << "  not examined (nothing moved enough, or the wire is at fault): " << name << "\n";
    if (report.findings.empty()) {
        std::cout << "no findings\n";
    } else {
        std::cout << report.findings.size() << (report.findings.size() == 1 ? " finding\n" : " findings\n");
    }
    std::cout << std::flush;
}

int finish(const Options& options, const Report& report) {
    options.json ? print_json(report) : print_text(report);
    return report.findings.empty() ? exit_ok : exit_found;
}

int check_recording(const Options& options) {
    RecordingReader reader(options.repair);
    const std::string problem = reader.open(options.recording);
    if (!problem.empty()) {
        std::cerr << "error: " << problem << "\n";
        return exit_used_wrongly;
    }
    Doctor doctor(vehicle_of(options).least_rate);
    while (const auto record = reader.next()) {
        if (interrupted) break;
        examine(doctor, *record);
    }
    if (!reader.problem().empty()) {
        std::cerr << "error: " << reader.problem() << "\n";
        return exit_found;
    }
    Report report;
    report.what = options.recording;
    add_doctor(report, doctor);
    return finish(options, report);
}

/// Notes what passes, for the doctor and for the recording.
class Observer {
  public:
    Observer(Doctor& doctor, RecordingWriter& recording, std::string backend)
        : doctor_(doctor), recording_(recording), backend_(std::move(backend)) {}

    void observe(Record::Kind kind, std::string_view bytes) {
        Record record;
        record.kind = kind;
        record.steady_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
        record.wall_ns =
            std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
        record.peer = kind == Record::Kind::from_backend ? backend_ : "";
        record.bytes = std::string(bytes);
        examine(doctor_, record);
        recording_.write(record);
    }

  private:
    Doctor& doctor_;
    RecordingWriter& recording_;
    std::string backend_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Drives the backend: stands still first, then the script. @return false when there was nobody to drive
bool drive(SitlSession& session, std::istream& script, double still) {
    if (session.execute("wait " + std::to_string(still)) != SitlSession::Outcome::done) return false;
    for (std::string line; !interrupted && std::getline(script, line);) {
        if (session.execute(line) != SitlSession::Outcome::done) return true;
    }
    return true;
}

int check_backend(Options& options) {
    std::stringstream script;
    if (!options.passive) script << vehicle_of(options).script;
    if (!options.script.empty()) {
        std::ifstream file(options.script);
        if (!file) {
            std::cerr << "error: cannot read the script " << options.script << "\n";
            return exit_used_wrongly;
        }
        script.str({});
        script << file.rdbuf();
    }
    RecordingWriter recording;
    if (!options.record.empty()) {
        const std::string problem = recording.open(options.record, "ap_json check");
        if (!problem.empty()) {
            std::cerr << "error: " << problem << "\n";
            return exit_used_wrongly;
        }
    }
    const int port = options.sitl.backend_port + 10 * options.sitl.instance;
    const std::string backend = options.sitl.backend_address + ":" + std::to_string(port);
    Doctor doctor(vehicle_of(options).least_rate);
    Observer observer(doctor, recording, backend);
    options.sitl.sending = [&](std::string_view bytes) { observer.observe(Record::Kind::from_sitl, bytes); };
    options.sitl.received = [&](std::string_view bytes) {
        observer.observe(Record::Kind::from_backend, bytes);
    };
    options.sitl.console = [](std::string_view) {};  // the doctor says it better
    options.sitl.advice = [](std::string_view) {};
    {
        SitlSession session(options.sitl, stderr);
        if (auto error = session.start()) {
            std::cerr << "error: " << error.message() << "\n";
            return exit_used_wrongly;
        }
        std::cerr << "examining " << backend << " as a " << options.vehicle << "\n";
        drive(session, script, options.still);
    }
    Report report;
    report.what = backend;
    add_doctor(report, doctor);
    if (!options.no_experiments && !interrupted && doctor.lines() > 0) {
        std::cerr << "experiments: about 10 s\n";
        ExperimentOptions experiments;
        experiments.backend_address = options.sitl.backend_address;
        experiments.backend_port = static_cast<std::uint16_t>(port);
        experiments.pwm = vehicle_of(options).pwm;
        experiments.strays = options.strays;
        const ExperimentResults results = run_experiments(experiments);
        if (!results.problem.empty()) std::cerr << results.problem << "\n";
        report.experiments = results.experiments;
        report.findings.insert(report.findings.end(), results.findings.begin(), results.findings.end());
    }
    if (!recording.problem().empty()) std::cerr << "error: " << recording.problem() << "\n";
    return finish(options, report);
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "check", "The doctor: plays SITL in front of a physics backend and tells its author what is wrong");
    auto options = std::make_shared<Options>();
    add_backend_options(*command, options->sitl);
    command->add_option("--vehicle", options->vehicle, "What to drive it as, and which physics rate it needs")
        ->check(CLI::IsMember({"rover", "copter", "plane"}))
        ->capture_default_str();
    command->add_option("--still", options->still, "Simulated seconds of rest before the drive")
        ->check(CLI::Range(0.5, 1e6))
        ->capture_default_str();
    command->add_option("--script", options->script,
                        "Drive by the commands in this file; see ap_json sitl --help");
    command->add_flag("--passive", options->passive, "Do not drive, only look");
    command->add_flag("--no-experiments", options->no_experiments,
                      "Leave out lost answers, restarts, pauses, missing frames, 32 channels");
    command->add_flag("--strays", options->strays,
                      "Also send what is no servo packet from another port, which some backends end of");
    command->add_option("--record", options->record, "Write what passes to this file, for replay and report");
    command->add_option("--recording", options->recording, "Examine this recording in place of a backend");
    command->add_flag("--repair", options->repair, "Pass over what is damaged in the recording");
    command->add_flag("--json", options->json, "Print the results as JSON");
    command->footer(
        R"(It examines the wire (newlines, key order, types, NaN), the clock (start, steps, rate) and the physics (signs,
frames, units, quaternion order; whether position, velocity, attitude, gyro and specific force agree), and tries
what a link has to survive. Each finding says what was seen, what it means, what the pilot sees, and what to change.
Ends with 0 when nothing was found, 1 when something was, 2 when it was used wrongly.

Example: start build/examples/simpleRover, then
  ap_json check)");
    command->callback([options, &exit_code] {
        end_on_ctrl_c();
        exit_code = options->recording.empty() ? check_backend(*options) : check_recording(*options);
    });
}
