// The candidates of two surfaces through a step: found about where the surfaces are, for as much
// motion as is expected, and found again where the motion goes beyond that. So no pair is missed,
// and the cap that keeps surfaces apart looks at few of them.
#pragma once

#include <algorithm>

#include "haptos/contact/search/candidates.h"
#include "haptos/system/term.h"

namespace haptos {

class CandidateSearch {
 public:
  /// @param faces  also finds which triangles of a are near to which cells of b
  /// @param look   how far the model looks [m], the support where nothing is said
  CandidateSearch(const ContactSurface& a, const ContactSurface& b,
                  const std::vector<SurfaceSample>& samples, double support, bool faces = false,
                  double look = 0)
      : a_(a),
        b_(b),
        samples_(samples),
        samples_of_(owned_samples(a, samples)),
        support_(support),
        look_(std::max(look, support)),
        faces_(faces) {}

  /// Candidates where the step starts, for the motion that velocities foretell.
  void begin(const StepContext& context);
  /// The largest part of limit in which every pair of features keeps a gap within the support,
  /// where a contact that is new carries force but not much of it, and at least a quarter of what
  /// there was. Sets `found` when the candidates are new ones.
  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit, bool& found);

  const BarrierCandidates& now() const { return candidates_; }

 private:
  void find(const Points& points, double margin, double least);
  double least_margin(const Points& points) const;
  double affordable_margin(const Points& points, double wanted) const;

  const ContactSurface &a_, &b_;
  const std::vector<SurfaceSample>& samples_;
  IndexLists samples_of_;
  double support_, look_;
  bool faces_;
  Bvh tree_;
  BarrierCandidates candidates_;
  double expected_ = 0, margin_ = 0;  // motion that the step was expected to make, and may make
  std::vector<Vec3d> x_search_;
};

}  // namespace haptos
