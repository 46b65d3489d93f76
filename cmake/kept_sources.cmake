# Hashes of the code that makes what is kept in the cache: what is kept was made by the same code.
set(HAPTOS_KEPT_BASE
    ${PROJECT_SOURCE_DIR}/haptos/geometry/tree/*
    ${PROJECT_SOURCE_DIR}/haptos/geometry/mesh/*
    ${PROJECT_SOURCE_DIR}/haptos/geometry/query/bvh.h
    ${PROJECT_SOURCE_DIR}/haptos/geometry/query/closest.h
    ${PROJECT_SOURCE_DIR}/haptos/base/cache/digest.cpp
    ${PROJECT_SOURCE_DIR}/haptos/base/cache/kept_parts.h
    ${PROJECT_SOURCE_DIR}/haptos/base/math/*)

# Defines `macro` for `source` as the hash of the files that the other patterns name.
function(haptos_kept_sources macro source)
  file(GLOB code CONFIGURE_DEPENDS ${ARGN} ${HAPTOS_KEPT_BASE})
  set(hashes "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  foreach(file ${code})
    file(SHA256 ${file} hash)
    string(APPEND hashes " ${hash}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${code})
  string(SHA256 all "${hashes}")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/${source}
                              PROPERTIES COMPILE_DEFINITIONS ${macro}="${all}")
endfunction()

haptos_kept_sources(HAPTOS_SOUP_SOURCES haptos/geometry/soup/soup_kept.cpp
                    ${PROJECT_SOURCE_DIR}/haptos/geometry/soup/soup*)
haptos_kept_sources(HAPTOS_FIELD_SOURCES haptos/geometry/field/field_kept.cpp
                    ${PROJECT_SOURCE_DIR}/haptos/geometry/field/*_field*)
haptos_kept_sources(HAPTOS_COAT_SOURCES haptos/sim/coats/compliance_kept.cpp
                    ${PROJECT_SOURCE_DIR}/haptos/sim/coats/*
                    ${PROJECT_SOURCE_DIR}/haptos/system/coat/*
                    ${PROJECT_SOURCE_DIR}/haptos/bodies/elastic/*)
