// A static problem of one elastic body, below the level of a scene: any displacement on part of the
// vertices, any load on the others. Patch tests and manufactured solutions need both; a scene has
// rigid mounts and gravity.
//
// It goes through the library's elements, objective and Newton: h = 1 s and no mass, so that the
// velocities are displacements and the objective is  Psi(X + u) - sum_a f_a . u_a. Psi has the
// terms of a scene's soft body: elasticity and, for the composite element, the inversion barrier.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "haptos/base/math/index.h"
#include "haptos/bodies/elastic/elastic.h"
#include "haptos/bodies/elastic/inversion_barrier.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/solve/newton/newton.h"
#include "tests/support.h"

namespace haptos::test {

/// Dead loads on points: -sum f_p . (x_p - x_start,p).
class PointLoads final : public Term {
 public:
  std::vector<Vec3d> force;  ///< per point [N]

  const char* name() const override { return "loads"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  TermReport report() const override {
    TermReport r;
    for (const Vec3d& f : force) r.load += norm(f);
    return r;
  }
  Energy evaluate(const Evaluation& e) override {
    Energy sum;
    for (std::size_t p = 0; p < force.size(); ++p) {
      const double v = -dot(force[p], e.points->x[p] - e.points->x_start[p]);
      sum += {v, std::abs(v)};
      if (e.assembly) e.assembly->add_gradient(static_cast<int>(p), -force[p]);
    }
    return sum;
  }
};

class ElasticProblem {
 public:
  /// @param driven  whether the displacement of the vertex at rest position X is given
  ElasticProblem(const TetMesh& mesh, Element element, const Material& material,
                 const std::function<bool(const Vec3d&)>& driven)
      : model(compile(mesh, element, material)) {
    int block = 0;
    for (const Vec3d& x : model.rest.vertices)
      driven(x) ? points.add_driven(0, 0, x) : points.add_node(block++, 0, 0, x);
    points.finish_permanent();
    elements = std::make_shared<SoftElements>(points, model, 0, material);
    elastic = make_elastic_term(elements, static_cast<ElasticLaw>(material.law));
    loads.force.assign(model.rest.vertices.size(), Vec3d::zero());
    std::vector<Term*> terms{elastic.get(), &loads};
    if (model.patch_size > 1) {
      inversion_barrier = make_inversion_barrier(elements);
      terms.push_back(inversion_barrier.get());
    }
    unknowns_.assign(at_index(3 * block), 0.0);
    objective_.build(std::vector<int>(at_index(block), 3),
                     std::vector<char>(at_index(3 * block), 0), &points, terms);
  }

  /// Where a driven vertex ends [m].
  void set_target(int v, const Vec3d& x) { points.x_target[at_index(v)] = x; }

  /// Finds the equilibrium and returns its displacements [m].
  std::vector<Vec3d> solve(double force_tolerance = 1e-11) {
    const std::vector<Vec3d>& X = model.rest.vertices;
    for (std::size_t v = 0; v < X.size(); ++v)
      points.x_start[v] = points.x_base[v] = points.x[v] = X[v];
    objective_.begin_step({0, 1, 1, &points, &unknowns_, nullptr});
    NewtonOptions o;
    o.force_tolerance = force_tolerance;
    o.force_floor = 1e-15;
    o.velocity_tolerance = 1e-9 * largest_length();
    report = minimise(objective_, o, unknowns_);
    std::vector<Vec3d> u(X.size());
    for (std::size_t v = 0; v < X.size(); ++v) u[v] = points.x[v] - X[v];
    return u;
  }

  /// Gradient of the elastic energy by the positions x, per vertex [N].
  std::vector<Vec3d> elastic_gradient(const std::vector<Vec3d>& x) {
    points.x = points.x_start = x;
    StepContext start;
    start.points = &points;
    elastic->prepare(start);
    elastic->refresh(points, Sampling::kAnew);
    Assembly a;
    a.reset(std::make_shared<BlockPattern>(objective_.pattern()));
    a.begin(points, false, nullptr);
    a.set_factors(1, 1);
    Evaluation e;
    e.points = &points;
    e.assembly = &a;
    elastic->evaluate(e);
    return a.point_gradient();
  }

  double largest_length() const {
    double s = 0;
    for (const Vec3d& x : model.rest.vertices)
      for (int c = 0; c < 3; ++c) s = std::max(s, std::abs(x[c]));
    return s;
  }
  int unknown_count() const { return static_cast<int>(unknowns_.size()); }

  SoftModel model;
  Points points;
  std::shared_ptr<SoftElements> elements;
  std::unique_ptr<Term> elastic, inversion_barrier;
  PointLoads loads;
  NewtonReport report;

 private:
  static SoftModel compile(const TetMesh& mesh, Element element, const Material& material) {
    SoftBody b;
    b.name = "body";
    b.mesh = mesh;
    b.element = element;
    b.material = material;
    return compile_soft(b);
  }

  Objective objective_;
  std::vector<double> unknowns_;
};

/// A box [0, s] of n[k] cells along axis k, six tetrahedra each, with its inner vertices moved by
/// up to `jitter` of a cell: an irregular mesh of a regular body.
inline TetMesh jittered_box(const Vec3d& s, const Vec3i& n, double jitter, unsigned seed) {
  BoxPadShape shape;
  shape.width = s[0];
  shape.depth = s[1];
  shape.thickness = s[2];
  TetMesh m = box_pad(shape, n[0], n[1], n[2]).mesh;
  Random random(seed);
  for (Vec3d& x : m.vertices) {
    x += Vec3d{{0.5 * s[0], 0.5 * s[1], s[2]}};
    for (int c = 0; c < 3; ++c) {
      const double move = random() * jitter * s[c] / n[c];
      const bool inner = x[c] > 1e-9 * s[c] && x[c] < (1 - 1e-9) * s[c];
      if (inner) x[c] += move;
    }
  }
  return m;
}

/// Whether a point of that box is on its surface.
inline bool on_box(const Vec3d& x, const Vec3d& s) {
  for (int c = 0; c < 3; ++c)
    if (x[c] < 1e-9 * s[c] || x[c] > (1 - 1e-9) * s[c]) return true;
  return false;
}

}  // namespace haptos::test
