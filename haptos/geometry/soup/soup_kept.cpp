#include "haptos/geometry/soup/soup_kept.h"

#include "haptos/base/cache/cache_folder.h"
#include "haptos/base/cache/kept_file.h"
#include "haptos/base/cache/kept_parts.h"

#ifndef HAPTOS_SOUP_SOURCES
#error "HAPTOS_SOUP_SOURCES: a hash of the code that makes soups, set by the build"
#endif

namespace haptos {
namespace {

constexpr std::uint64_t kMostBytes = 1ull << 30;

// A face without the gap behind its last member, which has no value.
struct KeptFace {
  int v[3], edge[3], plane, sided;
};

class Writer : public PartsWriter {
 public:
  using PartsWriter::operator();
  void operator()(const std::vector<TriangleSoup::Face>& faces) {
    std::vector<KeptFace> kept;
    kept.reserve(faces.size());
    for (const TriangleSoup::Face& f : faces)
      kept.push_back(
          {{f.v[0], f.v[1], f.v[2]}, {f.edge[0], f.edge[1], f.edge[2]}, f.plane, f.sided ? 1 : 0});
    (*this)(kept);
  }
};

class Reader : public PartsReader {
 public:
  using PartsReader::operator();
  using PartsReader::PartsReader;
  void operator()(std::vector<TriangleSoup::Face>& faces) {
    std::vector<KeptFace> kept;
    (*this)(kept);
    faces.reserve(kept.size());
    for (const KeptFace& f : kept)
      faces.push_back(
          {{{f.v[0], f.v[1], f.v[2]}}, {{f.edge[0], f.edge[1], f.edge[2]}}, f.plane, f.sided != 0});
  }
};

Digest key_of(const TriMesh& mesh, TriangleSoup::Sides sides, double shrink_by) {
  Digest key;
  key.add(std::string(HAPTOS_SOUP_SOURCES));
  key.add(static_cast<std::uint64_t>(sides));
  key.add(&shrink_by, sizeof shrink_by);
  key.add(mesh.vertices), key.add(mesh.triangles), key.add(mesh.segments), key.add(mesh.points);
  return key;
}

}  // namespace

std::shared_ptr<const TriangleSoup> kept_soup(const TriMesh& mesh, const std::string& element,
                                              TriangleSoup::Sides sides, double shrink_by) {
  const auto make = [&] { return std::make_shared<TriangleSoup>(mesh, element, sides, shrink_by); };
  if (mesh.triangles.size() < kKeptTriangles) return make();
  const KeptFiles files(cache_folder("soups"), kMostBytes);
  const Digest key = key_of(mesh, sides, shrink_by);
  if (const auto bytes = files.read(key)) {
    auto soup = std::make_shared<TriangleSoup>();
    Reader reader(*bytes);
    soup->each_part(reader);
    if (reader.whole()) return soup;
  }
  const auto soup = make();
  Writer writer;
  soup->each_part(writer);
  files.write(key, writer.bytes());
  return soup;
}

}  // namespace haptos
