#include "haptos/dynamics/loop_closure.h"

#include <cmath>

#include "haptos/base/error.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kPeriod = 0.1;  // beta: shortest period of the constraint in time steps

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace

LoopClosureTerm::LoopClosureTerm(const LinkPoint& a, const LinkPoint& b) : side_{a, b} {
  if (!a.body && !b.body)
    throw InputError({"", 0, 0, "loop closure", "", "joins two points of the world",
                      "give a link of a body on one side"});
  for (const LinkPoint& s : side_)
    if (s.body && (s.link < 0 || at_index(s.link) >= s.body->tree().links.size()))
      throw InputError({"", 0, 0, "loop closure of " + s.body->spec().name, std::to_string(s.link),
                        "must be a link of the articulation", "count from 0"});
}

void LoopClosureTerm::prepare(const StepContext& context) {
  h_ = context.h;
  Vec3d x[2];
  Mat3d delassus = Mat3d::zero();
  std::vector<double> j;
  for (int k = 0; k < 2; ++k) {
    const LinkPoint& s = side_[k];
    x[k] = s.body ? s.body->link_position(s.link, s.local) : s.local;
    if (!s.body) continue;
    const int n = s.body->link_columns();
    j.assign(at_index(3 * n), 0.0);
    s.body->link_jacobian(s.link, x[k], j.data());
    const BodySlots& slots = s.body->slots();
    for (int r = 0; r < 3; ++r)
      for (int q = 0; q < 3; ++q)
        for (int c = 0; c < n; ++c)
          delassus(r, q) += j[at_index(r * n + c)] * j[at_index(q * n + c)] *
                            (*context.inverse_mass)[at_index(slots.first_scalar + c)];
    point_[k] =
        context.points->add_link(slots.first_block, slots.body, slots.env, x[k], j.data(), n);
  }
  gap_ = x[0] - x[1];
  double squares = 0;
  for (const double w : delassus.a) squares += w * w;
  r_ = square(kPeriod) / (4 * kPi * kPi) * sqrt(squares) / 3;
}

void LoopClosureTerm::refresh(const Points& points) {
  Vec3d v = Vec3d::zero();
  if (point_[0] >= 0) v += points.u[at_index(point_[0])];
  if (point_[1] >= 0) v -= points.u[at_index(point_[1])];
  impulse_ = (gap_ * (-0.5 / h_) - v) * (1 / r_);
}

Energy LoopClosureTerm::evaluate(const Evaluation& e) {
  const double cost = 0.5 * r_ * squared_norm(impulse_);
  if (e.assembly) {
    const int a = point_[0], b = point_[1];
    const Mat3d h = Mat3d::identity() * (1 / r_);
    if (a >= 0) e.assembly->add_gradient(a, -impulse_);
    if (b >= 0) e.assembly->add_gradient(b, impulse_);
    if (e.assembly->wants_hessian()) {
      if (a >= 0) e.assembly->add_hessian(a, a, h);
      if (b >= 0) e.assembly->add_hessian(b, b, h);
      if (a >= 0 && b >= 0) e.assembly->add_hessian(a, b, -h);
    }
  }
  return {cost, cost};
}

void LoopClosureTerm::step_couplings(const Points& points,
                                     std::vector<std::array<int, 2>>& out) const {
  if (point_[0] >= 0 && point_[1] >= 0 && points.block(point_[0]) != points.block(point_[1]))
    out.push_back({points.block(point_[0]), points.block(point_[1])});
}

}  // namespace haptos
