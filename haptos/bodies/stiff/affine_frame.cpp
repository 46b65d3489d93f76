#include "haptos/bodies/stiff/affine_frame.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "haptos/base/math/clamp_positive.h"
#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// Turn of a step [rad] from which on free motion is straight, and loses momentum: what then strikes
// at such a rate is not resolved, and its steps did not settle.
constexpr double kLargestTurn = 0.25;

Vec3d triple(const double* q, int k) { return {{q[3 * k], q[3 * k + 1], q[3 * k + 2]}}; }

void store(const Vec3d& v, double* q, int k) {
  for (int c = 0; c < 3; ++c) q[3 * k + c] = v[c];
}

Mat<double, 4, 4> mass_matrix(const Moments& m) {
  Mat<double, 4, 4> r = Mat<double, 4, 4>::zero();
  r(0, 0) = m.mass;
  for (int i = 0; i < 3; ++i) {
    r(0, i + 1) = r(i + 1, 0) = m.first[i];
    for (int j = 0; j < 3; ++j) r(i + 1, j + 1) = m.second(i, j);
  }
  return r;
}

// S about the centre. Rounding of a flat body's must leave no negative mass across it.
Mat3d second_about(const Moments& m, const Vec3d& centre) {
  Mat3d s = m.second - outer(centre, centre) * m.mass;
  clamp_positive_block(s, 3);
  return s;
}

Mat3d axes_of(const double* q) { return columns(triple(q, 1), triple(q, 2), triple(q, 3)); }

// Stores axes, or their rates, and moves the origin so that the point `centre` keeps its place.
void replace_axes(const Mat3d& axes, const Vec3d& centre, double* q) {
  store(triple(q, 0) + (axes_of(q) - axes) * centre, q, 0);
  for (int k = 0; k < 3; ++k) store(column(axes, k), q, k + 1);
}

class Orthogonality final : public Term {
 public:
  explicit Orthogonality(const AffineFrame* f)
      : frame_(*f), scale_(f->spec().stiffness * f->spec().volume) {}

  const char* name() const override { return "affine body"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  void prepare(const StepContext& context) override { b_ = context.b; }

  Energy evaluate(const Evaluation& e) override {
    const BodySlots& slots = frame_.slots();
    const double* z = e.z->data() + slots.first_scalar;
    Vec3d c[3];
    for (int k = 0; k < 3; ++k) c[k] = triple(frame_.base(), k + 1) + b_ * triple(z, k + 1);
    double g[3][3], energy = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        g[i][j] = dot(c[i], c[j]) - (i == j ? 1.0 : 0.0);
        energy += scale_ * g[i][j] * g[i][j];
      }
    // Rounding of A^T A - 1 is that of 1, whatever is left of the difference.
    const Energy result{energy, energy + scale_ * 1e-16};
    if (!e.assembly) return result;
    double gradient[12] = {};
    for (int k = 0; k < 3; ++k)
      store((c[0] * g[k][0] + c[1] * g[k][1] + c[2] * g[k][2]) * (4 * scale_), gradient, k + 1);
    if (!e.assembly->wants_hessian()) {
      e.assembly->add_coordinates(slots.first_block, gradient, nullptr);
      return result;
    }
    Mat<double, 9, 9> h = Mat<double, 9, 9>::zero();
    const Mat3d aat = outer(c[0], c[0]) + outer(c[1], c[1]) + outer(c[2], c[2]);
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        Mat3d block = Mat3d::identity() * g[k][l] + outer(c[l], c[k]);
        if (k == l) block += aat;
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 3; ++s) h(3 * k + r, 3 * l + s) = 4 * scale_ * block(r, s);
      }
    if (e.project) clamp_positive_block(h, 9);
    double full[144] = {};
    for (int r = 0; r < 9; ++r)
      for (int s = 0; s < 9; ++s) full[12 * (r + 3) + s + 3] = h(r, s);
    e.assembly->add_coordinates(slots.first_block, gradient, full);
    return result;
  }

 private:
  const AffineFrame& frame_;
  double scale_, b_ = 0;
};

}  // namespace

AffineFrame::AffineFrame(const BodySlots& slots, const AffineFrameSpec& spec)
    : Body(slots),
      spec_(spec),
      described_(spec.own),
      all_(spec.moments),
      mass_(mass_matrix(spec.moments)),
      centre_(spec.moments.centre()),
      second_(second_about(spec.moments, centre_)) {
  radius_ = sqrt(trace(second_about(spec.own, spec.own.centre())) / spec.own.mass);
}

