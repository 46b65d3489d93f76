// Gel pads as tetrahedral meshes, made from a few numbers.
//
// Frame: origin at the centre of the undeformed top, +z out of the gel; the base is the plane
// z = -thickness. All lengths in metres.
//
// A pad is a triangulated plane region extruded in layers of prisms, each cut into three
// tetrahedra along diagonals that follow one order of the columns, so neighbours conform. The order
// and the plane diagonals mirror at x = 0 and y = 0: the quarter of a pad is exactly the part of
// the full mesh in x >= 0, y >= 0. Layers and columns are graded: fine at the top and at the
// centre, which in a box may lie anywhere. A dome or a chamfer moves the top of each column and
// spreads its layers evenly. With `widen` the elements of a box are twice as wide below the first
// layer, which needs nothing finer there: fields in a gel grow smooth with depth.
#pragma once

#include <functional>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// Element sizes [m]. A spacing grows from its fine end by at most `growth` per element up to its
/// coarse end; spacings are then scaled to fit the length exactly (by half at most, and by less
/// the more there are).
struct PadGrading {
  double top_size = 0.35e-3;     ///< height of the layer at the top
  double base_size = 1.0e-3;     ///< height of the layers at the base
  double centre_size = 0.35e-3;  ///< width of the elements at the centre
  double rim_size = 1.0e-3;      ///< width of the elements at the rim
  double growth = 1.2;           ///< ratio of neighbouring spacings, 1 or more
  /// Half of the region about the centre, along x and y, whose elements keep the width at the
  /// centre; a round pad takes the smaller one.
  double even_x = 0, even_y = 0;
  double layer_growth = 0;            ///< `growth` of the layers' heights; 0: the same
  double centre_x = 0, centre_y = 0;  ///< where the centre is; of a whole box, else the middle
  /// Elements below the first layer of a box are twice as wide, and the first layer joins them.
  bool widen = false;

  static PadGrading uniform(double size) { return {size, size, size, size, 1.0}; }
  double down_growth() const { return layer_growth == 0 ? growth : layer_growth; }
};

/// Which part of a pad is meshed. A half or quarter is for symmetry about x = 0 and y = 0.
enum class PadPart { kFull, kQuarter };

struct Pad {
  TetMesh mesh;                    ///< positively oriented, [m]
  double thickness = 0;            ///< at the centre [m]
  std::vector<int> base_vertices;  ///< z = -thickness, ascending: glue these
  std::vector<Vec3i> coat;         ///< top and chamfer as volume vertices, facing outward (+z)
  std::vector<int> x0_vertices;    ///< x = 0, ascending: symmetry plane of a quarter
  std::vector<int> y0_vertices;    ///< y = 0, ascending

  /// A point painted on the coat: x = sum_k weight[k] * x(coat[triangle][k]).
  struct Marker {
    int triangle;
    Vec3d weight;
  };
  /// A grid of rows (along y, from -y) times columns (along x, from -x) centred at the origin,
  /// row by row, seen along z.
  /// @param pitch distance between neighbours [m].
  /// Throws InputError when a marker falls outside the coat.
  std::vector<Marker> markers(int rows, int cols, double pitch) const;
};

/// Spacings from `first` to `last` [m] that add up to `length`, as lines 0 = l_0 < ... < l_n =
/// length; see PadGrading for the growth. Where `first` is the smaller one, spacings that begin
/// before `even` [m] keep it.
std::vector<double> graded_lines(double length, double first, double last, double growth,
                                 double even = 0);

struct BoxPadShape {
  double width = 20.75e-3;  ///< along x [m]
  double depth = 25.25e-3;  ///< along y [m]
  double thickness = 4e-3;  ///< along z at the centre [m]
  double chamfer = 0;       ///< 45-degree chamfer of the top rim [m], 0 for none
  /// Height of the top above the base at (x, y) [m]; empty for a flat top. h(0, 0) must be
  /// `thickness`. The chamfer is cut below it.
  std::function<double(double, double)> height = {};
};

/// A box with equal elements, nx x ny x nz cells of six tetrahedra. The chamfer must be 0.
Pad box_pad(const BoxPadShape& shape, int nx, int ny, int nz);

/// A box with graded elements.
Pad box_pad(const BoxPadShape& shape, const PadGrading& grading, PadPart part = PadPart::kFull);

/// A round pad: rings of 8, 16, 24, ... columns about the axis. The rim is an inscribed polygon.
/// @param radius, thickness, chamfer [m].
Pad round_pad(double radius, double thickness, const PadGrading& grading,
              PadPart part = PadPart::kFull, double chamfer = 0);

/// A round pad whose top follows `height(r)` [m] above the base, height(0) = thickness.
Pad round_dome_pad(double radius, double thickness, const std::function<double(double)>& height,
                   const PadGrading& grading, PadPart part = PadPart::kFull);

/// A rim that falls beyond a dome.
struct PadRim {
  double drop = 0;                  ///< of the top at the sides, below its highest point [m]
  double width_x = 0, width_y = 0;  ///< of the rim along x and along y [m]
};

/// The domed pad of a GelSight Mini: 20.75 x 25.25 x 4.00 mm, radii of curvature 114 mm along x
/// and 189 mm along y, and a rim of 2.82 and 2.9 mm that falls by 1.25 mm.
BoxPadShape mini_pad_shape();

/// A height function: thickness - x^2 / (2 rx) - y^2 / (2 ry), all in metres.
std::function<double(double, double)> dome_height(double thickness, double rx, double ry);

/// A dome inside a rim, where it goes on as a parabola that is tangent to it and ends at the sides
/// at the rim's drop; in a corner the lower one of two.
std::function<double(double, double)> rounded_height(const BoxPadShape& shape, double rx, double ry,
                                                     const PadRim& rim);

/// Signed volume of all tetrahedra [m^3].
double total_volume(const TetMesh& mesh);

}  // namespace haptos
