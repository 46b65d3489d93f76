#include "haptos/geometry/field/field_kept.h"

#include "haptos/base/cache/cache_folder.h"
#include "haptos/base/cache/kept_file.h"
#include "haptos/base/cache/kept_parts.h"

#ifndef HAPTOS_FIELD_SOURCES
#error "HAPTOS_FIELD_SOURCES: a hash of the code that makes fields, set by the build"
#endif

namespace haptos {
namespace {

constexpr std::uint64_t kMostBytes = 1ull << 30;

}  // namespace

std::shared_ptr<const SampledField> kept_field(const TriMesh& mesh, int resolution,
                                               const std::string& element) {
  const KeptFiles files(cache_folder("fields"), kMostBytes);
  Digest key;
  key.add(std::string(HAPTOS_FIELD_SOURCES));
  key.add(static_cast<std::uint64_t>(resolution));
  key.add(mesh.vertices), key.add(mesh.triangles);
  if (const auto bytes = files.read(key)) {
    auto field = std::make_shared<SampledField>();
    PartsReader reader(*bytes);
    field->each_part(reader);
    if (reader.whole()) return field;
  }
  auto field = std::make_shared<SampledField>(mesh, resolution, element);
  PartsWriter writer;
  field->each_part(writer);
  files.write(key, writer.bytes());
  return field;
}

}  // namespace haptos
