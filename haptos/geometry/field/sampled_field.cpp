#include "haptos/geometry/field/sampled_field.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/progress.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/tree/winding_tree.h"

namespace haptos {
namespace {

// Cells around the box of the mesh.
constexpr int kPadding = 2;

// The surface, and what is inside of it.
class Surface {
 public:
  explicit Surface(const TriMesh& mesh) : tree_(mesh), winding_(mesh, tree_) {}

  double distance(const Vec3d& x, double limit = 1e300) const {
    return std::sqrt(tree_.nearest(x, limit).squared_distance);
  }
  /// The nearest point, which is no farther than `near`, one on the surface.
  Vec3d nearest(const Vec3d& x, const Vec3d& near) const {
    return tree_.nearest(x, norm(x - near) * (1 + 1e-6)).point;
  }
  Vec3d nearest(const Vec3d& x) const { return tree_.nearest(x).point; }
  double turns(const Vec3d& x) const { return vabs(winding_.winding(x)); }
  bool inside(const Vec3d& x) const { return turns(x) > 0.5; }

 private:
  SurfaceTree tree_;
  WindingTree winding_;
};

TriMesh checked(const TriMesh& mesh, const std::string& element) {
  const auto refuse = [&](const char* value, const char* rule, const char* remedy) {
    throw InputError({"", 0, 0, element, value, rule, remedy});
  };
  TriMesh m;
  m.vertices = mesh.vertices;
  for (const Vec3d& x : m.vertices)
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite(x[k]))
        refuse("not finite", "has a coordinate that is no number", "mend it");
  for (const Vec3i& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k)
      if (t[k] < 0 || at_index(t[k]) >= m.vertices.size())
        refuse("", "names a vertex that is not there", "mend the mesh");
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) m.triangles.push_back(t);
  }
  if (m.triangles.empty())
    refuse("0 triangles", "has no surface to measure distances to", "give triangles");
  orient(m);
  return m;
}

}  // namespace

