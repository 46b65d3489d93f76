// A surface as contact sees it.
#include "haptos/contact/surface.h"

#include <gtest/gtest.h>

#include <numeric>

#include "haptos/geometry/make/shapes.h"

namespace haptos {
namespace {

ContactSurface surface_of(const TriMesh& m) {
  std::vector<int> points(m.vertices.size());
  std::iota(points.begin(), points.end(), 0);
  return {m, points, 0, 0, true};
}

TriMesh turned(TriMesh m) {
  for (Vec3i& t : m.triangles) std::swap(t[1], t[2]);
  return m;
}

// Two triangles that meet at a right angle along the edge from 0 to 1.
const TriMesh kFold = {{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}},
                       {{{0, 1, 2}}, {{1, 0, 3}}}};

TEST(ContactSurface, FoldOfAnOpenSurfaceIsAsSharpFromEitherSide) {
  for (const TriMesh& m : {kFold, turned(kFold)}) {
    const ContactSurface s = surface_of(m);
    for (std::size_t e = 0; e < s.topology.edges.size(); ++e) {
      const bool fold = s.topology.edges[e][0] + s.topology.edges[e][1] == 1;
      EXPECT_NEAR(s.rest.edge_sharpness[e], fold ? 0.5 : 1.0, 1e-15) << e;
    }
  }
}

TEST(ContactSurface, FoldsOfAClosedSurfaceAreSharpOutsideOnly) {
  const ContactSurface outside = surface_of(box({{1, 1, 1}})),
                       inside = surface_of(turned(box({{1, 1, 1}})));
  double most = 0;
  for (std::size_t e = 0; e < outside.topology.edges.size(); ++e) {
    most = std::max(most, outside.rest.edge_sharpness[e]);
    EXPECT_EQ(inside.rest.edge_sharpness[e], 0) << e;
  }
  EXPECT_NEAR(most, 0.5, 1e-15);
}

}  // namespace
}  // namespace haptos
