// What is made of a mesh and costs time or memory is made once for all who hold that mesh.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// Things T made of meshes, found again by the mesh that they were made of. Holds none alive.
template <class T>
class MadeOf {
 public:
  /// The one that was made of this mesh, as long as someone has both; else what make() gives. Any
  /// number of threads may ask; where two make the same at a time, each may get its own.
  template <class Make>
  std::shared_ptr<const T> of(const std::shared_ptr<const TriMesh>& mesh, Make&& make) {
    if (auto known = find(mesh)) return known;
    std::shared_ptr<const T> thing = make();  // not under the lock: it may use threads itself
    if (auto known = find(mesh)) return known;
    const std::lock_guard lock(mutex_);
    all_.push_back({mesh, thing});
    return thing;
  }

 private:
  struct Made {
    std::weak_ptr<const TriMesh> mesh;
    std::weak_ptr<const T> thing;
  };
  std::shared_ptr<const T> find(const std::shared_ptr<const TriMesh>& mesh) {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [](const Made& m) { return m.mesh.expired() || m.thing.expired(); });
    for (const Made& m : all_)
      if (!m.mesh.owner_before(mesh) && !mesh.owner_before(m.mesh))
        if (auto thing = m.thing.lock()) return thing;
    return nullptr;
  }
  std::mutex mutex_;
  std::vector<Made> all_;
};

}  // namespace haptos
