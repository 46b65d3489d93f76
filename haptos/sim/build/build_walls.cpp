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

// Twice the largest depth: on a lattice over the box that has its middle.
double thickness(const DistanceField& field) {
  constexpr int kHalf = 16;
  const Aabb& box = field.box();
  const Vec3d middle = 0.5 * (box.lo + box.hi), step = (0.5 / kHalf) * (box.hi - box.lo);
  double deepest = 0;
  for (int i = -kHalf; i <= kHalf; ++i)
    for (int j = -kHalf; j <= kHalf; ++j)
      for (int k = -kHalf; k <= kHalf; ++k)
        deepest =
            std::max(deepest, -field.phi(middle + Vec3d{{i * step[0], j * step[1], k * step[2]}}));
  return 2 * deepest;
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
  std::vector<Wall> all;
  std::vector<const std::string*> owner;
  std::vector<double> thick;
  const auto add = [&](Wall wall, const std::string* name) {
    if (!wall.field || !wall.field->bounded()) return;
    thick.push_back(thickness(*wall.field));
    owner.push_back(name);
    all.push_back(std::move(wall));
  };
  for (std::size_t k = 0; k < f.shapes.size(); ++k) {
    Wall wall{f.shapes[k].field, f.shapes[k].frame};
    for (std::size_t r = 0; r < w.robots.size() && f.shapes[k].link; ++r) {
      const int link = f.shapes[k].link->body() - model.robots[r].first_body;
      if (link < 0 || link >= static_cast<int>(model.robots[r].robot.links.size())) continue;
      wall.body = w.robots[r].body, wall.link = link;
    }
    add(std::move(wall), f.owner[k]);
  }
  for (std::size_t i = 0; i < scene.prescribed.size(); ++i) {
    Wall wall{carried_shape(model, w, i).field, {}};
    wall.prescribed = static_cast<int>(i);
    add(std::move(wall), &scene.prescribed[i].name);
  }
  for (std::size_t i = 0; i < w.particles.size(); ++i) {
    if (w.particles[i].seed != 0) continue;
    ParticleGrid* grid = w.particles[i].grid;
    std::vector<Wall> thin;
    for (std::size_t k = 0; k < all.size(); ++k) {
      bool touches = false;
      for (std::size_t j = 0; j < w.particles.size(); ++j)
        touches |= w.particles[j].grid == grid &&
                   may_touch(scene, scene.material_points[j].name, *owner[k]);
      if (touches && thick[k] < kThin * grid->cell()) thin.push_back(all[k]);
    }
    if (!thin.empty()) grid->set_walls(std::make_unique<ThinWalls>(std::move(thin), grid->cell()));
  }
}

}  // namespace haptos
