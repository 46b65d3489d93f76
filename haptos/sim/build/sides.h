// What moves a body that something holds on to: the link of a robot, an affine or a prescribed
// body.
#pragma once

#include <memory>
#include <string>

#include "haptos/base/math/rotation.h"
#include "haptos/system/link.h"

namespace haptos {

struct Model;
struct Workspace;

/// The link that a name means; null and the place of its frame where that does not move.
struct Side {
  std::shared_ptr<const Link> link;
  Pose still;  ///< of the body's frame, where there is no link
};

/// @param name  of an affine or a prescribed body or a link; "": the world
Side side_of(const Model& model, const Workspace& w, const std::string& name);

}  // namespace haptos
