// Material points and the grid under them, as a Body: the unknowns of a step are the velocities of
// the nodes about the points, and last as long as the step.
//
// begin_step() lays the grid out and carries mass and momentum to it, advance() carries the solved
// velocities back (affine particle in cell, Jiang et al. 2015):
//
//   m_i = sum_p w_ip m_p,    m_i v_i = sum_p w_ip m_p (v_p + C_p (x_i - x_p))
//   v_p = sum_i w_ip v_i,    C_p = 4/h^2 sum_i w_ip v_i (x_i - x_p)^T,    x_p += dt v_p
//   F_p = (I + dt sum_i v_i grad w_ip^T) F_p, of which what yields flows (particle_law.h)
//
// Mass, momentum and angular momentum are kept by both. Points of several materials may share a
// grid: they then have one velocity where they meet.
//
// Limits: implicit Euler only.
#pragma once

#include <memory>

#include "haptos/bodies/body.h"
#include "haptos/bodies/particles/cells.h"
#include "haptos/bodies/particles/particle_law.h"
#include "haptos/bodies/particles/particle_scale.h"
#include "haptos/bodies/particles/spline.h"
#include "haptos/system/cloud.h"

namespace haptos {

/// Points of one material at the start of a run.
struct ParticleSeed {
  int body = -1;  ///< id in records
  ParticleMaterial material;
  double density = 1000;              ///< [kg/m3]
  double volume = 0;                  ///< of each point [m3]
  std::vector<Vec3d> x;               ///< [m]
  Vec3d centre{{0, 0, 0}};            ///< about which it turns [m]
  Vec3d velocity{{0, 0, 0}};          ///< of the centre [m/s]
  Vec3d angular_velocity{{0, 0, 0}};  ///< [rad/s]
};

class ParticleGrid final : public Body {
 public:
  /// Numbers of a point in a state: place, velocity, C and F (row-major), J, flowed.
  static constexpr int kX = 0, kV = 3, kC = 6, kF = 15, kJ = 24, kFlowed = 25, kStride = 26;

  /// A point in this step.
  struct Point {
    Vec3d x, v;
    Mat3d C, F, R;  ///< F at the start of the step and its rotation
    double J = 1;
    double volume = 0, mass = 0;
    int material = 0;
    int cell = 0;
    int id = 0;  ///< its number in the state
    Spline spline;
  };

  ParticleGrid(const BodySlots& slots, double cell, std::vector<ParticleSeed> seeds);

  std::vector<int> block_sizes() const override { return {}; }
  int q_count() const override { return kStride * count_; }
  void initialize(State& state) const override;
  int step_blocks(const State& state) override;
  void begin_step(const State& state, const BodyStep& step) override;
  void advance(const std::vector<double>& z, const BodyStep& step, State& state) override;

  /// From the next step on.
  void set_scale(int seed, const ParticleScale& scale);
  /// What parts its points from the next step on.
  void set_walls(std::unique_ptr<Walls> walls) { walls_ = std::move(walls); }

  double cell() const { return cell_; }
  int count() const { return count_; }
  const std::vector<ParticleSeed>& seeds() const { return seeds_; }
  /// Number in the state of the first point of a seed.
  int first(int seed) const { return first_[static_cast<std::size_t>(seed)]; }
  const double* in_state(const State& state, int point) const {
    return state.q.data() + slots_.first_q + static_cast<std::ptrdiff_t>(kStride) * point;
  }
  /// Of the points, and of what they turn and stretch within their splines [J].
  double kinetic_energy(const State& state) const;
  /// Zero at the world's origin [J].
  double weight_energy(const State& state, const Vec3d& gravity) const;
  /// Largest speed of a point [m/s].
  double largest_speed(const State& state) const;

  // Of this step, from step_blocks() on.
  const Cells& cells() const { return cells_; }
  /// By cells.
  const std::vector<Point>& points() const { return points_; }
  int first_block() const { return step_slots_.first_block; }
  /// Number of the point (system/points.h) of the first node; the others follow.
  int first_node() const { return first_node_; }
  Vec3d node_place(int i) const;
  /// The points of a seed, for contact.
  Cloud& cloud(int seed) const { return *clouds_[static_cast<std::size_t>(seed)]; }

 private:
  // The points of one seed.
  class SeedCloud final : public Cloud {
   public:
    SeedCloud(const ParticleGrid& grid, int seed) : grid_(grid), seed_(seed) {}
    int size() const override { return static_cast<int>(index.size()); }
    Vec3d place(int i) const override { return point(i).x; }
    Vec3d velocity(int i) const override { return point(i).v; }
    double radius(int) const override { return 0.5 * spacing(); }
    double area(int, const Vec3d&) const override { return spacing() * spacing(); }
    std::int64_t id(int i) const override { return point(i).id - grid_.first(seed_); }
    int parts(int i, const Vec3d& aside, Points::Part* out) const override;
    Vec3d node_place(int point) const override {
      return grid_.node_place(point - grid_.first_node_);
    }
    std::int64_t node_id(int point) const override;
    double cell() const override { return grid_.cell_; }
    double spacing() const override;  // at rest

    std::vector<int> index;  // of points_

   private:
    const Point& point(int i) const {
      return grid_.points_[static_cast<std::size_t>(index[static_cast<std::size_t>(i)])];
    }
    const ParticleGrid& grid_;
    int seed_;
  };

  // The volume ratio J of a point of a liquid, nearer by `part` to that of those about it, and to
  // what their number says where they stand too near each other.
  double settled(const Point& p, double J, double part) const;

  double cell_;
  std::vector<ParticleSeed> seeds_;
  // As described, of each seed.
  struct Described {
    ParticleMaterial material;
    double density;
  };
  std::vector<Described> described_;
  std::vector<int> first_;
  int count_ = 0;
  int first_node_ = 0;
  std::unique_ptr<Walls> walls_;  // nullptr: none
  Cells cells_;
  std::vector<Point> points_;
  std::vector<std::unique_ptr<SeedCloud>> clouds_;
  std::vector<Vec3d> places_;  // in the order of the state
  // Per node of each cell, of the cell's points: mass, momentum, volume at rest, of liquids that
  // and what it is now.
  struct Carried {
    double mass[Cells::kNodes], filled[Cells::kNodes], liquid[Cells::kNodes],
        stretched[Cells::kNodes];
    Vec3d momentum[Cells::kNodes], lean[Cells::kNodes];
  };
  std::vector<Carried> carried_;
  // Of a node: volume at rest of what is about it, the mean volume ratio of its liquid points, and
  // that volume times how far its middle is from the node.
  struct Node {
    double filled, stretch;
    Vec3d lean;
  };
  std::vector<Node> nodes_;
};

}  // namespace haptos
