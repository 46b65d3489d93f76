#include "haptos/bodies/particles/particle_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {
namespace {

// Cells that are worth handing to another thread.
constexpr std::ptrdiff_t kGrain = 16;
// Least mass of a node, as a part of the mean: a node at the very end of a spline has none.
constexpr double kLeastMass = 1e-12;
// To which a liquid may be pressed, of its volume at rest; its pressure is then beyond all bounds.
constexpr double kLeastVolume = 0.1;
constexpr double kMostVolume = 10;  // to which it may be pulled
// Time in which a liquid's points come to the mean volume ratio about them [s], and how much denser
// than at rest they may stand before they are pressed apart.
constexpr double kSettle = 0.1, kCrowded = 1.02;

// Of a half-space whose weighted mean is `off` from a place, in standard deviations of the weight,
// a Gaussian: how much of the weight it has. With d the depth of the place, Phi(d), where off =
// phi(d) / Phi(d).
double part_of_half_space(double off) {
  if (off < 1e-3) return 1;
  double d = -off;
  double part = 0;
  for (int k = 0; k < 12; ++k) {
    part = 0.5 * std::erfc(-d * std::numbers::sqrt2 / 2);
    const double mills = std::exp(-0.5 * d * d) / (std::sqrt(2 * std::numbers::pi) * part);
    const double by = (mills - off) / (mills * (d + mills));
    d += clamp(by, -1.0, 1.0);
    if (std::abs(by) < 1e-3) break;
  }
  return 0.5 * std::erfc(-d * std::numbers::sqrt2 / 2);
}

Vec3d read_vec(const double* q) { return {{q[0], q[1], q[2]}}; }

Mat3d read_mat(const double* q) {
  Mat3d m;
  for (int k = 0; k < 9; ++k) m[k] = q[k];
  return m;
}

}  // namespace

ParticleGrid::ParticleGrid(const BodySlots& slots, double cell, std::vector<ParticleSeed> seeds)
    : Body(slots), cell_(cell), seeds_(std::move(seeds)) {
  for (const ParticleSeed& s : seeds_) {
    described_.push_back({s.material, s.density});
    first_.push_back(count_);
    count_ += static_cast<int>(s.x.size());
    clouds_.push_back(std::make_unique<SeedCloud>(*this, static_cast<int>(clouds_.size())));
  }
}

void ParticleGrid::set_scale(int seed, const ParticleScale& scale) {
  const Described& d = described_[at_index(seed)];
  ParticleSeed& s = seeds_[at_index(seed)];
  s.material.lame = {d.material.lame.mu * scale.stiffness,
                     d.material.lame.lambda * scale.stiffness};
  s.material.bulk = d.material.bulk * scale.stiffness;
  s.material.yield = d.material.yield * scale.yield_stress;
  s.material.viscosity = d.material.viscosity * scale.viscosity;
  s.density = d.density * scale.density;
}

void ParticleGrid::initialize(State& state) const {
  double* q = state.q.data() + slots_.first_q;
  for (const ParticleSeed& s : seeds_)
    for (const Vec3d& x : s.x) {
      const Vec3d v = s.velocity + cross(s.angular_velocity, x - s.centre);
      const Mat3d turn = skew(s.angular_velocity), unit = Mat3d::identity();
      std::copy_n(x.a, 3, q + kX);
      std::copy_n(v.a, 3, q + kV);
      std::copy_n(turn.a, 9, q + kC);
      std::copy_n(unit.a, 9, q + kF);
      q[kJ] = 1, q[kFlowed] = 0;
      q += kStride;
    }
}

double ParticleGrid::largest_speed(const State& state) const {
  double most = 0;
  for (int p = 0; p < count_; ++p)
    most = std::max(most, squared_norm(read_vec(in_state(state, p) + kV)));
  return sqrt(most);
}

double ParticleGrid::kinetic_energy(const State& state) const {
  double energy = 0;
  for (std::size_t s = 0; s < seeds_.size(); ++s)
    for (std::size_t i = 0; i < seeds_[s].x.size(); ++i) {
      const double* q = in_state(state, first_[s] + static_cast<int>(i));
      const Mat3d C = read_mat(q + kC);
      const double squares = squared_norm(read_vec(q + kV)) + 0.25 * cell_ * cell_ * inner(C, C);
      energy += 0.5 * seeds_[s].density * seeds_[s].volume * squares;
    }
  return energy;
}

double ParticleGrid::weight_energy(const State& state, const Vec3d& gravity) const {
  double energy = 0;
  for (std::size_t s = 0; s < seeds_.size(); ++s)
    for (std::size_t i = 0; i < seeds_[s].x.size(); ++i)
      energy -= seeds_[s].density * seeds_[s].volume *
                dot(gravity, read_vec(in_state(state, first_[s] + static_cast<int>(i)) + kX));
  return energy;
}

