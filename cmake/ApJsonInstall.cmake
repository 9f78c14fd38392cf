# ApJsonInstall.cmake - what is installed: components, each found by find_package(ap_json COMPONENTS name) and by
# pkg-config, static and shared side by side.
include(CMakePackageConfigHelpers)

set(AP_JSON_KIND static)
if(BUILD_SHARED_LIBS)
  set(AP_JSON_KIND shared)
endif()
set(AP_JSON_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/ap_json)

# ap_json_install_component(COMPONENT TARGETS ...): what find_package(ap_json COMPONENTS COMPONENT) finds: the targets, the
# headers in include/COMPONENT, and for each library a .pc file. When the component needs other packages,
# cmake/COMPONENTDependencies.cmake finds them with find_dependency().
function(ap_json_install_component component)
  if(NOT AP_JSON_INSTALL)
    return()
  endif()
  set(runtime ${component}_runtime)
  set(development ${component}_development)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/${component} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT ${development})
  install(TARGETS ${ARGN} EXPORT ${component}-${AP_JSON_KIND}
    RUNTIME COMPONENT ${runtime}
    LIBRARY COMPONENT ${runtime} NAMELINK_COMPONENT ${development}
    ARCHIVE COMPONENT ${development})
  install(EXPORT ${component}-${AP_JSON_KIND} NAMESPACE ap_json:: DESTINATION ${AP_JSON_CMAKE_FOLDER}
    COMPONENT ${development})
  if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/${component}Dependencies.cmake)
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/${component}Dependencies.cmake DESTINATION ${AP_JSON_CMAKE_FOLDER}
      COMPONENT ${development})
  endif()
  foreach(target ${ARGN})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      ap_json_find_libraries_from(${target} ${CMAKE_INSTALL_FULL_LIBDIR})
      ap_json_install_pkg_config(${target} ${development})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY AP_JSON_COMPONENTS ${component})
endfunction()

# A .pc file that works wherever the installation is moved to. Properties of the target that it takes: PC_DESCRIPTION;
# PC_REQUIRES_PRIVATE and PC_LIBS_PRIVATE, which are what a static library needs beside Threads and other libraries of ours.
function(ap_json_install_pkg_config target component)
  foreach(property DESCRIPTION REQUIRES_PRIVATE LIBS_PRIVATE)
    get_target_property(pc_${property} ${target} PC_${property})
    if(NOT pc_${property})
      set(pc_${property} "")
    endif()
  endforeach()
  if(NOT pc_DESCRIPTION)
    set(pc_DESCRIPTION "${PROJECT_DESCRIPTION}")
  endif()
  get_target_property(libraries ${target} LINK_LIBRARIES)
  foreach(library ${libraries})
    if(library STREQUAL "Threads::Threads")
      string(APPEND pc_LIBS_PRIVATE " -pthread")
    elseif(library MATCHES "^ap_json::(.*)$")
      get_target_property(original ${library} ALIASED_TARGET)
      string(APPEND pc_REQUIRES_PRIVATE " ${original}")
    endif()
  endforeach()
  file(RELATIVE_PATH pc_to_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
  string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
  file(RELATIVE_PATH pc_libdir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  file(RELATIVE_PATH pc_includedir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/library.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT ${component})
endfunction()

# The installed program or library finds our shared libraries wherever the installation is moved to.
function(ap_json_find_libraries_from target folder)
  set(origin "\$ORIGIN")
  if(APPLE)
    set(origin "@loader_path")
  endif()
  file(RELATIVE_PATH way "${folder}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  if(way)
    string(APPEND origin "/${way}")
    string(REGEX REPLACE "/$" "" origin "${origin}")
  endif()
  if(BUILD_SHARED_LIBS)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${origin}")
  endif()
endfunction()

# What does not belong to one component: the files that find_package() reads first, and the licences.
function(ap_json_install_package_files)
  if(NOT AP_JSON_INSTALL)
    return()
  endif()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ap_jsonConfig.cmake.in
    ${PROJECT_BINARY_DIR}/ap_jsonConfig.cmake INSTALL_DESTINATION ${AP_JSON_CMAKE_FOLDER})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/ap_jsonConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/ap_jsonConfig.cmake ${PROJECT_BINARY_DIR}/ap_jsonConfigVersion.cmake
    DESTINATION ${AP_JSON_CMAKE_FOLDER} COMPONENT ap_json_development)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT ap_json_licences)
endfunction()
