// When shapes that move along paths touch, and how fast they may close until then.
#include <gtest/gtest.h>

#include "haptos/geometry/collide/touch.h"
#include "tests/unit/collide_cases.h"

namespace haptos {
namespace {

using namespace collide_test;

struct Moving {
  CollisionShape a, b;
  ShapePath pa, pb;
  double at(double t) const { return distance(a, pa.at(t), b, pb.at(t)).distance; }
};

// Two shapes of any kind that start apart and move by about as much; turns up to .3 rad.
Moving draw(Random& random) {
  const auto kind = [&] { return kConvexKinds[random.rng() % std::size(kConvexKinds)]; };
  for (;;) {
    Moving m{CollisionShape(random.shape(kind())), CollisionShape(random.shape(kind())), {}, {}};
    const auto path = [&](ShapePath& p) {
      const Pose start = random.pose(0.5);
      const Quat turn = rotation_by(random.direction() * random.uniform(0, 0.3));
      const Vec3d way = random.direction() * random.uniform(0, 0.4);
      p = ShapePath::between(start, {start.p + way, turn * start.q},
                             way + random.direction() * random.uniform(0, 0.2));
    };
    path(m.pa), path(m.pb);
    if (m.at(0) > 1e-3) return m;
  }
}

TEST(FirstTouch, NothingClosesFasterThanItsBound) {
  Random random(1);
  double tightest = 1e300;
  for (int k = 0; k < 3000; ++k) {
    const Moving m = draw(random);
    const ShapeDistance d = distance(m.a, m.pa.at(0), m.b, m.pb.at(0));
    const double c = closing(m.a, m.pa, m.b, m.pb, d.n);
    for (int i = 1; i <= 20; ++i) {
      const double t = 0.05 * i;
      // Along n; the distance is at least that.
      const double gap = gap_along(m.a, m.pa.at(t), m.b, m.pb.at(t), d.n);
      EXPECT_GE(gap, d.distance - c * t - 1e-9) << k << " at " << t;
      if (i == 1) tightest = std::min(tightest, c * t - (d.distance - gap));
    }
  }
  EXPECT_LT(tightest, 1e-3);  // for some it says hardly more than what happens
}

TEST(FirstTouch, IsWhereTheDistanceFirstVanishes) {
  Random random(2);
  int touch = 0, late = 0;
  const double tolerance = 1e-7;
  for (int k = 0; k < 1500; ++k) {
    const Moving m = draw(random);
    double t = 0;
    const bool touches = first_touch(m.a, m.pa, m.b, m.pb, tolerance, t);
    touch += touches;
    const double end = touches ? t : 1;
    for (int i = 0; i <= 100; ++i) ASSERT_GT(m.at(end * 0.01 * i * (1 - 1e-9)), 0) << k;
    // A search that runs out of steps ends close before.
    if (touches) EXPECT_LE(m.at(t), 1e-4) << k;
    late += touches && m.at(t) > tolerance;
    // From a time until which they are known to be apart it is found again.
    double again = 0;
    EXPECT_EQ(first_touch(m.a, m.pa, m.b, m.pb, tolerance, again, 1, 0.7 * end), touches);
    if (touches) EXPECT_NEAR(again, t, 1e-3) << k;
  }
  EXPECT_GT(touch, 200);
  EXPECT_LT(touch, 1200);
  EXPECT_LT(late, 0.02 * touch);
}

}  // namespace
}  // namespace haptos
