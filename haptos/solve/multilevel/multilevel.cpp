#include "haptos/solve/multilevel/multilevel.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/solve/linear/cholesky_plan.h"

namespace haptos {
namespace {

// Coarsening that keeps more of the blocks than this is not worth a level.
constexpr double kStalled = 0.7;

std::size_t matrix_bytes(const BlockMatrix& a) {
  const BlockPattern& p = a.pattern();
  const auto entries = at_index(p.entry_count());
  return at_index(p.value_count()) * sizeof(double) +
         entries * (sizeof(std::ptrdiff_t) + 3 * sizeof(int)) +
         at_index(p.block_count()) * 4 * sizeof(int);
}

// Whether two runs see the same couplings as strong and as negligible.
bool same_classes(const std::vector<float>& a, const std::vector<float>& b, float strong,
                  float negligible) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] > strong) != (b[i] > strong) || (a[i] > negligible) != (b[i] > negligible))
      return false;
  return true;
}

}  // namespace

NearNullSpace rigid_motions(const BlockPattern& pattern, const std::vector<char>& is_node,
                            const std::vector<Vec3d>& position, const std::vector<char>& fixed) {
  constexpr int kModes = NearNullSpace::kModes;
  NearNullSpace space;
  const int n = pattern.block_count();
  space.alone.assign(at_index(n), 0);
  space.modes.assign(at_index(std::ptrdiff_t(pattern.scalar_count()) * kModes), 0.0);
  // About the centre of the nodes, so that rotations and translations differ as much as they can.
  Vec3d centre = Vec3d::zero();
  int nodes = 0;
  for (int b = 0; b < n; ++b)
    if (is_node[at_index(b)]) {
      centre += position[at_index(b)];
      ++nodes;
    }
  if (nodes > 0) centre = (1.0 / nodes) * centre;
  for (int b = 0; b < n; ++b) {
    if (!is_node[at_index(b)]) {
      space.alone[at_index(b)] = 1;
      continue;
    }
    const Vec3d x = position[at_index(b)] - centre;
    for (int r = 0; r < 3; ++r) {
      const int scalar = pattern.offset(b) + r;
      if (!fixed.empty() && fixed[at_index(scalar)]) continue;
      double* m = space.modes.data() + std::ptrdiff_t(scalar) * kModes;
      m[r] = 1;
      // e_k x x, component r.
      m[3 + (r + 1) % 3] = x[(r + 2) % 3];
      m[3 + (r + 2) % 3] = -x[(r + 1) % 3];
    }
  }
  return space;
}

const BlockMatrix& Multilevel::matrix(std::size_t l) const {
  if (l == 0) return *finest_;
  return l < levels_.size() ? levels_[l]->own : coarsest_;
}

void Multilevel::compute(Level& level, const BlockMatrix& a, BlockMatrix& coarse) {
  const double w = 4.0 / (3.0 * level.smoother.largest());
  level.prolongation.compute(a, level.smoother.diagonal(), w, coarse);
}

bool Multilevel::ready_for(const BlockMatrix& a) const {
  return pattern_ != nullptr && pattern_ == a.shared_pattern();
}

