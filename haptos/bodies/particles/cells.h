// Which nodes of a grid without bounds a set of points touches, and which of them share a point.
//
// Points are sorted by their cells: all points of a cell have the same 27 nodes. Nodes are those of
// occupied cells, sorted by x, y, z, so that three nodes along z stand side by side. Two nodes are
// neighbours if an occupied cell has both; a node has at most 62 neighbours before it, by the
// offset between them.
//
// Where walls are thinner than the reach of a point, a node may be there more than once. Points of
// one cell with a wall between them are in cells of their own; cells with a node in common share it
// if no wall stands between them, or if others link them that have this node too. So what a plate
// parts has nodes of its own on each side, and shares those about the plate's end, as far as points
// see each other there. A node then may have more than one neighbour at an offset.
#pragma once

#include <array>
#include <vector>

#include "haptos/base/math/math.h"
#include "haptos/bodies/particles/walls.h"

namespace haptos {

class Cells {
 public:
  static constexpr int kNodes = 27;
  /// Offsets to nodes that are not behind, in the order of nodes; the last is the node itself.
  static constexpr int kOffsets = 63;

  struct Cell {
    Vec3i base;              ///< its lowest node
    int begin = 0, end = 0;  ///< of order()
    bool walled = false;     ///< a wall may stand between it and others
    Vec3d seen;              ///< of one that is walled, the place that others see or do not
  };

  /// Sorts points (n) [m] into cells of a size [m].
  /// @param walls  that part them; nullptr: none
  void sort(const std::vector<Vec3d>& x, double size, const Walls* walls = nullptr);

  int node_count() const { return static_cast<int>(nodes_.size()); }
  int cell_count() const { return static_cast<int>(cells_.size()); }
  const Vec3i& node(int i) const { return nodes_[index(i)]; }
  /// Which of the nodes at one place it is, from 0.
  int copy(int i) const { return copy_[index(i)]; }
  const Cell& cell(int c) const { return cells_[index(c)]; }
  /// Whether two cells are parted by walls alone.
  bool same_place(int a, int b) const {
    const Vec3i &u = cell(a).base, &v = cell(b).base;
    return u[0] == v[0] && u[1] == v[1] && u[2] == v[2];
  }
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
  /// The first neighbour of a node at an offset, not behind it in the order of nodes; -1: none.
  int neighbour(int i, int offset) const { return neighbour_[index(kOffsets * i + offset)]; }
  /// A further neighbour.
  struct Further {
    int node = 0, offset = 0, neighbour = 0;
  };
  /// Of all nodes, by node, offset and neighbour.
  const std::vector<Further>& further() const { return further_; }
  /// The offset from node a to node b of a cell (their numbers in it), b <= a: as neighbour().
  static int offset(int a, int b) {
    return 62 + 25 * (b / 9 - a / 9) + 5 * (b / 3 % 3 - a / 3 % 3) + (b % 3 - a % 3);
  }
  /// A number for the pair of a node and its neighbour j at an offset, below slot_count(): first
  /// those of first neighbours, by node and offset, then those of further ones.
  int slot(int i, int offset, int j) const {
    return neighbour(i, offset) == j ? kOffsets * i + offset : further_slot(i, offset, j);
  }
  int slot_count() const { return kOffsets * node_count() + static_cast<int>(further_.size()); }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void part_points(const std::vector<Vec3d>& x, double size, const Walls& walls);
  void find_cells();
  void find_nodes();
  void find_parts();
  void split_nodes(const Walls& walls);
  void find_neighbours();
  int further_slot(int i, int offset, int j) const;

  std::vector<Vec3i> base_;
  std::vector<int> group_;  // of a point, among those of its cell that see each other
  std::vector<int> order_;
  std::vector<Cell> cells_;
  std::vector<Vec3i> nodes_;
  std::vector<int> copy_;
  std::vector<std::array<int, kNodes>> of_cell_;
  std::vector<int> first_part_;
  std::vector<Part> parts_;
  std::vector<int> neighbour_;
  std::vector<Further> further_;
};

}  // namespace haptos
