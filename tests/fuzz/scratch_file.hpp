// scratch_file.hpp - a folder of this process's own for files that a fuzzer needs, gone when the process ends.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace fuzz {

class ScratchFolder {
  public:
    ScratchFolder()
        : folder_(std::filesystem::temp_directory_path() /
                  ("ap_json_fuzz_" + std::to_string(std::random_device()()))) {
        std::filesystem::create_directories(folder_);
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }

    [[nodiscard]] std::string text(const char* name) const {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

  private:
    std::filesystem::path folder_;
};

}  // namespace fuzz
