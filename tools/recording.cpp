// recording.cpp - see recording.hpp.
#include "recording.hpp"

#include <algorithm>
#include <ap_json/version.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;

constexpr int format_version = 1;
constexpr std::size_t longest_datagram = 65536;

std::string system_words() { return std::strerror(errno); }

std::string to_hex(const std::string& bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes) {
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::string> from_hex(const std::string& text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

/// ASCII without control characters other than newlines: the same in JSON as on the wire.
bool is_plain_text(const std::string& bytes) {
    return std::all_of(bytes.begin(), bytes.end(),
                       [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c == '\r'; });
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text.data();
}

/// @return empty, or what is wrong with the line
std::string parse_record(const std::string& line, Record& record) {
    const Json document = Json::parse(line, nullptr, false);
    if (document.is_discarded()) return "it is not JSON";
    if (!document.is_object()) return "it is not a JSON object";
    const auto text = [&](const char* key) {
        const auto found = document.find(key);
        return found != document.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                             : std::nullopt;
    };
    const auto number = [&](const char* key) {
        const auto found = document.find(key);
        return found != document.end() && found->is_number_integer()
                   ? std::optional(found->get<std::int64_t>())
                   : std::nullopt;
    };
    const auto steady = number("t");
    const auto wall = number("wall");
    if (!steady || !wall) return "t or wall is missing, or is not a whole number of nanoseconds";
    record.steady_ns = *steady;
    record.wall_ns = *wall;
    record.peer = text("peer").value_or("");
    record.fate = text("fate").value_or("");
    if (const auto mark = text("mark")) {
        record.kind = Record::Kind::mark;
        record.bytes = *mark;
        return {};
    }
    const std::string from = text("from").value_or("");
    if (from != "sitl" && from != "backend") return "from is neither \"sitl\" nor \"backend\"";
    record.kind = from == "sitl" ? Record::Kind::from_sitl : Record::Kind::from_backend;
    const auto hex = text("hex");
    const auto bytes = hex ? from_hex(*hex) : text("text");
    if (!bytes)
        return hex ? "hex holds something else than pairs of hexadecimal digits" : "hex or text is missing";
    if (bytes->size() > longest_datagram) return "it is longer than a datagram can be";
    record.bytes = *bytes;
    return {};
}

}  // namespace

RecordingWriter::~RecordingWriter() {
    if (file_ != nullptr) std::fclose(file_);
}

std::string RecordingWriter::open(const std::string& path, const std::string& note) {
    path_ = path;
    file_ = std::fopen(path.c_str(), "wb");
    if (file_ == nullptr) return "cannot write to " + path + ": " + system_words();
    const Json header = {{"ap_json_recording", format_version},
                         {"created", utc_now()},
                         {"by", "ap_json " AP_JSON_VERSION},
                         {"note", note}};
    const std::string line = header.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
    if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fflush(file_) != 0)
        return "cannot write to " + path + ": " + system_words();
    return {};
}

bool RecordingWriter::write(const Record& record) {
    if (file_ == nullptr || !problem_.empty()) return false;
    // By hand, since this happens for each datagram; all that could need quoting is written by the library.
    std::string line =
        "{\"t\":" + std::to_string(record.steady_ns) + ",\"wall\":" + std::to_string(record.wall_ns);
    const auto quoted = [](const std::string& text) {
        return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
    };
    if (record.kind == Record::Kind::mark) {
        line += ",\"mark\":" + quoted(record.bytes);
    } else {
        line += record.kind == Record::Kind::from_sitl ? ",\"from\":\"sitl\"" : ",\"from\":\"backend\"";
        line += ",\"peer\":" + quoted(record.peer);
        if (record.kind == Record::Kind::from_backend && is_plain_text(record.bytes)) {
            line += ",\"text\":" + quoted(record.bytes);
        } else {
            line += ",\"hex\":\"" + to_hex(record.bytes) + "\"";
        }
        if (!record.fate.empty()) line += ",\"fate\":" + quoted(record.fate);
    }
    line += "}\n";
    if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fflush(file_) != 0) {
        problem_ = "cannot write to " + path_ + ": " + system_words();
        return false;
    }
    return true;
}

std::string RecordingReader::open(const std::string& path) {
    path_ = path;
    file_.open(path, std::ios::binary);
    if (!file_) return "cannot read " + path + ": " + system_words();
    file_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(std::max<std::streamoff>(file_.tellg(), 0));
    file_.seekg(0);
    std::string line;
    if (!std::getline(file_, line)) return path + " is empty: it is not a recording";
    position_ = line.size() + 1;
    line_ = 1;
    const Json header = Json::parse(line, nullptr, false);
    if (!header.is_object() || !header.contains("ap_json_recording"))
        return path + " is not a recording of ap_json: its first line does not say so";
    if (header["ap_json_recording"] != format_version) {
        return path + " has version " + header["ap_json_recording"].dump() +
               " of the format; this program knows version " + std::to_string(format_version);
    }
    if (header.contains("note") && header["note"].is_string()) note_ = header["note"].get<std::string>();
    return {};
}

std::optional<Record> RecordingReader::next() {
    if (!problem_.empty()) return std::nullopt;
    std::string line;
    while (std::getline(file_, line)) {
        ++line_;
        position_ += line.size() + 1;
        const bool cut = file_.eof();  // no newline behind it
        Record record;
        std::string problem = parse_record(line, record);
        if (problem.empty() && record.steady_ns < newest_ns_)
            problem = "its time is before that of the line before";
        if (problem.empty()) {
            newest_ns_ = record.steady_ns;
            return record;
        }
        ++skipped_;
        if (repair_) continue;
        problem_ = path_ + " is damaged at line " + std::to_string(line_) + ": " + problem +
                   (cut ? ". The file ends within this line, as when a recorder is killed" : "") +
                   ". --repair passes over what is damaged";
        return std::nullopt;
    }
    return std::nullopt;
}

double RecordingReader::progress() const {
    return size_ == 0 ? 1 : std::min(1.0, static_cast<double>(position_) / static_cast<double>(size_));
}
