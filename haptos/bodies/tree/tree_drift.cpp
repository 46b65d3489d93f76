#include "haptos/bodies/tree/tree_drift.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

constexpr int kPasses = 3;
// Change of the way to the middle [rad], [m] below which another pass says the same: what rests.
constexpr double kSameMiddle = 1e-8;

// A motion that is fixed in a body: in world axes after the body's turn.
SpatialMotion<double> turned(const Frame<double>& from, const Frame<double>& to,
                             const SpatialMotion<double>& m) {
  const Mat3d r = to.r * transpose(from.r);
  return {r * m.angular, r * m.linear};
}

}  // namespace

bool floats(const Tree& tree, const TreeBody& b) {
  return b.parent < 0 && (b.kind == JointKind::kFree || b.kind == JointKind::kBall) &&
         tree.armature[at_index(b.first_v)] == 0;
}

TreeDrift::TreeDrift(const Tree& tree) : middle_(tree), end_(tree) {
  const std::size_t n = tree.bodies.size(), nv = at_index(tree.v_count);
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& b = tree.bodies[i];
    root_.push_back(b.parent < 0 ? static_cast<int>(i) : root_[at_index(b.parent)]);
    floats_.push_back(b.kind == JointKind::kFree && floats(tree, b));
  }
  alone_ = floats_;
  held_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (root_[i] != static_cast<int>(i)) alone_[at_index(root_[i])] = 0;
  boost_.assign(n, Vec3d::zero());
  next_boost_ = boost_;
  for (std::vector<double>* v :
       {&share_, &mean_, &termed_, &kept_, &pushed_, &led_, &may_, &before_})
    v->assign(n, 0.0);
  sums_.resize(n);
  relative_.resize(n);
  carried_.resize(n);
  turning_.resize(n);
  change_.resize(n);
  momentum_.resize(n);
  inertia_.resize(n);
  force_.resize(n);
  velocity_.resize(n);
  column_.resize(nv);
  row_.resize(nv);
  for (std::vector<double>* v : {&inverse_, &left_, &joint_, &middle_z_, &lead_, &driven_, &drift_,
                                 &effort_, &guess_, &scratch_, &push_, &rate_, &start_v_})
    v->assign(nv, 0.0);
  middle_q_.assign(at_index(tree.q_count), 0.0);
}

void TreeDrift::scale_mass(const Tree& tree, int body, double scale) {
  haptos::scale_mass(tree, body, scale, middle_);
  haptos::scale_mass(tree, body, scale, end_);
}

// The matrix of the equation, eliminated from the leaves inwards.
void TreeDrift::factor(const Tree& tree, double h) {
  const std::size_t n = tree.bodies.size();
  for (std::size_t i = 0; i < n; ++i)
    inertia_[i] = skewed(middle_.inertia[i], 0.5 * h, momentum_[i]);
  for (std::size_t i = n; i-- > 0;) {
    const TreeBody& b = tree.bodies[i];
    SkewedInertia& inertia = inertia_[i];
    for (int k = b.first_v + b.v_count - 1; k >= b.first_v; --k) {
      const auto j = at_index(k);
      column_[j] = column_along(inertia, middle_.axis[j], tree.slides[j]);
      row_[j] = row_along(inertia, middle_.axis[j], tree.slides[j]);
      inverse_[j] = 1 / (joint_force(tree, middle_, j, column_[j]) + middle_.armature[j]);
      if (b.parent >= 0 || k > b.first_v) subtract(inertia, inverse_[j], column_[j], row_[j]);
    }
    if (b.parent >= 0) add_shifted(inertia, middle_.lever[i], inertia_[at_index(b.parent)]);
  }
}

