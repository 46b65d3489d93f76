// Spheres on links against half-spaces, each pair by itself, as PointContact takes them.
#pragma once

#include <memory>
#include <vector>

#include "haptos/contact/frozen/point/point_contact.h"

namespace haptos::test {

/// Options of the term and properties of a shape in one.
struct SapOptions : PointContactOptions {
  SapOptions() : PointContactOptions{.law = 0, .anchored = false} {}
  double stiffness = 1e6;         ///< [N/m]
  double relaxation_time = 0.01;  ///< [s]
  double friction = 0.5;
};

/// A sphere on a link against the half-space {x : n . x <= offset}.
struct SapPair {
  const Link* link = nullptr;
  Vec3d centre{{0, 0, 0}};  ///< of the sphere, in the link's frame [m]
  double radius = 0;        ///< [m]
  Vec3d normal{{0, 0, 1}};  ///< outward of the half-space, unit, world
  double offset = 0;        ///< [m]
  int plane_body = -1;      ///< id of the half-space in records
  SapOptions law;           ///< regularisation is that of the first pair
};

inline std::unique_ptr<PointContact> point_contact(const std::vector<SapPair>& pairs) {
  std::vector<PointShape> shapes;
  std::vector<std::array<int, 2>> excluded;
  const int n = static_cast<int>(pairs.size());
  for (const SapPair& p : pairs) {
    Shape ball;
    ball.size[0] = p.radius;
    PointShape s{CollisionShape(ball), {p.centre, {}}, p.link};
    s.stiffness = p.law.stiffness;
    s.relaxation_time = p.law.relaxation_time;
    s.friction = p.law.friction;
    shapes.push_back(s);
  }
  for (const SapPair& p : pairs) {
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    PointShape s{CollisionShape(plane), {p.normal * p.offset, rotation_to(p.normal)}};
    s.body = p.plane_body;
    shapes.push_back(s);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i < j) excluded.push_back({i, j});
      if (i != j) excluded.push_back({i, n + j});
    }
  return std::make_unique<PointContact>(std::move(shapes),
                                        pairs.empty() ? SapOptions() : pairs[0].law, excluded);
}

}  // namespace haptos::test
