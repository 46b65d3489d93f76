// Distance fields in the cache folder: what is read is what was made, and what is not whole is made
// anew.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "haptos/geometry/field/field_kept.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/unit/kept_folder.h"

namespace haptos {
namespace {

class KeptField : public test::KeptFolder {};

void same(const SampledField& a, const SampledField& b) {
  EXPECT_EQ(a.bytes(), b.bytes());
  for (int i = 0; i < 500; ++i) {
    const Vec3d x{{0.06 * std::sin(1.0 * i), 0.06 * std::sin(1.7 * i), 0.06 * std::cos(2.3 * i)}};
    EXPECT_EQ(a.phi(x), b.phi(x));
  }
}

TEST_F(KeptField, IsWhatWasMade) {
  const TriMesh ball = icosphere(0.05, 0.01);
  const auto made = kept_field(ball, 24), read = kept_field(ball, 24);
  ASSERT_EQ(files_in("fields").size(), 1u);
  EXPECT_NE(made.get(), read.get());
  same(*made, *read);
  same(*made, SampledField(ball, 24));
  kept_field(ball, 32);
  EXPECT_EQ(files_in("fields").size(), 2u);
}

TEST_F(KeptField, IsMadeAnewWhereTheFileIsDamaged) {
  const TriMesh ball = icosphere(0.05, 0.01);
  const auto made = kept_field(ball, 24);
  const auto file = files_in("fields").front();
  const auto size = std::filesystem::file_size(file);
  for (const auto at : {std::uintmax_t{0}, size / 2, size - 1}) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const char before = static_cast<char>(f.get());
    f.seekp(static_cast<std::streamoff>(at));
    f.put(static_cast<char>(before ^ 0x40));
    f.close();
    same(*kept_field(ball, 24), *made);
    ASSERT_EQ(std::filesystem::file_size(file), size);
  }
  std::filesystem::resize_file(file, size / 3);
  same(*kept_field(ball, 24), *made);
}

TEST_F(KeptField, NothingIsKeptWhereTheCacheIsOff) {
  setenv("HAPTOS_CACHE", "off", 1);
  same(*kept_field(icosphere(0.05, 0.01), 24), SampledField(icosphere(0.05, 0.01), 24));
  EXPECT_TRUE(files_in("fields").empty());
}

}  // namespace
}  // namespace haptos