// z of the matrix for force_ on the bodies and joint_ on the unknowns; both are used up.
void TreeDrift::solve(const Tree& tree, double* z) {
  const std::size_t n = tree.bodies.size();
  for (std::size_t i = n; i-- > 0;) {
    const TreeBody& b = tree.bodies[i];
    SpatialForce<double>& force = force_[i];
    for (int k = b.first_v + b.v_count - 1; k >= b.first_v; --k) {
      const auto j = at_index(k);
      left_[j] = joint_[j] + joint_force(tree, middle_, j, force);
      force = add_scaled(force, -inverse_[j] * left_[j], column_[j]);
    }
    if (b.parent >= 0) force_[at_index(b.parent)] += shift(force, -middle_.lever[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& b = tree.bodies[i];
    SpatialMotion<double> sum = b.parent < 0
                                    ? SpatialMotion<double>::zero()
                                    : shift(velocity_[at_index(b.parent)], middle_.lever[i]);
    for (int k = b.first_v; k < b.first_v + b.v_count; ++k) {
      const auto j = at_index(k);
      z[k] = inverse_[j] * (left_[j] - dot(sum, row_[j]));
      Vec3d& part = tree.slides[j] ? sum.linear : sum.angular;
      for (int c = 0; c < 3; ++c) part[c] = fma(z[k], middle_.axis[j][c], part[c]);
    }
    velocity_[i] = sum;
  }
}

// Velocities of the centres of mass of trees that float, and of all bodies against them.
void TreeDrift::leave_mass_centres(const Tree& tree, const TreeData<double>& start,
                                   const Vec3d& fall) {
  const std::size_t n = tree.bodies.size();
  std::fill(boost_.begin(), boost_.end(), Vec3d::zero());
  auto& mass = share_;
  std::fill(mass.begin(), mass.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = at_index(root_[i]);
    if (!floats_[r]) continue;
    boost_[r] += (start.inertia[i] * start.velocity[i]).force;
    mass[r] += start.inertia[i].mass;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (floats_[i]) {
      boost_[i] = (1 / mass[i]) * boost_[i];
      next_boost_[i] = boost_[i] + fall;
    }
  for (std::size_t i = 0; i < n; ++i) {
    relative_[i] = start.velocity[i];
    relative_[i].linear -= boost_[at_index(root_[i])];
  }
}

// Kinematics in the middle of a step that moves with `guess`, and the velocities of the start
// there.
void TreeDrift::set_up_middle(const Tree& tree, const TreeData<double>& start, const FreeStep& step,
                              const double* guess) {
  integrate(tree, step.q, guess, 0.5 * step.h, middle_q_.data());
  update(tree, middle_q_.data(), middle_);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    carried_[i] = turned(start.pose[i], middle_.pose[i], relative_[i]);
}

// A share of what gravity does in the step, and of what torques and wrenches do.
void TreeDrift::add_weight(const Tree& tree, const FreeStep& step, double share) {
  const double s = share * step.h;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    if (floats_[at_index(root_[i])]) continue;
    const SpatialInertia<double>& m = middle_.inertia[i];
    force_[i].moment += s * cross(m.first, step.gravity);
    force_[i].force += (s * m.mass) * step.gravity;
  }
}
void TreeDrift::add_efforts(const Tree& tree, const FreeStep& step, double share) {
  const double s = share * step.h;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    force_[i] = add_scaled(force_[i], s, step.wrench[i]);
  for (std::size_t k = 0; k < joint_.size(); ++k) joint_[k] = fma(s, step.torque[k], joint_[k]);
}

// Where the next pass looks: the mean velocity of the pass before, but no farther from that of the
// start than the tree moves. What rests has its weight where it is, whatever holds it.
bool TreeDrift::guess_middle(const Tree& tree, const FreeStep& step) {
  auto &changed = pushed_, &had = led_;
  std::fill(changed.begin(), changed.end(), 0.0);
  std::fill(had.begin(), had.end(), 0.0);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const auto r = at_index(root_[i]);
    const SpatialMotion<double> d{velocity_[i].angular - carried_[i].angular,
                                  velocity_[i].linear - carried_[i].linear};
    changed[r] += dot(d, middle_.inertia[i] * d);
    had[r] += dot(carried_[i], middle_.inertia[i] * carried_[i]);
  }
  double moves = 0;
  for (std::size_t k = 0; k < guess_.size(); ++k) {
    const auto r = at_index(root_[at_index(tree.body_of[k])]);
    const double share = had[r] < changed[r] ? had[r] / changed[r] : 1.0;
    const double guess = fma(share, middle_z_[k] - step.v[k], step.v[k]);
    moves = std::max(moves, step.h * std::abs(guess - guess_[k]));
    guess_[k] = guess;
  }
  return moves > kSameMiddle;
}

void TreeDrift::begin_step(const Tree& tree, const TreeData<double>& start, const FreeStep& step,
                           double* z_free, double* mass) {
  const std::size_t n = tree.bodies.size(), nv = joint_.size();
  std::fill(held_.begin(), held_.end(), 0);
  leave_mass_centres(tree, start, step.h * step.gravity);
  std::copy_n(step.v, nv, start_v_.begin());
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3 && floats_[i]; ++k) {
      const auto j = at_index(tree.bodies[i].first_v + k);
      start_v_[j] -= dot(start.axis[j], boost_[i]);
    }
  std::copy_n(step.v, nv, guess_.begin());
  for (int pass = 0; pass < kPasses; ++pass) {
    set_up_middle(tree, start, step, guess_.data());
    turning_ = pass == 0 ? carried_ : velocity_;
    for (std::size_t i = 0; i < n; ++i) momentum_[i] = middle_.inertia[i] * turning_[i];
    factor(tree, step.h);
    for (std::size_t i = 0; i < n; ++i) force_[i] = middle_.inertia[i] * carried_[i];
    for (std::size_t k = 0; k < nv; ++k) joint_[k] = middle_.armature[k] * step.v[k];
    add_weight(tree, step, 0.5);
    add_efforts(tree, step, 0.5);
    solve(tree, middle_z_.data());
    if (pass + 1 < kPasses && !guess_middle(tree, step)) break;
  }
  std::fill(force_.begin(), force_.end(), SpatialForce<double>::zero());
  std::fill(joint_.begin(), joint_.end(), 0.0);
  add_weight(tree, step, 0.5);
  solve(tree, lead_.data());
  std::fill(force_.begin(), force_.end(), SpatialForce<double>::zero());
  std::fill(joint_.begin(), joint_.end(), 0.0);
  add_efforts(tree, step, 0.5);
  solve(tree, driven_.data());
  find_kept(tree, step);
  for (std::size_t k = 0; k < nv; ++k) z_free[k] = middle_z_[k] + lead_[k] + driven_[k] + drift_[k];
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3 && floats_[i]; ++k) {
      const auto j = at_index(tree.bodies[i].first_v + k);
      z_free[j] += dot(middle_.axis[j], next_boost_[i]);
    }
  crba(tree, middle_, mass);
}

