// Room for the length of a scope, kept by the thread for whoever asks next: so that loops that run
// in every step allocate nothing once they have run, and room is one for each thread, not one for
// each of a thousand environments.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace haptos {

/// A T of this thread, as the last borrower left it: clear what is to be empty. Two that live at
/// the same time are two objects, also where a thread begins other work while it waits.
template <class T>
class Borrowed {
 public:
  Borrowed() {
    auto& spare = room();
    if (spare.empty()) {
      held_ = std::make_unique<T>();
      spare.reserve(spare.capacity() + 1);  // giving it back allocates nothing
      return;
    }
    held_ = std::move(spare.back());
    spare.pop_back();
  }
  ~Borrowed() { room().push_back(std::move(held_)); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  T& operator*() { return *held_; }
  T* operator->() { return held_.get(); }

 private:
  static std::vector<std::unique_ptr<T>>& room() {
    static thread_local std::vector<std::unique_ptr<T>> spare;
    return spare;
  }
  std::unique_ptr<T> held_;
};

}  // namespace haptos
