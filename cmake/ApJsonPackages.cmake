# ApJsonPackages.cmake - Debian packages and a .tar.gz of what is installed, made by CPack; scripts/package.sh runs it with
# the static and the shared build at once.
set(AP_JSON_PACKAGE_CONTACT "The ap_json authors <authors@ap-json.example>" CACHE STRING
  "Name and mail address of who makes the packages")

set(CPACK_PACKAGE_NAME ap_json)
set(CPACK_PACKAGE_VENDOR "The ap_json authors")
set(CPACK_PACKAGE_CONTACT "${AP_JSON_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # or else it would be the first line of every package
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/before_package.cmake)
set(CPACK_AP_JSON_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(debian_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(about "Physics simulators get ArduPilot's servo outputs and give the vehicle's state\n\
back, over SITL's JSON interface.")

# ap_json_debian_package(COMPONENT NAME SECTION SUMMARY TEXT DEPENDS)
macro(ap_json_debian_package component name section summary text depends)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${about}\n\n${text}")
endmacro()

set(CPACK_COMPONENTS_ALL "")
get_property(components GLOBAL PROPERTY AP_JSON_COMPONENTS)
foreach(component ${components})
  # ap_json is libap-json1, px4_hil is libap-json-px4-hil1: as the file libap_json_px4_hil.so.1 asks for.
  set(library libap-json)
  if(NOT component STREQUAL "ap_json")
    string(REPLACE "_" "-" library libap-json-${component})
  endif()
  set(runtime ${library}${PROJECT_VERSION_MAJOR})
  get_property(extra GLOBAL PROPERTY AP_JSON_${component}_DEBIAN_DEPENDS)
  list(JOIN extra ", " extra)
  set(depends "${runtime} (= ${debian_version})")
  if(NOT component STREQUAL "ap_json")
    string(APPEND depends ", libap-json-dev (= ${debian_version})")
  endif()
  if(extra)
    string(APPEND depends ", ${extra}")
  endif()
  ap_json_debian_package(${component}_runtime ${runtime} libs "link of simulators to ArduPilot: ${component}"
    "This package holds the shared libraries of its part ${component}." "")
  ap_json_debian_package(${component}_development ${library}-dev libdevel
    "link of simulators to ArduPilot: ${component}, development"
    "This package holds headers and static libraries of its part ${component}, for CMake and\npkg-config."
    "${depends}")
endforeach()
set(CPACK_DEBIAN_AP_JSON_DEVELOPMENT_PACKAGE_SUGGESTS nlohmann-json3-dev)
if(TARGET ap_json_tool)
  ap_json_debian_package(ap_json_tools ap-json-tools devel "checks, records and replays a link to ArduPilot SITL"
    "This package holds the program ap_json." "")
endif()
include(CPack)
