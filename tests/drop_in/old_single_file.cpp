// old_single_file.cpp - a program that includes the .cpp in place of the header, the socket header it does
// not use, and the macro for the number of channels. It only has to build.
#include <stdlib.h>

#include "SocketExample.h"
#include "libAP_JSON.cpp"

uint16_t servo_out[MAX_SERVO_CHANNELS];

int main() {
    libAP_JSON ap;
    uint16_t* pointer = servo_out;
    return ap.ap_online || ap.ReceiveServoPacket(servo_out) || ap.ReceiveServoPacket(pointer) ? EXIT_FAILURE
                                                                                              : EXIT_SUCCESS;
}
