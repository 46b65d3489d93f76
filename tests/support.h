// Small helpers that several suites of tests share.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "haptos/sim/sim.h"

namespace haptos::test {

/// Random numbers in [-1, 1], the same on every run.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return 2.0 * (engine_() / 4294967295.0) - 1.0; }
  Vec3d vector() { return {{(*this)(), (*this)(), (*this)()}}; }

 private:
  std::mt19937 engine_;
};

/// A prescribed body without a surface, at rest at the origin: something to glue to.
inline PrescribedBody mount(const std::string& name) {
  PrescribedBody b;
  b.name = name;
  b.trajectory = {{0.0, Pose{}}};
  return b;
}

/// A pose at p without a turn.
inline Pose at_position(const Vec3d& p) {
  Pose x;
  x.p = p;
  return x;
}

/// A Keyframe list that moves straight from a to b between t = 0 and t = duration.
inline std::vector<Keyframe> straight(const Vec3d& a, const Vec3d& b, double duration) {
  return {{0.0, at_position(a)}, {duration, at_position(b)}};
}

/// What refusing says; empty where nothing was refused.
template <class Do>
std::string refusal(const Do& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

/// Vertices of a mesh for which `where` holds.
template <class Where>
std::vector<int> vertices_where(const TetMesh& m, const Where& where) {
  std::vector<int> v;
  for (std::size_t i = 0; i < m.vertices.size(); ++i)
    if (where(m.vertices[i])) v.push_back(static_cast<int>(i));
  return v;
}

}  // namespace haptos::test