void AffineFrame::scale_mass(double by) {
  if (std::exchange(heavier_, by) == by) return;
  spec_.own = described_.times(by);
  spec_.moments = all_.plus(described_.times(by - 1));
  mass_ = mass_matrix(spec_.moments);
  centre_ = spec_.moments.centre();
  second_ = second_about(spec_.moments, centre_);
}

void AffineFrame::initialize(State& state) const {
  double* q = state.q.data() + slots_.first_q;
  double* z = state.z.data() + slots_.first_scalar;
  const Mat3d R = to_matrix(spec_.pose.q);
  const Vec3d centre = R * spec_.own.centre();
  store(spec_.pose.p, q, 0);
  for (int k = 0; k < 3; ++k) store({{R(0, k), R(1, k), R(2, k)}}, q, k + 1);
  if (spec_.guide) {
    z[0] = dot(*spec_.guide, spec_.velocity);
    return;
  }
  store(spec_.velocity - cross(spec_.angular_velocity, centre), z, 0);
  for (int k = 0; k < 3; ++k) store(cross(spec_.angular_velocity, triple(q, k + 1)), z, k + 1);
}

int AffineFrame::add_point(Points& points, const Vec3d& local) {
  const Vec3d x = spec_.pose * local;
  points_.push_back(
      spec_.guide ? points.add_guided(slots_.first_block, slots_.body, slots_.env, x, *spec_.guide)
                  : points.add_affine(slots_.first_block, slots_.body, slots_.env, x, local));
  local_.push_back(local);
  return points_.back();
}

void AffineFrame::rates(const double* z, double* dq) const {
  if (!spec_.guide) {
    std::copy_n(z, 12, dq);
    return;
  }
  std::fill_n(dq, 12, 0.0);
  store(*spec_.guide * z[0], dq, 0);
}

Vec3d AffineFrame::place(const double* q, const Vec3d& local) {
  return triple(q, 0) + triple(q, 1) * local[0] + triple(q, 2) * local[1] + triple(q, 3) * local[2];
}

void AffineFrame::begin_step(const State& state, const BodyStep& step) {
  b_ = step.b;
  for (int i = 0; i < 12; ++i) {
    start_[i] = state.q[at_index(slots_.first_q + i)];
    base_[i] = step.base(state, at_index(slots_.first_q + i));
  }
  rates(state.z.data() + slots_.first_scalar, start_rates_);
  if (spec_.guide)
    begin_guided(state, step, start_);
  else
    begin_free(state, step, start_);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto p = at_index(points_[k]);
    step.points->x_start[p] = place(start_, local_[k]);
    step.points->x_base[p] = step.w == 0 ? step.points->x_start[p] : place(base_, local_[k]);
  }
}

Vec3d AffineFrame::local_of(const Vec3d& x) const {
  return inverse(axes_of(start_)) * (x - triple(start_, 0));
}

Pose AffineFrame::link_pose_after(int, const double* z, double h) const {
  double q[12], dq[12];
  rates(z, dq);
  for (int i = 0; i < 12; ++i) q[i] = fma(h, dq[i], start_[i]);
  return nearest_pose(q);
}

Vec3d AffineFrame::point_velocity_with(int, const Vec3d& x, const double* z) const {
  return spec_.guide ? z[0] * *spec_.guide : place(z, local_of(x));
}

void AffineFrame::link_jacobian(int, const Vec3d& x, double* out) const {
  if (spec_.guide) {
    for (int r = 0; r < 3; ++r) out[r] = (*spec_.guide)[r];
    return;
  }
  std::fill_n(out, 36, 0.0);
  const Vec3d local = local_of(x);
  const Vec3d arm = local - centre_;
  for (int r = 0; r < 3; ++r) {
    out[12 * r + r] = 1;
    for (int k = 0; k < 3; ++k) {
      for (int s = 0; s < 3; ++s) out[12 * r + 3 * (k + 1) + s] = arm[k] * turned_(s, r);
      out[12 * r + 3 * (k + 1) + r] += centre_[k];
    }
  }
}

