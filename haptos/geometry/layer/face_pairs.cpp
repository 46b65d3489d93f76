// Pairs of faces of two soups that may face each other within reach (layer_contacts.h): what the
// trees find near each other, less what four lanes at a time can tell apart.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/layer/layer_contacts.h"

namespace haptos {
namespace {

using FourFaces = LayerContacts::FourFaces;
constexpr int kLanes = FourFaces::kLanes;
using Lanes = FourFaces::Lanes;
using LaneVec = Vec3<Lanes>;

// Along the mean of normals that are 60 degrees apart, a distance is at most this times what it is
// along one of them; with room for round-off.
constexpr double kSlanted = 1.1548, kTan30 = 0.5774;

Lanes vmin3(Lanes a, Lanes b, Lanes c) { return vmin(vmin(a, b), c); }
Lanes vmax3(Lanes a, Lanes b, Lanes c) { return vmax(vmax(a, b), c); }

// Where a line along m through an edge of one triangle, in the plane of both, has the other one all
// on the far side.
PackMask<double, kLanes> beside(const LaneVec (&x)[3], const LaneVec (&y)[3], const LaneVec& m) {
  auto apart = Lanes(1.0) < Lanes(0.0);
  for (int k = 0; k < 3; ++k) {
    const LaneVec& o = x[k];
    const LaneVec w = cross(x[(k + 1) % 3] - o, m);
    const Lanes own = dot(w, x[(k + 2) % 3] - o);
    const Lanes d0 = dot(w, y[0] - o), d1 = dot(w, y[1] - o), d2 = dot(w, y[2] - o);
    const Lanes zero(0.0);
    apart = apart | ((own > zero) & (vmax3(d0, d1, d2) <= zero)) |
            ((own < zero) & (vmin3(d0, d1, d2) >= zero));
  }
  return apart;
}

unsigned may_face(const FourFaces& a, const FourFaces& b, double far) {
  const Lanes c = dot(a.n, b.n), oblique(kOblique), zero(0.0);
  const auto towards = c < -oblique;
  const auto facing = towards | ((c > oblique) & (a.sided * b.sided <= zero));
  if (!any(facing)) return 0;
  const Lanes reach(far), back(-far);
  const Lanes s[3] = {dot(a.n, b.x[0]) - a.offset, dot(a.n, b.x[1]) - a.offset,
                      dot(a.n, b.x[2]) - a.offset};
  const Lanes t[3] = {dot(b.n, a.x[0]) - b.offset, dot(b.n, a.x[1]) - b.offset,
                      dot(b.n, a.x[2]) - b.offset};
  auto near = facing & (vmin3(s[0], s[1], s[2]) <= reach) & (vmax3(s[0], s[1], s[2]) >= back) &
              (vmin3(t[0], t[1], t[2]) <= reach) & (vmax3(t[0], t[1], t[2]) >= back);
  if (!any(near)) return 0;
  const Lanes sign = select(towards, Lanes(1.0), Lanes(-1.0));
  const LaneVec m = b.n - a.n * sign;
  near = near & !(beside(a.x, b.x, m) | beside(b.x, a.x, m));
  unsigned bits = 0;
  const Lanes kept = select(near, Lanes(1.0), zero);
  for (int k = 0; k < kLanes; ++k)
    if (kept[k] != 0) bits |= 1u << k;
  return bits;
}

}  // namespace

// The faces of a group of b's tree in lanes, made once in a call.
const FourFaces* LayerContacts::lanes_of(int group) {
  const TriangleSoup& s = soup(1);
  auto& at = group_place_[1][at_index(group)];
  if (at < 0) {
    at = static_cast<int>(group_faces_.size());
    groups_[1].push_back(group);
    group_faces_.resize(group_faces_.size() + 2);
    for (int i = 0; i < WideTree::kWidth; ++i) {
      const int place = std::min(group * WideTree::kWidth + i, s.tree().size() - 1);
      const int face = s.tree().item(place);
      FourFaces& l = group_faces_[at_index(at + i / kLanes)];
      if (face >= static_cast<int>(s.faces().size())) {  // no face: turned to nothing
        for (int d = 0; d < 3; ++d) l.n[d].set(i % kLanes, 0);
        continue;
      }
      const TriangleSoup::Face& f = s.faces()[at_index(face)];
      const TriangleSoup::Plane& p = s.planes()[at_index(f.plane)];
      for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) l.x[k][d].set(i % kLanes, s.vertices()[at_index(f.v[k])][d]);
        l.n[d].set(i % kLanes, p.n[d]);
      }
      l.offset.set(i % kLanes, p.offset);
      l.sided.set(i % kLanes, f.sided ? 1.0 : 0.0);
    }
  }
  return &group_faces_[at_index(at)];
}

