// The laws of one class of all joints of a robot, as one term: a robot has dozens, each of which
// takes less time than it takes to ask a term what it is.
#pragma once

#include <utility>
#include <vector>

#include "haptos/system/term.h"

namespace haptos {

/// `Law` is a frozen term, final, that reads one joint velocity (joint_terms.h, joint_laws.h).
template <class Law>
class JointGroup final : public Term {
 public:
  /// @param laws  at least one
  explicit JointGroup(std::vector<Law> laws) : laws_(std::move(laws)) {}
  Law* law(int k) { return &laws_[static_cast<std::size_t>(k)]; }

  const char* name() const override { return laws_.front().name(); }
  TermKind kind() const override { return laws_.front().kind(); }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) override {
    for (Law& l : laws_) l.prepare(context);
  }
  Energy evaluate(const Evaluation& e) override {
    Energy sum;
    for (Law& l : laws_) sum += l.evaluate(e);
    return sum;
  }
  void commit(const StepContext& context, const Points& points) override {
    for (Law& l : laws_) l.commit(context, points);
  }

 private:
  std::vector<Law> laws_;
};

}  // namespace haptos
