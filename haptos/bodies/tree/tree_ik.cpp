#include "haptos/bodies/tree/tree_ik.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/bodies/tree/tree_jacobian.h"

namespace haptos {
namespace {

void check(const Tree& tree, const std::vector<IkTarget>& targets, const std::vector<double>& start,
           const IkOptions& options) {
  const auto refuse = [&](const std::string& element, double value, const char* rule,
                          const char* remedy) {
    throw InputError(
        {"", 0, 0, tree.name + "." + element, internal::format_number(value), rule, remedy});
  };
  if (start.size() != at_index(tree.q_count))
    refuse("start", static_cast<double>(start.size()),
           "must have one number for each coordinate of the tree", "begin with tree.start");
  for (double x : start)
    if (!(std::abs(x) < 1e5)) refuse("start", x, "must be finite numbers below 1e5", "");
  if (!(options.position_tolerance > 0))
    refuse("position_tolerance", options.position_tolerance, "must be above 0", "give it in m");
  if (!(options.orientation_tolerance > 0))
    refuse("orientation_tolerance", options.orientation_tolerance, "must be above 0",
           "give it in rad");
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const IkTarget& target = targets[t];
    const std::string element = "targets[" + std::to_string(t) + "]";
    if (target.link < 0 || target.link >= static_cast<int>(tree.links.size()))
      refuse(element + ".link", target.link, "must be a link of the robot",
             "find it with Tree::link");
    for (double w : {target.position, target.orientation})
      if (!(w >= 0 && w < 1e9)) refuse(element, w, "must have weights of 0 or more", "");
    for (const Pose* x : {&target.frame, &target.goal}) {
      const double n = x->q.w * x->q.w + x->q.x * x->q.x + x->q.y * x->q.y + x->q.z * x->q.z;
      if (!(std::abs(n - 1) < 1e-6))
        refuse(element, n, "must have quaternions w x y z whose squared norm is 1",
               "normalise them");
      if (!(norm(x->p) < 1e5))
        refuse(element, norm(x->p), "must have finite positions below 1e5", "give them in m");
    }
  }
}

// The k-th number of Halton's sequence in base b: its digits mirrored at the point.
double halton(int k, int b) {
  double r = 0, f = 1;
  for (; k > 0; k /= b) {
    f /= b;
    r += f * (k % b);
  }
  return r;
}

constexpr int kPrimes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37,
                           41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};

Quaternion<double> as_vector(const Quat& q) { return {{q.w, q.x, q.y, q.z}}; }

}  // namespace

InverseKinematics::InverseKinematics(const Tree& tree) : tree_(tree), data_(tree) {
  const std::size_t n = at_index(tree.v_count), nq = at_index(tree.q_count);
  q_.resize(nq);
  trial_.resize(nq);
  result_.q.resize(nq);
  normal_.resize(n * n);
  factor_.resize(n * n);
  slope_.resize(n);
  dv_.resize(n);
  held_.resize(n);
  frame_j_.resize(6 * n);
}

void InverseKinematics::clamp(std::vector<double>& q) const {
  for (std::size_t k = 0; k < q.size(); ++k)
    q[k] = std::min(std::max(q[k], tree_.lower[k]), tree_.upper[k]);
}

// Weighted residuals, six for each target: orientation, position. Leaves the kinematics in data_.
double InverseKinematics::residual(const std::vector<IkTarget>& targets,
                                   const std::vector<double>& q, double* e) {
  forward_kinematics(tree_, q.data(), data_);
  double cost = 0;
  for (const IkTarget& t : targets) {
    const Frame<double> link = link_frame(tree_, data_, t.link);
    const Mat3d r = link.r * to_matrix(t.frame.q);
    const Quat turn = quaternion(to_matrix(t.goal.q) * transpose(r));
    const Vec3d error[] = {t.orientation * rotation_log(as_vector(turn)),
                           t.position * (t.goal.p - link * t.frame.p)};
    for (const Vec3d& v : error)
      for (int c = 0; c < 3; ++c) {
        *e++ = v[c];
        cost += v[c] * v[c];
      }
  }
  return cost;
}

// J, J^T J and J^T e at the kinematics in data_ and the residuals e_.
void InverseKinematics::jacobian(const std::vector<IkTarget>& targets) {
  const std::size_t n = at_index(tree_.v_count);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const IkTarget& target = targets[t];
    const Vec3d x = link_frame(tree_, data_, target.link) * target.frame.p;
    frame_jacobian(tree_, data_, tree_.links[at_index(target.link)].body, x, frame_j_.data());
    for (std::size_t i = 0; i < 6 * n; ++i)
      j_[6 * n * t + i] = (i < 3 * n ? target.orientation : target.position) * frame_j_[i];
  }
  const std::size_t rows = 6 * targets.size();
  for (std::size_t a = 0; a < n; ++a) {
    slope_[a] = 0;
    for (std::size_t r = 0; r < rows; ++r) slope_[a] += j_[r * n + a] * e_[r];
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t r = 0; r < rows; ++r) sum += j_[r * n + a] * j_[r * n + b];
      normal_[a * n + b] = sum;
    }
  }
}

