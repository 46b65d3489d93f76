#include "haptos/contact/frozen/coat/coat_look.h"

#include <algorithm>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// A probe's hat is so much as wide as those of its two nodes together.
constexpr double kAround = 0.375;
// What is so far inside of another one, seen along a coat's normal, is under it; in between in part
// [m]. Steps down to its face, of so much at least [m].
constexpr double kInside = 1e-4, kRim = 6e-5, kLeastStep = 5e-6;
constexpr int kTries = 40;
// Right at the rim it counts in that part: hats reach beyond what is under it. Discs, bars and
// triangles then push back as wide as they are (tests/python/test_coat_forces.py).
constexpr double kAtRim = 0.25;
// A probe that is farther off is beside the other surface, not under it [m].
constexpr double kBeside = 1e-4;
// Of less than that part of a hat it counts as not covered.
constexpr double kLeastCover = 1e-3;

// How much a surface faces a direction, by the cosine.
double facing(double cosine) { return std::clamp((cosine - 0.2) / 0.4, 0.0, 1.0); }

// From a place inside the other one, straight up from x by no more than it is off, down to its
// face. Beside the rim the same from the nearest place that is inside.
CoatBeneath beneath(const DistanceField& field, const Vec3d& x, const Vec3d& in) {
  const SignedDistance<double> at = field.at(x);
  CoatBeneath b;
  b.gap = at.phi, b.out = at.gradient;
  const double up = kInside + std::max(at.phi, 0.0);
  Vec3d y = x - up * in;
  double left = field.phi(y);
  b.cover = std::clamp(kAtRim - left / kRim, 0.0, 1.0);
  if (b.cover == 0) return b;
  if (left > -kAtRim * kRim) {
    y -= (left + kAtRim * kRim) * field.at(y).gradient;
    left = field.phi(y);
  }
  double down = 0;
  for (int k = 0; k < kTries && left < -1e-3 * kLeastStep; ++k) {
    const double step = std::max(-left, kLeastStep);
    down += step;
    const double next = field.phi(y + down * in);
    if (next > 0) {  // passed it
      down -= step * next / (next - left);
      break;
    }
    left = next;
  }
  b.gap = up - down;
  const double along = facing(dot(at.gradient, in));
  b.out = along * at.gradient + (1 - along) * in;
  return b;
}

}  // namespace

bool may_reach(const DistanceField& field, const Vec3d& x, double distance) {
  if (!field.bounded()) return field.phi(x) <= distance;
  return field.box().squared_distance(x) <= distance * distance;
}

std::vector<Vec3d> places_of(const CoatCompliance& coat, const std::vector<Vec3d>& dent,
                             const std::vector<double>& beyond, const CoatCarry& carry) {
  std::vector<Vec3d> node(coat.rest.size());
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Vec3d &normal = coat.normal[i], carried = carry.at(coat.rest[i]);
    node[i] =
        coat.rest[i] + dot(dent[i], normal) * normal + carried - dot(carried, normal) * normal;
  }
  std::vector<Vec3d> place(coat.probe.size());
  for (std::size_t p = 0; p < place.size(); ++p) {
    const std::size_t a = at_index(coat.probe[p].a), b = at_index(coat.probe[p].b);
    place[p] = 0.5 * (node[a] + node[b] - beyond[p] * (coat.normal[a] + coat.normal[b]));
  }
  return place;
}

void CoatLook::begin(const CoatCompliance& coat) {
  coat_ = &coat;
  met_.assign(coat.probe.size(), {});
}

void CoatLook::at(const DistanceField& field, int other, const Pose& seen,
                  const std::vector<Vec3d>& place) {
  looked_.assign(coat_->look.size(), {});
  const Mat3d turn = to_matrix(seen.q);
  for (std::size_t p = 0; p < met_.size(); ++p) {
    CoatMet m = meet(field, seen, turn, place, static_cast<int>(p));
    if (!(m.gap < met_[p].gap)) continue;
    m.other = other, m.out = transpose(turn) * m.out;
    met_[p] = m;
  }
}

// The gap of a probe from those about it: their mean over its hat. Where an edge of the other
// surface crosses the hat the mean of the part that it is over: a probe under the rim of a punch
// goes all the way down.
CoatMet CoatLook::meet(const DistanceField& field, const Pose& seen, const Mat3d& turn,
                       const std::vector<Vec3d>& place, int probe) {
  const CoatCompliance& coat = *coat_;
  const std::size_t a = at_index(coat.probe[at_index(probe)].a),
                    b = at_index(coat.probe[at_index(probe)].b);
  const Vec3d middle = seen * place[at_index(probe)];
  const double reach = kCoatReach + kAround * (sqrt(coat.area[a]) + sqrt(coat.area[b]));
  if (!may_reach(field, middle, reach) || !(field.phi(middle) < reach)) return {};
  const Vec3d in = turn * normalized(-1.0 * (coat.normal[a] + coat.normal[b]));
  double covered = 0, sum = 0, all = 0;
  Vec3d out = Vec3d::zero(), out_of_all = Vec3d::zero();
  for (int i = coat.first_look[at_index(probe)]; i < coat.first_look[at_index(probe) + 1]; ++i) {
    const CoatCompliance::Part& part = coat.look_part[at_index(i)];
    CoatBeneath& at = looked_[at_index(part.probe)];
    if (at.cover < 0) {
      const CoatCompliance::Probe& look = coat.look[at_index(part.probe)];
      at = beneath(field, seen * (0.5 * (place[at_index(look.a)] + place[at_index(look.b)])), in);
    }
    const double over = part.weight * at.cover;
    covered += over, sum += over * at.gap, all += part.weight * at.gap;
    out += over * at.out, out_of_all += part.weight * at.out;
  }
  if (!(covered > kLeastCover)) return {-1, all, 1, normalized(out_of_all)};
  return {-1, sum / covered, std::min(covered, 1.0), normalized(out)};
}

Vec3d CoatLook::out_of(int other, int node) const {
  Vec3d sum = Vec3d::zero();
  for (int k = coat_->first_part[at_index(node)]; k < coat_->first_part[at_index(node) + 1]; ++k) {
    const CoatCompliance::Part& p = coat_->part[at_index(k)];
    const CoatMet& t = met_[at_index(p.probe)];
    if (t.other == other)
      sum += (p.weight * t.cover * std::clamp(1 - t.gap / kBeside, 0.0, 1.0)) * t.out;
  }
  return sum;
}

}  // namespace haptos
