#include "haptos/solve/multilevel/linear_solver.h"

#include <algorithm>
#include <utility>

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
// Operations of a factor, for each of its numbers, in the time of one iteration with it. And a
// tolerance below which a factor of another matrix is not tried.
constexpr double kPerIteration = 50, kKeptTolerance = 1e-3;

// Iterations with diagonal blocks in the time that the hierarchy's setup takes (docs/solver.md).
constexpr int kPerHierarchy = 1000;
// Relative residual of solve_again() where it iterates.
constexpr double kAgain = 1e-6;

double numbers_per_unknown(const BlockPattern& p) {
  return static_cast<double>(p.value_count()) / std::max(1, p.scalar_count());
}

// Its unknowns, each as many times as a direct solve of as many of a mesh would be cheaper beside
// an iterative one (measured at about 190: ten).
double size_of(const BlockPattern& p) {
  const double dense = numbers_per_unknown(p) / kOfAMesh;
  return p.scalar_count() * std::max(1.0, dense * dense);
}

}  // namespace

void LinearSolver::analyze(std::shared_ptr<const BlockPattern> pattern) {
  iterative_ =
      options_.method == SolverOptions::kIterative ||
      (options_.method == SolverOptions::kAuto && size_of(*pattern) > options_.direct_limit);
  structured_ = false;
  pattern_ = std::move(pattern);
  grid_ = iterative_ && options_.method == SolverOptions::kAuto &&
          numbers_per_unknown(*pattern_) > kOfAMesh;
  last_ = By::kFactor;
  plan_.reset();
  if (!iterative_) {
    multilevel_.reset();
    analyze_factor();
    return;
  }
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
  kept_ = false;
  single_ = options_.precision == SolverOptions::kSingle ||
            (options_.precision == SolverOptions::kAuto && plan_->flops > kSingleLeast &&
             plan_->flops > kSingleRatio * static_cast<double>(plan_->nonzeros));
  if (single_)
    single_factor_.analyze(plan_);
  else
    cholesky_.analyze(plan_);
}

Preconditioner& LinearSolver::preconditioner(By by) {
  if (by == By::kSingle) return single_factor_;
  if (by == By::kDiagonal) return diagonal_;
  return *multilevel_;
}

int LinearSolver::most_iterations(By by) const {
  if (by == By::kSingle) return kSingleIterations;
  if (by == By::kHierarchy) return options_.max_iterations;
  return std::min(kPerHierarchy, options_.max_iterations);
}

// Conjugate gradients; where they do not converge x is the best there is.
LinearSolver::Answer LinearSolver::iterate(const BlockMatrix& a, double* x, double tolerance,
                                           const double* weight, By by) {
  const PcgResult r =
      pcg_.solve(a, preconditioner(by), side_.data(), x, std::max(tolerance, options_.tolerance),
                 most_iterations(by), weight);
  iterations_ += r.iterations;
  residual_ = r.residual;
  last_ = by;
  last_matrix_ = &a;
  if (r.negative_curvature) return Answer::kIndefinite;
  return r.converged ? Answer::kSolved : Answer::kUnsolved;
}

LinearSolver::Answer LinearSolver::solve_by_diagonal(const BlockMatrix& a, double* x,
                                                     double tolerance, const double* weight) {
  if (!diagonal_.setup(a)) return Answer::kIndefinite;
  const Answer answer = iterate(a, x, tolerance, weight, By::kDiagonal);
  diagonal_failed_ = answer == Answer::kUnsolved;
  return answer;
}

// With the factor of an earlier matrix of the step. What does not get there costs one factor more.
bool LinearSolver::solve_with_kept(const BlockMatrix& a, double* x, double tolerance,
                                   const double* weight) {
  const double worth = plan_->flops / (kPerIteration * static_cast<double>(plan_->nonzeros));
  const int most = std::min(static_cast<int>(worth), kSingleIterations);
  if (!std::exchange(kept_, false) || keeping_failed_ || tolerance < kKeptTolerance || most < 2 ||
      numbers_per_unknown(*pattern_) > kOfAMesh)
    return false;
  const PcgResult r = pcg_.solve(a, single_factor_, side_.data(), x,
                                 std::max(tolerance, options_.tolerance), most, weight);
  iterations_ += r.iterations;
  residual_ = r.residual;
  last_ = By::kSingle;
  last_matrix_ = &a;
  kept_ = r.converged && r.iterations < most;
  keeping_failed_ = !r.converged;
  return r.converged;
}

LinearSolver::Answer LinearSolver::solve_in_single(const BlockMatrix& a, double* x,
                                                   double tolerance, const double* weight) {
  if (solve_with_kept(a, x, tolerance, weight)) return Answer::kSolved;
  const SingleFactor::Outcome outcome = single_factor_.factor(a);
  if (outcome == SingleFactor::Outcome::kIndefinite) return Answer::kIndefinite;
  if (outcome == SingleFactor::Outcome::kUnsure) return Answer::kUnsolved;
  // Rounding of the factor may be what turned the curvature.
  kept_ = iterate(a, x, tolerance, weight, By::kSingle) == Answer::kSolved;
  return kept_ ? Answer::kSolved : Answer::kUnsolved;
}

bool LinearSolver::solve_directly(const BlockMatrix& a, double* x, double tolerance,
                                  const double* weight) {
  if (plan_ == nullptr) analyze_factor();
  if (single_ && !only_double_) {
    const Answer answer = solve_in_single(a, x, tolerance, weight);
    if (answer != Answer::kUnsolved) return answer == Answer::kSolved;
    only_double_ = true;
  }
  if (cholesky_.plan() != plan_) cholesky_.analyze(plan_);
  last_ = By::kFactor;
  if (!cholesky_.factor(a)) return false;
  std::copy(side_.begin(), side_.end(), x);
  cholesky_.solve(x);
  return true;
}

bool LinearSolver::solve(const BlockMatrix& a, double* x, double tolerance, const double* weight) {
  iterations_ = 0;
  residual_ = 0;
  side_.assign(x, x + a.pattern().scalar_count());
  if (grid_ && !diagonal_failed_) {
    const Answer answer = solve_by_diagonal(a, x, tolerance, weight);
    if (answer != Answer::kUnsolved) return answer == Answer::kSolved;
  }
  if (!iterative_ || gave_up_) return solve_directly(a, x, tolerance, weight);
  // An indefinite matrix may leave the structure unfinished: it is found again next time.
  structured_ = structured_ ? multilevel_->setup(a) : multilevel_->restructure(a, space_);
  if (!structured_) return false;
  const Answer answer = iterate(a, x, tolerance, weight, By::kHierarchy);
  if (answer != Answer::kUnsolved || !may_fall_back()) return answer != Answer::kIndefinite;
  gave_up_ = true;
  return solve_directly(a, x, tolerance, weight);
}

bool LinearSolver::solve_again(double* x) {
  if (last_ == By::kHierarchy) return false;
  if (last_ == By::kFactor) {
    cholesky_.solve(x);
    return true;
  }
  side_.assign(x, x + pattern_->scalar_count());
  return pcg_
      .solve(*last_matrix_, preconditioner(last_), side_.data(), x, kAgain, most_iterations(last_))
      .converged;
}

std::size_t LinearSolver::bytes() const {
  if (!iterative_) return cholesky_.bytes() + single_factor_.bytes();
  return multilevel_->bytes() + pcg_.bytes() +
         (side_.size() + space_.modes.size()) * sizeof(double);
}

}  // namespace haptos
