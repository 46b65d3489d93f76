#include "haptos/geometry/layer/layer_contacts.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"

namespace haptos {
namespace {

// With room for round-off.
constexpr double kTan30 = 0.5774;

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

void LayerContacts::find(const LayerSurface& a, const LayerSurface& b, double reach,
                         std::vector<ContactSample>& out) {
  if (!(a.width + b.width > 0))
    throw InputError({"", 0, 0, "layer", "0", "is zero on both sides of a pair",
                      "give one of the two surfaces a layer"});
  surface_[0] = a, surface_[1] = b;
  const Mat3d rb = to_matrix(b.pose.q);
  r_ = transpose(rb) * to_matrix(a.pose.q);
  p_ = transpose(rb) * (a.pose.p - b.pose.p);
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(p_[k]) || !std::isfinite(r_(k, k))) return;
  R_ = a.width + b.width, reach_ = reach;
  samples_.clear();
  find_pairs();
  find_facing();
  find_sharp(0), find_sharp(1);
  write(out);
}

bool LayerContacts::may_face(int a, int b) const {
  const TriangleSoup::Face &fa = soup(0).faces()[at_index(a)], &fb = soup(1).faces()[at_index(b)];
  const double c = dot(plane_normal(0, fa.plane), soup(1).planes()[at_index(fb.plane)].n);
  return fa.sided && fb.sided ? c < -kOblique : vabs(c) > kOblique;
}

// Faces whose boxes are within reach; those of the smaller one ask the other's tree. What faces a
// face lies at most far() before it and, as it is projected along a direction within 30 degrees of
// the normal, at most tan 30 of that beside it.
void LayerContacts::find_pairs() {
  faces_.clear();
  const int small = soup(0).element_count() <= soup(1).element_count() ? 0 : 1;
  const auto n = static_cast<int>(soup(small).faces().size()),
             m = static_cast<int>(soup(1 - small).faces().size());
  if (n == 0 || m == 0) return;
  each_near(
      small, soup(small).tree(), [&](int i) { return soup(small).corners(i); },
      [&](int i, const Aabb& box) {
        if (i >= n) return;
        Vec3d normal = soup(small).planes()[at_index(soup(small).faces()[at_index(i)].plane)].n;
        normal = small == 0 ? r_ * normal : transpose(r_) * normal;
        Aabb reach = box;
        for (int k = 0; k < 3; ++k) {
          const double d =
              far() * (vabs(normal[k]) + kTan30 * sqrt(vmax(0.0, 1 - square(normal[k]))));
          reach.lo[k] -= d, reach.hi[k] += d;
        }
        soup(1 - small).tree().query(reach, [&](int j) {
          if (j >= m) return;
          const int a = small == 0 ? i : j, b = small == 0 ? j : i;
          if (may_face(a, b))
            faces_.push_back(
                {{soup(0).faces()[at_index(a)].plane, soup(1).faces()[at_index(b)].plane}, {a, b}});
        });
      });
}

void LayerContacts::emit(int side, const Vec3d& own, const Vec3d& other, const Vec3d& n, double gap,
                         double area, std::int64_t own_feature, std::int64_t other_feature) {
  if (!(area > 0) || gap > R_ + reach_) return;
  if (side == 0)
    samples_.push_back({own, other, n, gap, area, own_feature, other_feature});
  else
    samples_.push_back({other, own, -n, gap, area, other_feature, own_feature});
}

void LayerContacts::write(std::vector<ContactSample>& out) {
  double touching = 0, all = 0;
  for (const Sample& s : samples_) {
    all += s.area;
    if (s.gap < R_) touching += s.area;
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
    c.share = s.gap < R_ ? s.area / whole : s.area / (whole + (touching > 0 ? s.area : 0));
    c.feature_a = s.feature_a, c.feature_b = s.feature_b;
    out.push_back(c);
  }
}

}  // namespace haptos
