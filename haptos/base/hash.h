// A 64-bit hash of bytes (FNV-1a over 8-byte words with a final mix): equal states hash equal on
// every little-endian machine. Not for security.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace haptos {

class Hash {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; p += 8, bytes -= 8) {
      std::uint64_t w;
      std::memcpy(&w, p, 8);
      mix(w);
    }
    if (bytes) {
      std::uint64_t w = 0;
      std::memcpy(&w, p, bytes);
      mix(w ^ (std::uint64_t(bytes) << 56));
    }
  }
  /// Doubles, with -0 counted as 0.
  void add(double v) { mix_double(v); }
  void add(const std::vector<double>& v) {
    mix(v.size());
    for (double x : v) mix_double(x);
  }
  void add(std::uint64_t v) { mix(v); }
  std::uint64_t value() const {
    std::uint64_t h = h_;
    h ^= h >> 32;
    h *= 0x9fb21c651e98df25ULL;
    return h ^ (h >> 28);
  }

 private:
  void mix(std::uint64_t w) { h_ = (h_ ^ w) * 0x100000001b3ULL ^ (h_ >> 29); }
  void mix_double(double v) {
    v += 0.0;
    std::uint64_t w;
    std::memcpy(&w, &v, 8);
    mix(w);
  }
  std::uint64_t h_ = 0xcbf29ce484222325ULL;
};

}  // namespace haptos
