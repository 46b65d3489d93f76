#include "haptos/bodies/elastic/soft_element.h"

#include <algorithm>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

constexpr int kLanes = ElementSlots::kLanes;

Mat3d edges(const TetMesh& m, const Vec4i& t) {
  auto x = [&](int a) { return m.vertices[at_index(t[a])]; };
  return columns(x(1) - x(0), x(2) - x(0), x(3) - x(0));
}

// Columns: rest gradients of the four corners' hat functions.
Mat<double, 3, 4> hat_gradients(const TetMesh& m, const Vec4i& t) {
  const Mat3d b = transpose(inverse(edges(m, t)));
  Mat<double, 3, 4> g;
  for (int i = 0; i < 3; ++i) {
    g(i, 0) = -(b(i, 0) + b(i, 1) + b(i, 2));
    for (int a = 0; a < 3; ++a) g(i, a + 1) = b(i, a);
  }
  return g;
}

// The vertices of element e: the four given corners, then the middles in ascending order.
std::vector<int> element_vertices(const SoftModel& m, int e) {
  const Vec4i& given = m.given_tets[at_index(e)];
  std::vector<int> v = {given[0], given[1], given[2], given[3]};
  if (m.patch_size == 1) return v;
  std::vector<int> middle;
  for (int k = 0; k < 8; ++k)
    for (int a = 0; a < 4; ++a) {
      const int p = m.rest.tets[at_index(8 * e + k)][a];
      if (std::find(v.begin(), v.end(), p) == v.end()) middle.push_back(p);
    }
  std::sort(middle.begin(), middle.end());
  middle.erase(std::unique(middle.begin(), middle.end()), middle.end());
  v.insert(v.end(), middle.begin(), middle.end());
  return v;
}

// g_aq of the composite element: projection of the children's gradients on linear fields,
//   sum_l M_kl c_l = sum_s V_s lambda_k(centroid_s) G_s,  M_kl = V/20 (1 + delta_kl),
// read at the four points whose own barycentric coordinate is (5 + 3 sqrt 5) / 20.
void composite_gradients(const SoftModel& m, int e, const std::vector<int>& v, double* g) {
  const Vec4i& given = m.given_tets[at_index(e)];
  const Mat3d to_barycentric = inverse(edges(m.rest, given));
  const Vec3d& origin = m.rest.vertices[at_index(given[0])];
  double volume = 0;
  std::vector<Vec3d> moment(40, Vec3d::zero());  // [k * 10 + a]
  for (int k = 0; k < 8; ++k) {
    const Vec4i& t = m.rest.tets[at_index(8 * e + k)];
    const Mat<double, 3, 4> G = hat_gradients(m.rest, t);
    const double V = det(edges(m.rest, t)) / 6.0;
    volume += V;
    Vec3d centroid = Vec3d::zero();
    for (int a = 0; a < 4; ++a) centroid += 0.25 * m.rest.vertices[at_index(t[a])];
    const Vec3d b = to_barycentric * (centroid - origin);
    const double lambda[4] = {1 - b[0] - b[1] - b[2], b[0], b[1], b[2]};
    for (int a = 0; a < 4; ++a) {
      const auto node = std::find(v.begin(), v.end(), t[a]) - v.begin();
      for (int l = 0; l < 4; ++l) moment[at_index(l * 10 + node)] += (V * lambda[l]) * column(G, a);
    }
  }
  // M^-1 = 20/V (I - 1/5 ones).
  const double own = (5 + 3 * sqrt(5.0)) / 20, other = (5 - sqrt(5.0)) / 20;
  for (int a = 0; a < 10; ++a) {
    Vec3d sum = Vec3d::zero();
    for (int l = 0; l < 4; ++l) sum += moment[at_index(l * 10 + a)];
    for (int q = 0; q < 4; ++q) {
      Vec3d value = Vec3d::zero();
      for (int l = 0; l < 4; ++l)
        value +=
            (moment[at_index(l * 10 + a)] - 0.2 * sum) * ((l == q ? own : other) * 20 / volume);
      for (int c = 0; c < 3; ++c) g[(q * 10 + a) * 3 + c] = value[c];
    }
  }
}

