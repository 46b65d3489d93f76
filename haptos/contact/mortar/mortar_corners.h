// Corners and crossings of mortar contact: what stands out so that neither faces nor edges carry
// it. Pairs as barrier contact has them, with weights held for a step.
#pragma once

#include "haptos/contact/barrier/closest_features.h"
#include "haptos/contact/barrier/stencil_pair.h"
#include "haptos/contact/mortar/mortar_samples.h"

namespace haptos {

class MortarCorners {
 public:
  explicit MortarCorners(const MortarSides& sides);
  /// Forgets the weights of the last step.
  void begin();
  /// Weights of candidates that have none yet in this step.
  void found(const BarrierCandidates& near, const Points& points);
  /// Appends the pairs within the support.
  void collect(const BarrierCandidates& near, const std::vector<Vec3d>& x,
               std::vector<BarrierPair>& out);

 private:
  void weigh_master(const BarrierCandidates& near, int i, const Points& points);
  void weigh_slave(int vertex, std::span<const int> near, const Points& points);
  double weigh_crossing(int es, int em, const std::vector<Vec3d>& x) const;
  void add_seen(PairKind kind, const ContactSurface& target, int point, int id, double area,
                std::vector<BarrierPair>& out) const;

  const MortarSides& sides_;
  std::vector<double> share_;                     // of slave vertices: mean area of triangles [m2]
  std::vector<double> master_area_, slave_area_;  // w A_v of vertices; -1: not known yet
  struct Crossing {
    int slave, master;
    StencilPoints stencil;
    double area;
  };
  std::vector<Crossing> crossings_;
  std::vector<SeenFeature> seen_;
};

}  // namespace haptos
