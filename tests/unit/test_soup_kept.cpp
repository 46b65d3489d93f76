// Soups of large meshes in the cache folder: what is read is what was made, and what is not whole
// is made anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "haptos/base/cache/cache_folder.h"
#include "haptos/base/cache/kept_file.h"
#include "haptos/base/parallel.h"
#include "haptos/base/progress.h"
#include "haptos/geometry/soup/soup_kept.h"
#include "layer_cases.h"
#include "tests/unit/kept_folder.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;

class Kept : public test::KeptFolder {
 protected:
  std::vector<fs::path> files() const { return files_in("soups"); }
};

// All that a soup holds, as bytes.
std::string bytes_of(const TriangleSoup& soup) {
  std::string all;
  const auto add = [&](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_same_v<Part, std::vector<TriangleSoup::Face>>) {
      for (const TriangleSoup::Face& f : part)
        for (const int i :
             {f.v[0], f.v[1], f.v[2], f.edge[0], f.edge[1], f.edge[2], f.plane, f.sided ? 1 : 0})
          all.append(reinterpret_cast<const char*>(&i), sizeof i);
    } else if constexpr (requires {
                           part.data();
                           part.size();
                         }) {
      all += std::to_string(part.size()) + ":";
      all.append(reinterpret_cast<const char*>(part.data()), part.size() * sizeof(part[0]));
    } else {
      all.append(reinterpret_cast<const char*>(&part), sizeof part);
    }
  };
  const_cast<TriangleSoup&>(soup).each_part(add);
  return all;
}

TriMesh large() { return shuffled(cut_cube(0.1, 70, 0.3, 1), 2, 0.5); }  // 58,800 triangles

TEST_F(Kept, SoupsAreReadAsTheyWereMade) {
  const TriMesh mesh = large();
  const TriangleSoup made(mesh);
  const auto first = kept_soup(mesh);
  ASSERT_EQ(files().size(), 1U);
  const auto second = kept_soup(mesh);
  EXPECT_EQ(bytes_of(*first), bytes_of(made));
  EXPECT_EQ(bytes_of(*second), bytes_of(made));
  const TriangleSoup cube(cut_cube(0.1, 1, 0));
  const Pose above{{{0, 0, 0.104}}, {}};
  const auto a = layer_samples(cube, above, 2.5e-3, made, {}, 2.5e-3);
  const auto b = layer_samples(cube, above, 2.5e-3, *second, {}, 2.5e-3);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(norm(a[k].p_a - b[k].p_a), 0);
}

TEST_F(Kept, OfOtherSidesOrAnotherMeshIsAnotherFile) {
  TriMesh mesh = large();
  kept_soup(mesh);
  EXPECT_EQ(kept_soup(mesh, "mesh", TriangleSoup::Sides::kTwo)->sided(), 0);
  EXPECT_EQ(files().size(), 2U);
  mesh.vertices[7][0] += 1e-12;
  kept_soup(mesh);
  EXPECT_EQ(files().size(), 3U);
}

TEST_F(Kept, DamagedFilesAreMadeAnew) {
  const TriMesh mesh = large();
  const std::string whole = bytes_of(*kept_soup(mesh));
  const fs::path file = files().front();
  const auto size = fs::file_size(file);
  for (const std::uintmax_t at : {std::uintmax_t{3}, std::uintmax_t{20}, size / 2, size - 1}) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const char c = static_cast<char>(f.get() ^ 1);
    f.seekp(static_cast<std::streamoff>(at));
    f.put(c);
    f.close();
    EXPECT_EQ(bytes_of(*kept_soup(mesh)), whole) << at;
  }
  for (const std::uintmax_t length : {std::uintmax_t{0}, std::uintmax_t{30}, size - 8}) {
    fs::resize_file(file, length);
    EXPECT_EQ(bytes_of(*kept_soup(mesh)), whole) << length;
  }
  EXPECT_EQ(fs::file_size(file), size);
}

TEST_F(Kept, SmallMeshesAndACacheThatIsOffLeaveNothing) {
  kept_soup(cut_cube(0.1, 3));
  EXPECT_TRUE(files().empty());
  setenv("HAPTOS_CACHE", "off", 1);
  EXPECT_TRUE(cache_folder("soups").empty());
  const TriMesh mesh = large();
  EXPECT_EQ(bytes_of(*kept_soup(mesh)), bytes_of(TriangleSoup(mesh)));
  EXPECT_TRUE(files().empty());
  EXPECT_FALSE(fs::exists("off"));
}

TEST_F(Kept, AFolderThatCannotBeWrittenToIsPassedOver) {
  std::ofstream(folder_ / "file") << "no folder";
  setenv("HAPTOS_CACHE", (folder_ / "file").c_str(), 1);
  const TriMesh mesh = large();
  EXPECT_EQ(bytes_of(*kept_soup(mesh)), bytes_of(TriangleSoup(mesh)));
}

TEST_F(Kept, WhatWasUsedLongestAgoGoesFirst) {
  const KeptFiles small(folder_ / "soups", 2500);
  const auto key = [](int k) {
    Digest d;
    d.add(static_cast<std::uint64_t>(k));
    return d;
  };
  const std::string bytes(1000, 'x');
  const auto age = [&](int k, int hours) {
    fs::last_write_time(folder_ / "soups" / (key(k).text() + ".kept"),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  small.write(key(1), bytes), age(1, 3);
  small.write(key(2), bytes), age(2, 2);
  EXPECT_TRUE(small.read(key(1)));  // used just now
  small.write(key(3), bytes);
  EXPECT_TRUE(small.read(key(1)));
  EXPECT_FALSE(small.read(key(2)));
  EXPECT_TRUE(small.read(key(3)));
  small.write(key(4), std::string(3000, 'x'));  // more than may be kept
  EXPECT_FALSE(small.read(key(4)));
}

TEST(Digest, OfMuchIsTheSameForAnyNumberOfThreads) {
  std::vector<double> much(700'000);
  for (std::size_t k = 0; k < much.size(); ++k) much[k] = std::sqrt(static_cast<double>(k));
  Digest all, one, other;
  all.add(much);
  {
    const SerialLoops serial;
    one.add(much);
  }
  EXPECT_EQ(all, one);
  much.back() = 0;
  other.add(much);
  EXPECT_FALSE(all == other);
  // Where one ends and the next begins counts.
  Digest ab, ba;
  ab.add(std::string("ab")), ab.add(std::string("c"));
  ba.add(std::string("a")), ba.add(std::string("bc"));
  EXPECT_FALSE(ab == ba);
}

TEST(Progress, IsToldInOrderAndMayStopIt) {
  std::vector<double> parts;
  {
    const ProgressListener listener([&](const std::string& what, double part) {
      EXPECT_EQ(what, "preparing cube");
      parts.push_back(part);
    });
    const TriangleSoup soup(cut_cube(0.1, 3), "cube");
  }
  ASSERT_GT(parts.size(), 4U);
  EXPECT_EQ(parts.front(), 0);
  EXPECT_EQ(parts.back(), 1);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  const auto told = parts.size();
  struct Stop {};
  const auto stopped = [] {
    const ProgressListener listener([](const std::string&, double part) {
      if (part > 0.3) throw Stop{};
    });
    const TriangleSoup soup(cut_cube(0.1, 3), "cube");
  };
  EXPECT_THROW(stopped(), Stop);
  const TriangleSoup after(cut_cube(0.1, 3), "cube");  // nobody listens
  EXPECT_EQ(parts.size(), told);
}

}  // namespace
}  // namespace haptos
