// serial.cpp - the serial port of POSIX systems.
#include "message_writer.hpp"
#include "px4_hil/transport.hpp"

#if !defined(_WIN32)

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "../ap_json/udp_socket.hpp"

namespace px4_hil {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_write{20};

class SerialPort final : public Transport {
  public:
    SerialPort(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
    ~SerialPort() override {
        ::ioctl(descriptor_, TIOCNXCL);
        ::close(descriptor_);
    }

    void wait(milliseconds timeout) noexcept override {
        // A device that is gone is always readable: then the timeout has to pass in another way.
        pollfd entry{descriptor_, static_cast<short>(gone_ ? 0 : POLLIN), 0};
        ::poll(gone_ ? nullptr : &entry, gone_ ? 0 : 1, static_cast<int>(timeout.count()));
    }

    std::ptrdiff_t read(unsigned char* buffer, std::size_t capacity) noexcept override {
        const ssize_t count = ::read(descriptor_, buffer, capacity);
        if (count > 0) return count;
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
        if (count == 0) {  // nothing, or the end: a device that has hung up says so to poll
            pollfd entry{descriptor_, POLLIN, 0};
            if (::poll(&entry, 1, 0) >= 0 && (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) return 0;
        }
        gone_ = true;
        return -1;
    }

    Error write(const unsigned char* data, std::size_t size) noexcept override {
        const auto deadline = std::chrono::steady_clock::now() + longest_write;
        while (size > 0) {
            const ssize_t count = ::write(descriptor_, data, size);
            if (count > 0) {
                data += count;
                size -= static_cast<std::size_t>(count);
                continue;
            }
            const int number = errno;
            const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
            if ((number != EAGAIN && number != EINTR) || left <= milliseconds(0)) {
                MessageWriter text;
                return error(ErrorCode::port_write_failed,
                             text << "cannot write to " << name_ << ": "
                                  << ap_json::UdpSocket::error_text(number).view());
            }
            pollfd entry{descriptor_, POLLOUT, 0};
            ::poll(&entry, 1, static_cast<int>(left.count()));
        }
        return {};
    }

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  private:
    int descriptor_;
    std::string name_;
    bool gone_ = false;
};

struct Speed {
    unsigned baud;
    speed_t code;
};
constexpr Speed speeds[] = {
    {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
    {115200, B115200},   {230400, B230400},
#if defined(B460800)
    {460800, B460800},
#endif
#if defined(B500000)
    {500000, B500000},
#endif
#if defined(B921600)
    {921600, B921600},
#endif
#if defined(B1000000)
    {1000000, B1000000}, {1500000, B1500000}, {2000000, B2000000}, {3000000, B3000000},
#endif
};

}  // namespace

Error open_serial(const SerialOptions& options, TransportPtr& transport) {
    MessageWriter text;
    const auto* const speed = std::find_if(std::begin(speeds), std::end(speeds),
                                           [&](const Speed& each) { return each.baud == options.baud; });
    if (speed == std::end(speeds)) {
        return error(ErrorCode::bad_option, text << options.baud
                                                 << " baud is not a speed of this system's serial ports; "
                                                    "921600 and 115200 are");
    }
    const auto failed = [&](int descriptor) {
        const int number = errno;
        if (descriptor >= 0) ::close(descriptor);
        text << "cannot open " << options.device << ": " << ap_json::UdpSocket::error_text(number).view();
        if (number == EACCES) text << ". Your user needs to be in the device's group (Debian: dialout)";
        if (number == EBUSY)
            text << ". Another program has it open, such as a ground station or ModemManager";
        return error(ErrorCode::port_open_failed, text);
    };
    const int descriptor = ::open(options.device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return failed(descriptor);
    termios settings{};
    if (::tcgetattr(descriptor, &settings) != 0) return failed(descriptor);
    settings.c_iflag = 0;
    settings.c_oflag = 0;
    settings.c_lflag = 0;
    settings.c_cflag = CS8 | CREAD | CLOCAL;
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    ::cfsetispeed(&settings, speed->code);
    ::cfsetospeed(&settings, speed->code);
    if (::tcsetattr(descriptor, TCSANOW, &settings) != 0) return failed(descriptor);
    if (::ioctl(descriptor, TIOCEXCL) != 0) return failed(descriptor);
    transport = std::make_unique<SerialPort>(descriptor, options.device);
    return {};
}

std::vector<std::string> serial_candidates(const std::string& pattern) {
    std::vector<std::string> found;
    for (const char* each : {pattern.c_str(), "/dev/ttyACM*", "/dev/tty.usbmodem*"}) {
        glob_t names{};
        if (*each != '\0' && ::glob(each, 0, nullptr, &names) == 0) {
            for (std::size_t i = 0; i < names.gl_pathc; ++i) {
                if (std::find(found.begin(), found.end(), names.gl_pathv[i]) == found.end())
                    found.emplace_back(names.gl_pathv[i]);
            }
        }
        if (*each != '\0') ::globfree(&names);
    }
    return found;
}

}  // namespace px4_hil

#else

namespace px4_hil {

Error open_serial(const SerialOptions&, TransportPtr&) {
    return {ErrorCode::unsupported,
            "serial ports are not supported on Windows: forward the port to UDP, with "
            "mavlink-router in WSL for example, and use udp:PORT"};
}

std::vector<std::string> serial_candidates(const std::string&) { return {}; }

}  // namespace px4_hil

#endif
