#include "haptos/scene/tactile/tactile_sensor.h"

#include <cmath>

#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"

namespace haptos {

void check_tactile_sensor(const TactileSensor& s) {
  const std::string who = "sensor \"" + printable(s.name) + "\"";
  if (s.name.empty() || s.name.size() > 100)
    refuse(who + " name", "", "must have 1 to 100 characters", "give it a short name");
  if (!(s.rate >= 0 && s.rate <= 1e6))
    refuse(who + " rate", to_text(s.rate), "must lie between 0 and 1e6",
           "give samples per second in Hz, 0 for one at every step");
  if (!(s.delay >= 0 && s.delay <= 100))
    refuse(who + " delay", to_text(s.delay), "must lie between 0 and 100", "give it in s");
  const Quat& q = s.frame.q;
  if (!(std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6))
    refuse(who + " quaternion",
           to_text(q.w) + " " + to_text(q.x) + " " + to_text(q.y) + " " + to_text(q.z),
           "must be four numbers of length 1 (w x y z)", "no turn is 1 0 0 0");
  for (const double x : s.frame.p.a)
    if (!(std::abs(x) < 1e5))
      refuse(who + " position", to_text(x), "must be finite and below 1e5", "give it in m");
  s.noise.check();
}

}  // namespace haptos
