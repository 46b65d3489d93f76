// 128 bits that tell contents apart: names of kept files, and whether one is whole. Not a secret
// hash: whoever may write a file may write its digest too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace haptos {

class Digest {
 public:
  /// Bytes, and how many they are. Large ones are read on all threads; the digest is the same for
  /// any number of them.
  void add(const void* data, std::size_t bytes);
  void add(const std::string& s) { add(s.data(), s.size()); }
  /// Of a kind without padding.
  template <class T>
  void add(const std::vector<T>& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(v.data(), v.size() * sizeof(T));
  }
  void add(std::uint64_t word);

  bool operator==(const Digest&) const = default;
  /// 32 hexadecimal digits.
  std::string text() const;
  /// The two halves.
  std::uint64_t word(int k) const { return k == 0 ? a_ : b_; }

 private:
  std::uint64_t a_ = 0x9e3779b97f4a7c15ULL, b_ = 0xd1b54a32d192ed03ULL;
};

}  // namespace haptos
