# What `cmake --install` puts where, and the package that find_package(MetaSan) finds.
include(CMakePackageConfigHelpers)
set(METASAN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/MetaSan)

install(DIRECTORY include/metasan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(METASAN_BUILD_RUNTIME)
  install(TARGETS metasan_runtime EXPORT MetaSanTargets)
  install(EXPORT MetaSanTargets NAMESPACE MetaSan:: DESTINATION ${METASAN_CMAKE_DIR})
endif()
if(METASAN_BUILD_ANALYZER)
  install(TARGETS metasan-tidy RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS MetaSanTidy MetaSanPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

configure_package_config_file(cmake/MetaSanConfig.cmake.in ${PROJECT_BINARY_DIR}/MetaSanConfig.cmake
                              INSTALL_DESTINATION ${METASAN_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/MetaSanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/MetaSanConfig.cmake ${PROJECT_BINARY_DIR}/MetaSanConfigVersion.cmake
              cmake/MetaSanEnableChecks.cmake
        DESTINATION ${METASAN_CMAKE_DIR})
