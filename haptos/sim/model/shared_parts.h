// What the workspaces of a model make alike: the first one makes it, and all hold it. Points and
// unknowns are numbered in one way for a model, so that what counts in them is shared too.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "haptos/bodies/elastic/soft_element.h"
#include "haptos/contact/surface.h"

namespace haptos {

/// Parts of one kind, numbered in the order in which a workspace asks for them.
template <class T>
class SharedList {
 public:
  template <class Make>
  std::shared_ptr<const T> get(std::size_t number, const Make& make) {
    const std::lock_guard<std::mutex> one(mutex_);
    if (number >= parts_.size()) parts_.resize(number + 1);
    if (!parts_[number]) parts_[number] = make();
    return parts_[number];
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const T>> parts_;
};

struct SharedParts {
  SharedList<SoftElements> elements;  ///< one per scene.soft
  SharedList<double> slowest;         ///< slowest_mode(), one per scene.soft
  SharedList<ContactSurface> surfaces;
};

}  // namespace haptos
