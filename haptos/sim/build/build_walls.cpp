// What parts material points: shapes that are thin beside the cells of their grid.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/sim/build/frozen_shapes.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

// Cells below which a shape is a wall: points on both sides of a thicker one hardly share a node.
constexpr double kThin = 2;
// In cells, how far outside of a wall a point is at least taken to be, and how near to a wall the
// way between two places is no longer free.
constexpr double kOutside = 0.1, kGraze = 1.0 / 64;

// Whether a shape is thinner than `limit` [m]: no place inside is half as deep. Places are those of
// a lattice over its box, its middle first.
bool is_thin(const DistanceField& field, double limit) {
  constexpr int kHalf = 16;
  const Aabb& box = field.box();
  const Vec3d size = box.extent(), step = (0.5 / kHalf) * size, middle = box.centre();
  if (std::min({size[0], size[1], size[2]}) < limit) return true;
  const auto deep = [&](int i, int j, int k) {
    return -2 * field.phi(middle + Vec3d{{i * step[0], j * step[1], k * step[2]}}) >= limit;
  };
  if (deep(0, 0, 0)) return false;
  for (int i = -kHalf; i <= kHalf; ++i)
    for (int j = -kHalf; j <= kHalf; ++j)
      for (int k = -kHalf; k <= kHalf; ++k)
        if (deep(i, j, k)) return false;
  return true;
}

// A shape, and what carries it.
struct Wall {
  std::shared_ptr<const DistanceField> field;
  Pose frame;                          // in what carries it, or in the world
  const Articulation* body = nullptr;  // a link of it
  int link = -1;
  int prescribed = -1;
};

class ThinWalls final : public Walls {
 public:
  ThinWalls(std::vector<Wall> walls, double cell) : walls_(std::move(walls)), cell_(cell) {}

  void place(const State& state) override {
    pose_.clear();
    for (const Wall& w : walls_) {
      Pose carrier;
      if (w.body) {
        const auto x = w.body->link_pose(state.q.data() + w.body->slots().first_q, w.link);
        carrier = {x.p, quaternion(x.r)};
      } else if (w.prescribed >= 0) {
        carrier = state.paths[at_index(w.prescribed)].to;
      }
      pose_.push_back(compose(carrier, w.frame));
    }
  }
  bool near(const Vec3d& x, double r) const override {
    for (std::size_t k = 0; k < walls_.size(); ++k) {
      const Vec3d local = to_local(pose_[k], x);
      if (walls_[k].field->box().inflated(r).contains(local) && walls_[k].field->phi(local) < r)
        return true;
    }
    return false;
  }
  Vec3d outside(const Vec3d& x) const override {
    Vec3d at = x;
    for (std::size_t k = 0; k < walls_.size(); ++k) {
      const Vec3d local = to_local(pose_[k], at);
      if (!walls_[k].field->box().inflated(kOutside * cell_).contains(local)) continue;
      const SignedDistance<double> d = walls_[k].field->at(local);
      const double slope = norm(d.gradient);
      if (d.phi < kOutside * cell_ && slope > 0)
        at += to_matrix(pose_[k].q) * (d.gradient * ((kOutside * cell_ - d.phi) / slope));
    }
    return at;
  }
  // In strides within which no wall is.
  bool between(const Vec3d& a, const Vec3d& b) const override {
    const double length = norm(b - a);
    for (std::size_t k = 0; k < walls_.size() && length > 0; ++k) {
      const Vec3d from = to_local(pose_[k], a), way = to_local(pose_[k], b) - from;
      const DistanceField& field = *walls_[k].field;
      if (!Aabb::of(from, from + way).overlaps(field.box(), kGraze * cell_)) continue;
      for (double at = 0; at < length;) {
        const double phi = field.phi(from + (at / length) * way);
        if (phi < kGraze * cell_) return true;
        at += phi;
      }
    }
    return false;
  }

 private:
  std::vector<Wall> walls_;
  double cell_;
  std::vector<Pose> pose_;
};

}  // namespace

void add_walls(const Model& model, const FrozenShapes& f, Workspace& w) {
  const Scene& scene = model.scene;
  const auto [shapes, owner] = carried_shapes(model, f, w);
  for (std::size_t i = 0; i < w.particles.size(); ++i) {
    if (w.particles[i].seed != 0) continue;
    ParticleGrid* grid = w.particles[i].grid;
    std::vector<Wall> thin;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const CarriedShape& s = shapes[k];
      bool touches = false;
      for (std::size_t j = 0; j < w.particles.size(); ++j)
        touches |= w.particles[j].grid == grid &&
                   may_touch(scene, scene.material_points[j].name, *owner[k]);
      if (!touches || !s.field || !s.field->bounded()) continue;
      if (!is_thin(*s.field, kThin * grid->cell())) continue;
      Wall wall{s.field, s.frame};
      if (k >= f.shapes.size())
        wall.prescribed = static_cast<int>(k - f.shapes.size());
      else if (const LinkName at = find_link(scene, *owner[k]); s.link)
        wall.body = w.robots[at_index(at.robot)].body, wall.link = at.link;
      thin.push_back(std::move(wall));
    }
    if (!thin.empty()) grid->set_walls(std::make_unique<ThinWalls>(std::move(thin), grid->cell()));
  }
}

}  // namespace haptos
