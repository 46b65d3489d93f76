#include "haptos/base/progress.h"

namespace haptos {
namespace {

thread_local ProgressListener* listener = nullptr;

}  // namespace

ProgressListener::ProgressListener(Tell tell)
    : tell_(std::move(tell)), before_(std::exchange(listener, this)) {}

ProgressListener::~ProgressListener() { listener = before_; }

void tell_progress(const std::string& what, double part) {
  if (listener && listener->tell_) listener->tell_(what, part);
}

}  // namespace haptos
