// The laws of one class of all joints of a robot, as one term: a robot has dozens, each of which
// takes less time than it takes to ask a term what it is.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "haptos/system/facets/impulses.h"
#include "haptos/system/term.h"

namespace haptos {

/// `Law` is a frozen term, final, that reads one joint velocity (joint_terms.h, joint_laws.h).
template <class Law>
class JointGroup final : public Term, public Impulses {
  static constexpr bool kBounded = requires(Law l) { l.end_impulse(); };

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
  bool refresh(const Points&, Sampling) override {
    if constexpr (kBounded)
      if (trial_)
        for (Law& l : laws_) l.go(*trial_, part_, again_);
    return false;
  }
  Energy evaluate(const Evaluation& e) override {
    Energy sum;
    for (Law& l : laws_) sum += l.evaluate(e);
    return sum;
  }
  void commit(const StepContext& context, const Points& points) override {
    for (Law& l : laws_) l.commit(context, points);
  }

  Impulses* impulses() override { return kBounded ? this : nullptr; }
  bool begin_impulses(const ImpulseStart& start) override {
    trial_ = nullptr;
    if constexpr (kBounded) {
      const auto kinks = [&](const Law& l) { return l.has_kinks(*start.trial); };
      if (!std::any_of(laws_.begin(), laws_.end(), kinks)) return false;
      for (Law& l : laws_) l.begin_impulse(*start.trial, start.goes_on);
      trial_ = start.trial, part_ = 1, again_ = false;
    }
    return trial_;
  }
  void end_impulses() override {
    trial_ = nullptr;
    if constexpr (kBounded)
      for (Law& l : laws_) l.end_impulse();
  }
  void set_impulse_part(double part, bool again) override { part_ = part, again_ = again; }
  double impulses_off() const override {
    return sum([](const auto& l) { return l.impulse_off(); });
  }
  double impulses_apart() const override {
    return sum([](const auto& l) { return l.impulse_apart(); });
  }

 private:
  template <class F>
  double sum(F of) const {
    double all = 0;
    if constexpr (kBounded)
      if (trial_)
        for (const Law& l : laws_) all += of(l);
    return all;
  }
  std::vector<Law> laws_;
  const std::vector<double>* trial_ = nullptr;  // null: impulses follow from velocities
  double part_ = 1;
  bool again_ = false;
};

}  // namespace haptos
