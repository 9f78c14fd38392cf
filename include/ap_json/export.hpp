// export.hpp - marks what a shared ap_json library exports. Nothing here for users.
#pragma once

#if !defined(AP_JSON_SHARED)
#define AP_JSON_API
#elif !defined(_WIN32)
#define AP_JSON_API [[gnu::visibility("default")]]
#elif defined(AP_JSON_BUILDING)
#define AP_JSON_API __declspec(dllexport)
#else
#define AP_JSON_API __declspec(dllimport)
#endif
