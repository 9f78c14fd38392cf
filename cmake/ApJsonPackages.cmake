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
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(about "The project ap_json links physics simulators to autopilots: ArduPilot SITL over\n\
its JSON interface, and with its siblings PX4 and CopterSim.")

# ap_json is libap-json, px4_hil is libap-json-px4-hil: as the name libap_json_px4_hil.so asks for.
function(ap_json_debian_name result component)
  string(REPLACE "_" "-" name "libap-json-${component}")
  string(REPLACE "libap-json-ap-json" "libap-json" name "${name}")
  set(${result} ${name} PARENT_SCOPE)
endfunction()

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
  get_property(needs GLOBAL PROPERTY AP_JSON_${component}_NEEDS)
  get_property(depends GLOBAL PROPERTY AP_JSON_${component}_DEBIAN_DEPENDS)  # of the development package
  set(runtime_depends "")
  ap_json_debian_name(name ${component})
  list(APPEND depends "${name}${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
  foreach(other ${needs})
    ap_json_debian_name(other_name ${other})
    list(APPEND depends "${other_name}-dev (= ${PROJECT_VERSION})")
    list(APPEND runtime_depends "${other_name}${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
  endforeach()
  if(NOT component STREQUAL "ap_json")  # find_package(ap_json) reads the core's files
    list(APPEND depends "libap-json-dev (= ${PROJECT_VERSION})")
  endif()
  list(REMOVE_DUPLICATES depends)
  list(JOIN depends ", " depends)
  list(JOIN runtime_depends ", " runtime_depends)
  ap_json_debian_package(${component}_runtime ${name}${PROJECT_VERSION_MAJOR} libs
    "link of simulators to ArduPilot: ${component}"
    "This package holds the shared libraries of its part ${component}." "${runtime_depends}")
  # The trigger in place of the calls of ldconfig that CPack would write: it leaves those to files that are named here, and
  # there are none.
  string(TOUPPER ${component}_runtime upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/triggers ${PROJECT_SOURCE_DIR}/packaging/none/postinst
    ${PROJECT_SOURCE_DIR}/packaging/none/postrm)
  ap_json_debian_package(${component}_development ${name}-dev libdevel
    "link of simulators to ArduPilot: ${component}, development"
    "This package holds headers and static libraries of its part ${component},\nfor CMake and pkg-config."
    "${depends}")
endforeach()
set(CPACK_DEBIAN_AP_JSON_DEVELOPMENT_PACKAGE_SUGGESTS nlohmann-json3-dev)
if(TARGET ap_json_tool)
  ap_json_debian_package(ap_json_tools ap-json-tools devel "checks, records and replays a link to ArduPilot SITL"
    "This package holds the program ap_json." "")
endif()
include(CPack)
