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
// The grid: cells of a cells_across-th of the square root of the area of S, or those of the finer
// samples where these are about as large; the area is first told on a coarser grid. So a small
// patch has as many cells as a large one, and the force follows the motion without steps.
//
// The search for leaves of 4 x 4 x 4 cells that may hold S is here, what makes patches of them in
// leaf_cutter.h, for threads and devices.
//
// Source: Elandt et al. 2019, A pressure field model for fast, robust approximation of net contact
// force and moment between nominally rigid objects (IROS); Masterjohn et al. 2022 (the stiffness by
// gradients, and the limit of 5/8 pi).
#pragma once

#include <vector>

#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/pressure/leaf_cutter.h"
#include "haptos/geometry/pressure/pressure_law.h"

namespace haptos {

class PressureSurface {
 public:
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
  double cell() const { return grid_.cell; }
  /// Cells that were cut.
  int cut_cells() const { return cut_cells_; }
  /// What the patches were cut from, for kernels (pressure_leaves.h): as long as the fields live,
  /// and until the next find().
  const PressurePair& pair() const { return p_; }
  const PressureGrid& grid() const { return grid_; }
  const std::vector<PressureLeaf>& leaves() const { return leaves_; }

 private:
  using Both = PressurePair::Both;
  using Corner = PressurePair::Corner;
  static constexpr double kOpposite = 0.1;    // a needle of 12 degrees has that
  static constexpr double kHalf = 0.8660255;  // of the diagonal of a cube of unit side, rounded up
  struct Cell {
    int at[3];
  };
  struct PatchSink;
  struct ChoiceSink;
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
  void find_leaves(const Aabb& where);
  void add_leaf(const Vec3i& first);
  std::uint64_t cells_that_may(int n, const Vec3i& low) const;
  void cut_leaves();
  Vec3d bends() const;

  const DistanceField *own_ = nullptr, *other_ = nullptr;  // own: whose frame the grid is in
  PressurePair p_;
  PressureLaw law_own_, law_other_, law_both_;  // of tables; that of both in find() alone
  About about_;                                 // where may_hold() looked last
  double way_ = 0;                              // that other may move yet, of apart() [m]
  Aabb region_;                                 // where both are inside, frame of own
  PressureGrid grid_;
  std::vector<PressurePatch> patches_;
  std::vector<Triangle> triangles_;
  double presses_ = 0, opposes_ = 0;  // [N]
  int cut_cells_ = 0;
  // While the grid is chosen.
  double area_ = 0, deepest_ = 0, rim_ = 0;
  int seen_ = 0;  // polygons
  Aabb cut_box_;
  std::vector<PressureLeaf> leaves_;
  // What some leaves gave.
  struct Part {
    std::vector<PressurePatch> patches;
    std::vector<Triangle> triangles;
    double presses = 0, opposes = 0;
    int cut_cells = 0;
  };
  std::vector<Part> parts_;
  std::vector<Cell> cells_, next_;
  std::vector<Cube> cubes_;  // a heap
};

}  // namespace haptos
