// The surface on which the pressures of two bodies that overlap are equal, and the pressure on it.
//
//   p_i(x) = -k_i phi_i(x),   k_i the modulus [Pa/m], phi_i the signed distance; or by a table
//                             (pressure_law.h)
//   S = {x : p_a(x) = p_b(x) > 0}
//
// A rigid side has k infinite: S is its own surface, as far as it is in the other body. On S
// p = -k (phi_a + phi_b) with 1/k = 1/k_a + 1/k_b, and to first order beside it too; with tables p
// is that of both at the depth -(phi_a + phi_b).
//
// S is found on a grid in the frame of one body. Blocks of cells in which the distances, which
// change no faster than the place, leave no room for S are passed over; in the others marching
// cubes (cell_polygons.h) cuts g = (k_a phi_a - k_b phi_b) / (k_a + k_b), with corners where g is
// zero along the edges of cells, without a clamp. Each polygon is cut back to p > 0, and p is
// integrated over it as a linear function:
//
//   force = int p dA,   point = int p x dA / int p dA,   area and stiffness so that
//   force = area p,  and per depth  area g with  1/g = 1/(k_a |d phi_a/dn|) + 1/(k_b |d phi_b/dn|)
//
// A derivative counts as at least kLeast: near a medial axis it goes to zero. Polygons whose normal
// is more than 5/8 pi off a body's gradient, those behind a medial axis, do not push.
//
// Of bodies that are formulas, all convex, the sum of the distances is convex too, so its tangent
// says where it cannot be below zero. Cells with the edge of a formula are cut again, in eight, up
// to kFiner times, where depth is far from linear in them: at the rim of a flat face.
//
// The grid: cells of the finer samples, or a cells_across-th of the square root of the area of S
// where that is finer or both bodies are formulas; the area is first told on a coarser grid. So a
// small patch has as many cells as a large one, and the force follows the motion without steps.
//
// Source: Elandt et al. 2019, A pressure field model for fast, robust approximation of net contact
// force and moment between nominally rigid objects (IROS); Masterjohn et al. 2022 (the stiffness by
// gradients, and the limit of 5/8 pi).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/pressure/pressure_law.h"

namespace haptos {

/// One polygon of the surface.
struct PressurePatch {
  Vec3d point{};          ///< centre of pressure, world [m]
  Vec3d n{};              ///< unit, from b to a, world
  double area = 0;        ///< [m2]
  double pressure = 0;    ///< mean [Pa]; force is area times that
  double stiffness = 0;   ///< g [Pa/m]
  std::int64_t cell = 0;  ///< of the grid, and which polygon of it
};

class PressureSurface {
 public:
  /// The least that a derivative counts as.
  static constexpr double kLeast = 0.05;
  /// Cells across the square root of the area of a patch.
  double cells_across = 28;

  struct Side {
    /// @param law  of infinite modulus: rigid; a table must outlive what is done with the side
    Side(const DistanceField* of, const Pose& at, const PressureLaw& law)
        : field(of), pose(at), modulus(law.modulus()), table(law.is_table() ? &law : nullptr) {}
    const DistanceField* field;
    Pose pose;
    double modulus;            ///< [Pa/m]
    const PressureLaw* table;  ///< null where the pressure is in proportion to depth
  };

  /// Finds the surface of two bodies, one of them not rigid and one of them bounded.
  void find(const Side& a, const Side& b);
  /// About how deep those overlap that find() saw last [m], 0 where they do not.
  double depth() const { return deepest_; }
  /// A depth of two bodies that is more than `limit` [m]; 0 where that is not found: what is more
  /// by less than samples tell. Finds no patches, in a part of the time of find().
  double deeper_than(const Side& a, const Side& b, double limit);
  /// Whether two bodies stay apart however they move, as long as no point of one gets farther than
  /// `way` as the other sees it [m]. False where that is not known.
  bool apart(const Side& a, const Side& b, double way);

  const std::vector<PressurePatch>& patches() const { return patches_; }
  /// Of the angle between the ways out of both where they press, the mean: -1 where they face each
  /// other, as does what has just met.
  double cosine() const { return presses_ > 0 ? opposes_ / presses_ : -1; }
  /// Whether bodies are in each other past the middle of one: then pressure does not part them.
  bool past_middle() const { return cosine() > -kOpposite; }
  /// Triangles of the surface, with the pressure at each corner: world [m], [Pa].
  struct Triangle {
    Vec3d x[3];
    double pressure[3];
  };
  /// Kept where keep_triangles is set before find().
  const std::vector<Triangle>& triangles() const { return triangles_; }
  bool keep_triangles = false;
  /// Edge of a cell of the grid that was used last [m].
  double cell() const { return cell_; }
  /// Cells that were cut, and places where both distances were asked.
  int cut_cells() const { return cut_cells_; }
  std::int64_t asked() const { return asked_; }

