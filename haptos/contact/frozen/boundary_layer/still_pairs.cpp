#include "haptos/contact/frozen/boundary_layer/still_pairs.h"

#include <algorithm>

namespace haptos {
namespace {

// Part of R that cores keep between them for samples to be carried.
constexpr double kApart = 0.1;

}  // namespace

bool StillPlace::operator==(const StillPlace& o) const {
  for (int k = 0; k < 3; ++k)
    if (pose.p[k] != o.pose.p[k]) return false;
  return pose.q.w == o.pose.q.w && pose.q.x == o.pose.q.x && pose.q.y == o.pose.q.y &&
         pose.q.z == o.pose.q.z && reach == o.reach;
}

void StillPlace::write(ContactMemory (&notes)[kNotes]) const {
  notes[0].anchor = pose.p, notes[0].edge = reach;
  notes[1].anchor = {{pose.q.x, pose.q.y, pose.q.z}}, notes[1].edge = pose.q.w;
}

StillPlace StillPlace::read(const ContactMemory& first, const ContactMemory& second) {
  const Vec3d& v = second.anchor;
  return {{first.anchor, {second.edge, v[0], v[1], v[2]}}, first.edge};
}

double largest_move(const Aabb& box, const Pose& from, const Pose& to) {
  const Mat3d turn = to_matrix(to.q) - to_matrix(from.q);
  const Vec3d shift = to.p - from.p;
  double most = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d x;
    for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? box.hi[k] : box.lo[k];
    most = std::max(most, squared_norm(turn * x + shift));
  }
  return sqrt(most);
}

void StillSamples::find(const LayerSurface& a, const LayerSurface& b, const StillPlace& at,
                        LayerContacts& contacts) {
  if (found && place == at) return;
  place = at, found = true;
  LayerSurface there = a, here = b;
  there.pose = place.pose, here.pose = {};
  samples.clear();
  contacts.find(there, here, place.reach, samples);
  double deepest = 0;
  for (const ContactSample& s : samples) deepest = std::max(deepest, -s.gap);
  usable = deepest < (1 - kApart) * (a.width + b.width) && !contacts.crosses(there, here);
  const Mat3d back = transpose(to_matrix(place.pose.q));
  for (ContactSample& s : samples) s.p_a = back * (s.p_a - place.pose.p);
}

void StillSamples::carry(const LayerSurface& a, const LayerSurface& b, double reach,
                         std::vector<ContactSample>& out) const {
  const Mat3d ra = to_matrix(a.pose.q), rb = to_matrix(b.pose.q);
  for (const ContactSample& s : samples) {
    ContactSample c = s;
    c.p_a = ra * s.p_a + a.pose.p, c.p_b = rb * s.p_b + b.pose.p, c.n = rb * s.n;
    c.gap = dot(c.n, c.p_a - c.p_b);
    if (c.gap <= reach) out.push_back(c);
  }
}

}  // namespace haptos
