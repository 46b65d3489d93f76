#include "haptos/sensors/field/contact_field.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "haptos/base/math/index.h"
#include "haptos/base/text/refuse.h"

namespace haptos {
namespace {

double mean_edge_of(const Coat& coat, const std::vector<Vec3d>& x) {
  std::map<std::pair<int, int>, double> edges;
  for (const Vec3i& t : coat.triangles)
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      edges[std::minmax(a, b)] = norm(x[at_index(a)] - x[at_index(b)]);
    }
  double sum = 0;
  for (const auto& e : edges) sum += e.second;
  return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
}

using Sparse = Eigen::SparseMatrix<double>;

// M + l^2 K. The stiffness between two corners of a triangle is their edges' product over 4 A.
// A negative l stands for the size of the elements about each triangle.
Sparse assemble(const Coat& coat, const std::vector<Vec3d>& x, const CoatShape& shape, double l) {
  // Sizes of elements are averaged at vertices, so that l varies smoothly over an uneven mesh.
  std::vector<double> size(coat.size(), 0.0), about(coat.size(), 0.0);
  for (std::size_t t = 0; t < coat.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      size[at_index(coat.triangles[t][k])] += 2 * shape.triangle_area[t];
      about[at_index(coat.triangles[t][k])] += 1;
    }
  for (std::size_t v = 0; v < coat.size(); ++v) size[v] /= about[v];
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(9 * coat.triangles.size());
  for (std::size_t t = 0; t < coat.triangles.size(); ++t) {
    const Vec3i& c = coat.triangles[t];
    const double A = shape.triangle_area[t];
    const double local = (size[at_index(c[0])] + size[at_index(c[1])] + size[at_index(c[2])]) / 3;
    const double l2 = l < 0 ? local : l * l;
    Vec3d opposite[3];
    for (int k = 0; k < 3; ++k)
      opposite[k] = x[at_index(c[(k + 2) % 3])] - x[at_index(c[(k + 1) % 3])];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        entries.emplace_back(c[i], c[j],
                             A / (i == j ? 6 : 12) + l2 * dot(opposite[i], opposite[j]) / (4 * A));
  }
  const auto n = static_cast<Eigen::Index>(coat.size());
  Sparse m(n, n);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

}  // namespace

struct ContactFieldSensor::Solver {
  Sparse mass;                           // M
  Eigen::SimplicialLDLT<Sparse> factor;  // of M + l^2 K
};

ContactFieldSensor::ContactFieldSensor(std::span<const Vec3d> rest, std::span<const Vec3i> coat,
                                       double smoothing)
    : coat_(rest.size(), coat) {
  const std::vector<Vec3d> x = coat_.gather(rest);
  rest_shape_ = shape_of(coat_, x);
  mean_edge_ = mean_edge_of(coat_, x);
  smoothing_ = smoothing;
  if (!std::isfinite(smoothing))
    refuse("smoothing", std::to_string(smoothing), "must be a finite length",
           "give it in metres, about one edge of the coat");
  for (std::size_t t = 0; t < coat_.triangles.size(); ++t)
    if (!(rest_shape_.triangle_area[t] > 0) || !std::isfinite(rest_shape_.triangle_area[t]))
      refuse("coat triangle " + std::to_string(t), std::to_string(rest_shape_.triangle_area[t]),
             "must have an area at rest", "remove triangles without area from the mesh");
  auto solver = std::make_shared<Solver>();
  if (coat_.size() > 0) {
    solver->mass = assemble(coat_, x, rest_shape_, 0);
    solver->factor.compute(assemble(coat_, x, rest_shape_, smoothing_));
    if (solver->factor.info() != Eigen::Success)
      refuse("coat", std::to_string(coat_.size()) + " vertices", "cannot be projected on",
             "remove triangles that are nearly without area from the mesh");
  }
  solver_ = std::move(solver);
}

std::vector<double> ContactFieldSensor::touched(const NodalContact& contact) const {
  std::vector<double> part(coat_.size());
  for (std::size_t v = 0; v < coat_.size(); ++v)
    part[v] =
        std::clamp(contact.area[at_index(coat_.node[v])] / rest_shape_.vertex_area[v], 0., 1.);
  return part;
}

ContactField ContactFieldSensor::measure(std::span<const Vec3d> nodes,
                                         const NodalContact& contact) const {
  ContactField out;
  out.position = coat_.gather(nodes);
  const std::vector<Vec3d> f = coat_.gather(contact.force);
  out.shape = shape_of(coat_, out.position);
  out.touched = touched(contact);
  Vec3d all = Vec3d::zero(), on_coat = Vec3d::zero();
  bool any = false;
  for (const Vec3d& x : contact.force) all += x;
  Eigen::MatrixX3d rhs(static_cast<Eigen::Index>(coat_.size()), 3);
  for (std::size_t v = 0; v < coat_.size(); ++v) {
    on_coat += f[v];
    for (int c = 0; c < 3; ++c) {
      rhs(static_cast<Eigen::Index>(v), c) = f[v][c];
      any = any || f[v][c] != 0;
    }
  }
  out.off_coat = all - on_coat;
  Eigen::MatrixX3d t = rhs;
  if (any) {
    t = solver_->factor.solve(rhs);
    const Eigen::MatrixX3d left = rhs - solver_->mass * t;
    t += solver_->factor.solve(left);
  }
  out.traction.resize(coat_.size());
  out.pressure.resize(coat_.size());
  out.shear.resize(coat_.size());
  for (std::size_t v = 0; v < coat_.size(); ++v) {
    const double now = out.shape.vertex_area[v];
    const double ratio = now > 0 ? rest_shape_.vertex_area[v] / now : 1;
    const auto row = static_cast<Eigen::Index>(v);
    const Vec3d own = Vec3d{{t(row, 0), t(row, 1), t(row, 2)}} * ratio;
    const Vec3d& n = out.shape.normal[v];
    out.traction[v] = own;
    out.pressure[v] = any ? -dot(own, n) : 0.0;
    out.shear[v] = own + n * out.pressure[v];
  }
  return out;
}

ContactPatch ContactFieldSensor::patch(std::span<const Vec3d> nodes,
                                       const NodalContact& contact) const {
  ContactPatch out;
  const std::vector<Vec3d> x = coat_.gather(nodes);
  const CoatShape shape = shape_of(coat_, x);
  const std::vector<double> part = touched(contact);
  for (std::size_t t = 0; t < coat_.triangles.size(); ++t) {
    const Vec3i& c = coat_.triangles[t];
    const double inside = (part[at_index(c[0])] + part[at_index(c[1])] + part[at_index(c[2])]) / 3;
    out.area += shape.triangle_area[t] * inside;
    out.inside.push_back(inside >= 0.5 - 1e-12);
  }
  double pressed = 0;
  Vec3d moment = Vec3d::zero();
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    out.force += contact.force[v];
    out.torque += cross(nodes[v], contact.force[v]);
    pressed -= contact.force[v][2];
    moment -= nodes[v] * contact.force[v][2];
  }
  if (pressed > 0) out.centre = moment * (1 / pressed);
  return out;
}

Vec3d total_force(const Coat& coat, const ContactField& field) {
  Vec3d f = Vec3d::zero();
  for (std::size_t v = 0; v < coat.size(); ++v) f += field.traction[v] * field.shape.vertex_area[v];
  return f;
}

Vec3d total_torque(const Coat& coat, const ContactField& field) {
  // Both factors are linear: the rule of edge middles is exact for their product.
  Vec3d m = Vec3d::zero();
  for (std::size_t t = 0; t < coat.triangles.size(); ++t) {
    const Vec3i& c = coat.triangles[t];
    for (int k = 0; k < 3; ++k) {
      const std::size_t a = at_index(c[k]), b = at_index(c[(k + 1) % 3]);
      m += cross((field.position[a] + field.position[b]) * 0.5,
                 (field.traction[a] + field.traction[b]) * 0.5) *
           (field.shape.triangle_area[t] / 3);
    }
  }
  return m;
}

}  // namespace haptos
