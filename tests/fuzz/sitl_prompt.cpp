// sitl_prompt.cpp - fuzzes the commands of `ap_json sitl`, from its prompt or a script, one a line. The session is not
// started, and waits end at once, as after Ctrl-C.
#include <interrupt.hpp>
#include <sitl_session.hpp>
#include <sstream>

#include "fuzz.hpp"
#include "program.hpp"

namespace {

using Outcome = SitlSession::Outcome;
using fuzz::check;

/// Where the answers go to.
class Answers {
  public:
    Answers() : file_(std::tmpfile()) { check(file_ != nullptr, "a file"); }
    ~Answers() { std::fclose(file_); }
    Answers(const Answers&) = delete;
    Answers& operator=(const Answers&) = delete;
    [[nodiscard]] std::FILE* file() const { return file_; }
    [[nodiscard]] long size() const { return std::ftell(file_); }

  private:
    std::FILE* file_;
};

void execute(SitlSession& session, const std::string& line, const Answers& answers) {
    const long before = answers.size();
    const fuzz::CaughtOutput caught;
    const Outcome outcome = session.execute(line);
    if (outcome == Outcome::quit) check(answers.size() == before, "the end needs no answer");
    const bool waits = line.find("wait") != std::string::npos || line.find("watch") != std::string::npos ||
                       line.find("arm") != std::string::npos;
    if (outcome == Outcome::failed && !waits) check(!caught.errors().empty(), "a failure is explained");
    check(session.prompt().size() > 2, "a prompt");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    interrupted = 1;
    const Answers answers;
    SitlSession session(ap_json::SitlStandInOptions{}, answers.file());
    std::istringstream lines(std::string(data, data + size));
    int commands = 0;
    for (std::string line; std::getline(lines, line) && commands < 100; ++commands)
        execute(session, line, answers);
    session.print_summary();
    return 0;
}
