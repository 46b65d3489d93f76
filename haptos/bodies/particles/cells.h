// Which nodes of a grid without bounds a set of points touches, and which of them share a point.
//
// Points are sorted by their cells: all points of a cell have the same 27 nodes. Nodes are those of
// occupied cells, sorted by x, y, z, so that three nodes along z stand side by side. Two nodes are
// neighbours if an occupied cell has both; a node has at most 62 neighbours before it, by the
// offset between them.
#pragma once

#include <array>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

class Cells {
 public:
  static constexpr int kNodes = 27;
  /// Offsets to nodes that are not behind, in the order of nodes; the last is the node itself.
  static constexpr int kOffsets = 63;

  struct Cell {
    Vec3i base;              ///< its lowest node
    int begin = 0, end = 0;  ///< of order()
  };

  /// Sorts points (n) [m] into cells of a size [m].
  void sort(const std::vector<Vec3d>& x, double size);

  int node_count() const { return static_cast<int>(nodes_.size()); }
  int cell_count() const { return static_cast<int>(cells_.size()); }
  const Vec3i& node(int i) const { return nodes_[index(i)]; }
  const Cell& cell(int c) const { return cells_[index(c)]; }
  /// Points by cells, and of one cell in the order given.
  const std::vector<int>& order() const { return order_; }
  /// The 27 nodes of a cell.
  const std::array<int, kNodes>& nodes_of(int c) const { return of_cell_[index(c)]; }
  /// Cells that a node belongs to, rising, each with its number among the cell's nodes.
  struct Part {
    int cell = 0, node = 0;
  };
  const Part* parts_begin(int i) const { return parts_.data() + first_part_[index(i)]; }
  const Part* parts_end(int i) const { return parts_.data() + first_part_[index(i) + 1]; }
  /// The neighbour of a node at an offset, not behind it in the order of nodes; -1: none.
  int neighbour(int i, int offset) const { return neighbour_[index(kOffsets * i + offset)]; }
  /// The offset from node a to node b of a cell (their numbers in it), b <= a: as neighbour().
  static int offset(int a, int b) {
    return 62 + 25 * (b / 9 - a / 9) + 5 * (b / 3 % 3 - a / 3 % 3) + (b % 3 - a % 3);
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void find_nodes();
  void find_neighbours();

  std::vector<Vec3i> base_;
  std::vector<int> order_;
  std::vector<Cell> cells_;
  std::vector<Vec3i> nodes_;
  std::vector<std::array<int, kNodes>> of_cell_;
  std::vector<int> first_part_;
  std::vector<Part> parts_;
  std::vector<int> neighbour_;
};

}  // namespace haptos
