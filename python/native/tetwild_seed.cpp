// Makes the random numbers of fTetWild repeatable.
//
// pytetwild 0.4 offers no seed: fTetWild seeds its generators from std::random_device. This library
// defines the one member of that class that hands numbers out. python/haptos/meshes/tets_worker.py
// loads it into a process of its own before pytetwild, with its symbols global, so that the dynamic
// linker takes this definition instead of libstdc++'s. Nothing else loads it. Where the linker does
// otherwise, haptos_seed_uses() stays 0 and the caller says that the result cannot be repeated.
#include <atomic>
#include <cstdint>

namespace {

std::atomic<std::uint64_t> state{0};
std::atomic<std::uint64_t> uses{0};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void haptos_seed_set(std::uint64_t seed) { state = seed; }

__attribute__((visibility("default"))) std::uint64_t haptos_seed_uses() { return uses; }

// std::random_device::_M_getval(), by the name that the linker knows: SplitMix64 (G. Steele,
// D. Lea and C. Flood 2014, "Fast splittable pseudorandom number generators", OOPSLA).
__attribute__((visibility("default"))) unsigned haptos_random_value(void*) asm(
    "_ZNSt13random_device9_M_getvalEv");

unsigned haptos_random_value(void*) {
  ++uses;
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<unsigned>((z ^ (z >> 31)) >> 32);
}

}  // extern "C"
