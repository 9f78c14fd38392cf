// SocketExample.h - for programs that include ArduPilot's socket header beside libAP_JSON.h without using it.
#pragma once
