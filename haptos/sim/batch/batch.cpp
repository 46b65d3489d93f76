#include "haptos/sim/batch/batch.h"

#include <algorithm>
#include <exception>
#include <sstream>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/file.h"
#include "haptos/sim/batch/alike.h"

namespace haptos {
namespace {

constexpr int kMostEnvs = 1'000'000;
constexpr char kMagic[8] = {'H', 'A', 'P', 'B', 'A', 'T', 'C', 'H'};

[[noreturn]] void refuse(const std::string& file, const std::string& element,
                         const std::string& value, const std::string& rule,
                         const std::string& remedy) {
  throw InputError({file, 0, 0, element, value, rule, remedy});
}

void check_count(std::int64_t envs) {
  if (envs < 1 || envs > kMostEnvs)
    refuse("", "envs", std::to_string(envs), "must be from 1 to 1000000", "give a whole number");
}

}  // namespace

Batch::Batch(const std::shared_ptr<const Model>& model, int envs) {
  check_count(envs);
  make(std::vector(static_cast<std::size_t>(envs), model));
}

Batch::Batch(const std::vector<std::shared_ptr<const Model>>& models) {
  check_count(static_cast<std::int64_t>(models.size()));
  for (std::size_t k = 1; k < models.size(); ++k)
    if (models[k] != models[k - 1]) check_alike(*models.front(), *models[k], static_cast<int>(k));
  make(models);
}

void Batch::make(const std::vector<std::shared_ptr<const Model>>& models) {
  sims_.reserve(models.size());
  for (const auto& model : models)
    sims_.emplace_back(model, static_cast<std::uint32_t>(sims_.size()));
  reports_.resize(models.size());
  errors_.resize(models.size());
}

const std::vector<StepReport>& Batch::step() {
  const auto one = [&](std::ptrdiff_t k) {
    const auto i = static_cast<std::size_t>(k);
    errors_[i] = nullptr;
    try {
      reports_[i] = sims_[i].step();
    } catch (...) {
      errors_[i] = std::current_exception();
    }
  };
  if (envs() >= thread_count()) {
    for_each(
        envs(),
        [&](std::ptrdiff_t k) {
          const SerialLoops alone;
          one(k);
        },
        1);
  } else {
    for (int k = 0; k < envs(); ++k) one(k);
  }
  for (const std::exception_ptr& e : errors_)
    if (e) std::rethrow_exception(e);
  return reports_;
}

void Batch::reset(std::span<const bool> mask) {
  if (!mask.empty() && mask.size() != sims_.size())
    refuse("", "mask", std::to_string(mask.size()) + " values",
           "must have one for each of " + std::to_string(envs()) + " environments",
           "leave it out to reset all");
  for (std::size_t k = 0; k < sims_.size(); ++k)
    if (mask.empty() || mask[k]) sims_[k].reset();
}

void Batch::save(const std::string& path) const {
  std::ostringstream all;
  const auto write = [&](std::uint64_t n) {
    all.write(reinterpret_cast<const char*>(&n), sizeof n);
  };
  all.write(kMagic, sizeof kMagic);
  write(sims_.size());
  for (const Sim& s : sims_) {
    std::ostringstream state;
    save_state(s.state(), s.model_hash(), state);
    write(state.view().size());
    all << state.view();
  }
  write_in_one_move(path, all.view(), "saved states");
}

void Batch::load(const std::string& path) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 36;
  const std::string all =
      read_regular_file(path, kMostBytes, "check that these are states of many environments");
  std::size_t at = sizeof kMagic;
  if (all.size() < at || !std::equal(kMagic, kMagic + sizeof kMagic, all.begin()))
    refuse(path, "saved states", "", "are not states of many environments",
           "save them with Batch::save");
  const auto take = [&] {
    std::uint64_t n = 0;
    if (all.size() - at < sizeof n)
      refuse(path, "saved states", "", "are truncated", "save them again");
    std::copy_n(all.data() + at, sizeof n, reinterpret_cast<char*>(&n));
    at += sizeof n;
    return n;
  };
  if (const std::uint64_t n = take(); n != sims_.size())
    refuse(path, "saved states", std::to_string(n) + " environments",
           "must be as many as here, " + std::to_string(envs()), "make a batch of that size");
  std::vector<State> states;
  for (std::size_t k = 0; k < sims_.size(); ++k) {
    const std::uint64_t size = take();
    if (size > all.size() - at)
      refuse(path, "saved states", "", "are truncated", "save them again");
    states.push_back(
        load_state(std::string_view(all).substr(at, size), sims_[k].model_hash(), path));
    at += size;
  }
  if (at != all.size())
    refuse(path, "saved states", "", "have bytes after their end", "save them again");
  for (std::size_t k = 0; k < sims_.size(); ++k) sims_[k].set_state(std::move(states[k]));
}

}  // namespace haptos
