// The linear system of one Newton iteration of a gel pad, made without a step: mass + h^2 Hessian
// of a pad of nx x ny x nz cells, 48 composite tetrahedra each, sheared so that the Hessian is not
// that of the rest state.
//
// With contact the pad is two halves, the upper one with other cells, that meet in the middle at
// half of the barrier's support: some contact pairs per surface node, stiff against the elements.
#pragma once

#include <memory>
#include <vector>

#include "haptos/bodies/elastic/elastic.h"
#include "haptos/bodies/elastic/soft_model.h"
#include "haptos/contact/live/barrier/barrier_term.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/solve/multilevel/multilevel.h"

namespace haptos::test {

struct PadSystemSpec {
  int nx = 8, ny = 8, nz = 2;  ///< cells of the whole pad, nz even with contact
  double poisson = 0.3;
  bool contact = false;
  double width = 20e-3, thickness = 5e-3;  ///< [m]
  double h = 0.01;                         ///< time step [s]
  double shear = 0.2;                      ///< at the top
  bool free = false;                       ///< not glued and without mass: A is singular
};

class PadSystem {
 public:
  explicit PadSystem(const PadSystemSpec& spec) {
    const double support = 1e-4, half = 0.5 * spec.thickness;
    material_.young = 1e5;
    material_.poisson = spec.poisson;
    material_.density = 1000;
    if (spec.contact) {
      add(spec, spec.nx, spec.nz / 2, half, -half - 0.5 * support, -1);
      add(spec, spec.nx + 1, spec.nz / 2, half, 0, 1);
    } else {
      add(spec, spec.nx, spec.nz, spec.thickness, -spec.thickness, -1);
    }
    points.finish_permanent();
    points.x = points.x_start = points.x_target = points.x_base;
    std::vector<std::array<int, 2>> couplings;
    for (auto& part : parts_) {
      part->elements = std::make_shared<SoftElements>(points, part->model, part->first, material_);
      terms_.push_back(make_elastic_term(part->elements, ElasticLaw::kStableNeoHookean));
      terms_.back()->couplings(points, Coupled::kAlways, couplings);
      tets += static_cast<int>(part->model.rest.tets.size());
    }
    if (spec.contact) {
      for (auto& part : parts_) {
        std::vector<int> p;
        for (int v : part->model.surface_vertex) p.push_back(part->first + v);
        part->surface = std::make_unique<ContactSurface>(part->model.surface, p,
                                                         parts_[0] == part ? 0 : 1, 0, false);
      }
      LiveSetup setup;
      setup.support = support;
      setup.stiffness = 0.3 * material_.young / support;
      terms_.push_back(
          make_barrier_term(parts_[0]->surface.get(), parts_[1]->surface.get(), setup));
    }
    assemble(spec.h, std::move(couplings));
  }

  const BlockMatrix& matrix() const { return assembly_.matrix(); }
  NearNullSpace near_null() const {
    return rigid_motions(matrix().pattern(), std::vector<char>(position.size(), 1), position, {});
  }

  Points points;
  std::vector<Vec3d> position;  ///< of each block [m]
  int tets = 0;                 ///< composite: eight per given tetrahedron
  int contact_couplings = 0;    ///< entries that contact added to the pattern

 private:
  struct Part {
    SoftModel model;
    int first = 0;
    std::shared_ptr<SoftElements> elements;
    std::unique_ptr<ContactSurface> surface;
  };

  // A box between z = bottom and bottom + thickness, glued below (side -1) or above.
  void add(const PadSystemSpec& spec, int nx, int nz, double thickness, double bottom, int side) {
    SoftBody b;
    b.name = "pad";
    BoxPadShape shape;
    shape.width = shape.depth = spec.width;
    shape.thickness = thickness;
    b.mesh = box_pad(shape, nx, spec.ny, nz).mesh;
    for (Vec3d& x : b.mesh.vertices) x[2] += bottom + thickness;
    b.material = material_;
    auto part = std::make_unique<Part>();
    part->model = compile_soft(b);
    part->first = points.size();
    const double glued = side < 0 ? bottom : bottom + thickness;
    for (const Vec3d& X : part->model.rest.vertices) {
      // Shear that grows with height: volume and vertical gaps stay.
      const Vec3d x = X + Vec3d{{spec.shear * X[2] * X[2] / spec.thickness, 0, 0}};
      if (!spec.free && std::abs(X[2] - glued) < 1e-3 * thickness) {
        points.add_driven(0, 0, x);
      } else {
        points.add_node(static_cast<int>(position.size()), 0, 0, x);
        position.push_back(x);
      }
    }
    part_mass_.push_back(lumped_mass(part->model.rest, spec.free ? 0.0 : material_.density));
    parts_.push_back(std::move(part));
  }

  void assemble(double h, std::vector<std::array<int, 2>> couplings) {
    StepContext context;
    context.h = context.b = h;
    context.points = &points;
    for (auto& t : terms_) {
      t->prepare(context);
      t->refresh(points, Sampling::kAnew);
    }
    for (int before = -1;;) {
      const std::vector<int> sizes(position.size(), 3);
      auto pattern = std::make_shared<const BlockPattern>(sizes, couplings);
      if (before >= 0) contact_couplings = pattern->entry_count() - before;
      assembly_.reset(pattern);
      assembly_.begin(points, true, nullptr);
      Evaluation e;
      e.points = &points;
      e.assembly = &assembly_;
      e.project = true;
      assembly_.set_factors(h, h * h);
      for (auto& t : terms_) t->evaluate(e);
      if (assembly_.missing().empty()) break;
      before = pattern->entry_count();
      couplings.insert(couplings.end(), assembly_.missing().begin(), assembly_.missing().end());
    }
    for (std::size_t k = 0; k < parts_.size(); ++k)
      for (std::size_t v = 0; v < part_mass_[k].size(); ++v) {
        const int b = points.block(parts_[k]->first + static_cast<int>(v));
        if (b < 0) continue;
        double* d = assembly_.matrix().entry(assembly_.matrix().pattern().diagonal(b));
        for (int c = 0; c < 3; ++c) d[4 * c] += part_mass_[k][v];
      }
  }

  Material material_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::vector<double>> part_mass_;
  std::vector<std::unique_ptr<Term>> terms_;
  Assembly assembly_;
};

}  // namespace haptos::test
