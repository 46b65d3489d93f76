// What boundary-layer contact owes to any triangles at all, in any two places: a sentence where a
// coordinate is not finite, else samples that are numbers. Shared by the fuzzer and its corpus
// test.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/layer/reduction.h"
#include "tests/fuzz/fuzz_mesh.h"

namespace haptos::fuzz {

/// Reads numbers off the bytes; zeros when they are used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  int byte() { return left_ > 0 ? (--left_, *data_++) : 0; }
  /// From few values, so that points coincide and triangles are needles: up to 10 m and down to
  /// .1 um, seldom none at all.
  double number() {
    const int b = byte();
    if (b == 255) return std::nan("");
    const double mantissa = (b % 16 - 8) / 8.0;
    return mantissa * std::pow(10.0, b / 16 / 2.0 - 6.5);
  }
  bool empty() const { return left_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

inline TriMesh any_mesh(Bytes& in) {
  TriMesh m;
  const int vertices = 1 + in.byte() % 24, triangles = in.byte() % 40;
  for (int i = 0; i < vertices; ++i) {
    Vec3d x;
    for (int k = 0; k < 3; ++k) x[k] = in.number();
    m.vertices.push_back(x);
  }
  const auto corner = [&] { return in.byte() % vertices; };
  for (int i = 0; i < triangles; ++i) {
    Vec3i t;
    for (int k = 0; k < 3; ++k) t[k] = corner();
    m.triangles.push_back(t);
  }
  if (in.byte() % 4 == 0) m.segments.push_back({{corner(), corner()}});
  if (triangles == 0 || in.byte() % 4 == 0) m.points.push_back(corner());
  return m;
}

inline void demand_sound(const std::vector<ContactSample>& samples, double reach, double whole) {
  double shares = 0;
  for (const ContactSample& s : samples) {
    for (int k = 0; k < 3; ++k)
      demand(std::isfinite(s.p_a[k]) && std::isfinite(s.p_b[k]) && std::isfinite(s.n[k]),
             "places and normals are numbers");
    demand(std::fabs(norm(s.n) - 1) < 1e-6, "normals are of length 1");
    demand(std::isfinite(s.gap) && s.gap <= reach + 2e-9 * whole, "gaps are within reach");
    demand(s.area > 0 && std::isfinite(s.area), "areas are above 0");
    demand(s.share > 0 && s.share <= 1 + 1e-9, "shares are parts");
    if (s.gap < -1e-6 * whole) shares += s.share;
  }
  demand(shares < 1 + 1e-6, "shares add up to one");
}

/// Returns whether the bytes made two meshes.
inline bool layers(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  LayerSurface side[2];
  TriangleSoup soup[2];
  try {
    for (int k = 0; k < 2; ++k) {
      const int sides = in.byte() % 3;
      soup[k] = TriangleSoup(any_mesh(in), "mesh", static_cast<TriangleSoup::Sides>(sides));
      side[k].soup = &soup[k];
      side[k].width = 1e-4 * std::pow(10.0, in.byte() % 4);
    }
  } catch (const InputError& e) {
    demand_sentence(e);
    return false;
  }
  Vec3d turned;
  for (int k = 0; k < 3; ++k) side[0].pose.p[k] = in.number(), turned[k] = in.number();
  side[0].pose.q = rotation_by(turned);
  const double reach = in.byte() % 2 * 1e-3;
  LayerContacts contacts;
  std::vector<ContactSample> samples, crossed;
  contacts.find(side[0], side[1], reach, samples);
  demand_sound(samples, reach, side[0].width + side[1].width);
  if (contacts.crosses(side[0], side[1])) contacts.find_crossed(side[0], side[1], crossed);
  for (const ContactSample& s : crossed) demand(std::fabs(norm(s.n) - 1) < 1e-6, "a way out");
  SampleReduction reduction;
  reduction.reduce(samples, 8);
  for (const ContactSample& s : samples)
    demand(std::isfinite(s.gap) && std::isfinite(norm(s.p_a)) && std::isfinite(norm(s.n)),
           "what is merged are numbers");
  return true;
}

}  // namespace haptos::fuzz
