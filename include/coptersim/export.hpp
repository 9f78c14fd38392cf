// export.hpp - marks what a shared coptersim library exports. Nothing here for users.
#pragma once

#if !defined(COPTERSIM_SHARED)
#define COPTERSIM_API
#elif !defined(_WIN32)
#define COPTERSIM_API [[gnu::visibility("default")]]
#elif defined(COPTERSIM_BUILDING)
#define COPTERSIM_API __declspec(dllexport)
#else
#define COPTERSIM_API __declspec(dllimport)
#endif
