// libFuzzer target: two triangle soups of any kind against each other.
// scripts/fuzz layers builds and runs it.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_layers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  haptos::fuzz::layers(data, size);
  return 0;
}
