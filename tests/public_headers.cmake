# public_headers.cmake - each public header in a source file of its own: it needs no other header in front of it, gives no
# warning, and can be included twice. That this builds is half of the test; the program public_headers_test, which all of
# them are linked into, is the other. The target public_headers_no_exceptions is the same without exceptions and RTTI, and
# is built when asked for.
set(headers_alone "")
set(header_sources "")
foreach(folder ap_json px4_hil px4_setpoint coptersim)
  if(TARGET ap_json::${folder})
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
         ${PROJECT_SOURCE_DIR}/include/${folder}/*.hpp ${PROJECT_SOURCE_DIR}/include/${folder}/*.h)
    foreach(header ${headers})
      string(MAKE_C_IDENTIFIER ${header} name)
      set(source ${CMAKE_CURRENT_BINARY_DIR}/public_headers/${name}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n")
      list(APPEND header_sources ${source})
    endforeach()
    list(APPEND headers_alone ap_json::${folder})
  endif()
endforeach()

# ap_json_headers_alone(NAME OPTIONS...): all of them as objects, with these compiler options.
function(ap_json_headers_alone name)
  add_library(${name} OBJECT ${header_sources})
  ap_json_compile_settings(${name})
  target_compile_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE ${headers_alone} nlohmann_json::nlohmann_json)
endfunction()

ap_json_headers_alone(public_headers)
if(NOT MSVC)
  ap_json_headers_alone(public_headers_no_exceptions -fno-exceptions -fno-rtti)
  set_target_properties(public_headers_no_exceptions PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
ap_json_test(public_headers_test LABEL core LIBRARIES ${headers_alone} public_headers)
target_compile_definitions(public_headers_test PRIVATE INCLUDE_FOLDER="${PROJECT_SOURCE_DIR}/include/")
