// A cache folder of a test's own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace haptos::test {

class KeptFolder : public testing::Test {
 protected:
  void SetUp() override {
    const char* before = std::getenv("HAPTOS_CACHE");
    if (before) before_ = before;
    std::string name = (std::filesystem::temp_directory_path() / "haptos_kept_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("HAPTOS_CACHE", name.c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("HAPTOS_CACHE");
    else
      setenv("HAPTOS_CACHE", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  /// What is in a folder of it.
  std::vector<std::filesystem::path> files_in(const char* name) const {
    std::vector<std::filesystem::path> all;
    if (std::filesystem::exists(folder_ / name))
      for (const auto& f : std::filesystem::directory_iterator(folder_ / name))
        all.push_back(f.path());
    return all;
  }
  std::filesystem::path folder_;
  std::string before_;
};

}  // namespace haptos::test