Vec3d ParticleGrid::node_place(int i) const {
  const Vec3i& n = cells_.node(i);
  return {{cell_ * n[0], cell_ * n[1], cell_ * n[2]}};
}

int ParticleGrid::step_blocks(const State& state) {
  places_.resize(at_index(count_));
  for (int p = 0; p < count_; ++p) places_[at_index(p)] = read_vec(in_state(state, p) + kX);
  if (walls_) walls_->place(state);
  cells_.sort(places_, cell_, walls_.get());
  points_.resize(at_index(count_));
  for_each(
      cells_.cell_count(),
      [&](std::ptrdiff_t c) {
        const Cells::Cell& cell = cells_.cell(static_cast<int>(c));
        for (int k = cell.begin; k < cell.end; ++k) {
          Point& p = points_[at_index(k)];
          p.cell = static_cast<int>(c);
          p.id = cells_.order()[at_index(k)];
          const double* q = in_state(state, p.id);
          p.x = read_vec(q + kX), p.v = read_vec(q + kV);
          p.C = read_mat(q + kC), p.F = read_mat(q + kF);
          p.J = q[kJ];
          p.R = rotation_of(p.F);
          const auto next = std::upper_bound(first_.begin(), first_.end(), p.id);
          p.material = static_cast<int>(next - first_.begin()) - 1;
          const ParticleSeed& seed = seeds_[at_index(p.material)];
          p.volume = seed.volume, p.mass = seed.density * seed.volume;
          Vec3d in_cells;
          for (int a = 0; a < 3; ++a) in_cells[a] = p.x[a] / cell_ - cell.base[a];
          p.spline.set(in_cells, 1 / cell_);
        }
      },
      kGrain);
  for (const auto& cloud : clouds_) cloud->index.clear();
  for (int k = 0; k < count_; ++k)
    clouds_[at_index(points_[at_index(k)].material)]->index.push_back(k);
  return cells_.node_count();
}

double ParticleGrid::SeedCloud::spacing() const {
  return std::cbrt(grid_.seeds_[at_index(seed_)].volume);
}

int ParticleGrid::SeedCloud::parts(int i, const Vec3d& aside, Points::Part* out) const {
  const auto& nodes = grid_.cells_.nodes_of(point(i).cell);
  int count = 0;
  point(i).spline.each([&](int n, int a, int b, int c) {
    const Spline& s = point(i).spline;
    const double w = s.weight(a, b, c) + dot(s.gradient(a, b, c), aside);
    if (w != 0) out[count++] = {grid_.first_node_ + nodes[at_index(n)], w};
  });
  return count;
}

std::int64_t ParticleGrid::SeedCloud::node_id(int point) const {
  const int node = point - grid_.first_node_;
  const Vec3i& n = grid_.cells_.node(node);
  auto id = static_cast<std::uint64_t>(grid_.cells_.copy(node));
  for (int a = 0; a < 3; ++a) id = id << 20 | (static_cast<unsigned>(n[a]) & 0xfffffu);
  return static_cast<std::int64_t>(id);
}

