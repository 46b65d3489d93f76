// Depth and pictures of meshes that move, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/math/rotation.h"
#include "haptos/base/text/error.h"
#include "haptos/render/moving_scene.h"

namespace haptos {
namespace {

constexpr Lens kLens{140, 120, 70.25, 44.5, 0.05, 5};
constexpr int kWidth = 128, kHeight = 96;

// A square of side 2 a in the plane z = 0 of its frame.
RenderMesh square(double a) {
  RenderMesh m;
  m.vertices = {{{-a, -a, 0}}, {{a, -a, 0}}, {{a, a, 0}}, {{-a, a, 0}}};
  m.triangles = {{{0, 1, 2}}, {{0, 2, 3}}};
  return m;
}

MovingScene scene_of(RenderMesh mesh, std::vector<MovingScene::Plane> planes = {}) {
  RenderScene s;
  s.meshes.push_back(std::move(mesh));
  return {s, std::move(planes)};
}

const Camera kForward = camera_at(Vec3d::zero(), Mat3d::identity(), kLens);

std::size_t pixel(int row, int col) { return at_index(row * kWidth + col); }

TEST(MovingScene, DepthOfATiltedPlaneIsThatOfThePlane) {
  MovingScene s = scene_of(square(20));
  const Mat3d turn = to_matrix(rotation_by({{0.7, -0.4, 0.2}}));
  const Vec3d origin{{0.1, 0.05, 1.3}}, n = column(turn, 2);
  s.place(0, turn, origin);
  const RangeImage image = s.range(kForward, kWidth, kHeight);
  double worst = 0;
  for (int r = 0; r < kHeight; ++r)
    for (int c = 0; c < kWidth; ++c) {
      const Vec3d ray{{(c - kLens.cx) / kLens.fx, (r - kLens.cy) / kLens.fy, 1}};
      const double z = dot(n, origin) / dot(n, ray);
      ASSERT_EQ(image.mesh[pixel(r, c)], 0);
      worst = std::max(worst, std::abs(image.depth[pixel(r, c)] - z));
    }
  EXPECT_LT(worst, 3e-7);  // half a bit of float at 4 m
}

TEST(MovingScene, DepthOfABallIsThatOfItsFacets) {
  const double radius = 0.2;
  constexpr int kRings = 256;
  MovingScene s = scene_of(sphere_mesh(Vec3d::zero(), radius, kRings));
  const Vec3d centre{{0.05, -0.02, 0.9}};
  s.place(0, Mat3d::identity(), centre);
  const RangeImage image = s.range(kForward, kWidth, kHeight);
  // A facet lies below the ball by up to the height of the arc over its longest edge, a diagonal.
  const double angle = M_PI / kRings, sagitta = radius * (1 - std::cos(angle * std::sqrt(0.5)));
  int seen = 0;
  for (int r = 0; r < kHeight; ++r)
    for (int c = 0; c < kWidth; ++c) {
      const Vec3d ray{{(c - kLens.cx) / kLens.fx, (r - kLens.cy) / kLens.fy, 1}};
      const double b = dot(ray, centre), a = dot(ray, ray);
      const double under = b * b - a * (dot(centre, centre) - radius * radius);
      const float depth = image.depth[pixel(r, c)];
      if (under < 0) {
        EXPECT_TRUE(std::isinf(depth));
        EXPECT_EQ(image.mesh[pixel(r, c)], -1);
        continue;
      }
      if (under < 1e-4) continue;  // a facet may be beside the outline
      ++seen;
      const double z = (b - std::sqrt(under)) / a;
      const Vec3d x = ray * z;
      const double cosine = dot(normalized(ray), normalized(centre - x));
      EXPECT_NEAR(depth, z, 1.05 * sagitta / cosine + 1e-7);
    }
  EXPECT_GT(seen, 1500);
}

TEST(MovingScene, APointIsSeenWhereTheLensPutsIt) {
  const double z = 2;
  MovingScene s = scene_of(square(0.5 * z / kLens.fy));  // a pixel high, a little more wide
  for (const Vec2i& at : {Vec2i{{10, 20}}, Vec2i{{100, 70}}}) {
    s.place(0, Mat3d::identity(),
            {{(at[0] - kLens.cx) / kLens.fx * z, (at[1] - kLens.cy) / kLens.fy * z, z}});
    const RangeImage image = s.range(kForward, kWidth, kHeight);
    EXPECT_EQ(image.mesh[pixel(at[1], at[0])], 0);
    EXPECT_EQ(std::count(image.mesh.begin(), image.mesh.end(), 0), 1);
  }
}

TEST(MovingScene, WhatIsNearerOrFartherThanTheLensReachesIsNotSeen) {
  MovingScene s = scene_of(square(50));
  const auto count = [&](double z) {
    s.place(0, Mat3d::identity(), {{0, 0, z}});
    const RangeImage image = s.range(kForward, kWidth, kHeight);
    return std::count(image.mesh.begin(), image.mesh.end(), 0);
  };
  EXPECT_EQ(count(0.049), 0);
  EXPECT_EQ(count(0.051), kWidth * kHeight);
  EXPECT_EQ(count(4.999), kWidth * kHeight);
  EXPECT_EQ(count(5.001), 0);
}

// A camera 0.5 m above a floor, level: the floor is seen below the horizon as far as the lens
// reaches, at z = 0.5 fy / (row - cy).
TEST(MovingScene, AFloorIsSeenAsFarAsTheLensReaches) {
  MovingScene s = scene_of(square(0.1), {{{{0, 0, 1}}, -0.5}});
  s.place(0, Mat3d::identity(), {{0, 0, 1e3}});
  const Mat3d level{{1, 0, 0, 0, 0, 1, 0, -1, 0}};  // x right, y down, forward along the world's y
  const RangeImage image = s.range(camera_at(Vec3d::zero(), level, kLens), kWidth, kHeight);
  for (int r = 0; r < kHeight; ++r)
    for (int c = 0; c < kWidth; ++c) {
      const double z = 0.5 * kLens.fy / (r - kLens.cy);
      if (z > 0 && z < kLens.far) {
        EXPECT_NEAR(image.depth[pixel(r, c)], z, 3e-7);
        EXPECT_EQ(image.mesh[pixel(r, c)], 1);
      } else {
        EXPECT_EQ(image.mesh[pixel(r, c)], -1);
      }
    }
}

TEST(MovingScene, APictureIsThatOfTheMeshesWhereTheyAre) {
  const Pose pose{{{0.1, -0.1, 1.2}}, rotation_by({{0.3, 0.5, 0}})};
  RenderMesh ball = sphere_mesh({{0.1, 0, 0}}, 0.2, 24);
  MovingScene moving = scene_of(ball), shaped = scene_of(ball);
  for (Vec3d& x : ball.vertices) x = pose * x;
  RenderScene still;
  still.meshes.push_back(ball);
  moving.place(0, to_matrix(pose.q), pose.p);
  shaped.reshape(0, ball.vertices);
  RenderOptions options;
  options.width = kWidth, options.height = kHeight;
  const Image expected = render(still, kForward, options);
  EXPECT_EQ(shaped.picture(kForward, options).rgb, expected.rgb);
  const Image image = moving.picture(kForward, options);
  for (std::size_t i = 0; i < image.rgb.size(); ++i)
    EXPECT_NEAR(image.rgb[i], expected.rgb[i], 1) << i;  // corner normals are turned as floats
}

TEST(MovingScene, AFloorDoesNotCoarsenShadows) {
  RenderMesh ball = sphere_mesh(Vec3d::zero(), 0.2, 24);
  RenderOptions options;
  options.width = kWidth, options.height = kHeight;
  options.ambient_occlusion = false;
  MovingScene alone = scene_of(ball), on_floor = scene_of(ball, {{{{0, 1, 0}}, 0.2}});
  for (MovingScene* s : {&alone, &on_floor}) s->place(0, Mat3d::identity(), {{0, 0, 1}});
  const RangeImage range = alone.range(kForward, kWidth, kHeight);
  const Image a = alone.picture(kForward, options), b = on_floor.picture(kForward, options);
  int same = 0, ball_pixels = 0;
  for (std::size_t i = 0; i < range.mesh.size(); ++i) {
    if (range.mesh[i] < 0) continue;
    ++ball_pixels;
    same += std::equal(a.rgb.begin() + static_cast<std::ptrdiff_t>(3 * i),
                       a.rgb.begin() + static_cast<std::ptrdiff_t>(3 * i + 3),
                       b.rgb.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  EXPECT_GT(ball_pixels, 1500);
  EXPECT_GT(same, 0.9 * ball_pixels);  // all but the outline and what the floor's shadow reaches
}

TEST(MovingScene, ALensThatSeesNothingIsRefused) {
  MovingScene s = scene_of(square(1));
  Lens lens = kLens;
  lens.near = 6;
  EXPECT_THROW(s.range(camera_at(Vec3d::zero(), Mat3d::identity(), lens), 8, 8), InputError);
}

}  // namespace
}  // namespace haptos
