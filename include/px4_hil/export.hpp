// export.hpp - marks what a shared px4_hil library exports. Nothing here for users.
#pragma once

#if !defined(PX4_HIL_SHARED)
#define PX4_HIL_API
#elif !defined(_WIN32)
#define PX4_HIL_API [[gnu::visibility("default")]]
#elif defined(PX4_HIL_BUILDING)
#define PX4_HIL_API __declspec(dllexport)
#else
#define PX4_HIL_API __declspec(dllimport)
#endif
