// How far something is that takes long. It tells whoever listens on its thread, so that nothing
// that it goes through has to hand a listener on.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace haptos {

/// While one lives, its function is told on this thread; it may throw, which stops what is under
/// way. The one made last is told.
class ProgressListener {
 public:
  /// What is being done, and the part of it that is done, 0 to 1.
  using Tell = std::function<void(const std::string& what, double part)>;
  explicit ProgressListener(Tell tell);
  ~ProgressListener();
  ProgressListener(const ProgressListener&) = delete;
  ProgressListener& operator=(const ProgressListener&) = delete;

 private:
  friend void tell_progress(const std::string& what, double part);
  Tell tell_;
  ProgressListener* before_;
};

/// Tells the listener of this thread, if there is one.
void tell_progress(const std::string& what, double part);

}  // namespace haptos
