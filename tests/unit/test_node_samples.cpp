// Contact at the nodes behind what material points touch.
#include <gtest/gtest.h>

#include "haptos/contact/frozen/cloud/node_samples.h"

namespace haptos {
namespace {

// Nodes 0 to 7 at the corners of a cube of side 1; a point in its middle.
Vec3d corner(int k) { return {{double(k & 1), double(k >> 1 & 1), double(k >> 2)}}; }

struct Parts {
  Points::Part part[8];
  explicit Parts(double weight = 0.125) {
    for (int k = 0; k < 8; ++k) part[k] = {k, weight};
  }
};

TEST(NodeSamples, ThoseBehindThePlaneOfContactTouch) {
  NodeSamples nodes;
  nodes.clear();
  // A floor at z = .2, so .3 under the point.
  nodes.add(Parts().part, 8, {{0.5, 0.5, 0.5}}, {{0, 0, 1}}, 0.3, corner);
  nodes.finish(2.0, [](int node) { return std::int64_t{100} + node; });
  ASSERT_EQ(nodes.samples().size(), 4u);
  double shares = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const ContactSample& s = nodes.samples()[k];
    EXPECT_EQ(s.p_a[2], 0);
    EXPECT_EQ(s.n[2], 1);
    EXPECT_EQ(s.gap, 0);
    EXPECT_EQ(s.area, 2);
    EXPECT_EQ(s.feature_a, 100 + nodes.places()[k].part->point);
    EXPECT_EQ(nodes.places()[k].count, 1);
    EXPECT_EQ(nodes.places()[k].part->weight, 1);
    shares += s.share;
  }
  EXPECT_NEAR(shares, 1, 1e-15);
}

TEST(NodeSamples, ANodeInACornerTouchesOnceForEachDirection) {
  NodeSamples nodes;
  nodes.clear();
  const Vec3d middle = {{0.5, 0.5, 0.5}};
  const double tilt = 0.1;
  nodes.add(Parts().part, 8, middle, {{0, 0, 1}}, 0.4, corner);
  nodes.add(Parts().part, 8, middle, normalized(Vec3d{{0, tilt, 1}}), 0.4, corner);
  nodes.add(Parts().part, 8, middle, {{1, 0, 0}}, 0.4, corner);
  nodes.finish(1, [](int node) { return std::int64_t{node}; });
  int of_first = 0;
  for (std::size_t k = 0; k < nodes.samples().size(); ++k) {
    const ContactSample& s = nodes.samples()[k];
    EXPECT_NEAR(norm(s.n), 1, 1e-15);
    if (nodes.places()[k].part->point != 0) continue;
    ++of_first;
    // Two that are nearly the same are one, between them.
    if (s.n[2] > 0.5)
      EXPECT_NEAR(s.n[1] / s.n[2], 0.5 * tilt, 1e-3);
    else
      EXPECT_EQ(s.n[0], 1);
  }
  EXPECT_EQ(of_first, 2);
}

// Two points over a floor, one deeper than the other: areas and first moments of gaps are kept, and
// so is the moment about any axis, for the nodes' mean place is that of the points.
TEST(NodeSamples, SummedUpNodesHaveTheAreaAndTheDepthOfThePoints) {
  NodeSamples nodes;
  nodes.clear();
  ContactSample a, b;
  a.n = b.n = {{0, 0, 1}};
  a.area = 2, a.gap = -0.01;
  b.area = 1, b.gap = -0.04;
  Points::Part skewed[8];
  for (int k = 0; k < 8; ++k) skewed[k] = {k, (k & 1 ? 0.75 : 0.25) * 0.5 * (k >> 2 ? 0.1 : 0.9)};
  nodes.sum_up(Parts().part, 8, a, corner);
  nodes.sum_up(skewed, 8, b, corner);
  nodes.finish(0, [](int node) { return std::int64_t{node}; });
  double area = 0, depth = 0, shares = 0;
  Vec3d middle = Vec3d::zero();
  for (const ContactSample& s : nodes.samples()) {
    area += s.area, depth -= s.area * s.gap, shares += s.share;
    middle += s.area * s.p_a;
    EXPECT_EQ(norm(s.p_a - s.p_b), 0);
    EXPECT_EQ(s.n[2], 1);
    EXPECT_LE(s.gap, -0.01);
    EXPECT_GE(s.gap, -0.04);
  }
  EXPECT_EQ(nodes.samples().size(), 8u);
  EXPECT_NEAR(area, 3, 1e-14);
  EXPECT_NEAR(depth, 0.06, 1e-15);
  EXPECT_NEAR(shares, 1, 1e-14);
  EXPECT_LT(norm(middle - (2 * Vec3d{{0.5, 0.5, 0.5}} + Vec3d{{0.75, 0.5, 0.1}})), 1e-14);
}

TEST(NodeSamples, ANodeThatMovesNothingIsLeftOut) {
  NodeSamples nodes;
  nodes.clear();
  Parts parts;
  parts.part[0].weight = 1e-9;
  nodes.add(parts.part, 8, {{0.5, 0.5, 0.5}}, {{0, 0, 1}}, 0.3, corner);
  nodes.finish(1, [](int node) { return std::int64_t{node}; });
  EXPECT_EQ(nodes.samples().size(), 3u);
  nodes.clear();
  nodes.finish(1, [](int node) { return std::int64_t{node}; });
  EXPECT_TRUE(nodes.samples().empty());
}

}  // namespace
}  // namespace haptos
