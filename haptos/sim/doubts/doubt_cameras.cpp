// Cameras that see nothing but the inside of what carries them.
#include "haptos/base/text/text.h"
#include "haptos/geometry/field/shape_distance.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/robots.h"

namespace haptos {
namespace {

// Shapes whose inside a formula tells.
bool is_formula(ShapeKind kind) { return kind < ShapeKind::kHalfSpace; }

}  // namespace

void doubt_cameras(const Scene& scene, std::vector<std::string>& out) {
  for (const SceneCamera& c : scene.cameras) {
    const LinkName name = find_link(scene, c.frame);
    if (name.robot < 0) continue;
    const Robot& robot = scene.robots[static_cast<std::size_t>(name.robot)].robot;
    const RobotLink& link = robot.links[static_cast<std::size_t>(name.link)];
    // What pictures show of a link.
    for (const RobotShape& s : link.visuals.empty() ? link.collisions : link.visuals) {
      if (!is_formula(s.shape.kind)) continue;
      const Vec3d x = to_local(s.frame, c.pose.p);
      const double deep = -shape_distance(s.shape.kind, s.shape.size, x).phi;
      if (!(deep > c.near)) continue;
      out.push_back("Camera \"" + printable(c.name) + "\" is " + length_text(deep) +
                    " inside of \"" + printable(c.frame) +
                    "\", which carries it, and sees its inside; move it out by pose: position, or "
                    "raise near");
      break;
    }
  }
}

}  // namespace haptos
