// Whether bytes are UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace haptos {

/// The number of bytes of the UTF-8 character at the front, 0 where there is none.
inline std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  if (s.empty()) return 0;
  if (byte(0) < 0x80) return 1;
  const std::size_t n = byte(0) >= 0xf5   ? 0
                        : byte(0) >= 0xf0 ? 4
                        : byte(0) >= 0xe0 ? 3
                        : byte(0) >= 0xc2 ? 2
                                          : 0;
  if (n == 0 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0;
  const bool too_large = byte(0) == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : n;
}

/// Whether a name can be shown, written and found again: UTF-8 without control characters.
inline bool is_plain_text(std::string_view s) {
  while (!s.empty()) {
    const std::size_t n = utf8_length(s);
    const auto c = static_cast<unsigned char>(s[0]);
    if (n == 0 || c < 0x20 || c == 0x7f) return false;
    s.remove_prefix(n);
  }
  return true;
}

}  // namespace haptos
