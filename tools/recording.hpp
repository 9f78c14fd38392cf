// recording.hpp - the file format that tap writes and replay, report and check read: JSON Lines, both directions of
// the link, each datagram with two clocks.
//
// The first line says what the file is:
//
//     {"ap_json_recording":1,"created":"2026-03-20T12:00:00Z","by":"ap_json 1.0.0","note":"..."}
//
// Each other line is one datagram, or a mark that says what was done at that moment:
//
//     {"t":1234567,"wall":1774008000000000000,"from":"sitl","peer":"127.0.0.1:40000","hex":"1a48..."}
//     {"t":1334567,"wall":1774008000000100000,"from":"backend","peer":"127.0.0.1:9002","text":"\n{...}\n"}
//     {"t":1434567,"wall":1774008000000200000,"mark":"SITL was started again"}
//
// t      ns on a steady clock since the recording began; never falls
// wall   ns since 1970
// from   who sent it: "sitl" (a servo packet) or "backend" (a state line)
// peer   the sender's address and port
// hex    the datagram, byte for byte; or
// text   the same, where it is text that JSON can hold
// fate   what tap did to it on purpose: "lost", "delayed", "duplicated", "truncated", "flipped", "reordered";
//        several with commas in between ("lost" is always alone); missing when it was passed on as it was. The
//        datagram is here as it arrived
//
// Each line is written at once: a recorder that is killed loses at most the last one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

struct Record {
    enum class Kind : std::uint8_t { from_sitl, from_backend, mark };

    Kind kind = Kind::mark;
    std::int64_t steady_ns = 0;
    std::int64_t wall_ns = 0;
    std::string peer;
    std::string bytes;  // the datagram; of a mark, its text
    std::string fate;   // empty = passed on as it was
};

class RecordingWriter {
  public:
    RecordingWriter() = default;
    ~RecordingWriter();
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    /// @param note  anything worth knowing later, such as the command line
    /// @return empty, or why not, with the path and the system's words
    std::string open(const std::string& path, const std::string& note);

    /// @return whether the disk took it; the reason is in problem() otherwise
    bool write(const Record& record);

    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    std::FILE* file_ = nullptr;
    std::string path_;
    std::string problem_;
};

/// Reads a recording, one record at a time, so that long ones need no memory.
class RecordingReader {
  public:
    /// @param repair  pass over what is damaged, and count it, instead of ending there
    explicit RecordingReader(bool repair = false) : repair_(repair) {}

    /// @return empty, or why not: no such file, not a recording, a version this program does not know
    std::string open(const std::string& path);

    /// The next record; nothing at the end, or at damage (see problem()).
    std::optional<Record> next();

    /// What is wrong with the file: the line's number and the reason. Empty when it ended well.
    [[nodiscard]] const std::string& problem() const { return problem_; }

    /// Lines that could not be read, with `repair`.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

    /// Share of the file that has been read, 0 to 1.
    [[nodiscard]] double progress() const;

    /// The note of whoever wrote it.
    [[nodiscard]] const std::string& note() const { return note_; }

  private:
    bool repair_;
    std::ifstream file_;
    std::string path_;
    std::uint64_t size_ = 0;      // bytes
    std::uint64_t position_ = 0;  // bytes
    std::uint64_t line_ = 0;
    std::int64_t newest_ns_ = 0;
    std::uint64_t skipped_ = 0;
    std::string problem_;
    std::string note_;
};
