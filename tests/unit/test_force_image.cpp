#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "haptos/base/text/error.h"
#include "haptos/sensors/field/force_image.h"
#include "haptos/sensors/tactile/depth.h"

namespace haptos {
namespace {

struct Gel {
  std::vector<Vec3d> nodes;
  std::vector<Vec3i> coat;
};

// A flat coat with nodes beside the grid's places, and one node that is not part of it.
Gel uneven(int n, double width, unsigned seed = 3) {
  Gel g;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-0.25, 0.25);
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const bool inner = i > 0 && j > 0 && i < n && j < n;
      const double a = inner ? u(random) : 0, b = inner ? u(random) : 0;
      g.nodes.push_back({{width * ((i + a) / n - 0.5), width * ((j + b) / n - 0.5), 0}});
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i;
      g.coat.push_back({{a, a + 1, a + n + 2}});
      g.coat.push_back({{a, a + n + 2, a + n + 1}});
    }
  g.nodes.push_back({{0, 0, -1e-3}});
  return g;
}

NodalContact no_contact(const Gel& g) {
  NodalContact c;
  c.force.assign(g.nodes.size(), Vec3d::zero());
  c.to_surface = c.force;
  c.area.assign(g.nodes.size(), 0.0);
  return c;
}

double sum(const std::vector<double>& v, std::size_t from, std::size_t count) {
  double s = 0;
  for (std::size_t i = 0; i < count; ++i) s += v[from + i];
  return s;
}

TEST(ContactField, KeepsForceAndMomentOfAnyNodalForces) {
  const Gel g = uneven(20, 20e-3);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(-1, 1);
  for (const double smoothing : {-1.0, 0.0, 0.5e-3, 1e-3}) {
    const ContactFieldSensor s(g.nodes, g.coat, smoothing);
    NodalContact c = no_contact(g);
    Vec3d force = Vec3d::zero(), torque = Vec3d::zero();
    for (std::size_t v = 0; v < g.nodes.size(); ++v) {
      if (std::hypot(g.nodes[v][0], g.nodes[v][1]) > 3e-3) continue;
      c.force[v] = {{0.1 * u(random), 0.1 * u(random), -1 + 0.3 * u(random)}};
      force += c.force[v];
      torque += cross(g.nodes[v], c.force[v]);
    }
    const ContactField f = s.measure(g.nodes, c);
    EXPECT_NEAR(norm(total_force(s.coat(), f) + f.off_coat - force), 0, 1e-12 * norm(force));
    EXPECT_GT(norm(f.off_coat), 0.5);
    const double moved =
        norm(total_torque(s.coat(), f) + cross(g.nodes.back(), f.off_coat) - torque);
    std::printf("FIGURE contact_field.moment_error.l%.1f = %.1e mm\n", 1e3 * smoothing,
                1e3 * moved / norm(force));
    // A constant length keeps the moment but for what reaches the border; one that follows the
    // elements to a part of an element.
    EXPECT_LE(moved / norm(force), smoothing < 0 ? 2e-5 : 1e-6);
  }
}

TEST(ContactField, ShareOfTheAreaGivesAUniformPressureOnAnyMesh) {
  const Gel g = uneven(12, 10e-3);
  for (const double smoothing : {-1.0, 0.0, 2e-3}) {
    const ContactFieldSensor s(g.nodes, g.coat, smoothing);
    NodalContact c = no_contact(g);
    for (std::size_t v = 0; v < s.coat().size(); ++v)
      c.force[static_cast<std::size_t>(s.coat().node[v])] = {
          {20 * s.rest_areas()[v], 0, -100 * s.rest_areas()[v]}};
    const ContactField f = s.measure(g.nodes, c);
    for (std::size_t v = 0; v < f.pressure.size(); ++v) {
      ASSERT_NEAR(f.pressure[v], 100, 1e-9);
      ASSERT_NEAR(f.shear[v][0], 20, 1e-9);
      ASSERT_NEAR(f.shear[v][2], 0, 1e-12);
    }
  }
}

TEST(ContactField, WithoutContactAllIsExactlyZero) {
  const Gel g = uneven(8, 10e-3);
  const ContactFieldSensor s(g.nodes, g.coat);
  const NodalContact c = no_contact(g);
  const ContactField f = s.measure(g.nodes, c);
  for (std::size_t v = 0; v < f.pressure.size(); ++v) {
    EXPECT_EQ(f.pressure[v], 0);
    EXPECT_EQ(norm(f.shear[v]), 0);
  }
  const ContactPatch p = s.patch(g.nodes, c);
  EXPECT_EQ(p.area, 0);
  EXPECT_EQ(norm(p.centre), 0);
  const ForceImage image = force_image(TactileCamera::orthographic(32, 24, 3e-4), s.coat(), f);
  for (const double v : image.force) EXPECT_EQ(v, 0);
  for (const double v : image.pressure) EXPECT_EQ(v, 0);
  EXPECT_EQ(norm(image.outside), 0);
}

