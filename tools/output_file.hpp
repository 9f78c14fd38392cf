// output_file.hpp - a file that is there whole or not at all: written beside its place, and put there at the end.
#pragma once

#include <cstdio>
#include <string>

class OutputFile {
  public:
    OutputFile() = default;
    /// Takes away what was not finished.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// @param path  "-" is standard output; what is no ordinary file, such as a pipe, is written to directly
    /// @return empty, or why not
    std::string open(const std::string& path);

    /// A failure is told by finish().
    void write(const std::string& text);

    /// @return empty, or why the file is not there
    std::string finish();

    [[nodiscard]] bool failed() const { return failed_; }

  private:
    std::string path_;
    std::string written_path_;  // where it is until it is finished
    std::FILE* file_ = nullptr;
    bool failed_ = false;
    std::string reason_;
};
