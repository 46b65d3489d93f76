#include "haptos/solve/objective/objective.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/stage_clock.h"
#include "haptos/solve/objective/block_products.h"
#include "haptos/system/block_room.h"
#include "haptos/system/facets/impulses.h"
#include "haptos/system/point_velocity.h"

namespace haptos {

using internal::kSmallBlock;
using internal::multiply;
using internal::thread_room;
using internal::velocity;

void Objective::build(std::vector<int> block_sizes, std::vector<char> fixed, Points* points,
                      std::vector<Term*> terms, std::vector<const Retraction*> retractions) {
  points_ = points;
  terms_ = std::move(terms);
  retractions_ = std::move(retractions);
  fixed_ = std::move(fixed);
  impulses_.clear();
  revised_.clear();
  slow_terms_.clear();
  for (Term* t : terms_) {
    if (t->slow()) slow_terms_.push_back(t);
    if (Impulses* i = t->impulses()) impulses_.push_back(i);
    if (Revised* r = t->revised()) revised_.push_back(r);
  }
  couplings_.clear();
  for (const Term* t : terms_) t->couplings(*points, Coupled::kAlways, couplings_);
  mass_offset_.assign(1, 0);
  for (int n : block_sizes) mass_offset_.push_back(mass_offset_.back() + n * n);
  step_couplings_.clear();
  analyses_ = 0;
  own_blocks_ = block_sizes;
  stale_ = false;
  set_pattern(std::move(block_sizes));
  const auto n = at_index(pattern_->scalar_count());
  inertia_.mass.assign(at_index(mass_offset_.back()), 0.0);
  inertia_.z_free.assign(n, 0.0);
  inertia_.z_past.assign(n, 0.0);
  inertia_.z_hold.assign(n, 0.0);
  inertia_.length.assign(n, 1.0);
  all_frozen_ =
      std::all_of(terms_.begin(), terms_.end(), [](const Term* t) { return t->frozen(); });
  any_driven_ = false;
  for (int p = 0; p < points->permanent(); ++p) any_driven_ = any_driven_ || points->on_path(p);
}

void Objective::set_trial(const std::vector<double>& z, double s, Sampling sampling) {
  const StageTimer timer(Stage::kTrial);
  z_ = z;
  s_ = s;
  Points& pts = *points_;
  const double b = context_.b;
  for (int p = 0; p < pts.size(); ++p) {
    const auto i = at_index(p);
    if (pts.driven(p)) {
      // Exactly the target at the end of the path.
      pts.x[i] =
          s == 1.0 ? pts.x_target[i] : pts.x_start[i] + s * (pts.x_target[i] - pts.x_start[i]);
      pts.u[i] = (pts.x[i] - pts.x_base[i]) * (1.0 / b);
    } else if (pts.is_sum(p)) {
      pts.u[i] = pts.sum_of(p, pts.u);
      pts.x[i] = pts.sum_of(p, pts.x);
    } else {
      pts.u[i] = velocity(pts, *pattern_, p, z_);
      pts.x[i] = pts.x_base[i] + b * pts.u[i];
      if (s != 1.0 && pts.carried(p)) pts.x[i] -= (1.0 - s) * pts.way(p);
    }
  }
  if (slow_) slow_->gradient.clear();
  kept_ = false;
  for (Term* t : terms_) kept_ |= t->refresh(pts, sampling);
}

Energy Objective::inertia(bool add) {
  double few[2 * kSmallBlock];
  Energy e;
  for (int b = 0; b < pattern_->block_count(); ++b) {
    const int n = pattern_->size(b);
    double* d = n <= kSmallBlock ? few : thread_room<2>(at_index(2 * n));
    double* g = d + n;
    const auto o = at_index(pattern_->offset(b));
    const double* m = inertia_.mass.data() + mass_offset_[at_index(b)];
    for (std::size_t i = 0; i < at_index(n); ++i) d[i] = z_[o + i] - inertia_.z_free[o + i];
    multiply(m, n, d, g);
    double v = 0;
    for (int i = 0; i < n; ++i) v = fma(0.5 * d[i], g[i], v);
    e += {v, std::abs(v)};
    if (add) assembly_.add_block(b, g, m);
  }
  return e;
}

Energy Objective::energy() {
  const StageTimer timer(Stage::kTrial);
  Energy total = inertia(false);
  Evaluation e;
  e.points = points_;
  e.z = &z_;
  for (Term* t : terms_) total += evaluate(*t, e);
  return total;
}

// Costs of velocities are impulses over h where bodies count forces times b.
double Objective::weight(TermKind kind) const {
  return kind == TermKind::kDissipation    ? dissipation()
         : kind == TermKind::kVelocityCost ? context_.b / context_.h
                                           : 1.0;
}

void Objective::set_factors(const Term& t) {
  const double b = context_.b, f = weight(t.kind());
  if (t.kind() == TermKind::kPosition) return assembly_.set_factors(b, b * b);
  assembly_.set_factors(f, f);
}

Energy Objective::evaluate(Term& t, Evaluation& e) {
  set_factors(t);
  const Energy v = t.evaluate(e);
  const double f = weight(t.kind());
  return {f * v.value, f * v.magnitude};
}

// Of the slow terms, at the beginning of an assembly.
Energy Objective::evaluate_slow(Evaluation& e, Slow slow) {
  BlockMatrix& matrix = assembly_.matrix();
  const auto size = at_index(pattern_->value_count());
  const bool hessian = assembly_.wants_hessian(), moves = assembly_.driven_motion() != nullptr;
  const bool kept = hessian && slow == Slow::kKept && !moves && keeps_slow() &&
                    slow_->matrix.size() == size;  // the pattern may have grown
  const bool anew = hessian && !kept;
  std::vector<Vec3d>& gradient = assembly_.mutable_point_gradient();
  Energy total;
  if (!anew && slow_ && !slow_->gradient.empty()) {
    gradient = slow_->gradient;
    total = slow_->energy;
  } else {
    assembly_.want_hessian(anew);
    for (Term* t : slow_terms_) total += evaluate(*t, e);
    assembly_.want_hessian(hessian);
    if (slow_ && !slow_terms_.empty()) {
      slow_->gradient = gradient;
      slow_->energy = total;
    }
  }
  if (kept) std::copy(slow_->matrix.begin(), slow_->matrix.end(), matrix.values());
  if (anew && slow_) {
    slow_->matrix.clear();
    if (!e.project && !slow_terms_.empty())
      slow_->matrix.assign(matrix.values(), matrix.values() + size);
  }
  return total;
}

Energy Objective::assemble(bool hessian, bool project, double ds, double caution, Slow slow) {
  const StageTimer timer(Stage::kAssemble);
  if (ds > 0) {
    driven_motion_.assign(at_index(points_->size()), Vec3d::zero());
    for (int p = 0; p < points_->size(); ++p)
      if (points_->on_path(p)) driven_motion_[at_index(p)] = (ds / context_.b) * points_->way(p);
  }
  for (;;) {
    assembly_.begin(*points_, hessian, ds > 0 ? &driven_motion_ : nullptr);
    Evaluation e;
    e.points = points_;
    e.z = &z_;
    e.assembly = &assembly_;
    e.project = project;
    e.caution = caution;
    Energy total = evaluate_slow(e, slow);
    total += inertia(true);
    for (Term* t : terms_)
      if (!t->slow()) total += evaluate(*t, e);
    if (assembly_.missing().empty()) {
      assembly_.finish();
      if (hessian) hold_fixed();
      return total;
    }
    extend_pattern();
  }
}

void Objective::set_pattern(std::vector<int> sizes) {
  std::vector<std::array<int, 2>> all = couplings_;
  all.insert(all.end(), step_couplings_.begin(), step_couplings_.end());
  pattern_ = std::make_shared<BlockPattern>(std::move(sizes), all);
  context_.pattern = pattern_.get();
  assembly_.reset(pattern_);
  linear_.analyze(pattern_);
  ++analyses_;
  find_fixed_entries();
}

void Objective::set_step_blocks(int count) {
  const std::size_t own = own_blocks_.size();
  if (at_index(pattern_->block_count()) == own + at_index(count)) return;
  std::vector<int> sizes = own_blocks_;
  sizes.insert(sizes.end(), at_index(count), 3);
  mass_offset_.resize(own + 1);
  for (int k = 0; k < count; ++k) mass_offset_.push_back(mass_offset_.back() + 9);
  pattern_ = std::make_shared<BlockPattern>(std::move(sizes));
  context_.pattern = pattern_.get();
  stale_ = true;
  const auto n = at_index(pattern_->scalar_count());
  inertia_.mass.resize(at_index(mass_offset_.back()));
  for (auto* a : {&inertia_.z_free, &inertia_.z_past, &inertia_.z_hold}) a->resize(n);
  inertia_.length.resize(n, 1.0);
  fixed_.resize(n, 0);
}

void Objective::prepare() {
  const StageTimer timer(Stage::kPrepare);
  // Velocities at the start of the step, from the state alone: margins of candidates follow them.
  Points& pts = *points_;
  for (int p = 0; p < pts.size(); ++p) {
    const auto i = at_index(p);
    pts.u[i] = pts.driven(p) ? (pts.x_target[i] - pts.x_base[i]) * (1.0 / context_.b)
                             : velocity(pts, *pattern_, p, *context_.z);
  }
  find_applied();
  seen_s_ = -1;
  for (Term* t : terms_) t->prepare(context_);
  auto& now = found_couplings_;
  now.clear();
  for (const Term* t : terms_) t->couplings(*points_, Coupled::kInThisStep, now);
  for (auto& [row, column] : now)
    if (row < column) std::swap(row, column);
  std::sort(now.begin(), now.end());
  now.erase(std::unique(now.begin(), now.end()), now.end());
  if (!stale_ && now == step_couplings_) return;
  step_couplings_ = now;
  stale_ = false;
  set_pattern(block_sizes());
}

std::vector<int> Objective::block_sizes() const {
  std::vector<int> sizes;
  sizes.reserve(at_index(pattern_->block_count()));
  for (int b = 0; b < pattern_->block_count(); ++b) sizes.push_back(pattern_->size(b));
  return sizes;
}

// For this step only: the next one starts from what terms then say. With what is missing comes what
// else is near now, so that a motion through many contacts makes few patterns.
void Objective::extend_pattern() {
  for (const Term* t : terms_) t->couplings(*points_, Coupled::kInThisStep, step_couplings_);
  step_couplings_.insert(step_couplings_.end(), assembly_.missing().begin(),
                         assembly_.missing().end());
  set_pattern(block_sizes());
}

void Objective::find_fixed_entries() {
  fixed_entries_.clear();
  auto touches = [&](int b) {
    for (int i = 0; i < pattern_->size(b); ++i)
      if (fixed_[at_index(pattern_->offset(b) + i)]) return true;
    return false;
  };
  for (int e = 0; e < pattern_->entry_count(); ++e)
    if (touches(pattern_->row(e)) || touches(pattern_->column(e))) fixed_entries_.push_back(e);
}

void Objective::hold_still(std::vector<double>& z) {
  for (std::size_t i = 0; i < z.size(); ++i)
    if (fixed_[i]) z[i] = inertia_.z_free[i] = inertia_.z_past[i] = inertia_.z_hold[i];
}

void Objective::hold_fixed() {
  BlockMatrix& a = assembly_.matrix();
  for (int e : fixed_entries_) {
    const int bi = pattern_->row(e), bj = pattern_->column(e);
    const int ni = pattern_->size(bi), nj = pattern_->size(bj);
    double* v = a.entry(e);
    for (int i = 0; i < ni; ++i)
      for (int j = 0; j < nj; ++j) {
        const bool fi = fixed_[at_index(pattern_->offset(bi) + i)];
        const bool fj = fixed_[at_index(pattern_->offset(bj) + j)];
        if (fi || fj) v[i * nj + j] = bi == bj && i == j ? 1.0 : 0.0;
      }
  }
}

// Nodes and where they are at the start of the step; blocks of bodies and joints stand alone.
NearNullSpace Objective::rigid_motions_of_nodes() const {
  const auto blocks = at_index(pattern_->block_count());
  std::vector<char> is_node(blocks, 0);
  std::vector<Vec3d> position(blocks, Vec3d::zero());
  for (int p = 0; p < points_->size(); ++p) {
    if (points_->driven(p) || points_->is_sum(p) || points_->jacobian(p)) continue;
    is_node[at_index(points_->block(p))] = 1;
    position[at_index(points_->block(p))] = points_->x_start[at_index(p)];
  }
  return rigid_motions(*pattern_, is_node, position, fixed_);
}

bool Objective::solve(std::vector<double>& dz, double tolerance) {
  const StageTimer timer(Stage::kSolve);
  const auto n = at_index(scalar_count());
  dz.resize(n);
  const bool driven = assembly_.driven_motion() != nullptr;
  for (std::size_t i = 0; i < n; ++i)
    dz[i] =
        fixed_[i] ? 0.0 : -(assembly_.gradient()[i] + (driven ? assembly_.driven_rhs()[i] : 0.0));
  if (linear_.wants_geometry()) {
    linear_.set_geometry(rigid_motions_of_nodes());
    weight_.resize(n);
    for (std::size_t i = 0; i < n; ++i) weight_[i] = 1.0 / inertia_.length[i];
  }
  return linear_.solve(assembly_.matrix(), dz.data(), tolerance, weight_.data());
}

double Objective::max_step(const std::vector<double>& dz, double ds) {
  const StageTimer timer(Stage::kCap);
  dx_.resize(at_index(points_->size()));
  for (int p = 0; p < points_->size(); ++p) {
    Vec3d& d = dx_[at_index(p)];
    if (points_->is_sum(p)) {
      d = points_->sum_of(p, dx_);
      continue;
    }
    d = points_->driven(p) ? Vec3d::zero() : context_.b * velocity(*points_, *pattern_, p, dz);
    if (points_->on_path(p)) d += ds * points_->way(p);
  }
  double a = 1.0;
  for (Term* t : terms_) a = t->max_step(*points_, dx_, a);
  return a;
}

bool Objective::recentre() {
  bool moved = false;
  for (std::size_t i = 0; i < z_.size(); ++i) {
    moved = moved || z_[i] != inertia_.z_past[i];
    inertia_.z_free[i] += z_[i] - inertia_.z_past[i];
    inertia_.z_past[i] = z_[i];
  }
  return moved;
}

bool Objective::renew_lags() {
  const StageTimer timer(Stage::kLags);
  const bool moved = recentres() && recentre();
  lag_rows_.clear();
  lagged_.clear();
  for (Term* t : terms_) {
    Lagged* l = t->lagged();
    if (l == nullptr) continue;
    const std::size_t first = lag_rows_.size();
    l->renew_lags(*points_, lag_rows_);
    lagged_.emplace_back(l, lag_rows_.size() - first);
  }
  return moved || std::any_of(lag_rows_.begin(), lag_rows_.end(), [](const LagRow& r) {
           return r.was != r.is || squared_norm(r.now - r.used) > 0;
         });
}

bool Objective::revise() {
  if (revised_.empty() || (s_ == seen_s_ && z_ == seen_z_)) return false;
  bool changed = false;
  for (Revised* r : revised_) changed |= r->revise(context_, z_);
  if (changed) {
    set_trial(z_, s_);
  } else {
    seen_z_ = z_;
    seen_s_ = s_;
  }
  return changed;
}

void Objective::set_lags() {
  std::span<const LagRow> rows = lag_rows_;
  for (const auto& [l, count] : lagged_) {
    l->set_lags(rows.first(count));
    rows = rows.subspan(count);
  }
}

void Objective::undo_lags() {
  for (Term* t : terms_)
    if (Lagged* l = t->lagged()) l->undo_lags();
}
void Objective::drop_lags() {
  for (Term* t : terms_)
    if (Lagged* l = t->lagged()) l->drop_lags();
}

double Objective::slope(const std::vector<double>& dz) const {
  double s = 0;
  for (std::size_t i = 0; i < dz.size(); ++i) s = fma(assembly_.gradient()[i], dz[i], s);
  return s;
}

}  // namespace haptos