TEST(ContactField, BadInputIsRefused) {
  const Gel g = uneven(4, 10e-3);
  EXPECT_THROW(ContactFieldSensor(g.nodes, std::vector<Vec3i>{{{0, 1, 99}}}), InputError);
  EXPECT_THROW(ContactFieldSensor(g.nodes, std::vector<Vec3i>{{{0, 1, 2}}}), InputError);  // a line
  EXPECT_THROW(ContactFieldSensor(g.nodes, g.coat, NAN), InputError);
  const ContactFieldSensor none(g.nodes, std::vector<Vec3i>{});
  EXPECT_TRUE(none.measure(g.nodes, no_contact(g)).pressure.empty());
  const ContactFieldSensor s(g.nodes, g.coat);
  EXPECT_THROW(s.measure(std::vector<Vec3d>(3), no_contact(g)), InputError);
  const ContactField f = s.measure(g.nodes, no_contact(g));
  EXPECT_THROW(force_image(TactileCamera(), s.coat(), f, -1, 3), InputError);
}

TEST(ContactPatch, CentreOfPressureIsWhereTheForceActs) {
  const Gel g = uneven(20, 20e-3);
  const ContactFieldSensor s(g.nodes, g.coat, 1e-3);  // one element
  NodalContact c = no_contact(g);
  // A force at a point of a triangle, shared by its weights.
  const Vec3i& t = s.coat().triangles[420];
  const double w[3] = {0.2, 0.5, 0.3};
  Vec3d at = Vec3d::zero();
  for (int k = 0; k < 3; ++k) {
    const auto v = static_cast<std::size_t>(s.coat().node[static_cast<std::size_t>(t[k])]);
    c.force[v] = Vec3d{{0.1, 0.05, -2}} * w[k];
    at += g.nodes[v] * w[k];
  }
  const ContactPatch p = s.patch(g.nodes, c);
  EXPECT_NEAR(norm(p.centre - at), 0, 1e-15);
  EXPECT_NEAR(norm(p.torque - cross(at, Vec3d{{0.1, 0.05, -2}})), 0, 1e-15);
  // The field's centre, by the moments of its image, is the same to a tenth of a pixel.
  const ContactField f = s.measure(g.nodes, c);
  const TactileCamera camera = TactileCamera::orthographic(200, 200, 1e-4);
  const ForceImage image = force_image(camera, s.coat(), f);
  double total = 0, u = 0, v = 0;
  const std::size_t plane = image.area.size();
  for (int row = 0; row < 200; ++row)
    for (int col = 0; col < 200; ++col) {
      const double z = image.force[2 * plane + static_cast<std::size_t>(row * 200 + col)];
      total += z, u += z * col, v += z * row;
    }
  const Vec2d expected = camera.project(at);
  std::printf("FIGURE contact_field.centre_of_the_image = %.3f pixel off\n",
              std::hypot(u / total - expected[0], v / total - expected[1]));
  EXPECT_LE(std::hypot(u / total - expected[0], v / total - expected[1]), 0.1);
}

