# ApJsonTarget.cmake - what all targets of this project have in common: language standard, warnings, sanitizers.

# Compiler settings of a target of ours; nothing of it reaches who links against it.
function(ap_json_compile_settings target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /utf-8 $<$<BOOL:${AP_JSON_WARNINGS_AS_ERRORS}>:/WX>)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
    $<$<BOOL:${AP_JSON_WARNINGS_AS_ERRORS}>:-Werror>)
  if(AP_JSON_NO_EXCEPTIONS)
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  endif()
  if(AP_JSON_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${AP_JSON_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${AP_JSON_SANITIZE})
  endif()
endfunction()

# A library of ours: target NAME, alias and exported as ap_json::NAME without the prefix "ap_json_".
function(ap_json_add_library name)
  add_library(${name} ${ARGN})
  string(REGEX REPLACE "^ap_json_" "" export_name ${name})
  add_library(ap_json::${export_name} ALIAS ${name})
  ap_json_compile_settings(${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${name} PROPERTIES
    EXPORT_NAME ${export_name} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(${name} PUBLIC AP_JSON_SHARED PRIVATE AP_JSON_BUILDING)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
      target_link_options(${name} PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
    endif()
  endif()
  if(WIN32)
    target_link_libraries(${name} PRIVATE ws2_32)
  endif()
endfunction()
