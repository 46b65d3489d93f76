#include "haptos/geometry/layer/outline.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/math/math.h"
#include "haptos/geometry/shape/planar_hull.h"

namespace haptos {
namespace {

// Corners nearer than this part of the size are one; corners that stand out of the hull's edge by
// less are none.
constexpr double kOne = 1e-9;

double turn(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }

}  // namespace

void Outline::add(const std::vector<OutlineCorner>& piece) {
  if (pieces_++ == 0) u0_ = piece[0].u, v0_ = piece[0].v;
  const std::size_t n = piece.size();
  for (std::size_t k = 0; k < n; ++k) {
    const OutlineCorner &c = piece[k], &d = piece[k + 1 < n ? k + 1 : 0];
    // Against the piece's own first corner, for the sake of digits.
    const double t =
        0.5 * turn(c.u - piece[0].u, c.v - piece[0].v, d.u - piece[0].u, d.v - piece[0].v);
    area_ += t;
    mu_ += t * ((c.u + d.u + piece[0].u) / 3 - u0_);
    mv_ += t * ((c.v + d.v + piece[0].v) / 3 - v0_);
  }
  for (const OutlineCorner& c : piece)
    if (!c.inner) corners_.push_back(c);
}

double Outline::radius() const {
  double r = 0;
  for (const OutlineCorner& c : corners_)
    r = std::max(r, square(c.u - middle_u()) + square(c.v - middle_v()));
  return std::sqrt(r);
}

// The corners of the hull, less those that round-off put there.
void Outline::take_hull() {
  place_.clear();
  double size = 0;
  for (const OutlineCorner& c : corners_) {
    place_.push_back({{c.u, c.v}});
    size = std::max({size, vabs(c.u - corners_[0].u), vabs(c.v - corners_[0].v)});
  }
  planar_hull(place_, order_, hull_);
  const double one = kOne * size;
  const auto stands_out = [&](const OutlineCorner& a, const OutlineCorner& b,
                              const OutlineCorner& c) {
    const double au = b.u - a.u, av = b.v - a.v, bu = c.u - b.u, bv = c.v - b.v;
    if (std::hypot(au, av) <= one) return false;
    return turn(au, av, bu, bv) > one * std::max(std::hypot(au + bu, av + bv), one);
  };
  kept_.clear();
  for (std::size_t k = 0; k < hull_.size(); ++k) {
    const OutlineCorner& b = corners_[at_index(hull_[k])];
    const OutlineCorner& a = kept_.empty() ? corners_[at_index(hull_.back())] : kept_.back();
    // The next one that is another place.
    std::size_t n = (k + 1) % hull_.size();
    while (n != k && std::hypot(corners_[at_index(hull_[n])].u - b.u,
                                corners_[at_index(hull_[n])].v - b.v) <= one)
      n = (n + 1) % hull_.size();
    if (stands_out(a, b, corners_[at_index(hull_[n])])) kept_.push_back(b);
  }
  // The first was compared with one that may be gone.
  if (kept_.size() > 1 &&
      std::hypot(kept_[0].u - kept_.back().u, kept_[0].v - kept_.back().v) <= one)
    kept_.pop_back();
  corners_.swap(kept_);
}

bool Outline::weigh() {
  const std::size_t n = corners_.size();
  double cu = mu_ / area_ + u0_, cv = mv_ / area_ + v0_, sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const OutlineCorner &a = corners_[(k + n - 1) % n], &b = corners_[k],
                        &c = corners_[(k + 1) % n];
    const double au = b.u - a.u, av = b.v - a.v, bu = c.u - b.u, bv = c.v - b.v;
    corners_[k].weight = std::atan2(vabs(turn(au, av, bu, bv)), au * bu + av * bv);
    sum += corners_[k].weight;
  }
  double w = 0, su = 0, sv = 0, uu = 0, uv = 0, vv = 0;
  for (OutlineCorner& c : corners_) {
    c.weight *= area_ / sum;
    const double u = c.u - cu, v = c.v - cv;
    w += c.weight, su += c.weight * u, sv += c.weight * v;
    uu += c.weight * u * u, uv += c.weight * u * v, vv += c.weight * v * v;
  }
  const Mat3d m{{w, su, sv, su, uu, uv, sv, uv, vv}};
  const double size = uu + vv;
  if (!(det(m) > 1e-9 * w * size * size)) return false;
  const Vec3d x = inverse(m) * Vec3d{{area_, 0, 0}};
  for (OutlineCorner& c : corners_) {
    c.weight *= x[0] + x[1] * (c.u - cu) + x[2] * (c.v - cv);
    if (c.weight < 0) return false;
  }
  return true;
}

// Half of the triangles of a fan about the centroid: never negative where that is inside.
void Outline::weigh_by_fan() {
  const double cu = mu_ / area_ + u0_, cv = mv_ / area_ + v0_;
  const std::size_t n = corners_.size();
  double sum = 0;
  for (OutlineCorner& c : corners_) c.weight = 0;
  for (std::size_t k = 0; k < n; ++k) {
    OutlineCorner &c = corners_[k], &d = corners_[(k + 1) % n];
    const double t = 0.25 * std::max(0.0, turn(c.u - cu, c.v - cv, d.u - cu, d.v - cv));
    c.weight += t, d.weight += t, sum += 2 * t;
  }
  for (OutlineCorner& c : corners_) c.weight *= sum > 0 ? area_ / sum : 0;
}

void Outline::finish() {
  if (corners_.size() < 3 || !(area_ > 0)) return corners_.clear();
  take_hull();
  if (corners_.size() < 3) return corners_.clear();
  if (!weigh()) weigh_by_fan();
}

}  // namespace haptos
