// Layers of tetrahedra below a triangulated plane region: what pads (haptos/geometry/make/pads.h)
// are made of.
#pragma once

#include <vector>

#include "haptos/geometry/make/pads.h"

namespace haptos {

// A triangulated plane region: lattice points (i, j) about the centre, |i| and |j| being the same
// at mirror images, and the order of columns that the cuts of prisms follow.
struct PadPlane {
  std::vector<Vec2d> points;
  std::vector<Vec2i> lattice;
  std::vector<Vec3i> triangles;  // counter-clockwise
};

// Cuts lattice cell (i, j)-(i+1, j+1) into two triangles. The diagonals join points of even
// parity (a union jack, which favours no direction); on cells crossed by a line |i| = |j| counted
// from a corner, `rising` overrides it: 1 towards (+, +), -1 towards (+, -), 0 no override.
void add_cell(PadPlane& plane, int p00, int p10, int p11, int p01, int parity, int rising);

// Extrudes the plane between the base and the tops of its columns. `down` are the distances of the
// layers below the top in a column of height `thickness`; other columns scale them.
Pad extrude_pad(const PadPlane& plane, const std::vector<double>& down, double thickness,
                const std::vector<double>& height);

// A block of two by two cells of the fine plane over one cell of the wide one: points of the fine
// plane row by row, points of the wide plane counter-clockwise.
struct PadBlock {
  int fine[9];
  int wide[4];
  bool rising;  // the wide cell is cut from wide[0] to wide[2], else from wide[1] to wide[3]
};

// The same with the fine plane on top of the first layer and the wide plane below it. The first
// layer joins them: each block is cut into the tetrahedra between the middle of its top and its
// other faces, so the diagonals of the fine cells must run from the middle to the corners.
Pad extrude_widening(const PadPlane& fine, const PadPlane& wide,
                     const std::vector<PadBlock>& blocks, const std::vector<double>& down,
                     double thickness, const std::vector<double>& fine_height,
                     const std::vector<double>& wide_height);

}  // namespace haptos
