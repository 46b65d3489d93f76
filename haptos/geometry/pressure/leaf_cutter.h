// From the cells of the grid to the patches of a pressure surface (pressure_surface.h), as a
// kernel: leaf by leaf, or cell by cell, into what a sink makes of polygons.
//
// A sink has  constexpr bool kChoosing,  and
//   kChoosing:  void polygon(area [m2], length of the border [m], corners, count)
//   else:       void patch(const PressurePatch&),  void pressed(force [N], cosine),
//               bool keeps_triangles(),  void triangle(corners a, b, c, in own's frame)
// and void cell(), of each that is cut.
#pragma once

#include "haptos/geometry/pressure/cell_polygons.h"
#include "haptos/geometry/pressure/pressure_pair.h"

namespace haptos {

/// The grid, in own's frame.
struct PressureGrid {
  Vec3d origin{};
  double cell = 0;                      ///< edge of a cell [m]
  bool on_samples = false;              ///< its corners are those of own's samples
  double deepest = 0;                   ///< about as deep as the bodies are in each other [m]
  const CellPolygons* cases = nullptr;  ///< of cell_polygons()
};

/// Cells of a leaf that may hold a part of the surface.
struct PressureLeaf {
  static constexpr int kCells = 4, kSide = kCells + 1, kCorners = kSide * kSide * kSide;
  Vec3i first{};
  std::uint64_t cells = 0;  ///< a bit for each, x fastest
  Vec3d bend{};             ///< how far the sum on an edge may be below the lesser of its ends [m]

  /// Bits of the cells of a row along x.
  HAPTOS_HD unsigned row(int j, int k) const {
    return unsigned(cells >> (kCells * (kCells * k + j))) & ((1u << kCells) - 1);
  }
};

template <class Sink>
class LeafCutter {
 public:
  using Both = PressurePair::Both;
  using Corner = PressurePair::Corner;
  static constexpr int kFiner = 2;  // how often a cell is cut again

  HAPTOS_HD LeafCutter(const PressurePair& pair, const PressureGrid& grid, Sink& sink)
      : p_(pair), grid_(grid), sink_(sink) {}

  /// The cells of a leaf.
  HAPTOS_HD_CALL void cut(const PressureLeaf& leaf) {
    for (unsigned& w : edge_known_) w = 0;
    bend_ = leaf.bend;
    ask_corners(leaf);
    cut_cells(leaf);
  }

  /// A cell by itself. @param bend  see PressureLeaf
  HAPTOS_HD void cut_alone(const Vec3d& low, double size, const Vec3d& bend) {
    Both d[8];
    for (int k = 0; k < 8; ++k)
      d[k] = p_.both(low + size * Vec3d{{double(k & 1), double(k >> 1 & 1), double(k >> 2)}});
    bend_ = bend;
    cut_cell<kFiner>(low, size, d, nullptr, 0);
  }

 private:
  static constexpr int kSide = PressureLeaf::kSide;
  static constexpr int kCorners = 16;  // most corners of a polygon that is cut
  static HAPTOS_HD int place(int i, int j, int k) { return (k * kSide + j) * kSide + i; }
  HAPTOS_HD Vec3d corner(const Vec3i& first, const Vec3i& of) const {
    const Vec3i at = first + of;
    return grid_.origin + grid_.cell * Vec3d{{double(at[0]), double(at[1]), double(at[2])}};
  }

  // The distances at the corners of its cells.
  HAPTOS_HD void ask_corners(const PressureLeaf& leaf) {
    constexpr int n = PressureLeaf::kCells;
    unsigned char asked[kSide * kSide] = {};  // bits along x
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const unsigned cells = leaf.row(j, k), ends = cells | cells << 1;
        for (const int row : {0, 1, kSide, kSide + 1})
          asked[kSide * k + j + row] =
              static_cast<unsigned char>(asked[kSide * k + j + row] | ends);
      }
    double own[PressureLeaf::kCorners], other[PressureLeaf::kCorners];
    const Vec3d x = corner(leaf.first, {{0, 0, 0}});
    Vec3d step[3], turned[3];
    for (int axis = 0; axis < 3; ++axis) {
      step[axis] = Vec3d::zero(), step[axis][axis] = grid_.cell;
      turned[axis] = p_.turn * step[axis];
    }
    p_.other.phi_on_lattice(p_.in_other(x), turned, kSide, asked, other);
    if (grid_.on_samples)
      p_.own.samples.corners(leaf.first, kSide, own);
    else
      p_.own.phi_on_lattice(x, step, kSide, asked, own);
    for (int row = 0; row < kSide * kSide; ++row) {
      below_[row] = 0;
      for (int i = 0; i < kSide; ++i) {
        if (!(asked[row] >> i & 1)) continue;
        const int at = kSide * row + i;
        value_[at] = {own[at], other[at]};
        if (p_.g(value_[at]) < 0) below_[row] = static_cast<unsigned char>(below_[row] | 1u << i);
      }
    }
  }

