# Files with kernels, listed once. The same files are compiled by the C++ compiler in every build
# and by nvcc in a CUDA build (HAPTOS_CUDA=ON).

# Sources of the library that launch kernels.
set(HAPTOS_KERNEL_SOURCES
  haptos/base/array.cpp
  haptos/geometry/pressure/pressure_leaves.cpp
  haptos/sim/batch/kernel_batch.cpp
)

# Headers that kernels include: a CUDA build checks that nvcc accepts each of them on its own.
set(HAPTOS_KERNEL_HEADERS
  haptos/base/array.h
  haptos/base/math/elementary.h
  haptos/base/launch.h
  haptos/base/math/math.h
  haptos/base/parallel.h
  haptos/base/math/scalar.h
  haptos/contact/live/pairs/barrier_law.h
  haptos/contact/frozen/law/sap_law.h
  haptos/bodies/elastic/elastic_kernel.h
  haptos/bodies/elastic/elastic_laws.h
  haptos/bodies/elastic/elastic_point.h
  haptos/geometry/field/field_view.h
  haptos/geometry/field/shape_distance.h
  haptos/geometry/pressure/leaf_cutter.h
  haptos/geometry/pressure/pressure_law_view.h
  haptos/geometry/pressure/pressure_pair.h
  haptos/geometry/query/closest.h
  haptos/geometry/query/distance.h
  haptos/geometry/mesh.h
)

if(NOT HAPTOS_CUDA)
  return()
endif()

# Set before the language is enabled: real code for the architectures asked for, no PTX.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real)
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "HAPTOS_CUDA needs nvcc 12.0 or newer, for C++20; "
                      "${CMAKE_CUDA_COMPILER} is ${CMAKE_CUDA_COMPILER_VERSION}.")
endif()
message(STATUS "haptos: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, sm_${CMAKE_CUDA_ARCHITECTURES}")

# CMake 3.25 does not know C++20 for recent nvcc, so the standard is passed by hand. Contraction
# is off on the device as on the host: both round the same way.
set(HAPTOS_CUDA_OPTIONS
    -std=c++20 -fmad=false --expt-relaxed-constexpr
    -Xcompiler=-ffp-contract=off,-Wall,-Wextra,-Wno-psabi,-Wno-unknown-pragmas)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND HAPTOS_CUDA_OPTIONS -Xcompiler=-march=x86-64-v3)
endif()

# Compiles the CUDA sources of `target` with the options above.
function(haptos_cuda_options target)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD_REQUIRED OFF CUDA_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${HAPTOS_CUDA_OPTIONS}>")
endfunction()

target_compile_definitions(haptos PUBLIC HAPTOS_CUDA=1)
haptos_cuda_options(haptos)
if(HAPTOS_KERNEL_SOURCES)
  set_source_files_properties(${HAPTOS_KERNEL_SOURCES} PROPERTIES LANGUAGE CUDA)
endif()

set(header_checks)
foreach(header ${HAPTOS_KERNEL_HEADERS})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${header})
    message(FATAL_ERROR "cmake/kernels.cmake lists ${header}, which does not exist; "
                        "take it off HAPTOS_KERNEL_HEADERS.")
  endif()
  string(REGEX REPLACE "[/.]" "_" name ${header})
  set(check ${CMAKE_CURRENT_BINARY_DIR}/kernel_headers/${name}.cu)
  file(CONFIGURE OUTPUT ${check} CONTENT "#include \"@header@\"\n" @ONLY)
  list(APPEND header_checks ${check})
endforeach()
add_library(haptos_kernel_headers OBJECT ${header_checks})
target_link_libraries(haptos_kernel_headers PRIVATE haptos)
haptos_cuda_options(haptos_kernel_headers)
