#include "haptos/contact/live/mortar/mortar_term.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/live/mortar/mortar_friction.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/contact/search/candidate_search.h"

namespace haptos {
namespace {

class MortarTerm final : public ContactTerm {
 public:
  MortarTerm(const ContactSurface* slave, const ContactSurface* master, const LiveSetup& s)
      : ContactTerm(s.friction),
        slave_(*slave),
        master_(*master),
        setup_(s),
        sides_(mortar_sides(slave_, master_, s.support, s.stiffness, s.order)),
        vertices_(surface_samples(slave_, 1)),
        lattice_(slave_, s.divisions),
        search_(slave_, master_, vertices_, s.support, true, kEdgeReach * s.support),
        edges_(sides_) {}

  const char* name() const override { return "mortar"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  TermReport report() const override { return {load_, smallest_gap_}; }

  void prepare(const StepContext& c) override {
    const Points& p = *c.points;
    search_.begin(c);
    if (!friction_.active()) return;
    refresh(p, Sampling::kAnew);
    begin_friction(c);
  }

  void couplings(const Points& points, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override {
    if (coupled == Coupled::kAlways || slave_.driven || master_.driven) return;
    candidate_couplings(search_.now(), vertices_, slave_, master_, points, Aabb::kInf, out);
    face_couplings(points, out);
  }

  bool refresh(const Points& points, Sampling sampling) override {
    const bool kept = sampling == Sampling::kKept;
    if (kept)
      follow_samples(points.x, faces_);
    else
      collect_samples(sides_, search_.now().face_cells, points.x, faces_);
    edges_.refresh(search_.now().face_cells, points.x, sampling);
    if (kept) return true;
    smallest_gap_ = 1e300;
    load_ = 0;
    for (const MortarSample& s : faces_.samples) {
      smallest_gap_ = std::min(smallest_gap_, s.gap);
      load_ -= s.scale * barrier(s.gap, setup_.support).first;
    }
    for (const EdgePoint& p : edges_.points()) {
      smallest_gap_ = std::min(smallest_gap_, p.gap);
      load_ += norm(p.force);
    }
    return false;
  }

  Energy evaluate(const Evaluation& e) override {
    Energy total = friction_.evaluate(e);
    for (const MortarPatch& p : faces_.patches)
      total += evaluate_patch(p, faces_.samples, setup_.support, *e.points, e.assembly, e.project);
    total += edges_.evaluate(setup_.support, e);
    return total;
  }

  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    bool fresh = false;
    const double step = search_.max_step(points, dx, limit, fresh);
    return sample_step_cap(faces_, points.x, dx, step);
  }

  void commit(const StepContext& c, const Points& points) override {
    contacts_.clear();
    const std::vector<MortarPress> presses = mortar_presses(sides_, faces_, edges_);
    for (const MortarPress& p : presses) {
      contacts_.push_back(record_press(p, sides_, points));
      contacts_.back().area *= setup_.area_share;
    }
    if (!friction_.active()) return;
    end_friction(c, points);
    spread_friction(lattice_, presses, friction_, contacts_);
  }

 protected:
  void friction_contacts(const Points&, std::vector<FrictionContact>& out) const override {
    mortar_friction(sides_, lattice_, mortar_presses(sides_, faces_, edges_), setup_.tangential,
                    out);
  }
  const ContactSurface* anchor_surface(const FeaturePair&) const override { return &master_; }

 private:
  void face_couplings(const Points& points, std::vector<std::array<int, 2>>& out) const {
    std::vector<std::array<int, 2>> pairs;
    const IndexLists& near = search_.now().face_cells;
    for (int t = 0; t < near.size(); ++t)
      for (const int cell : near[t]) {
        int block[6];
        for (int k = 0; k < 3; ++k) {
          block[k] = points.block(slave_.point[at_index(slave_.cell(t)[k])]);
          block[3 + k] = points.block(master_.point[at_index(master_.cell(cell)[k])]);
        }
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < i; ++j)
            if (block[i] != block[j] && block[i] >= 0 && block[j] >= 0)
              pairs.push_back({std::max(block[i], block[j]), std::min(block[i], block[j])});
      }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    out.insert(out.end(), pairs.begin(), pairs.end());
  }

  const ContactSurface &slave_, &master_;
  LiveSetup setup_;
  MortarSides sides_;
  std::vector<SurfaceSample> vertices_;
  SlaveLattice lattice_;
  CandidateSearch search_;
  MortarSamples faces_;
  EdgePoints edges_;
  double smallest_gap_ = 1e300, load_ = 0;
};

}  // namespace

LiveSetup mortar_shell(const LiveSetup& mortar) {
  constexpr double kPart = 0.25;
  LiveSetup s = mortar;
  s.model = LiveModel::kBarrier;
  s.scale_support(kPart);
  s.divisions = 1;
  s.area_share = 0;
  return s;
}

std::unique_ptr<ContactTerm> make_mortar_term(const ContactSurface* slave,
                                              const ContactSurface* master,
                                              const LiveSetup& setup) {
  return std::make_unique<MortarTerm>(slave, master, setup);
}

}  // namespace haptos
