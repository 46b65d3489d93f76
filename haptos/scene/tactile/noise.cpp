#include "haptos/scene/tactile/noise.h"

#include <string>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"

namespace haptos {

void TactileNoise::check() const {
  const auto demand = [](const char* name, double v, double low, double high, const char* remedy) {
    if (!(v >= low && v <= high))
      throw InputError({"", 0, 0, std::string("noise.") + name, to_text(v),
                        "must be " + to_text(low) + " to " + to_text(high), remedy});
  };
  if (morphology != 0 && (morphology < 3 || morphology > 101 || morphology % 2 == 0))
    throw InputError({"", 0, 0, "noise.morphology", std::to_string(morphology),
                      "must be 0 or an odd number of pixels, 3 to 101", "3 or 5 is usual"});
  demand("blur", blur, 0, 100, "1 to 3 pixels is usual");
  demand("texture", texture, 0, 1e-3, "give metres: 2e-6 is usual");
  demand("rgb", rgb, 0, 255, "1 to 7 grey values is usual");
  demand("gain", gain, 0, 100, "1 changes nothing");
  demand("gain_std", gain_std, 0, 10, "0.05 is usual");
  demand("offset", offset, -255, 255, "0 changes nothing");
  demand("offset_std", offset_std, 0, 255, "2 grey values is usual");
  demand("jitter", jitter, 0, 100, "0.5 pixels is usual");
  demand("loss", loss, 0, 1, "0.01 is usual");
  demand("interval", interval, 0, 0.5, "0.05 is usual");
  demand("fabrication", fabrication, 0, 0.01, "give metres: 1e-4 is usual");
  demand("rotation", rotation, 0, 3.15, "give radians: 0.1 is usual");
  demand("translation", translation, 0, 0.1, "give metres: 1e-3 is usual");
}

}  // namespace haptos
