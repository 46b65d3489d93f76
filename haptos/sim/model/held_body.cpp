#include "haptos/sim/model/held_body.h"

#include <array>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/bodies/elastic/elastic.h"
#include "haptos/system/assembly.h"

namespace haptos {

HeldBody::HeldBody(const SoftBody& body, const SoftModel& model) {
  constexpr char kAllAxes = 7;
  int blocks = 0;
  for (std::size_t v = 0; v < model.start.size(); ++v) {
    const bool held = model.glued_to[v] >= 0 || model.held[v] == kAllAxes;
    block_.push_back(held ? -1 : blocks);
    if (held)
      points_.add_driven(0, 0, model.rest.vertices[v]);
    else
      points_.add_node(blocks++, 0, 0, model.rest.vertices[v]);
  }
  points_.finish_permanent();
  elements_ = std::make_shared<SoftElements>(points_, model, 0, body.material);
  term_ = make_elastic_term(elements_, static_cast<ElasticLaw>(body.material.law));
  if (at_index(blocks) == block_.size() || blocks == 0) return;
  std::vector<std::array<int, 2>> couplings;
  term_->couplings(points_, Coupled::kAlways, couplings);
  const auto pattern =
      std::make_shared<const BlockPattern>(std::vector<int>(at_index(blocks), 3), couplings);
  Assembly assembly;
  assembly.reset(pattern);
  assembly.begin(points_, true, nullptr);
  assembly.set_factors(1, 1);
  Evaluation e;
  e.points = &points_;
  e.assembly = &assembly;
  term_->refresh(points_, Sampling::kAnew);
  term_->evaluate(e);
  factor_.analyze(pattern);
  firm_ = factor_.factor(assembly.matrix());
  unknowns_ = pattern->scalar_count();
}

double HeldBody::energy(const std::vector<Vec3d>& x) {
  points_.x = x;
  Evaluation e;
  e.points = &points_;
  term_->refresh(points_, Sampling::kAnew);
  return term_->evaluate(e).value;
}

// By inverse iteration, from a motion that is like no mode: never too low.
double slowest_mode(const SoftBody& body, const SoftModel& model, const SolverOptions& solver) {
  constexpr int kIterations = 12;
  const double unknowns = 3 * static_cast<double>(model.start.size());
  if (solver.method == SolverOptions::kIterative ||
      (solver.method == SolverOptions::kAuto && unknowns > solver.direct_limit))
    return 0;
  const HeldBody held(body, model);
  if (!held.firm()) return 0;
  std::vector<double> mass(at_index(held.unknowns()));
  const std::vector<double>& node_mass = held.elements().node_mass;
  for (std::size_t v = 0; v < node_mass.size(); ++v)
    if (const int u = held.unknown(static_cast<int>(v)); u >= 0)
      for (int c = 0; c < 3; ++c) mass[at_index(u + c)] = node_mass[v];
  std::vector<double> y(mass.size()), f(mass.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = 1 + 0.5 * std::sin(static_cast<double>(i));
  double slowest = 0;
  for (int k = 0; k < kIterations; ++k) {
    double size = 0;
    for (std::size_t i = 0; i < y.size(); ++i) size += mass[i] * y[i] * y[i];
    for (std::size_t i = 0; i < y.size(); ++i) f[i] = mass[i] * y[i] / std::sqrt(size);
    y = f;
    held.solve(y.data(), 1);
    double work = 0, moved = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      work += f[i] * y[i];
      moved += mass[i] * y[i] * y[i];
    }
    slowest = work / moved;
  }
  return slowest;
}

}  // namespace haptos
