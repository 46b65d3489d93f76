// Things made of vectors and plain values, to bytes and back: what the cache keeps. A thing hands
// its parts to a function, one by one (each_part); a Writer takes their bytes, a Reader fills them.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace haptos {

class PartsWriter {
 public:
  template <class T>
  requires(std::is_trivially_copyable_v<T>) void operator()(const std::vector<T>& v) {
    const std::uint64_t n = v.size();
    append(&n, sizeof n);
    append(v.data(), v.size() * sizeof(T));
  }
  template <class T>
  requires(std::is_trivially_copyable_v<T>) void operator()(const T& value) {
    append(&value, sizeof value);
  }
  std::span<const char> bytes() const { return {bytes_.data(), bytes_.size()}; }

 private:
  void append(const void* p, std::size_t n) {
    const auto* c = static_cast<const char*>(p);
    bytes_.insert(bytes_.end(), c, c + n);
  }
  std::vector<char> bytes_;
};

/// Reads what a PartsWriter wrote; `bytes` must outlive it.
class PartsReader {
 public:
  explicit PartsReader(const std::string& bytes) : at_(bytes.data()), left_(bytes.size()) {}
  template <class T>
  requires(std::is_trivially_copyable_v<T>) void operator()(std::vector<T>& v) {
    std::uint64_t n = 0;
    take(&n, sizeof n);
    if (n > left_ / sizeof(T)) {
      bad_ = true;
      return;
    }
    v.resize(n);
    take(v.data(), n * sizeof(T));
  }
  template <class T>
  requires(std::is_trivially_copyable_v<T>) void operator()(T& value) {
    take(&value, sizeof value);
  }
  /// Whether there was as much as was asked for, and no more.
  bool whole() const { return !bad_ && left_ == 0; }

 private:
  void take(void* to, std::size_t n) {
    if (n > left_) bad_ = true;
    if (bad_ || n == 0) return;
    std::memcpy(to, at_, n);
    at_ += n, left_ -= n;
  }
  const char* at_;
  std::size_t left_;
  bool bad_ = false;
};

}  // namespace haptos
