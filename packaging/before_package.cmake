# before_package.cmake - run by CPack once all files are in place: adds what Debian asks of every package, and gives all
# files the time SOURCE_DATE_EPOCH, so that the same source always makes the same bytes.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  message(FATAL_ERROR "SOURCE_DATE_EPOCH is not set; scripts/package.sh does it")
endif()
set(folder ${CPACK_TEMPORARY_DIRECTORY})

if(CPACK_GENERATOR STREQUAL "DEB")
  execute_process(COMMAND date -u -R -d @$ENV{SOURCE_DATE_EPOCH} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${CPACK_AP_JSON_SOURCE_DIR}/LICENSE copyright)
  foreach(component ${CPACK_COMPONENTS_ALL})
    string(TOUPPER ${component} upper)
    set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    set(doc ${folder}/${component}/usr/share/doc/${name})
    file(WRITE ${doc}/copyright "${copyright}")
    if(component STREQUAL "ap_json_tools")
      file(READ ${CPACK_AP_JSON_SOURCE_DIR}/THIRD_PARTY.md others)
      string(REGEX REPLACE "^.*(\n## nlohmann_json)" "\\1" others "${others}")  # the notices; not the table of all
      file(APPEND ${doc}/copyright "\n${others}")
    endif()
    file(WRITE ${doc}/changelog "ap-json (${CPACK_PACKAGE_VERSION}) unstable; \
urgency=medium\n\n  * Version ${CPACK_PACKAGE_VERSION}.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    file(GLOB pages ${folder}/${component}/usr/share/man/*/*)
    execute_process(COMMAND gzip -9nf ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()

execute_process(COMMAND find ${folder} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} + COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${folder} -type d -exec chmod 755 {} + COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${folder} -type f -exec chmod u=rwX,go=rX {} + COMMAND_ERROR_IS_FATAL ANY)