  HAPTOS_HD void cut_cells(const PressureLeaf& leaf) {
    constexpr int n = PressureLeaf::kCells;
    const Vec3i& first = leaf.first;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        // Of the corners of a row of cells those below, of some and of all four rows.
        const unsigned char* r = below_ + kSide * k + j;
        const unsigned some = r[0] | r[1] | r[kSide] | r[kSide + 1],
                       all = r[0] & r[1] & r[kSide] & r[kSide + 1];
        const unsigned cut = leaf.row(j, k) & (some | some >> 1) & ~(all & all >> 1);
        for (int i = 0; i < n; ++i) {
          if (!(cut >> i & 1)) continue;
          int known[8];
          Both d[8];
          for (int c = 0; c < 8; ++c) {
            known[c] = place(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
            d[c] = value_[known[c]];
          }
          // 20 bits of each place in the grid, four for the polygon.
          const auto bits = [](int p) { return static_cast<std::int64_t>(p) & 0xfffff; };
          const std::int64_t id =
              (bits(first[0] + i) << 40 | bits(first[1] + j) << 20 | bits(first[2] + k)) << 3;
          const Vec3d at = corner(first, {{i, j, k}});
          if (p_.sampled)
            cut_cell<kFiner>(at, grid_.cell, d, known, id);
          else
            cut_cell<0>(at, grid_.cell, d, known, id);
        }
      }
  }

  // @param known  places of its corners in a leaf, whose crossings are kept; null: none are
  template <int level>
  HAPTOS_HD_CALL void cut_cell(const Vec3d& low, double size, const Both (&d)[8], const int* known,
                               std::int64_t id) {
    unsigned inside = 0;
    for (int k = 0; k < 8; ++k)
      if (p_.g(d[k]) < 0) inside |= 1u << k;
    if (inside == 0 || inside == 255 || !may_overlap(d, inside)) return;
    sink_.cell();
    const CellPolygons& p = grid_.cases[inside];
    Corner found[kCorners];
    for (int m = 0; m < p.count; ++m) {
      int count = 0;
      for (int e = p.start[m]; e < p.start[m + 1]; ++e) {
        const int edge = p.edge[e], s = edge_start(edge), axis = edge / 4;
        const Vec3d from = low + size * Vec3d{{double(s & 1), double(s >> 1 & 1), double(s >> 2)}};
        found[count++] = known ? crossing(known[s], from, axis, size, d[s], d[s + (1 << axis)])
                               : p_.cross(from, axis, size, d[s], d[s + (1 << axis)]);
      }
      if constexpr (level < kFiner)
        if (m == 0 && !is_linear(found, count)) return cut_finer<level>(low, size, id);
      add_polygon(found, count, id | m);
    }
  }

  HAPTOS_HD const Corner& crossing(int from_place, const Vec3d& from, int axis, double size,
                                   const Both& d0, const Both& d1) {
    const int at = 3 * from_place + axis;
    if (!(edge_known_[at / 32] >> (at % 32) & 1)) {
      edge_known_[at / 32] |= 1u << (at % 32);
      edge_[at] = p_.cross(from, axis, size, d0, d1);
    }
    return edge_[at];
  }

  // Whether the sum of distances may be below zero where edges of a cell cross the surface.
  HAPTOS_HD bool may_overlap(const Both (&d)[8], unsigned inside) const {
    for (int axis = 0; axis < 3; ++axis) {
      const int step = 1 << axis;
      for (int k = 0; k < 8; ++k) {
        if (k & step || !((inside >> k ^ inside >> (k + step)) & 1)) continue;
        const Both &a = d[k], &b = d[k + step];
        if (vmin(a.own + a.other, b.own + b.other) < bend_[axis]) return true;
      }
    }
    return false;
  }

