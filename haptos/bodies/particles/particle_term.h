// A term over the points of a grid, for any energy of a point's deformation. An At gives
//
//   kKind, kName, kFrozen            what the term is; frozen: convex, without a step cap
//   acts(material), constant(material)   whether it has such points, and one tangent for all G
//   motion(points, i)                what of a node it is an energy of
//   at(p, m, G, value)               energy and stress at the gradient G of that motion
//   add_blocks(p, m, G, project, blocks)  the tangent, block by block of the 27 nodes
//   cancelled(p, m)                  what cancels in the energy [J]
//   curvature(value, G)              of a frozen one, along a motion
//   most(p, G, D, limit)             of the others, how far along D it may go
//
// Gradients and Hessians are summed cell by cell, then from cells to nodes: the same bits for any
// number of threads (cells of one colour share no node; those of one place are of one colour, and
// come in turn). Where all tangents are constant, the Hessian is summed once a step.
#pragma once

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/system/term.h"

namespace haptos::particles {

inline constexpr std::ptrdiff_t kGrain = 8;  // cells that are worth handing to another thread

// Derivatives of the energy of one point by the gradient G of what its nodes do: energy, and the
// tensor M of nodal gradients M grad w_i; of the laws with such a one, the tangent with
// a_i = A grad w_i.
struct PointValue {
  double energy = 0;
  Mat3d M, A;
  IsoTangent tangent;
};

// The blocks of the nodes of a cell with those before them, summed over its points: entry e of the
// block of nodes r and s at of[r][e][s], so that what is done for all s is done side by side.
struct CellBlocks {
  static constexpr int kRow = 28;  // nodes, and room for whole vectors
  alignas(64) double of[Cells::kNodes][9][kRow] = {};

  // Adds the block of the tangent (particle_law.h) of nodes r (row) and s; a[axis][n] is of node n.
  void add(const IsoTangent& t, const double (&a)[3][kRow]) {
    for (int r = 0; r < Cells::kNodes; ++r) {
      const int count = (r + 4) & ~3;
      const double along[3] = {t.alpha * a[0][r], t.alpha * a[1][r], t.alpha * a[2][r]};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double b = t.beta * a[j][r], g = t.gamma * a[i][r];
          double* out = of[r][3 * i + j];
          if (i == j)
            for (int s = 0; s < count; ++s)
              out[s] += (b + g) * a[i][s] +
                        (along[0] * a[0][s] + along[1] * a[1][s] + along[2] * a[2][s]);
          else
            for (int s = 0; s < count; ++s) out[s] += b * a[i][s] + g * a[j][s];
        }
    }
  }
};