TEST(ForceImage, BinsAndWhatLiesOutsideAddUpToTheForceUnderEveryCamera) {
  const Gel g = uneven(18, 20e-3);
  const ContactFieldSensor s(g.nodes, g.coat);
  NodalContact c = no_contact(g);
  std::vector<Vec3d> now = g.nodes;
  for (std::size_t v = 0; v + 1 < now.size(); ++v) {
    const double x = now[v][0], y = now[v][1];
    const double p = std::exp(-(x * x + y * y) / 2e-5);
    now[v][2] = -1e-3 * p;
    c.force[v] = {{0.2 * p, 0, -p}};
    c.area[v] = p > 0.5 ? 1e-6 : 0;
  }
  const ContactField f = s.measure(now, c);
  const Vec3d force = total_force(s.coat(), f);
  double coat_area = 0;
  for (const double a : f.shape.triangle_area) coat_area += a;
  struct Case {
    TactileCamera camera;
    int width, height;
    bool all;  // the image shows the whole coat
  };
  for (const Case& k : {Case{TactileCamera::orthographic(250, 250, 1e-4), 0, 0, true},
                        Case{TactileCamera::orthographic(64, 48, 1e-4), 0, 0, false},
                        Case{TactileCamera::orthographic(250, 250, 1e-4), 32, 24, true},
                        Case{TactileCamera::pinhole(160, 120, 150, 0.01), 0, 0, false},
                        Case{TactileCamera::pinhole(300, 300, 150, 0.0125, -0.1, 0), 7, 5, true},
                        Case{TactileCamera::fisheye(320, 320, 150, 0.0125), 40, 40, true}}) {
    const ForceImage image = force_image(k.camera, s.coat(), f, k.width, k.height);
    const std::size_t plane = image.area.size();
    Vec3d in = Vec3d::zero();
    for (int i = 0; i < 3; ++i)
      in[i] = sum(image.force, static_cast<std::size_t>(i) * plane, plane);
    EXPECT_NEAR(norm(in + image.outside - force), 0, 1e-12 * norm(force));
    if (k.all) {
      EXPECT_LE(norm(image.outside), 1e-12 * norm(force));
      EXPECT_NEAR(sum(image.area, 0, plane), coat_area, 1e-12 * coat_area);
      EXPECT_NEAR(sum(image.touched, 0, plane), s.patch(now, c).area, 1e-12 * coat_area);
    } else {
      EXPECT_GT(norm(image.outside), 1e-3 * norm(force));
    }
    for (std::size_t i = 0; i < plane; ++i) {
      ASSERT_TRUE(std::isfinite(image.pressure[i]));
      // Force and tractions of a bin belong together, but for the curvature of the coat.
      const Vec3d t{{image.force[i], image.force[plane + i], image.force[2 * plane + i]}};
      const Vec3d q{{image.shear[i], image.shear[plane + i], image.shear[2 * plane + i]}};
      if (image.pressure[i] > 1e3) {
        ASSERT_NEAR(norm(t) / image.area[i], std::hypot(image.pressure[i], norm(q)),
                    0.05 * image.pressure[i]);
      }
    }
  }
}

TEST(ForceImage, ACameraThatSeesNoCoatHasAllForceOutside) {
  const Gel g = uneven(8, 10e-3);
  const ContactFieldSensor s(g.nodes, g.coat);
  NodalContact c = no_contact(g);
  for (std::size_t v = 0; v + 1 < g.nodes.size(); ++v) c.force[v] = {{0.1, 0.2, -1}};
  const ContactField f = s.measure(g.nodes, c);
  const Vec3d force = total_force(s.coat(), f);
  TactileCamera aside = TactileCamera::pinhole(64, 48, 60, 0.01, -0.1, 0);
  aside.cx = 1e4;
  TactileCamera behind = TactileCamera::fisheye(64, 48, 60, 1e-3);
  std::vector<Vec3d> above = g.nodes;  // the coat lies behind the lens
  for (Vec3d& x : above) x[2] = -2e-3;
  for (const auto& [camera, nodes] : {std::pair(aside, g.nodes), std::pair(behind, above)}) {
    ContactField moved = f;
    moved.position = s.coat().gather(nodes);
    const ForceImage image = force_image(camera, s.coat(), moved);
    EXPECT_NEAR(norm(image.outside - force), 0, 1e-12 * norm(force));
    for (const double a : image.area) ASSERT_EQ(a, 0);
    for (const double p : image.pressure) ASSERT_EQ(p, 0);
    for (const float d : DepthSensor(camera, g.nodes, g.coat).measure(nodes).depth)
      ASSERT_TRUE(std::isnan(d));
  }
  for (const float d : DepthSensor(behind, g.nodes, std::vector<Vec3i>{}).measure(g.nodes).depth)
    ASSERT_TRUE(std::isnan(d));
}

// A bin of a uniform pressure holds the pressure times its area, wherever the triangles lie.
TEST(ForceImage, UniformPressureFillsEveryBinAlike) {
  const Gel g = uneven(17, 16e-3);
  const ContactFieldSensor s(g.nodes, g.coat);
  NodalContact c = no_contact(g);
  for (std::size_t v = 0; v < s.coat().size(); ++v)
    c.force[static_cast<std::size_t>(s.coat().node[v])] = {{0, 0, -1e4 * s.rest_areas()[v]}};
  const ContactField f = s.measure(g.nodes, c);
  const ForceImage image = force_image(TactileCamera::orthographic(40, 40, 3e-4), s.coat(), f);
  const std::size_t plane = image.area.size();
  for (std::size_t i = 0; i < plane; ++i) {
    ASSERT_NEAR(image.area[i], 9e-8, 1e-19);
    ASSERT_NEAR(image.force[2 * plane + i], -1e4 * 9e-8, 1e-14);
    ASSERT_NEAR(image.pressure[i], 1e4, 1e-6);
  }
}

}  // namespace
}  // namespace haptos
