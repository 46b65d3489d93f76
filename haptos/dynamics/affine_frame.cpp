#include "haptos/dynamics/affine_frame.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/clamp_positive.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

Vec3d triple(const double* q, int k) { return {{q[3 * k], q[3 * k + 1], q[3 * k + 2]}}; }

void store(const Vec3d& v, double* q, int k) {
  for (int c = 0; c < 3; ++c) q[3 * k + c] = v[c];
}

// Inverse of a symmetric positive definite matrix, by Gauss-Jordan without pivoting.
Mat<double, 4, 4> inverse4(Mat<double, 4, 4> a) {
  Mat<double, 4, 4> r = Mat<double, 4, 4>::identity();
  for (int k = 0; k < 4; ++k) {
    const double p = 1 / a(k, k);
    for (int j = 0; j < 4; ++j) a(k, j) *= p, r(k, j) *= p;
    for (int i = 0; i < 4; ++i) {
      if (i == k) continue;
      const double f = a(i, k);
      for (int j = 0; j < 4; ++j) a(i, j) -= f * a(k, j), r(i, j) -= f * r(k, j);
    }
  }
  return r;
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

// The rotation nearest to m, by Newton's iteration on the polar decomposition (Higham 1986); false
// where m, or a step on the way, is far from any.
bool nearest_rotation(const Mat3d& m, Mat3d& r) {
  r = m;
  bool near = true;
  for (int i = 0; i < 30; ++i) {
    const double det = dot(column(r, 0), cross(column(r, 1), column(r, 2)));
    near = near && det > 0.1 && det < 10;
    const Mat3d next = 0.5 * (r + transpose(inverse(r)));
    const Mat3d change = next - r;
    double largest = 0;
    for (int k = 0; k < 9; ++k) largest = std::max(largest, std::abs(change[k]));
    r = next;
    if (largest < 1e-15) break;
  }
  return near;
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

  // A straight step dA stretches the body by the square of its turn. The step that turns as far as
  // A + dA does and stretches by the symmetric part of dA only, the centre of mass moving as
  // before:
  //   A' = R(A + dA) (S + sym(R^T dA)),   A = R S.
  bool bend(const std::vector<double>& z_all, std::vector<double>& dz_all) const override {
    if (frame_.spec().guide) return false;
    const std::size_t o = at_index(frame_.slots().first_scalar);
    const double* z = z_all.data() + o;
    double* dz = dz_all.data() + o;
    Mat3d a, da;
    for (int k = 0; k < 3; ++k)
      for (int r = 0; r < 3; ++r) {
        a(r, k) = frame_.base()[3 * (k + 1) + r] + b_ * z[3 * (k + 1) + r];
        da(r, k) = b_ * dz[3 * (k + 1) + r];
      }
    Mat3d before, after;
    // What turns too far for that may turn less.
    if (!nearest_rotation(a, before) || !nearest_rotation(a + da, after)) return true;
    const Mat3d stretch = transpose(before) * (a + da);
    const Mat3d bent = after * ((stretch + transpose(stretch)) * 0.5) - a - da;
    const Vec3d shift = bent * frame_.spec().moments.centre();
    for (int r = 0; r < 3; ++r) {
      dz[r] -= shift[r] / b_;
      for (int k = 0; k < 3; ++k) dz[3 * (k + 1) + r] += bent(r, k) / b_;
    }
    return true;
  }

 private:
  const AffineFrame& frame_;
  double scale_, b_ = 0;
};

}  // namespace

AffineFrame::AffineFrame(const BodySlots& slots, const AffineFrameSpec& spec)
    : Body(slots), spec_(spec), mass_(mass_matrix(spec.moments)), inverse_mass_(inverse4(mass_)) {
  const Vec3d c = spec.own.centre();
  double trace = 0;
  for (int i = 0; i < 3; ++i) trace += spec.own.second(i, i) / spec.own.mass - c[i] * c[i];
  radius_ = sqrt(trace);
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
  double start[12];
  for (int i = 0; i < 12; ++i) {
    start[i] = state.q[at_index(slots_.first_q + i)];
    base_[i] = step.base(state, at_index(slots_.first_q + i));
  }
  if (spec_.guide)
    begin_guided(state, step, start);
  else
    begin_free(state, step, start);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto p = at_index(points_[k]);
    step.points->x_start[p] = place(start, local_[k]);
    step.points->x_base[p] = step.w == 0 ? step.points->x_start[p] : place(base_, local_[k]);
  }
}