bool Multilevel::restructure(const BlockMatrix& a, const NearNullSpace& finest_space) {
  const auto strong = static_cast<float>(settings_.strength * settings_.strength);
  const auto negligible = static_cast<float>(settings_.negligible * settings_.negligible);
  bool changed = pattern_ != a.shared_pattern();
  pattern_ = nullptr;  // until all is done
  finest_ = &a;
  const NearNullSpace* space = &finest_space;
  std::size_t l = 0;
  for (;; ++l) {
    const BlockPattern& p = matrix(l).pattern();
    const bool last = p.scalar_count() <= settings_.coarsest || int(l) + 1 >= settings_.max_levels;
    if (last) break;
    if (l >= levels_.size()) {
      levels_.push_back(std::make_unique<Level>());
      levels_[l]->own = std::move(coarsest_);
      changed = true;
    }
    Level& level = *levels_[l];
    const BlockMatrix& own = l == 0 ? a : level.own;
    if (!level.smoother.setup(own, settings_.degree, settings_.ratio, level.residual)) return false;
    std::vector<float> strength;
    coupling_strength(own, level.smoother.diagonal(), strength);
    if (changed || !same_classes(strength, level.strength, strong, negligible)) {
      changed = true;
      level.prolongation.aggregates() = aggregate(own.pattern(), strength, strong, space->alone);
    }
    level.strength = std::move(strength);
    if (level.prolongation.set_basis(own.pattern(), *space)) changed = true;
    space = &level.prolongation.coarse_space();
    if (level.prolongation.aggregates().count > kStalled * own.pattern().block_count()) {
      // The matrix of this level becomes the coarsest.
      if (l > 0) coarsest_ = std::move(level.own);
      levels_.resize(l);
      break;
    }
    if (changed) {
      level.prolongation.couple(own.pattern(), level.strength, negligible);
      levels_.resize(l + 1);
      coarsest_ = BlockMatrix(level.prolongation.coarse_pattern());
    }
    const auto n = at_index(own.pattern().scalar_count());
    level.b.resize(l > 0 ? n : 0);
    level.x.resize(l > 0 ? n : 0);
    BlockMatrix& coarse = l + 1 < levels_.size() ? levels_[l + 1]->own : coarsest_;
    compute(level, own, coarse);
  }
  if (l == 0) {
    levels_.clear();
    coarsest_ = a;
  }
  coarsest_x_.resize(at_index(coarsest_.pattern().scalar_count()));
  if (cholesky_.plan() == nullptr ||
      cholesky_.plan()->shared_pattern() != coarsest_.shared_pattern())
    cholesky_.analyze(coarsest_.shared_pattern());
  if (!cholesky_.factor(coarsest_)) return false;
  pattern_ = a.shared_pattern();
  return true;
}

bool Multilevel::setup(const BlockMatrix& a) {
  finest_ = &a;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const BlockMatrix& m = matrix(l);
    if (!levels_[l]->smoother.setup(m, settings_.degree, settings_.ratio, levels_[l]->residual))
      return false;
    BlockMatrix& coarse = l + 1 < levels_.size() ? levels_[l + 1]->own : coarsest_;
    compute(*levels_[l], m, coarse);
  }
  if (levels_.empty()) std::copy_n(a.values(), a.pattern().value_count(), coarsest_.values());
  return cholesky_.factor(coarsest_);
}

void Multilevel::cycle(std::size_t l, const double* b, double* x) {
  if (l == levels_.size()) {
    std::copy_n(b, coarsest_x_.size(), x);
    cholesky_.solve(x);
    return;
  }
  Level& level = *levels_[l];
  const BlockMatrix& a = matrix(l);
  level.smoother.smooth_from_zero(a, b, x, level.residual.data());
  const bool next_is_coarsest = l + 1 == levels_.size();
  if (next_is_coarsest) {
    level.prolongation.restrict_to(level.residual.data(), coarsest_x_.data());
    cholesky_.solve(coarsest_x_.data());
    level.prolongation.prolong_add(coarsest_x_.data(), x);
  } else {
    Level& next = *levels_[l + 1];
    level.prolongation.restrict_to(level.residual.data(), next.b.data());
    cycle(l + 1, next.b.data(), next.x.data());
    level.prolongation.prolong_add(next.x.data(), x);
  }
  level.smoother.smooth(a, b, x, level.residual.data());
}

void Multilevel::apply(const double* r, double* z) { cycle(0, r, z); }

int Multilevel::blocks(int l) const { return matrix(at_index(l)).pattern().block_count(); }
int Multilevel::scalars(int l) const { return matrix(at_index(l)).pattern().scalar_count(); }

double Multilevel::complexity() const {
  double all = 0;
  for (std::size_t l = 0; l <= levels_.size(); ++l)
    all += static_cast<double>(matrix(l).pattern().value_count());
  return all / static_cast<double>(matrix(0).pattern().value_count());
}

std::size_t Multilevel::bytes() const {
  std::size_t s = cholesky_.bytes() + matrix_bytes(coarsest_);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = *levels_[l];
    if (l > 0) s += matrix_bytes(level.own);
    s += level.smoother.bytes() + level.prolongation.bytes() +
         level.strength.size() * sizeof(float) +
         (level.b.size() + level.x.size() + level.residual.size()) * sizeof(double);
  }
  return s;
}

}  // namespace haptos
