// recording.cpp - fuzzes recordings as files: the reader with and without --repair, there and back through the writer, and
// the commands `ap_json check` and `ap_json report` on them, run as a person would.
#include <command_line.hpp>
#include <exit_code.hpp>
#include <nlohmann/json.hpp>
#include <recording.hpp>

#include "examine_flight.hpp"
#include "program.hpp"
#include "scratch_file.hpp"

using fuzz::check;

namespace {

const fuzz::ScratchFolder& scratch() {
    static const fuzz::ScratchFolder folder;
    return folder;
}

struct Reading {
    bool opened = false;
    bool damaged = false;
    std::uint64_t skipped = 0;
    std::vector<Record> records;
};

Reading read(const std::string& path, bool repair) {
    Reading reading;
    RecordingReader reader(repair);
    reading.opened = reader.open(path).empty();
    if (!reading.opened) return reading;
    while (auto record = reader.next()) {
        check(reading.records.empty() || record->steady_ns >= reading.records.back().steady_ns,
              "time never falls");
        check(reader.progress() >= 0 && reader.progress() <= 1, "progress is a share");
        reading.records.push_back(*std::move(record));
    }
    reading.damaged = !reader.problem().empty();
    reading.skipped = reader.skipped();
    return reading;
}

bool same(const Record& a, const Record& b) {
    return a.kind == b.kind && a.steady_ns == b.steady_ns && a.wall_ns == b.wall_ns && a.bytes == b.bytes &&
           (a.kind == Record::Kind::mark || (a.peer == b.peer && a.fate == b.fate));
}

bool begins_with(const std::vector<Record>& all, const std::vector<Record>& first) {
    return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin(), same);
}

void check_there_and_back(const std::vector<Record>& records) {
    const std::string path = scratch().path("again.jsonl");
    {
        RecordingWriter writer;
        check(writer.open(path, "again").empty(), "a file can be written");
        for (const Record& record : records) check(writer.write(record), "a record can be written");
    }
    const Reading again = read(path, false);
    check(again.opened && !again.damaged, "what is written can be read");
    check(again.records.size() == records.size() && begins_with(again.records, records), "there and back");
}

void check_commands(const std::string& path, const Reading& strict) {
    const auto expected = [&](int good) {
        return !strict.opened ? exit_used_wrongly : strict.damaged ? exit_found : good;
    };
    const fuzz::Outcome examined = fuzz::run_program({"check", "--recording", path});
    if (expected(exit_ok) != exit_ok) check(examined.exit_code == expected(exit_ok), "check says damage");
    const fuzz::Outcome repaired = fuzz::run_program({"check", "--recording", path, "--repair", "--json"});
    if (strict.opened) {
        const auto document = nlohmann::json::parse(repaired.output, nullptr, false);
        check(document.is_object(), "check --json is JSON");
        check(repaired.exit_code == (document["findings"].empty() ? exit_ok : exit_found), "the exit code");
    }
    const std::string page = scratch().path("page.html"), table = scratch().path("table.csv");
    const fuzz::Outcome report =
        fuzz::run_program({"report", path, "--quiet", "--json", "-o", page, "--csv", table});
    check(report.exit_code == expected(exit_ok), "report's exit code");
    if (report.exit_code != exit_ok) return;
    check(nlohmann::json::accept(report.output), "report --json is JSON");
    fuzz::check_page(scratch().text("page.html"));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string path = scratch().path("flight.jsonl");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    const Reading strict = read(path, false);
    const Reading repaired = read(path, true);
    check(strict.opened == repaired.opened, "--repair is for lines, not for headers");
    check(!repaired.damaged, "--repair passes over all damage");
    check(strict.damaged == (repaired.skipped > 0), "damage is passed over, and only that");
    check(begins_with(repaired.records, strict.records), "--repair loses nothing");
    check_there_and_back(repaired.records);
    check_commands(path, strict);
    return 0;
}