Vec3d AffineFrame::weight(const Vec3d& gravity) const {
  const double carried = spec_.moments.mass - spec_.own.mass;
  return gravity * (spec_.weightless ? carried : spec_.moments.mass);
}

void AffineFrame::begin_free(const State& state, const BodyStep& step, const double* start) {
  // Generalised force of force and torque.
  Vec3d f[4];
  const Vec3d centre = spec_.own.centre();
  f[0] = force;
  for (int k = 0; k < 3; ++k)
    f[k + 1] = force * centre[k] + cross(torque, triple(start, k + 1)) * 0.5;
  if (spec_.weightless)  // takes off the own mass's part of what follows
    for (int k = 0; k < 4; ++k)
      f[k] -= step.gravity * (k == 0 ? spec_.own.mass : spec_.own.first[k - 1]);
  const double impulse = step.b / step.s;
  const auto first = at_index(slots_.first_scalar);
  double* mass = step.mass->data() + slots_.first_mass;
  std::fill_n(mass, 144, 0.0);
  for (int i = 0; i < 4; ++i) {
    Vec3d kick = i == 0 ? impulse * step.gravity : Vec3d::zero();
    for (int j = 0; j < 4; ++j) {
      kick += f[j] * (impulse * inverse_mass_(i, j));
      for (int c = 0; c < 3; ++c) mass[12 * (3 * i + c) + 3 * j + c] = step.s * mass_(i, j);
    }
    for (int c = 0; c < 3; ++c) {
      const std::size_t k = 3 * at_index(i) + at_index(c);
      (*step.z_past)[first + k] = step.past(state, first + k);
      (*step.z_free)[first + k] = (*step.z_past)[first + k] + kick[c];
      (*step.z_hold)[first + k] = (start[k] - base_[k]) / step.b;
      (*step.length)[first + k] = i == 0 ? 1.0 : radius_;
    }
  }
}

void AffineFrame::begin_guided(const State& state, const BodyStep& step, const double* start) {
  const Vec3d& n = *spec_.guide;
  const auto k = at_index(slots_.first_scalar);
  const double m = spec_.moments.mass;
  (*step.mass)[at_index(slots_.first_mass)] = step.s * m;
  (*step.z_past)[k] = step.past(state, k);
  (*step.z_free)[k] =
      (*step.z_past)[k] + step.b / (step.s * m) * dot(n, weight(step.gravity) + force);
  (*step.z_hold)[k] = dot(n, triple(start, 0) - triple(base_, 0)) / step.b;
  (*step.length)[k] = 1;
}

void AffineFrame::advance(const std::vector<double>& z, const BodyStep& step, State& state) {
  double dq[12];
  rates(z.data() + slots_.first_scalar, dq);
  for (int i = 0; i < 12; ++i) state.q[at_index(slots_.first_q + i)] = fma(step.b, dq[i], base_[i]);
  std::copy_n(z.data() + slots_.first_scalar, block_sizes()[0],
              state.z.data() + slots_.first_scalar);
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
  // L = sum over axes i, j of S_ij c_i x dc_j about the centre of mass; omega = I^-1 L.
  const double* q = state.q.data() + slots_.first_q;
  const double* z = state.z.data() + slots_.first_scalar;
  const Moments& m = spec_.own;
  const Vec3d centre = m.centre();
  const Mat3d s = m.second - outer(centre, centre) * m.mass;
  Vec3d L = Vec3d::zero();
  Mat3d world = Mat3d::zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      L += cross(triple(q, i + 1), triple(z, j + 1)) * s(i, j);
      world += outer(triple(q, i + 1), triple(q, j + 1)) * s(i, j);
    }
  const Mat3d inertia = Mat3d::identity() * (world(0, 0) + world(1, 1) + world(2, 2)) - world;
  return inverse(inertia) * L;
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
