// Compliances of coats, kept in the user's cache folder.
#include <map>
#include <mutex>
#include <string>

#include "haptos/base/cache/cache_folder.h"
#include "haptos/base/cache/kept_file.h"
#include "haptos/base/cache/kept_parts.h"
#include "haptos/sim/coats/condense.h"

#ifndef HAPTOS_COAT_SOURCES
#error "HAPTOS_COAT_SOURCES: a hash of the code that condenses pads, set by the build"
#endif

namespace haptos {
namespace {

constexpr std::uint64_t kMostBytes = 4ull << 30;

Digest key_of(const SoftBody& pad) {
  Digest key;
  key.add(std::string(HAPTOS_COAT_SOURCES));
  key.add(pad.mesh.vertices), key.add(pad.mesh.tets), key.add(pad.coat);
  for (const Glue& g : pad.glue) key.add(g.vertices);
  const Material& m = pad.material;
  key.add(std::vector<double>{m.poisson, static_cast<double>(m.law), m.mooney_ratio});
  key.add(static_cast<std::uint64_t>(pad.element));
  return key;
}

std::shared_ptr<const CoatCompliance> scaled(std::shared_ptr<CoatCompliance> c, double young) {
  const auto by = static_cast<float>(1 / young);
  for (float& v : c->matrix) v *= by;
  c->confined *= young;
  return c;
}

// Those in use, so that pads that are alike share theirs.
std::mutex in_use;
std::map<std::string, std::weak_ptr<const CoatCompliance>> used;

std::shared_ptr<const CoatCompliance> share(const std::string& name,
                                            std::shared_ptr<const CoatCompliance> c) {
  const std::lock_guard<std::mutex> alone(in_use);
  used[name] = c;
  return c;
}

}  // namespace

// Kept for a modulus of 1 Pa: a pad gives way in proportion to one over its own.
std::shared_ptr<const CoatCompliance> kept_compliance(const SoftBody& given) {
  SoftBody pad = given;
  pad.material.young = 1;
  const KeptFiles files(cache_folder("coats"), kMostBytes);
  const Digest key = key_of(pad);
  const std::string name = key.text() + " " + std::to_string(given.material.young);
  {
    const std::lock_guard<std::mutex> alone(in_use);
    if (auto known = used[name].lock()) return known;
  }
  auto c = std::make_shared<CoatCompliance>();
  if (const auto bytes = files.read(key)) {
    PartsReader reader(*bytes);
    c->each_part(reader);
    if (reader.whole()) return share(name, scaled(std::move(c), given.material.young));
  }
  *c = condense(pad);
  PartsWriter writer;
  c->each_part(writer);
  files.write(key, writer.bytes());
  return share(name, scaled(std::move(c), given.material.young));
}

}  // namespace haptos
