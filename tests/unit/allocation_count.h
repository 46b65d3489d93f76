// Counts calls of operator new in the whole test executable, for tests that promise none.
#pragma once

#include <cstdint>

namespace haptos::test {

/// Calls of any operator new since the program began, all threads.
std::int64_t allocation_count();

}  // namespace haptos::test
