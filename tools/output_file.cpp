// output_file.cpp - see output_file.hpp.
#include "output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

OutputFile::~OutputFile() {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    if (written_path_ != path_) std::remove(written_path_.c_str());
}

std::string OutputFile::open(const std::string& path) {
    path_ = path;
    if (path == "-") {
        file_ = stdout;
        return {};
    }
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(status)) return "cannot write to " + path + ": it is a folder";
    const bool ordinary = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
    written_path_ = ordinary ? path + ".part" : path;
    file_ = std::fopen(written_path_.c_str(), "wb");
    return file_ != nullptr ? "" : "cannot write to " + path + ": " + std::strerror(errno);
}

void OutputFile::write(const std::string& text) {
    if (failed_ || file_ == nullptr) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return;
    failed_ = true;
    reason_ = std::strerror(errno);
}

std::string OutputFile::finish() {
    if (file_ == nullptr) return "cannot write to " + path_;
    bool good = std::fflush(file_) == 0 && !failed_;
    if (!good && reason_.empty()) reason_ = std::strerror(errno);
    if (file_ != stdout) {
        good = std::fclose(file_) == 0 && good;
        if (!good && reason_.empty()) reason_ = std::strerror(errno);
        if (written_path_ != path_) {
            std::error_code error;
            if (good) std::filesystem::rename(written_path_, path_, error);
            if (error) reason_ = error.message();
            good = good && !error;
            if (!good) std::remove(written_path_.c_str());
        }
    }
    file_ = nullptr;
    return good ? "" : "cannot write to " + path_ + ": " + reason_;
}
