#include "haptos/bodies/soft/soft_body.h"

#include <utility>

#include "haptos/base/math/index.h"

namespace haptos {
SoftNodes::SoftNodes(const BodySlots& slots, std::vector<int> points, std::vector<char> driven,
                     std::vector<double> mass, std::vector<Vec3d> start, const Vec3d& velocity,
                     double mass_damping, History<Vec3d> acceleration)
    : Body(slots),
      points_(std::move(points)),
      driven_(std::move(driven)),
      mass_(std::move(mass)),
      start_(std::move(start)),
      velocity_(velocity),
      mass_damping_(mass_damping),
      acceleration_(std::move(acceleration)) {
  for (int v = 0; v < static_cast<int>(points_.size()); ++v)
    if (!driven_[at_index(v)]) free_.push_back(v);
}

bool SoftNodes::scale_mass(double by) {
  if (std::exchange(heavier_, by) == by) return false;
  if (described_.empty()) described_ = mass_;
  for (std::size_t v = 0; v < mass_.size(); ++v) mass_[v] = by * described_[v];
  return true;
}

void SoftNodes::initialize(State& state) const {
  for (std::size_t i = 0; i < free_.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      const std::size_t k = 3 * i + at_index(c);
      state.q[at_index(slots_.first_q) + k] = start_[at_index(free_[i])][c];
      state.z[at_index(slots_.first_scalar) + k] = velocity_[c];
    }
}

void SoftNodes::begin_step(const State& state, const BodyStep& step) {
  // Rayleigh's mass term is a body force -alpha m u, implicit: it scales inertia and free velocity.
  const Vec3d pull = step.gravity + value_at(acceleration_, step.time + step.h);
  const double damp = 1.0 / (1.0 + (step.momentum ? mass_damping_ * step.b : 0.0));
  if (slowest_ > 0) {
    // Strained it may be softer than at rest.
    constexpr double kOfRest = 0.5;
    const double firmness =
        1 + kOfRest * step.b * step.b * slowest_ * stiffer_ / (heavier_ * step.s);
    const int count = 3 * static_cast<int>(free_.size());
    step.held->push_back({slots_.first_scalar, slots_.first_scalar + count, firmness});
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const int v = free_[i];
    Vec3d x, base;
    for (int c = 0; c < 3; ++c) {
      const std::size_t k = 3 * i + at_index(c);
      const std::size_t at_q = at_index(slots_.first_q) + k,
                        at_z = at_index(slots_.first_scalar) + k;
      x[c] = state.q[at_q];
      base[c] = step.base(state, at_q);
      const double z = step.past(state, at_z);
      (*step.z_past)[at_z] = z;
      (*step.z_free)[at_z] = (z + step.b / step.s * pull[c]) * damp;
      (*step.z_hold)[at_z] = (x[c] - base[c]) / step.b;
    }
    const auto p = at_index(points_[at_index(v)]);
    step.points->x_start[p] = x;
    step.points->x_base[p] = base;
    double* m = step.mass->data() + slots_.first_mass + static_cast<std::ptrdiff_t>(9 * i);
    for (int c = 0; c < 9; ++c) m[c] = 0;
    for (int c = 0; c < 3; ++c) m[4 * c] = step.s * mass_[at_index(v)] / damp;
  }
}

void SoftNodes::add_stiffness(double b, std::vector<double>& inertia) const {
  if (stiffness_.empty()) return;
  for (std::size_t i = 0; i < free_.size(); ++i)
    for (int c = 0; c < 3; ++c)
      inertia[at_index(slots_.first_scalar + c) + 3 * i] += b * b * stiffness_[at_index(free_[i])];
}

void SoftNodes::advance(const std::vector<double>& z, const BodyStep& step, State& state) {
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const Vec3d& base = step.points->x_base[at_index(points_[at_index(free_[i])])];
    for (int c = 0; c < 3; ++c) {
      const std::size_t k = 3 * i + at_index(c);
      const double v = z[at_index(slots_.first_scalar) + k];
      state.q[at_index(slots_.first_q) + k] = base[c] + step.b * v;
      state.z[at_index(slots_.first_scalar) + k] = v;
    }
  }
}

}  // namespace haptos
