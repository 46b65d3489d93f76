// Irregular tetrahedra that become finer towards a place, for solids whose contact is small against
// them: bisection of longest edges (Rivara 1984), with new vertices put on round sides.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos::test {

class LongestEdgeBisection {
 public:
  /// @param size  longest edge that is wanted at a place [m]
  /// @param snap  where the middle of an edge from a to b goes
  static TetMesh refine(TetMesh mesh, const std::function<double(const Vec3d&)>& size,
                        const std::function<Vec3d(const Vec3d& a, const Vec3d& b)>& snap) {
    while (LongestEdgeBisection(mesh).pass(size, snap)) {
    }
    return mesh;
  }

 private:
  using Edge = std::array<int, 2>;

  explicit LongestEdgeBisection(TetMesh& mesh) : mesh_(mesh) {}

  static Edge edge(int a, int b) { return {std::min(a, b), std::max(a, b)}; }
  const Vec3d& x(int v) const { return mesh_.vertices[static_cast<std::size_t>(v)]; }
  // Longer first; of equals one of the two, whichever tetrahedron asks.
  bool before(const Edge& e, const Edge& f) const {
    const double a = squared_norm(x(e[1]) - x(e[0])), b = squared_norm(x(f[1]) - x(f[0]));
    return a > b || (a >= b && e < f);
  }
  // The longest edge of a tetrahedron; with `marked`, of those that are cut.
  Edge longest(const Vec4i& t, bool marked) const {
    Edge best{-1, -1};
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < i; ++k) {
        const Edge e = edge(t[i], t[k]);
        if (marked && middle_.find(e) == middle_.end()) continue;
        if (best[0] < 0 || before(e, best)) best = e;
      }
    return best;
  }

  bool pass(const std::function<double(const Vec3d&)>& size,
            const std::function<Vec3d(const Vec3d&, const Vec3d&)>& snap) {
    for (const Vec4i& t : mesh_.tets) {
      const Edge e = longest(t, false);
      const Vec3d centre = (x(t[0]) + x(t[1]) + x(t[2]) + x(t[3])) * 0.25;
      if (norm(x(e[1]) - x(e[0])) > size(centre)) middle_[e] = -1;
    }
    if (middle_.empty()) return false;
    // Who is cut is cut at its longest edge too.
    for (bool more = true; more;) {
      more = false;
      for (const Vec4i& t : mesh_.tets)
        if (longest(t, true)[0] >= 0) more = middle_.emplace(longest(t, false), -1).second || more;
    }
    const std::vector<Vec3d> old = mesh_.vertices;
    for (auto& [e, m] : middle_) {
      m = static_cast<int>(mesh_.vertices.size());
      mesh_.vertices.push_back(
          snap(old[static_cast<std::size_t>(e[0])], old[static_cast<std::size_t>(e[1])]));
    }
    std::vector<Vec4i> tets;
    for (const Vec4i& t : mesh_.tets) cut(t, tets);
    mesh_.tets = std::move(tets);
    return true;
  }

  // Halves a tetrahedron until none of its edges is marked: longest first, so that two that share a
  // face cut it alike. Edges between new vertices are never marked.
  void cut(const Vec4i& t, std::vector<Vec4i>& out) const {
    const Edge e = longest(t, true);
    if (e[0] < 0) {
      out.push_back(t);
      return;
    }
    for (int side = 0; side < 2; ++side) {
      Vec4i half = t;
      for (int& v : half.a)
        if (v == e[side]) v = middle_.at(e);
      cut(half, out);
    }
  }

  TetMesh& mesh_;
  std::map<Edge, int> middle_;
};

}  // namespace haptos::test
