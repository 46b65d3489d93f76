// Signed numbers of things as indices of containers.
#pragma once

#include <cstddef>

namespace haptos {

/// i, which is not negative, as an index.
constexpr std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace haptos
