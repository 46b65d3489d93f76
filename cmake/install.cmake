# Installs the library so that another project can write
#   find_package(haptos CONFIG REQUIRED)
#   target_link_libraries(app PRIVATE haptos::haptos)
# The Python wheel carries its own copy of the library and installs none of this.
if(SKBUILD)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(HAPTOS_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/haptos)

install(TARGETS haptos EXPORT haptosTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/haptos DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${HAPTOS_GENERATED_DIR}/haptos/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/haptos)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/haptos)
install(EXPORT haptosTargets NAMESPACE haptos:: DESTINATION ${HAPTOS_CMAKE_DIR})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/haptosConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/haptosConfig.cmake
                              INSTALL_DESTINATION ${HAPTOS_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/haptosConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/haptosConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/haptosConfigVersion.cmake
        DESTINATION ${HAPTOS_CMAKE_DIR})
