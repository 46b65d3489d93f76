// Random numbers without a state: Philox 4x32-10, a function of a key and a counter. The same bits
// on every machine, in any order and on any number of threads, since nothing is carried along.
//
//   normal:  r = sqrt(-2 log u_1),  r cos(2 pi u_2),  r sin(2 pi u_2)     (Box, Muller)
//
// with u_1 in (0, 1], u_2 in [0, 1) of 53 bits each: |x| below 8.6. Not for security.
// Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3,
// 2011.
#pragma once

#include <array>
#include <cstdint>

#include "haptos/base/math/elementary.h"

namespace haptos {

/// 128 random bits for a counter and a key.
HAPTOS_HD std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::uint64_t key) {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xd2511f53ull * counter[0], b = 0xcd9e8d57ull * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ k1,
               static_cast<std::uint32_t>(a)};
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return counter;
}

/// Two independent numbers of the standard normal distribution.
HAPTOS_HD std::array<double, 2> normal_pair(const std::array<std::uint32_t, 4>& counter,
                                            std::uint64_t key) {
  const std::array<std::uint32_t, 4> r = philox(counter, key);
  const std::uint64_t a = (std::uint64_t{r[1]} << 32 | r[0]) >> 11;
  const std::uint64_t b = (std::uint64_t{r[3]} << 32 | r[2]) >> 11;
  const double u1 = (static_cast<double>(a) + 1) * 0x1p-53;
  const double u2 = static_cast<double>(b) * 0x1p-53;
  const double radius = sqrt(-2 * log_(u1));
  double s, c;
  sin_cos(6.283185307179586 * u2, s, c);
  return {radius * c, radius * s};
}

/// A key that depends on every bit of both (the finaliser of SplitMix64).
constexpr std::uint64_t mix_keys(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a + 0x9e3779b97f4a7c15ull * (b + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace haptos
