# Compiles through ccache where it is installed.
find_program(CCACHE ccache)
if(CCACHE)
  # ccache trusts a precompiled header only when told that its macros and times do not matter.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
                                  CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
