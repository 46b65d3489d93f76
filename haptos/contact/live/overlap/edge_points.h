// What edges and corners that stand out press with, where faces see too little of them: fixed
// points along the edges of both surfaces, and their corners, each against the closest features of
// the other surface.
//
//   E = kappa sum_p w A_p sum_f c_f B(d_pf)
//
// A_p = b l_p of a point that stands for the rest length l_p of its edge, no more than half the
// size of the slave's triangles, and for the breadth b across it; b^2 of a corner. w is its
// exposure (exposure.h). Closest features are counted once
// (contact/live/barrier/closest_features.h), so the force changes evenly as a ridge goes over a
// fold of the other surface, inwards or outwards. w and b are held through a search, and left out
// of the gradient; distances follow the surfaces.
#pragma once

#include "haptos/contact/live/barrier/closest_features.h"
#include "haptos/contact/live/overlap/mortar_samples.h"
#include "haptos/contact/live/pairs/stencil_pair.h"

namespace haptos {

/// How far points look, in supports.
inline constexpr double kEdgeReach = 2;

struct EdgePoint {
  bool of_master = false;
  int edge = -1, vertex = -1;  ///< of its surface: the one or the other
  int id = -1;                 ///< of the point, among all
  WeightedPoint at;
  double area = 0;         ///< w A_p [m2]
  int first = 0, end = 0;  ///< its pairs
  // Once it is read:
  Vec3d force;          ///< on the slave [N]
  double gap = 0;       ///< to the nearest feature [m]
  WeightedPoint other;  ///< the nearest place of the other surface
  int other_cell = -1;  ///< a triangle there, or a loose cell
};

class EdgePoints {
 public:
  EdgePoints() = default;
  explicit EdgePoints(const MortarSides& sides);

  /// Finds what the points see now. Their areas are what is sampled.
  /// @param near  cells of the master near each slave triangle
  void refresh(const IndexLists& near, const std::vector<Vec3d>& x, Sampling sampling);

  /// The points that press, and all their pairs.
  const std::vector<EdgePoint>& points() const { return pressing_; }
  const std::vector<BarrierPair>& pairs() const { return pairs_; }

  Energy evaluate(double support, const Evaluation& e) const;

 private:
  // An edge or a corner.
  struct Edge {
    bool of_master;
    int edge, vertex, first, count;  // points
    double length;                   // of one [m]
    std::vector<int> near;           // cells of the other surface
  };
  struct Numbers {
    std::vector<int> edge, vertex;  // of the surface: in edges_, or -1
  };

  void find_near(const IndexLists& near);
  void add(Edge& e, int number, const std::vector<Vec3d>& x, bool kept);

  const MortarSides* sides_ = nullptr;
  std::vector<Edge> edges_;  // that may stand out
  Numbers of_master_, of_slave_;
  std::vector<int> open_;     // of edges_: with something near
  std::vector<double> area_;  // by point of edges_
  std::vector<EdgePoint> pressing_;
  std::vector<BarrierPair> pairs_;
  std::vector<SeenFeature> seen_;
};

}  // namespace haptos
