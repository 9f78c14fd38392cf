# ApJsonTarget.cmake - what all targets of this project have in common: language standard, warnings, sanitizers.

# Compiler settings of a target of ours; nothing of it reaches who links against it.
function(ap_json_compile_settings target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  # The build folder's path in a program would make its bytes depend on where it was built.
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF BUILD_RPATH_USE_ORIGIN ON)
  if(AP_JSON_POSIX_ONLY)
    target_compile_definitions(${target} PRIVATE AP_JSON_POSIX_ONLY)
  endif()
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
  if(AP_JSON_FUZZ)  # also so that llvm-cov can tell which lines the inputs reach
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping)
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    target_link_options(${target} PUBLIC -fprofile-instr-generate)
  endif()
endfunction()

# ap_json_add_library(NAME [NAMESPACE namespace] SOURCES ...): a library of ours, as target NAME; alias and exported as
# ap_json::NAME without the prefix "ap_json_". A shared one shows what is in the namespace (default: ap_json).
function(ap_json_add_library name)
  cmake_parse_arguments(arg "" "NAMESPACE" "SOURCES" ${ARGN})
  add_library(${name} ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY AP_JSON_LIBRARIES ${name})
  string(REGEX REPLACE "^ap_json_" "" export_name ${name})
  add_library(ap_json::${export_name} ALIAS ${name})
  ap_json_compile_settings(${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${name} PROPERTIES
    EXPORT_NAME ${export_name} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  set(namespace ap_json)
  if(arg_NAMESPACE)
    set(namespace ${arg_NAMESPACE})
  endif()
  if(BUILD_SHARED_LIBS)
    # Such as AP_JSON_SHARED for who links the library, and AP_JSON_BUILDING for the library itself; see export.hpp.
    string(TOUPPER ${namespace} macro)
    target_compile_definitions(${name} PUBLIC ${macro}_SHARED PRIVATE ${macro}_BUILDING)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
      set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
      configure_file(${PROJECT_SOURCE_DIR}/cmake/exports.map.in ${map} @ONLY)
      target_link_options(${name} PRIVATE "LINKER:--version-script=${map}")
      set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${map})
    endif()
  endif()
  if(WIN32)
    target_link_libraries(${name} PRIVATE ws2_32)
  endif()
endfunction()