 private:
  static constexpr int kLeaf = 4, kSide = kLeaf + 1;
  static constexpr int kFiner = 2;            // how often a cell is cut again
  static constexpr double kOpposite = 0.1;    // a needle of 12 degrees has that
  static constexpr double kHalf = 0.8660255;  // of the diagonal of a cube of unit side, rounded up
  struct Both {
    double own, other;  // distances [m]
  };
  struct Corner {
    Vec3d x;
    double sum;  // of the distances [m]
  };
  struct Cell {
    int at[3];
  };
  Both both(const Vec3d& x) {
    ++asked_;
    return {own_->phi(x), other_->phi(turn_ * x + shift_)};
  }
  double g(const Both& d) const {
    return bent_ ? g_of_tables(d) : share_own_ * d.own - share_other_ * d.other;
  }
  // pressure_tables.cpp
  void take_tables(const Side& own, const Side& other);
  double g_of_tables(const Both& d) const;
  void shares_at(const Both& d, double& own, double& other) const;
  double as_linear(double sum) const;
  void moduli_at(double pressure, double& own, double& other) const;
  // About a place, to first order, where slopes are known: how g and the sum of distances change in
  // a cube, and by how much they are off that at most.
  struct About {
    Both middle{0, 0};
    double least = 0;  // of the sum of distances, there or more [m]
    bool known = false;
    double gap, sum, gap_off, sum_off;
    Vec3d gap_slope, sum_slope;
    Vec3d bend_own, bend_other;  // how far slopes are off, by the axes of each
    bool may_hold(const Vec3d& off, double half) const;
    double least_sum(double half) const;
  };
  // Of the search for the deepest place (pressure_depth.cpp).
  struct Cube {
    Vec3d middle;
    double half;
    About about;
    bool operator<(const Cube& o) const { return about.least > o.about.least; }
  };
  // From the middle of a cube to that of one of its eight parts.
  static Vec3d middle_of_part(int part, double half) {
    return {{part & 1 ? half : -half, part & 2 ? half : -half, part & 4 ? half : -half}};
  }
  bool may_hold(const Vec3d& middle, double half);
  bool take(const Side& a, const Side& b);
  bool begin(const Side& a, const Side& b, double way);
  bool choose_cell(Aabb& where);
  bool search(double limit, int most);
  bool look_in(const Vec3d& middle, double half, double limit);
  void cut_all(const Aabb& where);
  void cut_block(const Vec3i& first);
  void cut_cells(const Vec3i& first, const Vec3i& low, int n);
  void ask_corner(const Vec3i& first, int i, int j, int k);
  void ask_corners(const Vec3i& first);
  static int place(int i, int j, int k) { return (k * kSide + j) * kSide + i; }
  Vec3d corner(const Vec3i& first, const Vec3i& of) const {
    const Vec3i at = first + of;
    return origin_ + cell_ * Vec3d{{double(at[0]), double(at[1]), double(at[2])}};
  }
  void cut_cell(const Vec3d& low, double size, const Both (&d)[8], const int* known,
                std::int64_t id, int level);
  void cut_finer(const Vec3d& low, double size, std::int64_t id, int level);
  Corner drawn_to(Vec3d x);
  Vec3d border(const Corner& in, const Corner& out);
  void take_bends();
  bool may_overlap(const Both (&d)[8], unsigned inside) const;
  bool is_linear(const Corner* corner, int count);
  Corner cross(const Vec3d& from, int axis, double size, const Both& d0, const Both& d1);
  void add_polygon(const Corner* corner, int count, std::int64_t id);

  const DistanceField *own_ = nullptr, *other_ = nullptr;  // own: whose frame the grid is in
  Pose frame_;                                             // of own, world
  Mat3d turn_, to_world_;
  Vec3d shift_;
  bool own_is_a_ = true;
  double share_own_ = 0, share_other_ = 0, k_own_ = 0, k_other_ = 0, k_ = 0;
  bool by_table_ = false;                       // one of the two, at least
  bool bent_ = false;                           // so is g: that one, and the other is not rigid
  PressureLaw law_own_, law_other_, law_both_;  // of tables; that of both in find() alone
  About about_;                                 // where may_hold() looked last
  double way_ = 0;                              // that other may move yet, of apart() [m]
  Aabb region_;                                 // where both are inside, frame of own
  Vec3d origin_;
  double cell_ = 0;
  bool convex_ = false;      // both
  bool sampled_ = false;     // neither has edges that are sharper than samples
  bool on_samples_ = false;  // corners of the grid are those of own's samples
  std::vector<PressurePatch> patches_;
  std::vector<Triangle> triangles_;
  double presses_ = 0, opposes_ = 0;  // [N]
  int cut_cells_ = 0;
  std::int64_t asked_ = 0;
  // While the grid is chosen: nothing but the area and the box of the polygons is kept.
  bool choosing_ = false;
  double area_ = 0, deepest_ = 0, rim_ = 0;
  int seen_ = 0;  // polygons
  Aabb cut_box_;
  Vec3d bend_{};  // see take_bends() [m]
  // Of a block.
  Both value_[kSide * kSide * kSide];
  bool below_[kSide * kSide * kSide];  // g
  int value_known_[kSide * kSide * kSide] = {};
  Corner edge_[3 * kSide * kSide * kSide];
  int edge_known_[3 * kSide * kSide * kSide] = {}, block_ = 0;
  std::vector<Cell> cells_, next_;
  std::vector<Cube> cubes_;  // a heap
};

}  // namespace haptos