std::vector<int> all_nodes(const SoftModel& m, int first_point) {
  std::vector<int> nodes;
  for (int e = 0; e < static_cast<int>(m.given_tets.size()); ++e)
    for (int v : element_vertices(m, e)) nodes.push_back(first_point + v);
  return nodes;
}

}  // namespace

std::vector<double> lumped_mass(const TetMesh& mesh, double density) {
  std::vector<double> m(mesh.vertices.size(), 0.0);
  for (const Vec4i& t : mesh.tets) {
    const double quarter = density * det(edges(mesh, t)) / 24.0;
    for (int a = 0; a < 4; ++a) m[at_index(t[a])] += quarter;
  }
  return m;
}

// mu (|g|^2 I + g g^T) is the block of a node with rest gradient g, per volume.
std::vector<double> stiffness_diagonal(const SoftElements& s, const Lame& moduli) {
  std::vector<double> k(s.node_mass.size(), 0.0);
  const int first = *std::min_element(s.corner.begin(), s.corner.end());
  const int n = s.nodes, m = s.quadrature;
  for (int e = 0; e < s.element_count; ++e)
    for (int q = 0; q < m; ++q)
      for (int a = 0; a < n; ++a)
        k[at_index(s.corner[at_index(e * n + a)] - first)] +=
            4.0 / 3.0 * moduli.mu * squared_norm(s.rest_gradient(e, q, a)) * s.volume[at_index(e)] /
            m;
  return k;
}

SoftElements::SoftElements(const Points& points, const SoftModel& model, int first_point,
                           const Material& mat)
    : scatter(points, all_nodes(model, first_point), model.patch_size == 1 ? 4 : 10),
      nodes(scatter.nodes_per_element()),
      quadrature(nodes == 4 ? 1 : 4),
      element_count(scatter.element_count()),
      group_count((element_count + kLanes - 1) / kLanes),
      material(mat),
      lame_parameters(lame(mat.young, mat.poisson)),
      node_mass(lumped_mass(model.rest, mat.density)) {
  const int entries = quadrature * nodes * 3;
  gradient.resize(at_index(static_cast<std::ptrdiff_t>(group_count) * entries * kLanes));
  volume.assign(at_index(group_count * kLanes), 0.0);
  corner.resize(at_index(group_count * kLanes * nodes));
  std::vector<double> g(at_index(entries));
  // A law that knows no finite rotation measures from the orientation at the start.
  const bool turned = !traits_of(static_cast<ElasticLaw>(mat.law)).rotation_invariant;
  const Mat3d start = to_matrix(model.pose.q);
  for (int e = 0; e < group_count * kLanes; ++e) {
    const int source = std::min(e, element_count - 1);
    const Vec4i& t = model.given_tets[at_index(source)];
    if (nodes == 4) {
      const Mat<double, 3, 4> h = hat_gradients(model.rest, t);
      for (int a = 0; a < 4; ++a)
        for (int c = 0; c < 3; ++c) g[at_index(3 * a + c)] = h(c, a);
    } else {
      composite_gradients(model, source, element_vertices(model, source), g.data());
    }
    for (int i = 0; turned && i < entries; i += 3) {
      const Vec3d r = start * Vec3d{{g[at_index(i)], g[at_index(i + 1)], g[at_index(i + 2)]}};
      for (int c = 0; c < 3; ++c) g[at_index(i + c)] = r[c];
    }
    for (int i = 0; i < entries; ++i)
      gradient[at_index((static_cast<std::ptrdiff_t>(e / kLanes) * entries + i) * kLanes +
                        e % kLanes)] = g[at_index(i)];
    for (int a = 0; a < nodes; ++a) corner[at_index(e * nodes + a)] = scatter.node(source, a);
    if (e < element_count) volume[at_index(e)] = det(edges(model.rest, t)) / 6.0;
  }
  for (const Vec4i& t : model.rest.tets) {
    tet_volume.push_back(det(edges(model.rest, t)) / 6.0);
    if (model.patch_size > 1) inverse.push_back(haptos::inverse(edges(model.rest, t)));
    tets.push_back(
        {{t[0] + first_point, t[1] + first_point, t[2] + first_point, t[3] + first_point}});
  }
}

}  // namespace haptos