  // Whether depth at the middle of a polygon is about what its corners make it, and g about zero.
  HAPTOS_HD bool is_linear(const Corner* c, int count) const {
    constexpr double kLinear = 0.04;  // of the deepest
    Corner middle{Vec3d::zero(), 0};
    for (int i = 0; i < count; ++i) {
      if (c[i].sum >= 0) return true;  // its border is looked for
      middle.x += c[i].x, middle.sum += c[i].sum;
    }
    middle.x *= 1.0 / count, middle.sum /= count;
    const Both d = p_.both(middle.x);
    return vabs(d.own + d.other - middle.sum) + 2 * vabs(p_.g(d)) < kLinear * grid_.deepest;
  }

  template <int level>
  HAPTOS_HD_CALL void cut_finer(const Vec3d& low, double size, std::int64_t id) {
    constexpr int kThree = 3;
    const double half = 0.5 * size;
    Both d[kThree * kThree * kThree];
    const auto at = [](int i, int j, int k) { return (k * kThree + j) * kThree + i; };
    for (int k = 0; k < kThree; ++k)
      for (int j = 0; j < kThree; ++j)
        for (int i = 0; i < kThree; ++i)
          d[at(i, j, k)] = p_.both(low + half * Vec3d{{double(i), double(j), double(k)}});
    for (int c = 0; c < 8; ++c) {
      const int i = c & 1, j = c >> 1 & 1, k = c >> 2;
      Both part[8];
      for (int n = 0; n < 8; ++n) part[n] = d[at(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2))];
      // Mixed up, so that no two parts of a cell have one number.
      const auto own =
          static_cast<std::int64_t>((static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15u +
                                     static_cast<std::uint64_t>(c + 1)) &
                                    0x0ffffffffffffff8u);
      cut_cell<level + 1>(low + half * Vec3d{{double(i), double(j), double(k)}}, half, part,
                          nullptr, own);
    }
  }

  // Of a polygon the part where both are inside, as a patch.
  HAPTOS_HD_CALL void add_polygon(const Corner* corner, int count, std::int64_t id) {
    Corner part[kCorners];
    int n = 0, border_at[kCorners], borders = 0;  // places in part
    for (int i = 0; i < count; ++i) {
      const Corner &a = corner[i], &b = corner[i + 1 < count ? i + 1 : 0];
      if (a.sum < 0) part[n++] = a;
      if ((a.sum < 0) == (b.sum < 0)) continue;
      const bool in = a.sum < 0;
      border_at[borders++] = n;
      part[n++] = {Sink::kChoosing ? a.x + a.sum / (a.sum - b.sum) * (b.x - a.x)
                                   : p_.border(in ? a : b, in ? b : a),
                   0};
    }
    if (n < 3) return;
    if constexpr (Sink::kChoosing)
      choose(part, n, border_at, borders);
    else
      add_patch(part, n, borders > 0, id);
  }

  HAPTOS_HD void choose(const Corner* part, int n, const int* border_at, int borders) {
    Corner middle{Vec3d::zero(), 0};
    for (int i = 0; i < n; ++i) middle.x += part[i].x, middle.sum += part[i].sum;
    middle.x *= 1.0 / n, middle.sum /= n;
    Vec3d push = Vec3d::zero();
    double area = 0, depth = 0;
    for (int i = 0; i < n; ++i) {
      const Corner &a = part[i], &b = part[i + 1 < n ? i + 1 : 0];
      const Vec3d s = 0.5 * haptos::cross(a.x - middle.x, b.x - middle.x);
      const double size = norm(s), sum = -(a.sum + b.sum + middle.sum);
      area += size, depth += size * sum / 3, push += s * (sum / 3);
    }
    if (!(depth > 0) || !(norm(push) > 1e-12 * depth)) return;
    // Two places of the border with nothing between them that is in: one follows the other.
    double rim = 0;
    for (int i = 0; i < borders; ++i) {
      const int from = border_at[i], to = border_at[(i + 1) % borders];
      if (to == (from + 1) % n) rim += norm(part[to].x - part[from].x);
    }
    sink_.polygon(area, rim, part, n);
  }

  // @param cut  whether a border runs through it
  HAPTOS_HD void add_patch(Corner* part, int n, bool cut, std::int64_t id) {
    Corner middle{Vec3d::zero(), 0};
    for (int i = 0; i < n; ++i) middle.x += part[i].x, middle.sum += part[i].sum;
    middle.x *= 1.0 / n, middle.sum /= n;
    if (cut) middle = p_.drawn_to(middle.x);
    if (p_.by_table) {
      for (int i = 0; i < n; ++i) part[i].sum = p_.as_linear(part[i].sum);
      middle.sum = p_.as_linear(middle.sum);
    }
    // The fan about the middle: depths are linear on each triangle, or where a border cuts it
    // looked at in three places of each.
    Vec3d push = Vec3d::zero(), moment = Vec3d::zero();
    double area = 0, depth = 0;
    for (int i = 0; i < n; ++i) {
      const Corner &a = part[i], &b = part[i + 1 < n ? i + 1 : 0];
      const Vec3d s = 0.5 * haptos::cross(a.x - middle.x, b.x - middle.x);
      const double size = norm(s);
      area += size;
      if (cut) {
        const Vec3d* x[3] = {&a.x, &b.x, &middle.x};
        for (int k = 0; k < 3; ++k) {
          const Vec3d y = (1.0 / 6) * (*x[0] + *x[1] + *x[2] + 3.0 * *x[k]);
          const Both d = p_.both(y);
          const double sum = d.own + d.other;
          const double deep = vmax(-(p_.by_table ? p_.as_linear(sum) : sum), 0.0) / 3;
          depth += size * deep, push += s * deep, moment += (size * deep) * y;
        }
        continue;
      }
      const double sum = -(a.sum + b.sum + middle.sum);
      depth += size * sum / 3, push += s * (sum / 3);
      moment += (size / 12) * (sum * (a.x + b.x + middle.x) -
                               (a.sum * a.x + b.sum * b.x + middle.sum * middle.x));
    }
    const double force = norm(push);
    if (!(depth > 0) || !(force > 1e-12 * depth)) return;
    const Vec3d x = moment * (1 / depth), n_out = push * (1 / force);  // out of own
    const Vec3d out_own = p_.own.at(x).gradient, out_other = p_.other.at(p_.in_other(x)).gradient;
    sink_.pressed(p_.k * depth, dot(p_.turn * out_own, out_other));
    const double slope_own = dot(out_own, n_out), slope_other = -dot(out_other, p_.turn * n_out);
    if ((!std::isinf(p_.k_own) && slope_own < PressurePair::kCull) ||
        (!std::isinf(p_.k_other) && slope_other < PressurePair::kCull))
      return;
    PressurePatch patch;
    patch.point = p_.world + p_.to_world * x;
    patch.n = p_.to_world * n_out;
    if (p_.own_is_a) patch.n = -patch.n;
    patch.pressure = p_.k * depth / area;
    patch.area = area * force / depth;
    double k_own = p_.k_own, k_other = p_.k_other;
    if (p_.by_table) p_.moduli_at(patch.pressure, k_own, k_other);
    const auto give = [](double modulus, double slope) {
      return std::isinf(modulus) ? 0 : 1 / (modulus * vmax(slope, PressurePair::kLeast));
    };
    patch.stiffness = 1 / (give(k_own, slope_own) + give(k_other, slope_other));
    patch.cell = id;
    sink_.patch(patch);
    if (!sink_.keeps_triangles()) return;
    for (int i = 0; i < n; ++i) sink_.triangle(middle, part[i], part[i + 1 < n ? i + 1 : 0]);
  }

  const PressurePair& p_;
  const PressureGrid& grid_;
  Sink& sink_;
  Vec3d bend_{};
  // Of a leaf.
  Both value_[PressureLeaf::kCorners];
  unsigned char below_[kSide * kSide];  // a bit for each corner along x: g
  Corner edge_[3 * PressureLeaf::kCorners];
  unsigned edge_known_[3 * PressureLeaf::kCorners / 32 + 1];
};

}  // namespace haptos