// Impulses of terms, into effort_, and how far trees that hardly anything but f pushed go by their
// mean velocity.
void TreeDrift::find_shares(const Tree& tree, const double* z, const double* z_free,
                            const double* mass) {
  const std::size_t nv = joint_.size();
  std::fill(pushed_.begin(), pushed_.end(), 0.0);
  std::fill(led_.begin(), led_.end(), 0.0);
  for (std::size_t i = 0; i < nv; ++i) {
    const auto r = at_index(root_[at_index(tree.body_of[i])]);
    const double* row = mass + i * nv;
    double pushed = 0, led = 0;
    for (std::size_t j = 0; j < nv; ++j) {
      pushed = fma(row[j], z[j] - z_free[j], pushed);
      led = fma(row[j], lead_[j] + drift_[j], led);
    }
    effort_[i] = pushed;
    pushed_[r] = fma(pushed, z[i] - z_free[i], pushed_[r]);
    led_[r] = fma(led, lead_[i] + drift_[i], led_[r]);
  }
  for (std::size_t r = 0; r < share_.size(); ++r) {
    // r from .05 on: terms have joints.
    termed_[r] = led_[r] > 0 ? std::min(1.0, 100 * pushed_[r] / led_[r]) : 0.0;
    share_[r] = led_[r] > 0 && !held_[r] ? clamp(1.5 - sqrt(pushed_[r] / led_[r]), 0.0, 1.0) : 0.0;
  }
}

// Whether unknown k moves the centre of mass of what floats along: floating_base.h sets that right.
bool TreeDrift::moves_centre(const Tree& tree, std::size_t k) const {
  const auto body = at_index(tree.body_of[k]);
  return floats_[body] && static_cast<int>(k) < tree.bodies[body].first_v + 3;
}

// How far what floats goes by the mean of its rates before and after: where neither contact nor
// anything else outside pushed it, and the step resolves the motion.
void TreeDrift::find_means(const Tree& tree, const double* z, const double* z_free,
                           const double* mass) {
  const std::size_t nv = joint_.size();
  std::fill(mean_.begin(), mean_.end(), 0.0);
  auto &outside = pushed_, &changed = led_, &had = may_;
  for (std::vector<double>* v : {&outside, &changed, &had}) std::fill(v->begin(), v->end(), 0.0);
  for (std::size_t i = 0; i < nv; ++i) {
    const auto r = at_index(root_[at_index(tree.body_of[i])]);
    if (!floats_[r] || alone_[r] || held_[r]) continue;
    if (at_index(tree.body_of[i]) == r) outside[r] = fma(effort_[i], z[i] - z_free[i], outside[r]);
    if (moves_centre(tree, i)) continue;
    const double* row = mass + i * nv;
    double change = 0, rate = 0;
    for (std::size_t j = 0; j < nv; ++j) {
      if (moves_centre(tree, j)) continue;
      change = fma(row[j], z[j] - start_v_[j], change);
      rate = fma(row[j], z[j], rate);
    }
    changed[r] = fma(change, z[i] - start_v_[i], changed[r]);
    had[r] = fma(rate, z[i], had[r]);
  }
  for (std::size_t r = 0; r < mean_.size(); ++r)
    if (changed[r] > 0)
      mean_[r] = clamp(1.5 - 2 * sqrt(std::abs(outside[r]) / changed[r]), 0.0, 1.0) *
                 clamp(2 - 8 * changed[r] / had[r], 0.0, 1.0);
}

