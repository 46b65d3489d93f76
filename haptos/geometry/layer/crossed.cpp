// Triangles with layers that cross (layer_contacts.h): whether they do, and which way is out.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/query/triangle_distance.h"

namespace haptos {
namespace {

// Of the directions of what is inside: below this part of their lengths they have none in common.
constexpr double kAgree = 0.2;
// Of the size: so far out a corner still counts as inside, as of boxes that stand flush.
constexpr double kOnIt = 1e-9;
constexpr std::int64_t kCrossedMark = std::int64_t{3} << 59;

using FourFaces = LayerContacts::FourFaces;
using Lanes = FourFaces::Lanes;

// Whether a triangle reaches from one side to the other of the plane of any of four, or its own
// plane does so through them: only then may they meet.
bool straddle(const Vec3<Lanes> (&x)[3], const FourFaces& y) {
  const Lanes zero(0.0);
  const auto across = [&](const Lanes& a, const Lanes& b, const Lanes& c) {
    return (vmin(a, vmin(b, c)) <= zero) & (vmax(a, vmax(b, c)) >= zero);
  };
  const auto those =
      across(dot(y.n, x[0]) - y.offset, dot(y.n, x[1]) - y.offset, dot(y.n, x[2]) - y.offset);
  if (!any(those)) return false;
  const Vec3<Lanes> n = cross(x[1] - x[0], x[2] - x[0]);
  return any(those & across(dot(n, y.x[0] - x[0]), dot(n, y.x[1] - x[0]), dot(n, y.x[2] - x[0])));
}

double area_of(const TriangleSoup& soup, int face) {
  const Vec3i& v = soup.faces()[at_index(face)].v;
  const auto& x = soup.vertices();
  return 0.5 *
         norm(cross(x[at_index(v[1])] - x[at_index(v[0])], x[at_index(v[2])] - x[at_index(v[0])]));
}

}  // namespace

template <class F>
void LayerContacts::each_meeting(F&& f) {
  if (soup(0).faces().empty() || soup(1).faces().empty()) return;
  make_room();
  const auto faces = static_cast<int>(soup(0).faces().size()),
             others = static_cast<int>(soup(1).faces().size());
  const WideTree& tree = soup(1).tree();
  bool more = true;
  const auto look = [&](int group, unsigned own, int other) {
    for (; own && more; own &= own - 1) {
      const int face = soup(0).tree().item(group * WideTree::kWidth + __builtin_ctz(own));
      if (face >= faces) continue;
      Aabb box;
      Vec3<Lanes> x[3];
      for (int k = 0; k < 3; ++k) {
        const Vec3d p = at(0, soup(0).faces()[at_index(face)].v[k]);
        box.merge(p);
        for (int d = 0; d < 3; ++d) x[k][d] = Lanes(p[d]);
      }
      const unsigned mask = tree.in_group(other, WideTree::rounded(box));
      if (!mask) continue;
      const FourFaces* four = lanes_of(other);
      for (int half = 0; half < 2 && more; ++half) {
        const unsigned wanted = mask >> (half * FourFaces::kLanes) & 0xfu;
        if (!wanted) continue;
        if (!straddle(x, four[half])) continue;
        const auto met = triangle_distance(x, four[half].x);
        for (int k = 0; k < FourFaces::kLanes && more; ++k) {
          const int place = other * WideTree::kWidth + half * FourFaces::kLanes + k;
          if (!(wanted >> k & 1) || !(met.distance[k] <= 0) || tree.item(place) >= others) continue;
          Vec3d middle;
          for (int d = 0; d < 3; ++d) middle[d] = 0.5 * (met.a[0][d][k] + met.a[1][d][k]);
          more = f(face, tree.item(place), middle);
        }
      }
    }
  };
  const Mat3d back = transpose(r_);
  soup(0).tree().pairs(tree, back, -(back * p_), 0, look);
  clear_room();
}

bool LayerContacts::crosses(const LayerSurface& a, const LayerSurface& b) {
  if (!take_coarser_first(a, b)) return false;
  bool any = false;
  each_meeting([&](int, int, const Vec3d&) {
    any = true;
    return false;
  });
  return any;
}

bool LayerContacts::apart(const LayerSurface& a, const LayerSurface& b, double distance) {
  if (!take_coarser_first(a, b)) return true;
  const WideTree& tree = soup(1).tree();
  const Mat3d back = transpose(r_);
  bool apart = true;
  soup(0).tree().pairs(tree, back, -(back * p_), distance, [&](int group, unsigned own, int other) {
    for (; own && apart; own &= own - 1) {
      const int item = soup(0).tree().item(group * WideTree::kWidth + __builtin_ctz(own));
      const Vec3i c = soup(0).corners(item);
      const Aabb box = Aabb::of(at(0, c[0]), at(0, c[1]), at(0, c[2]));
      if (tree.in_group(other, WideTree::rounded(box.inflated(distance)))) apart = false;
    }
    return apart;
  });
  return apart;
}

void LayerContacts::find_crossed(const LayerSurface& a, const LayerSurface& b, const Vec3d& away,
                                 std::vector<ContactSample>& out) {
  exchanged_ = false;
  if (!take(a, b)) return;
  const Vec3d n = transpose(to_matrix(b.pose.q)) * away;
  samples_.clear();
  each_meeting([&](int face, int other, const Vec3d& x) {
    const double area = std::min(area_of(soup(0), face), area_of(soup(1), other));
    samples_.push_back({x, x, n, -R_, area, false,
                        feature_id(ShapeFeature::kFace, face) | kCrossedMark,
                        feature_id(ShapeFeature::kFace, other) | kCrossedMark});
    return true;
  });
  write(out);
}

// Whether x, in the frame of the other side, is inside of it: by the face that is nearest.
bool LayerContacts::inside(int other, const Vec3d& x) const {
  const TriangleSoup& s = soup(other);
  double best = 1e300, height = 0;
  s.tree().nearest_groups<false>(x, 1e300, [&](int group, unsigned mask) {
    for (; mask; mask &= mask - 1) {
      const int i = s.tree().item(group * WideTree::kWidth + __builtin_ctz(mask));
      if (i >= static_cast<int>(s.faces().size())) continue;
      const TriangleSoup::Face& f = s.faces()[at_index(i)];
      const Vec3d &a = s.vertices()[at_index(f.v[0])], &b = s.vertices()[at_index(f.v[1])],
                  &c = s.vertices()[at_index(f.v[2])];
      const Vec3d beta = closest_on_triangle(x, a, b, c).beta;
      const Vec3d off = x - (beta[0] * a + beta[1] * b + beta[2] * c);
      const double d = squared_norm(off);
      const double h = f.sided ? dot(s.planes()[at_index(f.plane)].n, off) : 1;
      // Of faces that share the nearest edge or corner the one that x is farthest above or below.
      const bool as_near = d <= best * (1 + 1e-9) + 1e-24;
      if (d < best * (1 - 1e-9) || (as_near && vabs(h) > vabs(height))) height = h;
      best = std::min(best, d);
    }
    return best;
  });
  return height <= kOnIt * s.extent();
}

// Corners of either side that are inside the other one are pushed in one direction: out of what
// they are in, along the sum of the areas that are inside, or where these cancel, of the way from
// middle to middle.
void LayerContacts::find_crossed(const LayerSurface& a, const LayerSurface& b,
                                 std::vector<ContactSample>& out) {
  exchanged_ = false;
  if (!take(a, b)) return;
  struct Inner {
    int side, vertex;
    double area;
  };
  std::vector<Inner> inner;
  Vec3d sum = Vec3d::zero();  // of a's areas inward, and b's outward: pushes a
  double all = 0;
  for (int side = 0; side < 2; ++side) {
    const TriangleSoup& s = soup(side);
    if (s.sided() == 0 || soup(1 - side).sided() == 0) continue;
    const auto n = static_cast<int>(s.vertices().size());
    std::vector<Vec3d> area(at_index(n), Vec3d::zero());
    for (const TriangleSoup::Face& f : s.faces()) {
      if (!f.sided) continue;
      const auto& x = s.vertices();
      const Vec3d third = cross(x[at_index(f.v[1])] - x[at_index(f.v[0])],
                                x[at_index(f.v[2])] - x[at_index(f.v[0])]) *
                          (1.0 / 6);
      for (int k = 0; k < 3; ++k) area[at_index(f.v[k])] += third;
    }
    const Aabb box = soup(1 - side).box();
    for (int v = 0; v < n; ++v) {
      const Vec3d x = across(side, s.vertices()[at_index(v)]);
      if (!box.contains(x) || !(squared_norm(area[at_index(v)]) > 0)) continue;
      if (!inside(1 - side, x)) continue;
      const double size = norm(area[at_index(v)]);
      inner.push_back({side, v, size});
      sum += (side == 0 ? -1.0 : 1.0) * turned(side, area[at_index(v)]);
      all += size;
    }
  }
  if (inner.empty()) return;
  if (norm(sum) < kAgree * all) sum = r_ * soup(0).box().centre() + p_ - soup(1).box().centre();
  if (!(norm(sum) > 0)) return;
  const Vec3d n = normalized(sum);
  samples_.clear();
  for (const Inner& i : inner) {
    const Vec3d x = at(i.side, i.vertex);
    // Deeper than the layers; how deep is not known.
    samples_.push_back(
        {x, x, n, -R_, i.area, false,
         feature_id(ShapeFeature::kVertex, i.side == 0 ? i.vertex : 0) | kCrossedMark,
         feature_id(ShapeFeature::kVertex, i.side == 1 ? i.vertex : 0) | kCrossedMark});
  }
  write(out);
}

}  // namespace haptos
