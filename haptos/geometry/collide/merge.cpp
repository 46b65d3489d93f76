#include "haptos/geometry/collide/merge.h"

#include <algorithm>

#include "haptos/geometry/collide/manifold.h"
#include "haptos/geometry/shape/planar_hull.h"

namespace haptos::detail {
void merge_samples(std::vector<ContactSample>& s, double radius, double margin, int max_points,
                   std::vector<ContactSample>& out) {
  if (s.empty()) return;
  const int n = max_points < 1 ? 1 : std::min(max_points, kMaxContactSamples);
  static thread_local std::vector<int> group, member, order, hull;
  static thread_local std::vector<Vec2d> place;
  static thread_local std::vector<Vec3d> heads;
  group.assign(s.size(), -1);
  heads.clear();
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (std::size_t g = 0; g < heads.size() && group[i] < 0; ++g)
      if (dot(heads[g], s[i].n) > 0.999) group[i] = static_cast<int>(g);
    if (group[i] < 0) group[i] = static_cast<int>(heads.size()), heads.push_back(s[i].n);
  }
  const std::size_t first = out.size();
  double total = 0;
  for (std::size_t g = 0; g < heads.size(); ++g) {
    member.clear();
    double area = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (group[i] != static_cast<int>(g)) continue;
      area += s[i].area;
      bool known = false;
      for (int j : member) {
        ContactSample& o = s[static_cast<std::size_t>(j)];
        if (squared_norm(o.p_b - s[i].p_b) > radius * radius) continue;
        known = true;
        const double sum = o.area + s[i].area;
        if (s[i].gap < o.gap) o = s[i];
        o.area = sum;
        break;
      }
      if (!known) member.push_back(static_cast<int>(i));
    }
    Vec3d t1, t2;
    tangents(heads[g], t1, t2);
    place.clear();
    for (int j : member) {
      const ContactSample& o = s[static_cast<std::size_t>(j)];
      place.push_back({{dot(t1, o.p_b), dot(t2, o.p_b)}});
    }
    planar_hull(place, order, hull);
    int deepest = 0;
    for (std::size_t k = 1; k < member.size(); ++k)
      if (s[static_cast<std::size_t>(member[k])].gap <
          s[static_cast<std::size_t>(member[static_cast<std::size_t>(deepest)])].gap)
        deepest = static_cast<int>(k);
    static thread_local Patch patch;
    patch.count = 0;
    const auto corner = [&](int k) {
      const ContactSample& o = s[static_cast<std::size_t>(member[static_cast<std::size_t>(k)])];
      const Vec2d& x = place[static_cast<std::size_t>(k)];
      return Corner{x[0], x[1], o.gap, 0, 1, member[static_cast<std::size_t>(k)], 0, 0, false};
    };
    const bool inner = std::find(hull.begin(), hull.end(), deepest) == hull.end() && [&] {
      double least = 1e300;
      for (int k : hull) least = vmin(least, corner(k).gap);
      return corner(deepest).gap < least - radius;
    }();
    for (int k : hull)
      if (patch.count < Patch::kMax - 2) patch.c[patch.count++] = corner(k);
    weigh(patch);
    thin(patch, inner && n > 1 ? n - 1 : n, 0);
    if (inner) patch.c[patch.count++] = corner(deepest);
    // The measure of the group, shared as its corners' weights; near the margin they fade.
    double sum = 0, least = 1e300;
    for (int k = 0; k < patch.count; ++k)
      sum += patch.c[k].weight, least = vmin(least, patch.c[k].gap);
    if (!(sum > 0))
      for (int k = 0; k < patch.count; ++k) sum += patch.c[k].weight = 1;
    const double room = margin - least;
    const double measure = area > 0 ? area : radius * radius;
    for (int k = 0; k < patch.count; ++k) {
      ContactSample o = s[static_cast<std::size_t>(patch.c[k].id_a)];
      const double fade = room > 0 ? clamp((margin - o.gap) / room, 0.0, 1.0) : 1.0;
      o.area = area > 0 ? area * patch.c[k].weight / sum : 0;
      o.share = measure * patch.c[k].weight / sum * fade;
      total += o.share;
      out.push_back(o);
    }
  }
  // What is left of a face beside the ridge that touches first is not worth a contact.
  constexpr double kLeast = 0.005;
  double kept = 0;
  std::size_t n_kept = first;
  for (std::size_t i = first; i < out.size(); ++i) {
    if (!(out[i].share >= kLeast * total) && heads.size() > 1) continue;
    kept += out[i].share;
    out[n_kept++] = out[i];
  }
  out.resize(n_kept);
  for (std::size_t i = first; i < out.size(); ++i)
    out[i].share = kept > 0 ? out[i].share / kept : 1.0 / static_cast<double>(n_kept - first);
}

}  // namespace haptos::detail