// Points move straight. What is missing is what the turned Jacobian takes off.
Vec3d AffineFrame::point_bend(const Vec3d& x) const {
  if (spec_.guide || !turns_) return Vec3d::zero();
  const Vec3d chord = axes_of(free_) * (local_of(x) - centre_);
  return chord - transpose(turned_) * chord;
}

void AffineFrame::link_turning(int, double* out) const {
  std::fill_n(out, 3 * link_columns(), 0.0);
  if (spec_.guide) return;
  for (int k = 0; k < 3; ++k) {
    const Mat3d half = 0.5 * skew<double>(triple(start_, k + 1)) * transpose(turned_);
    for (int r = 0; r < 3; ++r)
      for (int s = 0; s < 3; ++s) out[12 * r + 3 * (k + 1) + s] = half(r, s);
  }
}

Vec3d AffineFrame::weight(const Vec3d& gravity) const {
  const double carried = spec_.moments.mass - spec_.own.mass;
  return gravity * (spec_.weightless ? carried : spec_.moments.mass);
}

// Fills in free_, without forces, and what end of step needs of it.
void AffineFrame::free_turn(const State& state, const BodyStep& step, const double* start) {
  const auto first_q = at_index(slots_.first_q), first = at_index(slots_.first_scalar);
  std::copy_n(past_, 12, free_);
  turns_ = false;
  turned_ = Mat3d::identity();
  momentum_ = Vec3d::zero();
  if (!step.momentum) return;
  AffineTurn now, before;
  TurnStep turn{step.h, step.b, step.w, nullptr};
  turns_ = split_turn(axes_of(start), axes_of(state.z.data() + first), second_, now) &&
           norm(now.spin) * step.h < kLargestTurn;
  if (turns_ && step.w > 0) {
    turns_ = split_turn(axes_of(state.q_before.data() + first_q),
                        axes_of(state.z_before.data() + first), second_, before);
    turn.before = &before;
  }
  if (!turns_) return;
  momentum_ = past_of(turn, now, &AffineTurn::momentum);
  stretch_base_ = past_of(turn, now, &AffineTurn::stretch);
  const Mat3d end = free_axes(now, second_, turn, turned_);
  replace_axes((end - axes_of(base_)) * (1 / step.b), centre_, free_);
}

void AffineFrame::begin_free(const State& state, const BodyStep& step, const double* start) {
  const auto first = at_index(slots_.first_scalar);
  for (int i = 0; i < 12; ++i) past_[i] = step.past(state, first + at_index(i));
  free_turn(state, step, start);
  // Force and torque about the centre of all mass turn the body as a rigid one.
  const Mat3d axes = axes_of(start);
  const Vec3d own = axes * (spec_.own.centre() - centre_);
  const Vec3d pull = spec_.weightless ? force - step.gravity * spec_.own.mass : force;
  const Vec3d moment = torque + cross(own, pull);
  const double impulse = step.b / step.s;
  const Vec3d spin = inverse(inertia_of(axes, second_)) * moment * impulse;
  double kick[12] = {};
  store((step.gravity + pull * (1 / spec_.moments.mass)) * impulse, kick, 0);
  replace_axes(skew(spin) * axes, centre_, kick);
  momentum_ += moment * impulse;
  double* mass = step.mass->data() + slots_.first_mass;
  std::fill_n(mass, 144, 0.0);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      for (int c = 0; c < 3; ++c) mass[12 * (3 * i + c) + 3 * j + c] = step.s * mass_(i, j);
    for (int c = 0; c < 3; ++c) {
      const std::size_t k = 3 * at_index(i) + at_index(c);
      (*step.z_past)[first + k] = free_[k];
      free_[k] += kick[k];
      (*step.z_free)[first + k] = free_[k];
      (*step.z_hold)[first + k] = (start[k] - base_[k]) / step.b;
      (*step.length)[first + k] = i == 0 ? 1.0 : radius_;
    }
  }
}

// A straight step at the last velocities would stretch the body.
void AffineFrame::first_guess(const BodyStep& step, std::vector<double>& z) const {
  if (spec_.guide || !turns_) return;
  std::copy_n(step.z_past->data() + slots_.first_scalar, 12, z.data() + slots_.first_scalar);
}

