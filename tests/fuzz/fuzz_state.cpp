// libFuzzer target: see fuzz_state.h. scripts/fuzz state builds and runs it.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  haptos::fuzz::state({reinterpret_cast<const char*>(data), size});
  return 0;
}