// Mean velocities by which the tree moves, into guess_: z less what each joint was led by, half of
// its change and no more than its lead. What terms stopped it from is not taken back, or a brake
// would creep.
void TreeDrift::find_way(const Tree& tree, const double* z) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    const auto r = at_index(root_[i]);
    const bool turns = b.kind == JointKind::kBall || b.kind == JointKind::kFree;
    for (int first = b.first_v; first < b.first_v + b.v_count;) {
      const bool plane = b.kind == JointKind::kPlanar && first == b.first_v;
      const auto from = at_index(first), to = from + (turns ? 3 : plane ? 2 : 1);
      double half = 0, led = 0, lead = 0, driven = 0;
      for (std::size_t k = from; k < to; ++k) {
        const double l = lead_[k] + drift_[k], change = 0.5 * (z[k] - start_v_[k]);
        half += change * change, driven += change * driven_[k];
        led += change * l, lead += l * l;
      }
      const bool centre = moves_centre(tree, from);
      const double part = led > 0 ? std::min(1.0, sqrt(lead / half)) : 0.0;
      // Torques push in the whole step, as in one without terms.
      const double mean = half > 0 ? mean_[r] * (1 - clamp(driven / half, 0.0, 1.0)) : 0.0;
      const double back = share_[r] * (1 - mean_[r]) * part + mean;
      for (std::size_t k = from; k < to; ++k)
        guess_[k] = z[k] - (centre ? share_[r] * (lead_[k] + drift_[k])
                                   : back * 0.5 * (z[k] - start_v_[k]));
      first = static_cast<int>(to);
    }
  }
}

void TreeDrift::end_step(const Tree& tree, const TreeData<double>& start, const FreeStep& step,
                         const double* z, const double* z_free, const double* mass, double* q,
                         double* v) {
  const std::size_t n = tree.bodies.size(), nv = joint_.size();
  find_shares(tree, z, z_free, mass);
  find_means(tree, z, z_free, mass);
  find_way(tree, z);
  for (std::size_t k = 0; k < nv; ++k) push_[k] = z[k] - z_free[k];
  integrate(tree, step.q, guess_.data(), step.h, q);
  update(tree, q, end_);
  std::fill(before_.begin(), before_.end(), 0.0);
  std::fill(sums_.begin(), sums_.end(), Sums{});
  for (std::size_t k = 0; k < nv; ++k) {
    const auto r = at_index(root_[at_index(tree.body_of[k])]);
    const double d = kept_[r] * (middle_z_[k] - lead_[k] - driven_[k] - step.v[k]);
    scratch_[k] = middle_z_[k] + lead_[k] + driven_[k] + (z[k] - z_free[k]);
    joint_[k] = middle_.armature[k] * (scratch_[k] + d);
    before_[r] += 0.5 * joint_[k] * (scratch_[k] + d);
  }
  update_velocities(tree, scratch_.data(), middle_);
  for (std::size_t i = 0; i < n; ++i) {
    SpatialMotion<double> end = middle_.velocity[i];
    end += change_[i];
    end = turned(middle_.pose[i], end_.pose[i], end);
    force_[i] = end_.inertia[i] * end;
    before_[at_index(root_[i])] += 0.5 * dot(end, force_[i]);
    sums_[at_index(root_[i])].before += force_[i].force;
  }
  aba<double>(tree, end_, nullptr, joint_.data(), Vec3d::zero(), force_.data(), v);
  leave_energy_out(tree, start, step, v);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3 && floats_[i]; ++k) {
      const auto j = at_index(tree.bodies[i].first_v + k);
      v[j] += dot(end_.axis[j], next_boost_[i]);
    }
}

const StepMotion& TreeDrift::motion(const Tree& tree, double h, const Vec3d& gravity) {
  const std::size_t n = tree.bodies.size(), nv = rate_.size();
  // As (1) has it: accelerations are 2 (V - V_n) / h and what terms changed.
  for (std::size_t k = 0; k < nv; ++k) scratch_[k] = fma(2.0, middle_z_[k], push_[k]);
  update_velocities(tree, scratch_.data(), middle_);
  for (std::size_t i = 0; i < n; ++i) {
    const SpatialMotion<double>&v = middle_.velocity[i], &past = carried_[i];
    SpatialMotion<double>& a = middle_.acceleration[i];
    a.angular = (1 / h) * (v.angular - 2.0 * past.angular);
    a.linear = (1 / h) * (v.linear - 2.0 * past.linear);
    if (!floats_[at_index(root_[i])]) a.linear -= gravity;
  }
  for (std::size_t k = 0; k < nv; ++k) rate_[k] = (push_[k] + 2 * (middle_z_[k] - start_v_[k])) / h;
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3 && floats_[i]; ++k) {
      const auto j = at_index(tree.bodies[i].first_v + k);
      rate_[j] += dot(middle_.axis[j], gravity);
    }
  update_velocities(tree, middle_z_.data(), middle_);
  motion_ = {&middle_, turning_.data(), rate_.data(), middle_q_.data(), middle_z_.data()};
  return motion_;
}

}  // namespace haptos
