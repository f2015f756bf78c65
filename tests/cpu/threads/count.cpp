// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/threads/count.hpp>

#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "test.hpp"

namespace {
namespace fs = std::filesystem;

/// A folder of control groups as the system shows them.
struct Groups {
  fs::path root = fs::temp_directory_path() / ("weft_cgroup_" + std::to_string(getpid()));
  Groups() { fs::create_directories(root); }
  ~Groups() { fs::remove_all(root); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << "\n";
  }
  int cores(const std::string& own) const {
    write("own", own);
    return weft::cpu::quota_of_cores(root.c_str(), (root / "own").c_str());
  }
};

struct Environment {
  ~Environment() {
    unsetenv("WEFT_NUM_THREADS");
    unsetenv("OMP_NUM_THREADS");
  }
};
}  // namespace

TEST_CASE("the quota of control groups, version 2") {
  const Groups groups;
  CHECK(groups.cores("0::/") == 0);  // no file
  groups.write("cpu.max", "max 100000");
  CHECK(groups.cores("0::/") == 0);
  groups.write("cpu.max", "250000 100000");
  CHECK(groups.cores("0::/") == 3);
  groups.write("a/b/cpu.max", "max 100000");
  CHECK(groups.cores("0::/a/b") == 3);  // of the one above
  groups.write("a/cpu.max", "100000 100000");
  CHECK(groups.cores("0::/a/b") == 1);
  groups.write("a/b/cpu.max", "50000 100000");
  CHECK(groups.cores("0::/a/b") == 1);
  CHECK(groups.cores("0::/elsewhere") == 3);  // a container's own group is the root it sees
}

TEST_CASE("the quota of control groups, version 1") {
  const Groups groups;
  const std::string own = "5:cpuset:/x\n4:cpu,cpuacct:/x\n3:memory:/y";
  groups.write("cpu/x/cpu.cfs_period_us", "100000");
  groups.write("cpu/x/cpu.cfs_quota_us", "-1");
  CHECK(groups.cores(own) == 0);
  groups.write("cpu/x/cpu.cfs_quota_us", "400000");
  CHECK(groups.cores(own) == 4);
}

TEST_CASE("the environment's number counts before the cores") {
  const Environment restored;
  unsetenv("WEFT_NUM_THREADS");
  unsetenv("OMP_NUM_THREADS");
  const int own = weft::cpu::threads_of_environment();
  cpu_set_t cores;
  CPU_ZERO(&cores);
  REQUIRE(sched_getaffinity(0, sizeof(cores), &cores) == 0);
  CHECK(own >= 1);
  CHECK(own <= CPU_COUNT(&cores));
  setenv("OMP_NUM_THREADS", "5,2", 1);
  CHECK(weft::cpu::threads_of_environment() == 5);
  setenv("WEFT_NUM_THREADS", "3", 1);
  CHECK(weft::cpu::threads_of_environment() == 3);
  for (const char* none : {"0", "-2", "many", ""}) {
    setenv("WEFT_NUM_THREADS", none, 1);
    CHECK(weft::cpu::threads_of_environment() == 5);
  }
}