// A face of a in the frame of b, and the box of what it may face: what faces a face lies at most
// far before it and at most tan 30 of that beside it.
void LayerContacts::take_face(int face, OneFace& one) const {
  const TriangleSoup::Face& f = soup(0).faces()[at_index(face)];
  one.face = face;
  one.n = plane_normal(0, f.plane);
  one.offset = soup(0).planes()[at_index(f.plane)].offset + dot(one.n, p_);
  Aabb reach;
  for (int k = 0; k < 3; ++k) {
    one.x[k] = at(0, f.v[k]);
    reach.merge(one.x[k]);
  }
  for (int d = 0; d < 3; ++d) {
    const double more = far() * (vabs(one.n[d]) + kTan30 * sqrt(vmax(0.0, 1 - square(one.n[d]))));
    reach.lo[d] -= more, reach.hi[d] += more;
  }
  one.reach = WideTree::rounded(reach);
}

// Room for the faces of a group of a's tree, each made when it is asked for.
LayerContacts::OneFace* LayerContacts::faces_of(int group) {
  auto& at = group_place_[0][at_index(group)];
  if (at < 0) {
    at = static_cast<int>(own_faces_.size());
    groups_[0].push_back(group);
    own_faces_.resize(own_faces_.size() + WideTree::kWidth);
  }
  return &own_faces_[at_index(at)];
}

void LayerContacts::make_room() {
  for (int side = 0; side < 2; ++side) {
    const auto places = at_index(soup(side).tree().size() / WideTree::kWidth + 1);
    if (group_place_[side].size() < places) group_place_[side].resize(places, -1);
  }
}

void LayerContacts::clear_room() {
  for (int side = 0; side < 2; ++side) {
    for (const int g : groups_[side]) group_place_[side][at_index(g)] = -1;
    groups_[side].clear();
  }
  own_faces_.clear(), group_faces_.clear();
}

// What the trees find near each other.
void LayerContacts::find_pairs() {
  meetings_.clear();
  if (soup(0).faces().empty() || soup(1).faces().empty()) return;
  const Mat3d back = transpose(r_);
  soup(0).tree().pairs(soup(1).tree(), back, -(back * p_), kSlanted * far(),
                       [&](int group, unsigned own, int other) {
                         meetings_.push_back({group, own, other});
                       });
}

void LayerContacts::pair_up_all(std::span<const Meeting> meetings) {
  faces_.clear();
  make_room();
  const auto faces = static_cast<int>(soup(0).faces().size());
  for (const Meeting& m : meetings) {
    OneFace* all = faces_of(m.group);
    for (unsigned own = m.mask; own; own &= own - 1) {
      const int k = __builtin_ctz(own);
      const int face = soup(0).tree().item(m.group * WideTree::kWidth + k);
      if (face >= faces) continue;
      if (all[k].face < 0) take_face(face, all[k]);
      if (const unsigned mask = soup(1).tree().in_group(m.other, all[k].reach))
        pair_up(all[k], m.other, mask);
    }
  }
  clear_room();
}

void LayerContacts::pair_up(const OneFace& one, int group, unsigned mask) {
  FourFaces a;
  for (int d = 0; d < 3; ++d) {
    for (int k = 0; k < 3; ++k) a.x[k][d] = Lanes(one.x[k][d]);
    a.n[d] = Lanes(one.n[d]);
  }
  const TriangleSoup::Face& f = soup(0).faces()[at_index(one.face)];
  a.offset = Lanes(one.offset), a.sided = Lanes(f.sided ? 1.0 : 0.0);
  const FourFaces* b = lanes_of(group);
  for (int half = 0; half < 2; ++half) {
    const unsigned wanted = mask >> (half * kLanes) & 0xfu;
    if (!wanted) continue;
    for (unsigned hit = may_face(a, b[half], far()) & wanted; hit; hit &= hit - 1) {
      const int j =
          soup(1).tree().item(group * WideTree::kWidth + half * kLanes + __builtin_ctz(hit));
      faces_.push_back({{f.plane, soup(1).faces()[at_index(j)].plane}, {one.face, j}});
    }
  }
}

}  // namespace haptos
