// bare_backend.cpp - the smallest physics backend there can be: receive, snprintf, send. What to compare
// speed with. usage: bare_backend block|spin PORT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(_WIN32)
int main() { return 1; }
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const int flags = std::strcmp(argv[1], "spin") == 0 ? MSG_DONTWAIT : 0;
    const int handle = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    own.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[2])));
    if (bind(handle, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0) return 1;
    std::uint32_t last = 0xFFFFFFFF;
    long steps = 0;
    for (;;) {
        unsigned char packet[128];
        sockaddr_in from{};
        socklen_t length = sizeof from;
        const auto size =
            recvfrom(handle, packet, sizeof packet, flags, reinterpret_cast<sockaddr*>(&from), &length);
        if (size != 40) continue;
        std::uint32_t count = 0;
        std::memcpy(&count, packet + 4, 4);
        if (count != last) ++steps;
        last = count;
        char line[512];
        const int written = std::snprintf(line, sizeof line,
                                          "\n{\"timestamp\":%.9f,\"imu\":{\"gyro\":[0,0,0],\"accel_body\":[0,"
                                          "0,-9.80665]},\"position\":[0,0,0],"
                                          "\"attitude\":[0,0,0],\"velocity\":[0,0,0]}\n",
                                          static_cast<double>(steps) * 0.0025);
        sendto(handle, line, static_cast<std::size_t>(written), 0, reinterpret_cast<sockaddr*>(&from),
               length);
    }
}
#endif
