// What a step has to say about itself. A step never throws for physics: it sets bits, per
// environment, and every bit has a sentence and a remedy. Strict mode turns bits into an error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haptos {

enum StatusBit : std::uint32_t {
  kNotConverged = 1u << 0,       ///< Newton stopped above its tolerance
  kTargetMissed = 1u << 1,       ///< a prescribed body could not reach its target
  kLineSearchStalled = 1u << 2,  ///< no acceptable step along a Newton direction
  kNonFinite = 1u << 3,          ///< a number that is not finite appeared; the state is rolled back
  kPrescribedCollision = 1u << 4,  ///< two prescribed bodies would pass through each other
  kLagged = 1u << 5,               ///< friction's normal forces still changed
  kNoEquilibrium = 1u << 6,        ///< quasi-static: something is still on its way
  kRunaway = 1u << 7,              ///< a speed beyond all bounds; the state is rolled back
  kCoresCross = 1u << 8,           ///< triangles that have boundary layers cross
  kPastMiddle = 1u << 9,           ///< bodies with pressure are in each other past the middle
};

struct StatusText {
  StatusBit bit;
  const char* name;
  const char* meaning;
  const char* remedy;
};

/// All bits with their texts, one line each.
const std::vector<StatusText>& status_table();

/// The sentences of the bits that are set, joined by spaces; "ok" when none is.
std::string describe_status(std::uint32_t bits);

}  // namespace haptos
