// libAP_JSON.cpp - for programs that include the .cpp in place of the header, as ArduPilot's single-file
// build does.
#include "libAP_JSON.h"