template <class At>
class ParticleTerm final : public Term {
 public:
  explicit ParticleTerm(const ParticleGrid& grid) : grid_(grid) {
    for (const ParticleSeed& s : grid_.seeds())
      constant_ &= !At::acts(s.material) || At::constant(s.material);
  }
  const char* name() const override { return At::kName; }
  TermKind kind() const override { return At::kKind; }
  bool frozen() const override { return At::kFrozen; }
  void prepare(const StepContext&) override { summed_ = false; }
  bool refresh(const Points& points, Sampling) override {
    points_ = &points;
    return false;
  }
  Energy evaluate(const Evaluation& e) override {
    if constexpr (At::kFrozen)
      if (e.assembly && e.assembly->along()) return along(*e.assembly);
    sum_gradients();
    Energy total;
    for (const Sum& s : sums_) total += s.energy;
    if (!e.assembly) return total;
    add_gradients(*e.assembly);
    if (!e.assembly->wants_hessian()) return total;
    if (!summed_) sum_hessians(e.project);
    add_hessians(*e.assembly);
    return total;
  }
  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    if constexpr (At::kFrozen) {
      return limit;
    } else {
      points_ = &points;
      return reduce_min(
          grid_.cells().cell_count(), limit,
          [&](std::ptrdiff_t c) {
            Vec3d moves[Cells::kNodes], way[Cells::kNodes];
            motion_of(static_cast<int>(c), moves);
            way_of(static_cast<int>(c), dx, way);
            double most = limit;
            each_point(static_cast<int>(c), [&](const auto& p, const auto&) {
              most = std::min(most, At::most(p, gradient_of(p.spline, moves),
                                             gradient_of(p.spline, way), limit));
            });
            return most;
          },
          kGrain);
    }
  }
  void couplings(const Points&, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override {
    if (coupled == Coupled::kAlways) return;
    const Cells& cells = grid_.cells();
    const int first = grid_.first_block();
    for (int i = 0; i < cells.node_count(); ++i)
      for (int o = 0; o + 1 < Cells::kOffsets; ++o)
        if (const int j = cells.neighbour(i, o); j >= 0) out.push_back({first + i, first + j});
    for (const Cells::Further& f : cells.further())
      out.push_back({first + f.node, first + f.neighbour});
  }

 private:
  // What the points of a cell bring to its nodes.
  struct Sum {
    Energy energy;
    Vec3d gradient[Cells::kNodes];
  };

  // f(point, material) of a cell's points that the term acts on.
  template <class F>
  void each_point(int c, const F& f) const {
    const Cells::Cell& cell = grid_.cells().cell(c);
    for (int k = cell.begin; k < cell.end; ++k) {
      const ParticleGrid::Point& p = grid_.points()[at_index(k)];
      const ParticleMaterial& m = grid_.seeds()[at_index(p.material)].material;
      if (At::acts(m)) f(p, m);
    }
  }
  // Of what the 27 nodes of a cell do, the gradient at a point.
  static Mat3d gradient_of(const Spline& s, const Vec3d* values) {
    Mat3d G = Mat3d::zero();
    s.each([&](int n, int i, int j, int k) { G += outer(values[n], s.gradient(i, j, k)); });
    return G;
  }
  void motion_of(int c, Vec3d* values) const {
    const auto& nodes = grid_.cells().nodes_of(c);
    for (int n = 0; n < Cells::kNodes; ++n)
      values[n] = At::motion(*points_, at_index(grid_.first_node() + nodes[at_index(n)]));
  }

  // The same of what is given per point of the step.
  void way_of(int c, const std::vector<Vec3d>& given, Vec3d* values) const {
    const auto& nodes = grid_.cells().nodes_of(c);
    for (int n = 0; n < Cells::kNodes; ++n)
      values[n] = given[at_index(grid_.first_node() + nodes[at_index(n)])];
  }

  void sum_gradients() {
    const Cells& cells = grid_.cells();
    sums_.resize(at_index(cells.cell_count()));
    for_each(
        cells.cell_count(),
        [&](std::ptrdiff_t c) {
          Vec3d moves[Cells::kNodes];
          motion_of(static_cast<int>(c), moves);
          Sum& sum = sums_[at_index(c)];
          sum.energy = {};
          std::fill_n(sum.gradient, Cells::kNodes, Vec3d::zero());
          each_point(static_cast<int>(c), [&](const auto& p, const auto& m) {
            PointValue v;
            At::at(p, m, gradient_of(p.spline, moves), v);
            sum.energy += {v.energy, v.energy + At::cancelled(p, m)};
            p.spline.each([&](int n, int i, int j, int k) {
              sum.gradient[n] += v.M * p.spline.gradient(i, j, k);
            });
          });
        },
        kGrain);
  }

  void add_gradients(Assembly& assembly) {
    const Cells& cells = grid_.cells();
    for (int i = 0; i < cells.node_count(); ++i) {
      Vec3d g = Vec3d::zero();
      for (const Cells::Part* p = cells.parts_begin(i); p != cells.parts_end(i); ++p)
        g += sums_[at_index(p->cell)].gradient[p->node];
      assembly.add_gradient(grid_.first_node() + i, g);
    }
  }

  // Slope and curvature along the motion of the assembly.
  Energy along(Assembly& assembly) {
    const Cells& cells = grid_.cells();
    const std::vector<Vec3d>& du = *assembly.along();
    lines_.resize(at_index(cells.cell_count()));
    for_each(
        cells.cell_count(),
        [&](std::ptrdiff_t c) {
          Vec3d moves[Cells::kNodes], way[Cells::kNodes];
          motion_of(static_cast<int>(c), moves);
          way_of(static_cast<int>(c), du, way);
          Line& line = lines_[at_index(c)];
          line = {};
          each_point(static_cast<int>(c), [&](const auto& p, const auto& m) {
            PointValue v;
            At::at(p, m, gradient_of(p.spline, moves), v);
            const Mat3d G = gradient_of(p.spline, way);
            line.energy += v.energy;
            line.slope += inner(v.M, G);
            line.curvature += At::curvature(v, G);
          });
        },
        kGrain);
    Line all;
    for (const Line& l : lines_)
      all.energy += l.energy, all.slope += l.slope, all.curvature += l.curvature;
    assembly.add_along(all.slope, all.curvature);
    return {all.energy, all.energy};
  }

  // Blocks of nodes with those before them, in nodes x kOffsets: cells of one colour share no node.
  void sum_hessians(bool project) {
    const Cells& cells = grid_.cells();
    blocks_.assign(at_index(cells.slot_count()), Mat3d::zero());
    for (auto& list : colour_) list.clear();
    for (int c = 0; c < cells.cell_count(); ++c) {
      const Vec3i& b = cells.cell(c).base;
      if (c > 0 && cells.same_place(c, c - 1)) continue;
      const auto of = [](int k) { return ((k % 3) + 3) % 3; };
      colour_[at_index(9 * of(b[0]) + 3 * of(b[1]) + of(b[2]))].push_back(c);
    }
    for (const std::vector<int>& list : colour_)
      for_each(
          static_cast<std::ptrdiff_t>(list.size()),
          [&](std::ptrdiff_t k) {
            int c = list[at_index(k)];
            do add_cell(c++, project);
            while (c < cells.cell_count() && cells.same_place(c, c - 1));
          },
          1);
    summed_ = constant_;
  }

  void add_cell(int c, bool project) {
    const Cells& cells = grid_.cells();
    const auto& nodes = cells.nodes_of(c);
    Vec3d moves[Cells::kNodes];
    motion_of(c, moves);
    CellBlocks sum;
    each_point(c, [&](const auto& p, const auto& m) {
      At::add_blocks(p, m, gradient_of(p.spline, moves), project, sum);
    });
    for (int r = 0; r < Cells::kNodes; ++r) {
      for (int s = 0; s <= r; ++s) {
        Mat3d& block = blocks_[at_index(
            cells.slot(nodes[at_index(r)], Cells::offset(r, s), nodes[at_index(s)]))];
        for (int e = 0; e < 9; ++e) block[e] += sum.of[r][e][s];
      }
    }
  }

  void add_hessians(Assembly& assembly) const {
    const Cells& cells = grid_.cells();
    BlockMatrix& matrix = assembly.matrix();
    const BlockPattern& pattern = matrix.pattern();
    const double factor = assembly.hessian_factor();
    for_each(
        cells.node_count(),
        [&](std::ptrdiff_t node) {
          const int i = static_cast<int>(node), row = grid_.first_block() + i;
          // The last entries of a row are those of this grid's nodes.
          int e = pattern.diagonal(row);
          for (int o = Cells::kOffsets - 1; o >= 0; --o) {
            const int j = cells.neighbour(i, o);
            if (j < 0) continue;
            const int column = grid_.first_block() + j;
            const int at = pattern.column(e) == column ? e : pattern.find(row, column);
            const Mat3d& b = blocks_[at_index(Cells::kOffsets * i + o)];
            double* out = matrix.entry(at);
            for (int k = 0; k < 9; ++k) out[k] += factor * b[k];
            e = std::max(at - 1, pattern.row_begin(row));
          }
        },
        256);
    for (const Cells::Further& f : cells.further()) {
      const Mat3d& b = blocks_[at_index(cells.slot(f.node, f.offset, f.neighbour))];
      double* out = matrix.entry(
          pattern.find(grid_.first_block() + f.node, grid_.first_block() + f.neighbour));
      for (int k = 0; k < 9; ++k) out[k] += factor * b[k];
    }
  }

  struct Line {
    double energy = 0, slope = 0, curvature = 0;
  };

  const ParticleGrid& grid_;
  const Points* points_ = nullptr;
  bool constant_ = true, summed_ = false;
  std::vector<Sum> sums_;
  std::vector<Line> lines_;
  std::vector<Mat3d> blocks_;
  std::array<std::vector<int>, Cells::kNodes> colour_;
};

}  // namespace haptos::particles
