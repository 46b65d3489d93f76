#include "haptos/solve/multilevel/linear_solver.h"

#include <algorithm>

#include "haptos/solve/linear/cholesky_plan.h"

namespace haptos {

namespace {

// Systems up to this many times direct_limit are solved directly where iterations do not converge:
// slow, in gigabytes, and right.
constexpr int kFallback = 3;
// Numbers that a matrix stores per unknown, up to which it is like that of a mesh, which has 40 and
// some for contact. A grid of material points has 190.
constexpr double kOfAMesh = 60;

// Operations per number of the factor from which on one in single precision with a few iterations
// is faster, and operations that are worth a thought.
constexpr double kSingleRatio = 100, kSingleLeast = 1e8;
// Iterations that a factor in single precision may take; more say that the matrix is too badly
// conditioned for it.
constexpr int kSingleIterations = 20;

// Its unknowns, each as many times as a direct solve of as many of a mesh would be cheaper beside
// an iterative one (measured at about 190: ten).
double size_of(const BlockPattern& p) {
  const double n = p.scalar_count();
  const double dense = static_cast<double>(p.value_count()) / (kOfAMesh * n);
  return n > 0 ? n * std::max(1.0, dense * dense) : 0;
}

}  // namespace

void LinearSolver::analyze(std::shared_ptr<const BlockPattern> pattern) {
  iterative_ =
      options_.method == SolverOptions::kIterative ||
      (options_.method == SolverOptions::kAuto && size_of(*pattern) > options_.direct_limit);
  structured_ = false;
  pattern_ = std::move(pattern);
  analyzed_ = by_single_ = false;
  if (!iterative_) {
    multilevel_.reset();
    analyze_factor();
    return;
  }
  plan_.reset();
  cholesky_ = BlockCholesky();
  single_factor_ = SingleFactor();
  if (multilevel_ == nullptr) multilevel_ = std::make_unique<Multilevel>();
}

void LinearSolver::set_geometry(NearNullSpace space) {
  space_ = std::move(space);
  geometry_known_ = true;
  structured_ = false;
}

bool LinearSolver::may_fall_back() const {
  return options_.method == SolverOptions::kAuto &&
         size_of(*pattern_) / kFallback <= options_.direct_limit;
}

void LinearSolver::analyze_factor() {
  plan_ = std::make_shared<const CholeskyPlan>(pattern_);
  single_ = options_.precision == SolverOptions::kSingle ||
            (options_.precision == SolverOptions::kAuto && plan_->flops > kSingleLeast &&
             plan_->flops > kSingleRatio * static_cast<double>(plan_->nonzeros));
  if (single_)
    single_factor_.analyze(plan_);
  else
    cholesky_.analyze(plan_);
  double_analyzed_ = !single_;
  analyzed_ = true;
}

LinearSolver::Answer LinearSolver::solve_in_single(const BlockMatrix& a, double* x,
                                                   double tolerance, const double* weight) {
  const SingleFactor::Outcome outcome = single_factor_.factor(a);
  if (outcome == SingleFactor::Outcome::kIndefinite) return Answer::kIndefinite;
  if (outcome == SingleFactor::Outcome::kUnsure) return Answer::kAskDouble;
  side_.assign(x, x + a.pattern().scalar_count());
  const PcgResult r =
      pcg_.solve(a, single_factor_, side_.data(), x, std::max(tolerance, options_.tolerance),
                 kSingleIterations, weight);
  iterations_ = r.iterations;
  residual_ = r.residual;
  if (r.converged) return Answer::kSolved;
  std::copy(side_.begin(), side_.end(), x);
  return Answer::kAskDouble;
}

bool LinearSolver::solve_directly(const BlockMatrix& a, double* x, double tolerance,
                                  const double* weight) {
  if (!analyzed_) analyze_factor();
  by_single_ = single_ && !only_double_;
  if (by_single_) {
    const Answer answer = solve_in_single(a, x, tolerance, weight);
    if (answer != Answer::kAskDouble) return answer == Answer::kSolved;
    by_single_ = false;
    only_double_ = true;
  }
  if (!double_analyzed_) cholesky_.analyze(plan_);
  double_analyzed_ = true;
  if (!cholesky_.factor(a)) return false;
  cholesky_.solve(x);
  return true;
}

bool LinearSolver::solve(const BlockMatrix& a, double* x, double tolerance, const double* weight) {
  iterations_ = 0;
  residual_ = 0;
  if (!iterative_ || gave_up_) return solve_directly(a, x, tolerance, weight);
  // An indefinite matrix may leave the structure unfinished: it is found again next time.
  structured_ = structured_ ? multilevel_->setup(a) : multilevel_->restructure(a, space_);
  if (!structured_) return false;
  side_.assign(x, x + a.pattern().scalar_count());
  const PcgResult r =
      pcg_.solve(a, *multilevel_, side_.data(), x, std::max(tolerance, options_.tolerance),
                 options_.max_iterations, weight);
  iterations_ = r.iterations;
  residual_ = r.residual;
  if (r.negative_curvature) return false;
  if (r.converged || !may_fall_back()) return true;
  gave_up_ = true;
  std::copy(side_.begin(), side_.end(), x);
  return solve_directly(a, x, tolerance, weight);
}

bool LinearSolver::solve_again(double* x) {
  if (iterative_ && !gave_up_) return false;
  if (by_single_) {
    side_.assign(x, x + pattern_->scalar_count());
    single_factor_.apply(side_.data(), x);
  } else {
    cholesky_.solve(x);
  }
  return true;
}

std::size_t LinearSolver::bytes() const {
  if (!iterative_) return cholesky_.bytes() + single_factor_.bytes();
  return multilevel_->bytes() + pcg_.bytes() +
         (side_.size() + space_.modes.size()) * sizeof(double);
}

}  // namespace haptos
