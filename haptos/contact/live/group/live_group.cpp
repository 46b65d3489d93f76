#include "haptos/contact/live/group/live_group.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/contact/live/mortar/mortar_term.h"
#include "haptos/contact/search/candidates.h"

namespace haptos {
namespace {

class Group final : public LiveGroup {
 public:
  const char* name() const override { return "barrier"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }

  void add(const ContactSurface* soft, const ContactSurface* collider,
           const LiveSetup& setup) override {
    pairs_.push_back({number(soft), number(collider), setup, nullptr, false});
    widest_ = std::max(widest_, setup.support);
    const auto [low, high] = std::minmax(pairs_.back().soft, pairs_.back().collider);
    by_surfaces_.push_back({{low, high}, static_cast<int>(pairs_.size()) - 1});
    sorted_ = false;
  }
  void fit_supports(const std::vector<Vec3d>& x) override {
    const auto box = [&](int i) {
      Aabb b;
      for (const int v : reach_[at_index(i)].surface->point) b.merge(x[at_index(v)]);
      return b.inflated(widest_);
    };
    sort_pairs();
    for (auto first = by_surfaces_.cbegin(), end = first; first != by_surfaces_.cend();
         first = end) {
      end = end_of(first);
      const auto [i, j] = first->surfaces;
      if (!box(i).overlaps(box(j))) continue;
      // What stands behind mortar contact is fitted with it.
      const LiveSetup widest = widest_of({first, end});
      const Pair& pair = pairs_[at_index(first->pair)];
      const double gap = gap_between(*reach_[at_index(pair.soft)].surface,
                                     *reach_[at_index(pair.collider)].surface, x, widest.support);
      if (!(gap < widest.support)) continue;
      const double part = widest.part_for(gap);
      for (auto k = first; k != end; ++k) pairs_[at_index(k->pair)].setup.scale_support(part);
    }
  }
  void set_cone(int pair, const FrictionCone& cone) override {
    Pair& p = pairs_[at_index(pair)];
    p.setup.friction = cone;
    if (p.term) p.term->set_cone(0, cone);
  }
  int pair_count() const override { return static_cast<int>(pairs_.size()); }
  int near_count() const override { return static_cast<int>(near_.size()); }

  void prepare(const StepContext& c) override {
    context_ = c;
    const Points& p = *c.points;
    sort_pairs();
    for (Pair& pair : pairs_) pair.near = false;
    near_.clear();
    for (Reach& s : reach_) {
      s.reach = widest_;
      double motion = 0;
      for (int v : s.surface->point) {
        const std::size_t i = at_index(v);
        motion = std::max(motion,
                          squared_norm(p.driven(v) ? p.x_target[i] - p.x_start[i] : c.b * p.u[i]));
      }
      s.reach += 1.2 * sqrt(motion);
    }
    find_near(p);
  }

  void couplings(const Points& points, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override {
    if (coupled == Coupled::kAlways) return;
    for (int i : near_) term(i).couplings(points, coupled, out);
  }
  bool refresh(const Points& points, Sampling sampling) override {
    bool kept = false;
    for (int i : near_) kept |= term(i).refresh(points, sampling);
    return kept;
  }
  Energy evaluate(const Evaluation& e) override {
    Energy total;
    for (int i : near_) total += term(i).evaluate(e);
    return total;
  }
  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    bool beyond = false;
    for (Reach& s : reach_) {
      double motion = 0, moved = 0;
      for (std::size_t v = 0; v < s.surface->point.size(); ++v) {
        const std::size_t p = at_index(s.surface->point[v]);
        motion = std::max(motion, squared_norm(dx[p]));
        moved = std::max(moved, squared_norm(points.x[p] - s.x_search[v]));
      }
      const double wanted = limit * sqrt(motion);
      if (sqrt(moved) + wanted <= s.reach) continue;
      s.reach = std::max(s.reach, 1.01 * wanted);
      beyond = true;
    }
    if (beyond) find_near(points);
    for (int i : near_) limit = term(i).max_step(points, dx, limit);
    return limit;
  }
  void commit(const StepContext& c, const Points& points) override {
    for (int i : near_) term(i).commit(c, points);
  }
  void add_contacts(std::vector<ContactPoint>& all) const override {
    for (int i : near_) term(i).add_contacts(all);
  }
  Lagged* lagged() override {
    const bool any =
        std::any_of(near_.begin(), near_.end(), [&](int i) { return term(i).lagged() != nullptr; });
    return any ? this : nullptr;
  }
  void remember(ContactHistory& next) const override {
    for (int i : near_) term(i).remember(next);
  }
  TermReport report() const override {
    TermReport all;
    for (int i : near_) {
      const TermReport r = term(i).report();
      all.load += r.load;
      all.smallest_gap = std::min(all.smallest_gap, r.smallest_gap);
    }
    return all;
  }

