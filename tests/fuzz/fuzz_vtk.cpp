// libFuzzer target. Build: clang++ -std=gnu++20 -O1 -g -fsanitize=fuzzer,address,undefined -I. \
//   tests/fuzz/fuzz_vtk.cpp haptos/base/*.cpp haptos/geometry/*.cpp -ltbb
// Run: ./a.out -max_len=4096 /tmp/new_corpus tests/fuzz/corpus/vtk
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  haptos::fuzz::volume({reinterpret_cast<const char*>(data), size}, haptos::MeshFormat::kVtk);
  return 0;
}
