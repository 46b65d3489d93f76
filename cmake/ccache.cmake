# Compiles through ccache where it is installed.
find_program(CCACHE ccache)
if(CCACHE)
  # ccache trusts a precompiled header only when told that its macros and times do not matter. Paths
  # below the checkout count as relative ones, so that another checkout takes what one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
