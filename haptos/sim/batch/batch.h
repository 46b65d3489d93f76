// Batch: many environments side by side, over one model or over models that are alike. Each is a
// Sim of its own: nothing that happens in one is felt in another, and environment k of many has the
// bits of the same run alone.
//
// With at least as many environments as threads every environment is stepped by one thread; with
// fewer they are stepped one after the other, each by all threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "haptos/sim/sim.h"

namespace haptos {

class Batch {
 public:
  /// @throws InputError for a number out of 1 to 1e6, and for what Sim refuses
  Batch(const std::shared_ptr<const Model>& model, int envs);
  Batch(Scene scene, int envs) : Batch(compile(std::move(scene)), envs) {}
  /// An environment for each model; the same one may be there many times.
  /// @throws InputError also for models that are not alike (sim/batch/alike.h)
  explicit Batch(const std::vector<std::shared_ptr<const Model>>& models);
  Batch(Batch&&) = default;
  Batch(const Batch&) = delete;

  int envs() const { return static_cast<int>(sims_.size()); }
  Sim& env(int k) { return sims_[static_cast<std::size_t>(k)]; }
  const Sim& env(int k) const { return sims_[static_cast<std::size_t>(k)]; }
  /// Of the first environment.
  const Model& model() const { return *sims_.front().model(); }

  /// Advances all by one time step; one report each, valid until the next call. With
  /// newton.strict, throws the first environment's StepError after all have been stepped; those
  /// whose step went wrong stay where they were.
  const std::vector<StepReport>& step();
  /// Back to the start where mask (envs) is true; empty: everywhere.
  void reset(std::span<const bool> mask = {});

  /// All states in one file, whole or not at all.
  void save(const std::string& path) const;
  /// @throws InputError for a damaged file, another model's, or another number of environments
  void load(const std::string& path);

 private:
  void make(const std::vector<std::shared_ptr<const Model>>& models);

  std::vector<Sim> sims_;
  std::vector<StepReport> reports_;
  std::vector<std::exception_ptr> errors_;
};

}  // namespace haptos
