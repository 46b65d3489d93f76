# The instruction set: x86-64-v3 (AVX2, FMA, BMI2), the same on every machine, so that one build
# runs anywhere and gives the same bits. There is no "native" option on purpose.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(haptos PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-march=x86-64-v3>)
  message(STATUS "haptos: instruction set x86-64-v3 (AVX2, FMA), the same for every machine")
  if(EXISTS /proc/cpuinfo AND NOT CMAKE_CROSSCOMPILING)
    file(STRINGS /proc/cpuinfo haptos_cpu_flags REGEX "^flags" LIMIT_COUNT 1)
    foreach(flag avx2 fma bmi2)
      if(haptos_cpu_flags AND NOT haptos_cpu_flags MATCHES " ${flag}( |$)")
        message(WARNING "haptos: this processor lacks ${flag}. The library will build here but "
                        "will not run: it needs an x86-64-v3 processor (Intel Haswell of 2013, "
                        "AMD Excavator of 2015, or later).")
      endif()
    endforeach()
  endif()
else()
  message(STATUS "haptos: ${CMAKE_SYSTEM_PROCESSOR}: the compiler's default instruction set "
                 "(only x86-64 is tested)")
endif()
