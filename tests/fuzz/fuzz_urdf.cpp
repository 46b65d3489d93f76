// libFuzzer target. Build: scripts/fuzz urdf, or clang++ -std=gnu++20 -O1 -g
//   -fsanitize=fuzzer,address,undefined -I. tests/fuzz/fuzz_urdf.cpp
//   haptos/{base,geometry,model}/*.cpp -ltbb -lpugixml
// Run: ./a.out -max_len=4096 /tmp/new_corpus tests/fuzz/corpus/urdf
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_urdf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  haptos::fuzz::urdf({reinterpret_cast<const char*>(data), size});
  return 0;
}
