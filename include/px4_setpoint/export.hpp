// export.hpp - marks what a shared px4_setpoint library exports. Nothing here for users.
#pragma once

#if !defined(PX4_SETPOINT_SHARED)
#define PX4_SETPOINT_API
#elif !defined(_WIN32)
#define PX4_SETPOINT_API [[gnu::visibility("default")]]
#elif defined(PX4_SETPOINT_BUILDING)
#define PX4_SETPOINT_API __declspec(dllexport)
#else
#define PX4_SETPOINT_API __declspec(dllimport)
#endif
