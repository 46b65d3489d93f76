// Corners and crossings of mortar contact: what stands out so that neither faces nor edges carry
// it. Pairs as barrier contact has them.
#pragma once

#include "haptos/contact/barrier/closest_features.h"
#include "haptos/contact/barrier/stencil_pair.h"
#include "haptos/contact/mortar/mortar_samples.h"

namespace haptos {

class MortarCorners {
 public:
  explicit MortarCorners(const MortarSides& sides);
  /// What follows from new candidates.
  void found(const BarrierCandidates& near);
  /// Appends the pairs within the support. Held: with the weights that they had last.
  void collect(const BarrierCandidates& near, const std::vector<Vec3d>& x, bool held,
               std::vector<BarrierPair>& out);

 private:
  double weigh_master(int vertex, std::span<const int> near, const std::vector<Vec3d>& x) const;
  double weigh_slave(int vertex, std::span<const int> near, const std::vector<Vec3d>& x) const;
  double weigh_crossing(int es, int em, const std::vector<Vec3d>& x) const;
  void collect_crossings(const std::vector<Vec3d>& x, bool held, std::vector<BarrierPair>& out);
  void add_seen(PairKind kind, const ContactSurface& target, int point, int id, double area,
                std::vector<BarrierPair>& out) const;

  const MortarSides& sides_;
  std::vector<double> share_;                     // of slave vertices: mean area of triangles [m2]
  std::vector<double> master_area_, slave_area_;  // w A_v of vertices where they were weighed last
  struct Crossing {
    int slave, master;
    StencilPoints stencil;
    double area;
  };
  std::vector<Crossing> crossings_;
  std::vector<SeenFeature> seen_;
};

}  // namespace haptos
