// pseudo_terminal.cpp - see pseudo_terminal.hpp.
#include "pseudo_terminal.hpp"

#include "message_writer.hpp"

#if !defined(_WIN32)

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>  // NOLINT(*-deprecated-headers): posix_openpt and its kin
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "../ap_json/udp_socket.hpp"

namespace px4_hil {
namespace {

using std::chrono::milliseconds;

class PseudoTerminal final : public Transport {
  public:
    ~PseudoTerminal() override {
        if (other_end_ >= 0) ::close(other_end_);
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    bool open() {
        descriptor_ = ::posix_openpt(O_RDWR | O_NOCTTY);
        if (descriptor_ < 0 || ::grantpt(descriptor_) != 0 || ::unlockpt(descriptor_) != 0) return false;
        name_ = ::ptsname(descriptor_);
        // Kept open, so that the line does not hang up when the station leaves; an autopilot stays, too.
        other_end_ = ::open(name_.c_str(), O_RDWR | O_NOCTTY);
        termios settings{};
        if (other_end_ < 0 || ::tcgetattr(other_end_, &settings) != 0) return false;
        settings.c_iflag = settings.c_oflag = settings.c_lflag = 0;
        settings.c_cflag = CS8 | CREAD | CLOCAL;
        return ::tcsetattr(other_end_, TCSANOW, &settings) == 0 &&
               ::fcntl(descriptor_, F_SETFL, O_NONBLOCK) == 0;
    }

    void wait(milliseconds timeout) noexcept override {
        pollfd entry{descriptor_, POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(timeout.count()));
    }

    std::ptrdiff_t read(unsigned char* buffer, std::size_t capacity) noexcept override {
        const ssize_t count = ::read(descriptor_, buffer, capacity);
        return count > 0 ? count : 0;
    }

    Error write(const unsigned char* data, std::size_t size) noexcept override {
        // With nobody there the line fills up: what does not fit is lost, as on a wire.
        static_cast<void>(::write(descriptor_, data, size) < 0);
        return {};
    }

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  private:
    int descriptor_ = -1;
    int other_end_ = -1;
    std::string name_;
};

}  // namespace

Error open_pseudo_terminal(TransportPtr& transport, std::string& device) {
    auto created = std::make_unique<PseudoTerminal>();
    if (!created->open()) {
        MessageWriter text;
        return error(ErrorCode::port_open_failed, text << "cannot make a pseudo-terminal: "
                                                       << ap_json::UdpSocket::error_text(errno).view());
    }
    device = created->name();
    transport = std::move(created);
    return {};
}

}  // namespace px4_hil

#else

namespace px4_hil {

Error open_pseudo_terminal(TransportPtr&, std::string&) {
    return {ErrorCode::unsupported, "there are no pseudo-terminals on Windows: use udp:PORT or tcp:PORT"};
}

}  // namespace px4_hil

#endif
