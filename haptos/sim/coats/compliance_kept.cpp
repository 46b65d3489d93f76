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

// Of a pad with a modulus of 1 Pa, read where it was kept.
CoatCompliance of_unit_modulus(SoftBody pad, const Digest& key) {
  const KeptFiles files(cache_folder("coats"), kMostBytes);
  if (const auto bytes = files.read(key)) {
    CoatCompliance kept;
    PartsReader reader(*bytes);
    kept.each_part(reader);
    if (reader.whole()) return kept;
  }
  pad.material.young = 1;
  CoatCompliance made = condense(pad);
  PartsWriter writer;
  made.each_part(writer);
  files.write(key, writer.bytes());
  return made;
}

// Those in use, so that pads that are alike share theirs.
std::mutex in_use;
std::map<std::string, std::weak_ptr<const CoatCompliance>> used;

}  // namespace

// A pad gives way in proportion to one over its modulus.
std::shared_ptr<const CoatCompliance> kept_compliance(const SoftBody& pad) {
  const double young = pad.material.young;
  const Digest key = key_of(pad);
  Digest own = key;
  own.add(std::vector<double>{young});
  const std::lock_guard<std::mutex> alone(in_use);
  std::weak_ptr<const CoatCompliance>& known = used[own.text()];
  if (auto c = known.lock()) return c;
  auto c = std::make_shared<CoatCompliance>(of_unit_modulus(pad, key));
  const auto by = static_cast<float>(1 / young);
  for (float& v : c->matrix) v *= by;
  for (float& v : c->own) v *= by;
  for (CoatCompliance::Near& v : c->near) v.give *= by;
  c->confined *= young;
  known = c;
  return c;
}

}  // namespace haptos
