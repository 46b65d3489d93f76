// Room for the numbers of a block: most are small and fit on the stack; those of large robots take
// memory that each thread keeps, so that no step allocates.
#pragma once

#include <cstddef>
#include <vector>

namespace haptos::internal {

/// Unknowns of a block up to which its numbers are kept on the stack.
inline constexpr int kSmallBlock = 64;

/// At least `count` numbers that live until the next call of the same slot in this thread. Each
/// caller has a slot of its own.
template <int kSlot>
double* thread_room(std::size_t count) {
  thread_local std::vector<double> room;
  if (room.size() < count) room.resize(count);
  return room.data();
}

}  // namespace haptos::internal