// dv with unknowns held that would cross a limit, and trial_ = q_ (+) dv; false if all are held.
bool InverseKinematics::step(double lambda) {
  const std::size_t n = at_index(tree_.v_count);
  double mean = 0;
  for (std::size_t a = 0; a < n; ++a) mean += normal_[a * n + a] / static_cast<double>(n);
  std::fill(held_.begin(), held_.end(), 0);
  for (bool again = true; again;) {
    // Cholesky of the damped normal matrix; held unknowns become rows of the identity.
    for (std::size_t a = 0; a < n; ++a) {
      dv_[a] = held_[a] ? 0 : slope_[a];
      for (std::size_t b = 0; b <= a; ++b) {
        double s = held_[a] || held_[b] ? 0 : normal_[a * n + b];
        if (a == b) s = held_[a] ? 1 : s + lambda * mean;
        for (std::size_t c = 0; c < b; ++c) s -= factor_[a * n + c] * factor_[b * n + c];
        factor_[a * n + b] = a == b ? sqrt(std::max(s, 1e-300)) : s / factor_[b * n + b];
      }
      for (std::size_t b = 0; b < a; ++b) dv_[a] -= factor_[a * n + b] * dv_[b];
      dv_[a] /= factor_[a * n + a];
    }
    for (std::size_t a = n; a-- > 0;) {
      for (std::size_t b = a + 1; b < n; ++b) dv_[a] -= factor_[b * n + a] * dv_[b];
      dv_[a] /= factor_[a * n + a];
    }
    again = false;
    for (const TreeBody& b : tree_.bodies) {
      if (b.v_count != 1) continue;
      const std::size_t a = at_index(b.first_v), k = at_index(b.first_q);
      const bool crosses =
          (q_[k] <= tree_.lower[k] && dv_[a] < 0) || (q_[k] >= tree_.upper[k] && dv_[a] > 0);
      if (crosses && !held_[a]) held_[a] = again = true;
    }
  }
  integrate(tree_, q_.data(), dv_.data(), 1.0, trial_.data());
  clamp(trial_);
  return *std::max_element(dv_.begin(), dv_.end()) > 0 ||
         *std::min_element(dv_.begin(), dv_.end()) < 0;
}

bool InverseKinematics::met(const std::vector<IkTarget>& targets, const IkOptions& options) const {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double* e = &e_[6 * t];
    const Vec3d turn{{e[0], e[1], e[2]}}, shift{{e[3], e[4], e[5]}};
    if (norm(turn) > targets[t].orientation * options.orientation_tolerance ||
        norm(shift) > targets[t].position * options.position_tolerance)
      return false;
  }
  return true;
}

// From q_ down to the targets or a minimum; e_ holds the residuals there.
bool InverseKinematics::descend(const std::vector<IkTarget>& targets, const IkOptions& options) {
  double cost = residual(targets, q_, e_.data()), lambda = 1e-2;
  for (int i = 0; i < options.iterations; ++i) {
    if (met(targets, options)) return true;
    ++result_.iterations;
    jacobian(targets);
    const double before = cost;
    bool lower = false;
    while (!lower && lambda < 1e8) {
      if (!step(lambda)) return false;
      const double trial = residual(targets, trial_, trial_e_.data());
      lower = trial < cost;
      if (lower) {
        cost = trial;
        q_.swap(trial_);
        e_.swap(trial_e_);
        lambda = std::max(1e-12, 0.1 * lambda);
      } else {
        lambda *= 8;
      }
    }
    // A minimum that is not zero: the cost hardly falls any more.
    if (!lower || cost > (1 - 1e-7) * before) break;
  }
  return met(targets, options);
}

// q_ = the k-th start: the given one, then points of Halton's sequence, between the limits where
// there are two; else joints within half a turn or 0.3 m of the given start, floating bases turned
// in place.
void InverseKinematics::restart(int k, const std::vector<double>& start) {
  constexpr int primes = static_cast<int>(std::size(kPrimes));
  const auto point = [&](int i) {  // in [-1, 1]
    return k == 0 ? 0.0 : 2 * halton(k + i / primes, kPrimes[i % primes]) - 1;
  };
  for (const TreeBody& b : tree_.bodies)
    for (int i = b.first_v; i < b.first_v + b.v_count; ++i) {
      const bool slide = tree_.slides[at_index(i)];
      dv_[at_index(i)] = (!slide ? M_PI : b.kind == JointKind::kFree ? 0.0 : 0.3) * point(i);
    }
  integrate(tree_, start.data(), dv_.data(), 1.0, q_.data());
  for (const TreeBody& b : tree_.bodies) {
    const std::size_t j = at_index(b.first_q);
    if (k == 0 || b.v_count != 1) continue;
    const double middle = 0.5 * (tree_.lower[j] + tree_.upper[j]);
    if (std::isfinite(middle))
      q_[j] = middle + 0.5 * (tree_.upper[j] - tree_.lower[j]) * point(b.first_v);
  }
  clamp(q_);
}

const IkResult& InverseKinematics::solve(const std::vector<IkTarget>& targets,
                                         const std::vector<double>& start,
                                         const IkOptions& options) {
  check(tree_, targets, start, options);
  const std::size_t rows = 6 * targets.size();
  e_.resize(rows);
  trial_e_.resize(rows);
  j_.resize(rows * dv_.size());
  result_.position_error.resize(targets.size());
  result_.orientation_error.resize(targets.size());
  result_.iterations = result_.starts = 0;
  result_.reached = false;
  double best = RobotJoint::kNone;
  for (int k = 0; k < std::max(1, options.starts) && !result_.reached; ++k) {
    restart(k, start);
    ++result_.starts;
    result_.reached = descend(targets, options);
    double cost = 0;
    for (double e : e_) cost += e * e;
    if (!result_.reached && !(cost < best)) continue;
    best = cost;
    result_.q = q_;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const double* e = &e_[6 * t];
      const auto size = [](const double* v, double weight) {
        return weight > 0 ? norm(Vec3d{{v[0], v[1], v[2]}}) / weight : 0;
      };
      result_.orientation_error[t] = size(e, targets[t].orientation);
      result_.position_error[t] = size(e + 3, targets[t].position);
    }
  }
  return result_;
}

}  // namespace haptos
