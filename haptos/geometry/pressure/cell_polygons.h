// Where a surface runs through a cell of a grid: marching cubes, the polygons of each of the 256
// cases.
//
// Corner i of a cell is at the bits of i (bit k: the upper one along axis k). Edge 4 d + e runs
// along axis d from the corner whose bits along axes d + 1 and d + 2 (mod 3) are those of e. A case
// has bit i where corner i is inside. The polygons join crossed edges, counter-clockwise as seen
// from outside. Where two corners of a face that lie crosswise are inside, the surface keeps them
// apart; the face decides it, so the surfaces of neighbouring cells fit, and a surface is closed.
//
// The cases are not a table but follow from that rule. Source of the method: Lorensen and Cline
// 1987, Marching cubes (SIGGRAPH).
#pragma once

#include <array>
#include <cstdint>

namespace haptos {

struct CellPolygons {
  std::uint8_t count = 0;               ///< of polygons, at most 4
  std::array<std::uint8_t, 5> start{};  ///< of each polygon in `edge`, and the end
  std::array<std::uint8_t, 12> edge{};  ///< crossed edges, polygon after polygon
};

inline constexpr unsigned kCellCases = 256;

/// The polygons of a case, 0 to 255; all of them follow that of 0.
const CellPolygons& cell_polygons(unsigned inside);

/// The corner that an edge starts at; it ends at this plus 1 << (edge / 4).
constexpr int edge_start(int edge) {
  const int d = edge / 4, e = edge % 4;
  return (e & 1) << (d + 1) % 3 | (e >> 1) << (d + 2) % 3;
}

}  // namespace haptos
