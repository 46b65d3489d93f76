# Generates haptos/version.h with the project's version and, in a git checkout, its commit.
set(HAPTOS_GENERATED_DIR ${CMAKE_CURRENT_BINARY_DIR}/generated)
set(HAPTOS_COMMIT "")
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE haptos_head OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE haptos_git_failed)
  if(NOT haptos_git_failed)
    set(HAPTOS_COMMIT ${haptos_head})
  endif()
  # A new commit configures again; the header is rewritten only when its text changes.
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                           ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${HAPTOS_GENERATED_DIR}/haptos/version.h @ONLY)