void ParticleGrid::begin_step(const State&, const BodyStep& step) {
  carried_.resize(at_index(cells_.cell_count()));
  for_each(
      cells_.cell_count(),
      [&](std::ptrdiff_t c) {
        const Cells::Cell& cell = cells_.cell(static_cast<int>(c));
        Carried& sum = carried_[at_index(c)];
        sum = Carried{};
        for (int k = cell.begin; k < cell.end; ++k) {
          const Point& p = points_[at_index(k)];
          p.spline.each([&](int n, int i, int j, int l) {
            const Vec3d to = {{cell_ * (cell.base[0] + i) - p.x[0],
                               cell_ * (cell.base[1] + j) - p.x[1],
                               cell_ * (cell.base[2] + l) - p.x[2]}};
            const double w = p.spline.weight(i, j, l), m = w * p.mass, volume = w * p.volume;
            sum.mass[n] += m;
            sum.momentum[n] += m * (p.v + p.C * to);
            sum.filled[n] += volume;
            sum.lean[n] += -volume * to;
            if (seeds_[at_index(p.material)].material.law != ParticleLaw::kLiquid) return;
            sum.liquid[n] += volume;
            sum.stretched[n] += volume * p.J;
          });
        }
      },
      kGrain);
  double total = 0;
  for (const Point& p : points_) total += p.mass;
  const double least = kLeastMass * total / std::max(cells_.node_count(), 1);
  first_node_ = step.points->size();
  nodes_.resize(at_index(cells_.node_count()));
  for (int i = 0; i < cells_.node_count(); ++i) {
    double mass = 0, filled = 0, liquid = 0, stretched = 0;
    Vec3d momentum = Vec3d::zero(), lean = Vec3d::zero();
    for (const Cells::Part* part = cells_.parts_begin(i); part != cells_.parts_end(i); ++part) {
      const Carried& c = carried_[at_index(part->cell)];
      mass += c.mass[part->node];
      momentum += c.momentum[part->node];
      filled += c.filled[part->node];
      lean += c.lean[part->node];
      liquid += c.liquid[part->node];
      stretched += c.stretched[part->node];
    }
    nodes_[at_index(i)] = {filled, liquid > 0 ? stretched / liquid : 1, lean};
    const Vec3d v = mass > least ? momentum * (1 / mass) : Vec3d::zero();
    mass = std::max(mass, least);
    step.points->add_node(step_slots_.first_block + i, slots_.body, slots_.env, node_place(i));
    double* m = step.mass->data() + step_slots_.first_mass + static_cast<std::ptrdiff_t>(9) * i;
    std::fill_n(m, 9, 0.0);
    for (int c = 0; c < 3; ++c) {
      const auto at = at_index(step_slots_.first_scalar + 3 * i + c);
      m[4 * c] = mass;
      (*step.z_start)[at] = (*step.z_past)[at] = v[c];
      (*step.z_free)[at] = v[c] + step.b * step.gravity[c];
      (*step.z_hold)[at] = 0;
      (*step.length)[at] = 1;
    }
  }
}

double ParticleGrid::settled(const Point& p, double J, double part) const {
  const auto& nodes = cells_.nodes_of(p.cell);
  double mean = 0, filled = 0;
  Vec3d lean = Vec3d::zero();
  p.spline.each([&](int n, int i, int j, int l) {
    const double w = p.spline.weight(i, j, l);
    const int number = nodes[at_index(n)];
    const Node& node = nodes_[at_index(number)];
    mean += w * node.stretch, filled += w * node.filled;
    lean += w * (node.lean + node.filled * (node_place(number) - p.x));
  });
  J += part * (mean - p.J);
  const double whole = part_of_half_space(norm(lean) / (filled * cell_ * std::numbers::sqrt2 / 2));
  const double room = kCrowded * whole * cell_ * cell_ * cell_ / filled;
  if (room < J) J += part * (room - J);
  return clamp(J, kLeastVolume, kMostVolume);
}

void ParticleGrid::advance(const std::vector<double>& z, const BodyStep& step, State& state) {
  const double h = step.h;
  for_each(
      cells_.cell_count(),
      [&](std::ptrdiff_t c) {
        const Cells::Cell& cell = cells_.cell(static_cast<int>(c));
        const auto& nodes = cells_.nodes_of(static_cast<int>(c));
        Vec3d u[Cells::kNodes];
        for (int n = 0; n < Cells::kNodes; ++n)
          u[n] = read_vec(z.data() + step_slots_.first_scalar + 3 * nodes[at_index(n)]);
        for (int k = cell.begin; k < cell.end; ++k) {
          const Point& p = points_[at_index(k)];
          Vec3d v = Vec3d::zero();
          Mat3d B = Mat3d::zero(), L = Mat3d::zero();
          p.spline.each([&](int n, int i, int j, int l) {
            const Vec3d to = {{cell_ * (cell.base[0] + i) - p.x[0],
                               cell_ * (cell.base[1] + j) - p.x[1],
                               cell_ * (cell.base[2] + l) - p.x[2]}};
            const double w = p.spline.weight(i, j, l);
            v += w * u[n];
            B += outer(w * u[n], to);
            L += outer(u[n], p.spline.gradient(i, j, l));
          });
          const ParticleMaterial& material = seeds_[at_index(p.material)].material;
          const Vec3d x = p.x + h * v;
          const Mat3d C = (4 / (cell_ * cell_)) * B;
          Mat3d F = p.F;
          double J = p.J;
          double flow = 0;
          if (material.law == ParticleLaw::kLiquid) {
            J = settled(p, J * (1 + h * trace(L)), std::min(1.0, h / kSettle));
          } else {
            F += h * (L * p.F);
            map_back(material, p.R, F, flow);
          }
          double* q = state.q.data() + slots_.first_q + static_cast<std::ptrdiff_t>(kStride) * p.id;
          std::copy_n(x.a, 3, q + kX);
          std::copy_n(v.a, 3, q + kV);
          std::copy_n(C.a, 9, q + kC);
          std::copy_n(F.a, 9, q + kF);
          q[kJ] = J;
          q[kFlowed] += flow;
        }
      },
      kGrain);
}

}  // namespace haptos