SampledField::SampledField(const TriMesh& mesh, int resolution, const std::string& element) {
  const auto refuse = [&](std::string value, std::string rule, std::string remedy) {
    throw InputError({"", 0, 0, element, std::move(value), std::move(rule), std::move(remedy)});
  };
  if (resolution < 8 || resolution > 1024)
    refuse(std::to_string(resolution), "resolution must be 8 to 1024 cells along the longest side",
           "64 suits most bodies");
  const TriMesh oriented = checked(mesh, element);
  for (const Vec3i& t : oriented.triangles)
    for (int k = 0; k < 3; ++k) inside_.merge(oriented.vertices[at_index(t[k])]);
  const Vec3d size = inside_.extent();
  const double longest = std::max({size[0], size[1], size[2]});
  if (!(longest > 0)) refuse("0 m", "has no size", "give a surface");
  cell_ = longest / resolution, per_cell_ = 1 / cell_;
  for (int k = 0; k < 3; ++k) {
    const int cells = static_cast<int>(std::ceil(size[k] / cell_ - 1e-9)) + 2 * kPadding;
    blocks_[k] = (cells + kBlock - 1) / kBlock;
    origin_[k] = inside_.centre()[k] - 0.5 * cell_ * kBlock * blocks_[k];
  }
  const std::size_t block_count =
      at_index(blocks_[0]) * at_index(blocks_[1]) * at_index(blocks_[2]);
  if (const std::uint64_t most = block_count * kSamples * sizeof(float); most > kMostBytes)
    refuse(std::to_string(most >> 20) + " MiB at resolution " + std::to_string(resolution),
           "the distance field must take at most " + std::to_string(kMostBytes >> 20) + " MiB",
           "lower the resolution");

  const Surface surface(oriented);
  const auto corner = [&](int i, int j, int k) {
    return origin_ + cell_ * Vec3d{{double(i), double(j), double(k)}};
  };
  // Corners of blocks.
  const int nx = blocks_[0] + 1, ny = blocks_[1] + 1, nz = blocks_[2] + 1;
  coarse_.resize(at_index(nx) * at_index(ny) * at_index(nz));
  for_each(
      ny * nz,
      [&](std::ptrdiff_t row) {
        const int j = static_cast<int>(row) % ny, k = static_cast<int>(row) / ny;
        for (int i = 0; i < nx; ++i) {
          const Vec3d x = corner(kBlock * i, kBlock * j, kBlock * k);
          const double d = surface.distance(x);
          coarse_[at_index((k * ny + j) * nx + i)] = static_cast<float>(surface.inside(x) ? -d : d);
        }
      },
      1);
  // Blocks that are kept.
  std::vector<char> wanted(block_count);
  const double half = 0.5 * std::sqrt(3.0) * kBlock * cell_;
  const auto place_of = [&](std::size_t b) {
    const int i = static_cast<int>(b) % blocks_[0],
              j = static_cast<int>(b) / blocks_[0] % blocks_[1],
              k = static_cast<int>(b) / blocks_[0] / blocks_[1];
    return Vec3i{{i, j, k}};
  };
  for_each(
      static_cast<std::ptrdiff_t>(block_count),
      [&](std::ptrdiff_t b) {
        const Vec3i m = place_of(at_index(b));
        const Vec3d x = corner(kBlock * m[0], kBlock * m[1], kBlock * m[2]) +
                        Vec3d{{1, 1, 1}} * (0.5 * kBlock * cell_);
        const double most = half + kBand * cell_, d = surface.distance(x, most);
        wanted[at_index(b)] = d < half + kOutside * cell_ || (d < most && surface.inside(x));
      },
      16);
  block_.assign(block_count, -1);
  std::vector<std::size_t> kept;
  for (std::size_t b = 0; b < block_count; ++b)
    if (wanted[b]) block_[b] = static_cast<std::int32_t>(kept.size()), kept.push_back(b);
  value_.resize(kept.size() * kSamples);
  // Corners on faces belong to the last one of the blocks around that has samples.
  const auto owner = [&](const Vec3i& m, const Vec3i& at) {
    int low[3], high[3];
    for (int d = 0; d < 3; ++d) {
      low[d] = at[d] == 0 && m[d] > 0 ? m[d] - 1 : m[d];
      high[d] = at[d] == kBlock && m[d] + 1 < blocks_[d] ? m[d] + 1 : m[d];
    }
    for (int k = high[2]; k >= low[2]; --k)
      for (int j = high[1]; j >= low[1]; --j)
        for (int i = high[0]; i >= low[0]; --i)
          if (const std::int32_t b = block_at({i, j, k}); b >= 0) {
            const int in[3] = {at[0] + kBlock * (m[0] - i), at[1] + kBlock * (m[1] - j),
                               at[2] + kBlock * (m[2] - k)};
            return std::pair{b, in[0] + kSide * (in[1] + kSide * in[2])};
          }
    return std::pair{-1, 0};
  };
  // In batches, so that progress can be told.
  constexpr std::size_t kBatch = 256;
  std::vector<float> deepest(kept.size());
  for (std::size_t first = 0; first < kept.size(); first += kBatch) {
    tell_progress(element + ": distance field",
                  static_cast<double>(first) / static_cast<double>(kept.size()));
    for_each(
        static_cast<std::ptrdiff_t>(std::min(kBatch, kept.size() - first)),
        [&](std::ptrdiff_t n) {
          const std::size_t number = first + at_index(n);
          const Vec3i m = place_of(kept[number]);
          float* v = &value_[number * kSamples];
          float least = 0;
          // The nearest point of a sample is near that of the next one, which bounds the search;
          // and phi changes by the way between them at most, so away from the surface the side
          // stays. `row`: where a row starts.
          struct Last {
            Vec3d x, near;
            double phi = 0;
          } row, last;
          for (int k = 0; k < kSide; ++k)
            for (int j = 0; j < kSide; ++j) {
              last = row;
              for (int i = 0; i < kSide; ++i, ++v) {
                if (owner(m, {{i, j, k}}).first != static_cast<std::int32_t>(number)) continue;
                const Vec3d x = corner(kBlock * m[0] + i, kBlock * m[1] + j, kBlock * m[2] + k);
                const Vec3d near =
                    last.phi == 0 ? surface.nearest(x) : surface.nearest(x, last.near);
                const double d = norm(x - near), way = (1 + 1e-6) * norm(x - last.x);
                const bool same = last.phi != 0 && vabs(last.phi) > way;
                last = {x, near, (same ? last.phi < 0 : surface.inside(x)) ? -d : d};
                if (i == 0 || row.phi == 0) row = last;
                *v = static_cast<float>(last.phi);
                least = std::min(least, *v);
              }
            }
          deepest[number] = least;
        },
        1);
  }
  for_each(
      static_cast<std::ptrdiff_t>(kept.size()),
      [&](std::ptrdiff_t b) {
        const Vec3i m = place_of(kept[at_index(b)]);
        float* v = &value_[at_index(b) * kSamples];
        for (int n = 0; n < kSamples; ++n) {
          const auto [from, at] = owner(m, {{n % kSide, n / kSide % kSide, n / kSide / kSide}});
          if (from != b) v[n] = value_[at_index(from) * kSamples + at_index(at)];
        }
      },
      16);
  deepest.insert(deepest.end(), coarse_.begin(), coarse_.end());
  for (const float d : deepest) deepest_ = std::max(deepest_, -static_cast<double>(d));
  // A point on a sheet may be taken to be inside by rounding.
  if (!(deepest_ > 1e-3 * cell_))
    refuse("no point of it inside",
           "must enclose something, at the resolution of its distance field",
           "close its holes, raise the resolution, or give it a boundary layer");
  find_slopes();
  // How open it is: asked just inside of some faces.
  constexpr std::size_t kAsked = 64;
  const std::size_t stride = std::max<std::size_t>(1, oriented.triangles.size() / kAsked);
  double turns = 0;
  int asked = 0;
  for (std::size_t t = 0; t < oriented.triangles.size(); t += stride) {
    const Vec3i& v = oriented.triangles[t];
    const Vec3d &a = oriented.vertices[at_index(v[0])], &b = oriented.vertices[at_index(v[1])],
                &c = oriented.vertices[at_index(v[2])];
    const Vec3d n = cross(b - a, c - a);
    if (!(norm(n) > 0)) continue;
    const Vec3d off = normalized(n) * (1e-3 * std::sqrt(norm(n))), x = (a + b + c) * (1.0 / 3);
    turns += std::max(surface.turns(x - off), surface.turns(x + off));
    ++asked;
  }
  if (asked > 0) open_ = std::max(0.0, 1 - turns / asked);
}

Vec3i SampledField::cells() const {
  return {{kBlock * blocks_[0], kBlock * blocks_[1], kBlock * blocks_[2]}};
}

}  // namespace haptos