 private:
  void renew_lags(const Points& points, std::vector<LagRow>& rows) override {
    lagged_.clear();
    for (int i : near_) {
      const std::size_t first = rows.size();
      Lagged* l = term(i).lagged();
      if (l == nullptr) continue;
      l->renew_lags(points, rows);
      lagged_.emplace_back(l, rows.size() - first);
    }
  }
  void set_lags(std::span<const LagRow> rows) override {
    for (const auto& [l, count] : lagged_) {
      l->set_lags(rows.first(count));
      rows = rows.subspan(count);
    }
  }

  struct Pair {
    int soft, collider;  // surfaces
    LiveSetup setup;
    std::unique_ptr<ContactTerm> term;
    bool near;
  };
  // A surface, how far it may move from where near pairs were looked for, and where that was.
  struct Reach {
    const ContactSurface* surface;
    double reach = 0;
    std::vector<Vec3d> x_search;
  };

  // Which surfaces a pair is of, the lower number first.
  struct OfSurfaces {
    std::array<int, 2> surfaces;
    int pair;
    auto operator<=>(const OfSurfaces&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  using Pairs = std::vector<OfSurfaces>;

  void sort_pairs() {
    if (!std::exchange(sorted_, true)) std::sort(by_surfaces_.begin(), by_surfaces_.end());
  }
  // Of the pairs of the same surfaces.
  Pairs::const_iterator end_of(Pairs::const_iterator first) const {
    auto end = first;
    while (end != by_surfaces_.end() && end->surfaces == first->surfaces) ++end;
    return end;
  }

  const LiveSetup& widest_of(std::span<const OfSurfaces> pairs) const {
    const LiveSetup* widest = &pairs_[at_index(pairs[0].pair)].setup;
    for (const OfSurfaces& k : pairs)
      if (const LiveSetup& s = pairs_[at_index(k.pair)].setup; s.support > widest->support)
        widest = &s;
    return *widest;
  }

  ContactTerm& term(int i) const { return *pairs_[at_index(i)].term; }

  int number(const ContactSurface* s) {
    const auto [it, fresh] = numbers_.try_emplace(s, static_cast<int>(reach_.size()));
    if (fresh) reach_.push_back({s, 0, {}});
    return it->second;
  }

  // Finds near pairs about the present positions, and prepares those that were not near before.
  void find_near(const Points& points) {
    Borrowed<std::vector<Aabb>> room;
    std::vector<Aabb>& boxes = *room;
    boxes.assign(reach_.size(), Aabb());
    for (std::size_t i = 0; i < reach_.size(); ++i) {
      Reach& s = reach_[i];
      s.x_search.clear();
      for (int v : s.surface->point) {
        s.x_search.push_back(points.x[at_index(v)]);
        boxes[i].merge(s.x_search.back());
      }
      boxes[i].inflate(s.reach + 0.5 * widest_);
    }
    const std::size_t before = near_.size();
    tree_.build(boxes);
    tree_.self_pairs(0, [&](int i, int j) { add_near(i, j); });
    for (std::size_t i = 0; i < reach_.size(); ++i)  // a surface with itself
      add_near(static_cast<int>(i), static_cast<int>(i));
    if (near_.size() == before) return;
    std::sort(near_.begin() + static_cast<std::ptrdiff_t>(before), near_.end());
    for (std::size_t i = before; i < near_.size(); ++i) enter(pairs_[at_index(near_[i])], points);
    std::sort(near_.begin(), near_.end());
  }

  void add_near(int i, int j) {
    const OfSurfaces least = {{std::min(i, j), std::max(i, j)}, 0};
    const auto first = std::lower_bound(by_surfaces_.begin(), by_surfaces_.end(), least);
    for (auto k = first; k != by_surfaces_.end() && k->surfaces == least.surfaces; ++k)
      if (Pair& pair = pairs_[at_index(k->pair)]; !pair.near) {
        pair.near = true;
        near_.push_back(k->pair);
      }
  }

  void enter(Pair& pair, const Points& points) {
    const ContactSurface *soft = reach_[at_index(pair.soft)].surface,
                         *collider = reach_[at_index(pair.collider)].surface;
    if (!pair.term) {
      if (pair.setup.divisions == 0) pair.setup.divisions = suggested_divisions(*soft, *collider);
      pair.term = pair.setup.model == LiveModel::kMortar
                      ? make_mortar_term(soft, collider, pair.setup)
                      : make_barrier_term(soft, collider, pair.setup);
    }
    pair.term->prepare(context_);
    pair.term->refresh(points, Sampling::kAnew);
  }

  Bvh tree_;  // of the surfaces' boxes
  std::vector<Pair> pairs_;
  std::vector<Reach> reach_;  // by number of the surface
  std::map<const ContactSurface*, int> numbers_;
  Pairs by_surfaces_;
  bool sorted_ = true;                                   // by_surfaces_ is in order
  std::vector<int> near_;                                // pairs, rising
  std::vector<std::pair<Lagged*, std::size_t>> lagged_;  // of the last renew_lags(), and its rows
  double widest_ = 0;                                    // support of any pair
  StepContext context_;
};

}  // namespace

std::unique_ptr<LiveGroup> make_live_group() { return std::make_unique<Group>(); }

}  // namespace haptos
