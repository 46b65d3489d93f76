// Revised: what a term offers whose frozen part the motion may prove wrong: contact of what passes
// each other within the step, and of what meets after all.
#pragma once

#include <vector>

namespace haptos {

struct StepContext;

class Revised {
 public:
  virtual ~Revised() = default;
  /// Looks, from the velocities z that were solved, at what prepare() froze. Returns whether it
  /// changed anything; the step is then solved again. Returns false after a few times.
  virtual bool revise(const StepContext& context, const std::vector<double>& z) = 0;
};

}  // namespace haptos
