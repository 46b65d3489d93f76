#include "haptos/geometry/layer/layer_contacts.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"

namespace haptos {
namespace {

// What is cut where depth is zero has corners there, on whichever side they are rounded to: their
// areas count all the same.
constexpr double kRound = 1e-9;

}  // namespace

Vec3d LayerContacts::at(int side, int vertex) const {
  const Vec3d& x = soup(side).vertices()[at_index(vertex)];
  return side == 0 ? r_ * x + p_ : x;
}

Vec3d LayerContacts::plane_normal(int side, int plane) const {
  return turned(side, soup(side).planes()[at_index(plane)].n);
}

double LayerContacts::plane_offset(int side, int plane) const {
  const double d = soup(side).planes()[at_index(plane)].offset;
  return side == 0 ? d + dot(plane_normal(0, plane), p_) : d;
}

// False for a pose that is not finite.
bool LayerContacts::take(const LayerSurface& a, const LayerSurface& b) {
  if (!(a.width + b.width > 0))
    throw InputError({"", 0, 0, "layer", "0", "is zero on both sides of a pair",
                      "give one of the two surfaces a layer"});
  surface_[0] = a, surface_[1] = b;
  const Mat3d rb = to_matrix(b.pose.q);
  r_ = transpose(rb) * to_matrix(a.pose.q);
  p_ = transpose(rb) * (a.pose.p - b.pose.p);
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(p_[k]) || !std::isfinite(r_(k, k))) return false;
  R_ = a.width + b.width;
  return true;
}

// Each face of the first one is looked at by itself, those of the second one four at a time.
bool LayerContacts::take_coarser_first(const LayerSurface& a, const LayerSurface& b) {
  const auto fine = [](const LayerSurface& s) {
    return static_cast<double>(s.soup->faces().size()) / square(s.soup->extent());
  };
  exchanged_ = fine(b) < fine(a);
  return exchanged_ ? take(b, a) : take(a, b);
}

void LayerContacts::find(const LayerSurface& a, const LayerSurface& b, double reach,
                         std::vector<ContactSample>& out) {
  if (!take_coarser_first(a, b)) return;
  reach_ = reach;
  samples_.clear();
  find_pairs();
  find_facing();
  find_sharp(0), find_sharp(1);
  write(out);
}

void LayerContacts::emit(int side, const Vec3d& own, const Vec3d& other, const Vec3d& n, double gap,
                         double area, std::int64_t own_feature, std::int64_t other_feature,
                         bool near) {
  if (!(area > 0) || gap > (R_ + reach_) * (1 + kRound)) return;
  // Behind a face is not inside: of a thin ridge that is beside its other flank.
  const bool behind = gap < -kRound * R_;
  if (behind && (gap < -R_ || !inside(1 - side, side == 0 ? own : across(1, own)))) return;
  if (side == 0)
    samples_.push_back({own, other, n, gap, area, near, own_feature, other_feature});
  else
    samples_.push_back({other, own, -n, gap, area, near, other_feature, own_feature});
}

void LayerContacts::write(std::vector<ContactSample>& out) {
  const auto touches = [&](const Sample& s) { return !s.near && s.gap < R_ * (1 + kRound); };
  double touching = 0, all = 0;
  for (const Sample& s : samples_) {
    all += s.area;
    if (touches(s)) touching += s.area;
  }
  // What is only near does not change how stiff the rest is.
  const double whole = touching > 0 ? touching : all;
  const Mat3d rb = to_matrix(surface_[1].pose.q);
  const Vec3d pb = surface_[1].pose.p;
  for (const Sample& s : samples_) {
    ContactSample c;
    c.n = rb * s.n;
    c.p_a = rb * s.x_a + pb - surface_[0].width * c.n;
    c.p_b = rb * s.x_b + pb + surface_[1].width * c.n;
    c.gap = s.gap - R_;
    c.area = s.area;
    c.share = touches(s) ? s.area / whole : s.area / (whole + (touching > 0 ? s.area : 0));
    c.feature_a = s.feature_a, c.feature_b = s.feature_b;
    if (exchanged_) {
      c.n = -c.n;
      std::swap(c.p_a, c.p_b);
      std::swap(c.feature_a, c.feature_b);
    }
    out.push_back(c);
  }
}

}  // namespace haptos
