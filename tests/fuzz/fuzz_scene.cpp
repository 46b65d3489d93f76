// libFuzzer target. Build: clang++ -std=gnu++20 -O1 -g -fsanitize=fuzzer,address,undefined -I. \
//   tests/fuzz/fuzz_scene.cpp haptos/{base,geometry,model,sim}/*.cpp ... -ltbb -lyaml-cpp
// or scripts/fuzz scene. Run: ./a.out -max_len=4096 /tmp/new_corpus tests/fuzz/corpus/scene
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  haptos::fuzz::scene({reinterpret_cast<const char*>(data), size});
  return 0;
}
