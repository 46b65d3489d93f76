#include "haptos/base/cache/digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "haptos/base/parallel.h"

namespace haptos {
namespace {

constexpr std::size_t kBlock = 1 << 20;

// The last step of MurmurHash3 (Appleby, public domain): every bit bears on all.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}

}  // namespace

void Digest::add(std::uint64_t word) {
  a_ = mixed(a_ ^ word) + 0x9e3779b97f4a7c15ULL;
  b_ = mixed(std::rotl(b_, 23) + word * 0x9fb21c651e98df25ULL);
}

void Digest::add(const void* data, std::size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  const std::size_t blocks = (bytes + kBlock - 1) / kBlock;
  std::vector<Digest> of(blocks);
  for_each(
      static_cast<std::ptrdiff_t>(blocks),
      [&](std::ptrdiff_t k) {
        Digest& d = of[static_cast<std::size_t>(k)];
        const std::size_t first = static_cast<std::size_t>(k) * kBlock;
        const std::size_t end = std::min(first + kBlock, bytes);
        for (std::size_t i = first; i < end; i += 8) {
          std::uint64_t word = 0;
          std::memcpy(&word, p + i, std::min<std::size_t>(8, end - i));
          d.add(word);
        }
      },
      1);
  add(static_cast<std::uint64_t>(bytes));
  for (const Digest& d : of) add(d.a_), add(d.b_);
}

std::string Digest::text() const {
  std::string s;
  for (const std::uint64_t w : {a_, b_})
    for (int k = 60; k >= 0; k -= 4) s += "0123456789abcdef"[w >> k & 15];
  return s;
}

}  // namespace haptos