bool AffineFrame::retract(const std::vector<double>& z_all, std::vector<double>& dz_all) const {
  if (spec_.guide) return false;
  const std::size_t o = at_index(slots_.first_scalar);
  const double* z = z_all.data() + o;
  double* dz = dz_all.data() + o;
  Mat3d a, da;
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r) {
      a(r, k) = base_[3 * (k + 1) + r] + b_ * z[3 * (k + 1) + r];
      da(r, k) = b_ * dz[3 * (k + 1) + r];
    }
  Mat3d before, after;
  // What turns too far for that may turn less.
  if (!nearest_rotation(a, before) || !nearest_rotation(a + da, after)) return true;
  const Mat3d stretch = transpose(before) * (a + da);
  const Mat3d bent = after * ((stretch + transpose(stretch)) * 0.5) - a - da;
  const Vec3d shift = bent * spec_.moments.centre();
  for (int r = 0; r < 3; ++r) {
    dz[r] -= shift[r] / b_;
    for (int k = 0; k < 3; ++k) dz[3 * (k + 1) + r] += bent(r, k) / b_;
  }
  return true;
}

void AffineFrame::begin_guided(const State& state, const BodyStep& step, const double* start) {
  const Vec3d& n = *spec_.guide;
  const auto k = at_index(slots_.first_scalar);
  const double m = spec_.moments.mass;
  (*step.mass)[at_index(slots_.first_mass)] = step.s * m;
  past_[0] = (*step.z_past)[k] = step.past(state, k);
  (*step.z_free)[k] = past_[0] + step.b / (step.s * m) * dot(n, weight(step.gravity) + force);
  (*step.z_hold)[k] = dot(n, triple(start, 0) - triple(base_, 0)) / step.b;
  (*step.length)[k] = 1;
}

void AffineFrame::advance(const std::vector<double>& z, const BodyStep& step, State& state) {
  const double* solved = z.data() + slots_.first_scalar;
  double* q = state.q.data() + slots_.first_q;
  double* end = state.z.data() + slots_.first_scalar;
  double dq[12];
  rates(solved, dq);
  for (int i = 0; i < 12; ++i) q[i] = fma(step.b, dq[i], base_[i]);
  std::copy_n(solved, link_columns(), end);
  if (turns_) {
    const Mat3d axes = axes_of(q);
    const Vec3d l = momentum_ + moment_of(axes, axes_of(solved) - axes_of(free_), second_);
    Mat3d rate;
    if (end_rate(axes, l, stretch_base_, step.b, second_, rate)) replace_axes(rate, centre_, end);
  }
  double past[12];
  rates(end, dq);
  rates(past_, past);
  for (int i = 0; i < 12; ++i) acceleration_[i] = (dq[i] - past[i]) / step.b;
}

Pose AffineFrame::nearest_pose(const double* q) {
  Mat3d rotation;
  nearest_rotation(columns(triple(q, 1), triple(q, 2), triple(q, 3)), rotation);
  Pose pose;
  pose.p = triple(q, 0);
  pose.q = quaternion(rotation);
  return pose;
}

Vec3d AffineFrame::velocity(const State& state) const {
  double dq[12];
  rates(state.z.data() + slots_.first_scalar, dq);
  return place(dq, spec_.own.centre());
}

Vec3d AffineFrame::angular_velocity(const State& state) const {
  if (spec_.guide) return Vec3d::zero();
  const Mat3d axes = axes_of(state.q.data() + slots_.first_q);
  const Mat3d second = second_about(spec_.own, spec_.own.centre());
  const Mat3d rate = axes_of(state.z.data() + slots_.first_scalar);
  return inverse(inertia_of(axes, second)) * moment_of(axes, rate, second);
}

double AffineFrame::kinetic_energy(const State& state) const {
  double dq[12];
  rates(state.z.data() + slots_.first_scalar, dq);
  const Mat<double, 4, 4> m = mass_matrix(spec_.own);
  double e = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) e += 0.5 * m(i, j) * dot(triple(dq, i), triple(dq, j));
  return e;
}

double AffineFrame::strain(const State& state) const {
  const double* q = state.q.data() + slots_.first_q;
  double largest = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j)
      largest = std::max(largest,
                         std::abs(dot(triple(q, i + 1), triple(q, j + 1)) - (i == j ? 1.0 : 0.0)));
  return largest;
}

std::unique_ptr<Term> make_orthogonality_term(const AffineFrame* frame) {
  return std::make_unique<Orthogonality>(frame);
}

}  // namespace haptos
