// Boundary-layer contact of triangles that nobody would draw: needles, doubles, points, 10 m beside
// a millimetre. Bytes as the fuzzer gives them, and soups whose sums may not depend on their order.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/fuzz/fuzz_layers.h"
#include "tests/unit/layer_cases.h"

namespace haptos {
namespace {

TEST(LayerFuzz, AnyBytesMakeSoundSamplesOrASentence) {
  std::mt19937 random(11);
  int made = 0, refused = 0;
  for (int k = 0; k < 4000; ++k) {
    std::vector<std::uint8_t> bytes(40 + random() % 260);
    // Without the byte that is no number, but for some.
    const unsigned last = k % 4 == 0 ? 256 : 255;
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random() % last);
    (fuzz::layers(bytes.data(), bytes.size()) ? made : refused)++;
  }
  EXPECT_GT(made, 1000);
  EXPECT_GT(refused, 100);
}

// Triangles of every size near each other, some twice, some without area.
TriMesh odd_soup(std::mt19937& random, int triangles) {
  std::uniform_real_distribution<double> any(-1, 1);
  TriMesh m;
  for (int i = 0; i < triangles; ++i) {
    const double size = std::pow(10.0, -3 + 2 * any(random));  // 10 um to 100 mm
    const double flat = i % 3 == 0 ? 1e-4 : 1;                 // needles
    const Vec3d at{{0.02 * any(random), 0.02 * any(random), 0.004 * any(random)}};
    for (int k = 0; k < 3; ++k)
      m.vertices.push_back(
          at + Vec3d{{size * any(random), flat * size * any(random), 0.1 * size * any(random)}});
    const int v = 3 * i;
    m.triangles.push_back({{v, v + 1, v + 2}});
    if (i % 5 == 0) m.triangles.push_back({{v + 1, v, v + 2}});
    if (i % 7 == 0) m.triangles.push_back({{v, v + 1, v + 1}});
    if (i % 4 == 1) m.triangles.push_back({{v - 3, v - 2, v + 1}});  // shares an edge
  }
  return m;
}

// Depth as a stiffness sees it that belongs to a pair of bodies, whatever their area.
double shared_depth(const std::vector<ContactSample>& samples) {
  double sum = 0;
  for (const ContactSample& s : samples) sum += s.share * std::max(-s.gap, 0.0);
  return sum;
}

// A corner at no depth counted or not by how it was rounded: shares of all changed by a seventh.
TEST(LayerFuzz, SumsOfOddSoupsDoNotDependOnOrderOrSides) {
  std::mt19937 random(5);
  int touching = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const TriMesh a = odd_soup(random, 12), b = odd_soup(random, 12);
    const Pose pose{{{0, 0, 0.006}}, rotation_by({{0.1, 0.2, 0.05 * seed}})};
    const double width = 2e-3;
    const TriangleSoup sa(a), sb(b);
    const auto first = layer_samples(sa, pose, width, sb, {}, width);
    const LayerWrench w = wrench_of(first);
    touching += w.load > 0;
    const TriangleSoup ta(shuffled(a, seed)), tb(shuffled(b, seed + 1));
    const auto again = layer_samples(ta, pose, width, tb, {}, width);
    const LayerWrench other = wrench_of(again);
    const LayerWrench back = wrench_of(layer_samples(sb, {}, width, sa, pose, width));
    const double size = w.load + 1e-30;
    EXPECT_LT(norm(w.force - other.force), 1e-8 * size) << seed;
    EXPECT_LT(norm(w.moment - other.moment), 1e-9 * size) << seed;
    EXPECT_LT(norm(w.force + back.force), 1e-8 * size) << seed;
    EXPECT_LT(norm(w.moment + back.moment), 1e-9 * size) << seed;
    EXPECT_NEAR(shared_depth(first), shared_depth(again), 1e-8 * width) << seed;
  }
  EXPECT_GT(touching, 150);
}

// A floor of triangles of 10 m under a body of triangles of a millimetre: as it is on a small one.
TEST(LayerFuzz, TenMetresAgainstAMillimetreKeepTheForce) {
  const TriMesh dice = cut_cube(1e-3, 1);
  const double width = 1e-4, deep = 5e-5;
  const Pose pose{{{3.1, -2.7, 0.5e-3 + 2 * width - deep}}, rotation_by({{0, 0, 0.7}})};
  LayerWrench found[2];
  for (const double size : {20.0, 8.0}) {
    const TriangleSoup floor(cut_plate(size, size, 1, 0, 3)), body(dice);
    found[size < 10] = wrench_of(layer_samples(body, pose, width, floor, {}, width));
  }
  EXPECT_NEAR(found[0].force[2], 1e-6 * deep, 1e-3 * 1e-6 * deep);
  EXPECT_LT(norm(found[0].force - found[1].force), 1e-9 * found[0].load);
  EXPECT_LT(norm(found[0].centre - found[1].centre), 1e-9);
}

TEST(LayerFuzz, WhatIsNoNumberIsRefusedWithItsPlace) {
  TriMesh m = cut_cube(0.1, 2);
  m.vertices[5][1] = std::nan("");
  try {
    const TriangleSoup soup(m, "rigid[3].shape");
    FAIL() << "was taken";
  } catch (const InputError& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("rigid[3].shape"), said.npos) << said;
    EXPECT_NE(said.find("finite"), said.npos) << said;
    EXPECT_NE(said.find('5'), said.npos) << said;
  }
}

}  // namespace
}  // namespace haptos
