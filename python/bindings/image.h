// An Image as a numpy array.
#pragma once

#include "bind.h"
#include "haptos/render/image/image.h"

namespace haptos::python {

using ImageOut = OutArray<std::uint8_t, -1, -1, 3>;

/// (height, width, 3), sRGB; the bytes are moved, not copied.
ImageOut image_array(Image image);

}  // namespace haptos::python
