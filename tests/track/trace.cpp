// SPDX-License-Identifier: Apache-2.0
#include <weft/track/trace.hpp>

#include <cstdlib>
#include <filesystem>

#include <weft/autograd.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using namespace weft;

TEST_CASE("statements between two calls are in the file, with their shapes") {
  const test::TemporaryFolder folder;
  const Tensor x = ones({4, 5});
  Tensor y = x + 1.0F;
  track::trace_statements();
  y = exp(x) * 2.0F;
  const Var v = parameter(x);
  sum(v * v).backward();
  track::trace_statements(false);
  y = tanh(x);
  track::save_trace(folder / "trace.json");
  const std::string json = test::read_bytes(folder / "trace.json");
  CHECK(json.find("\"name\": \"host\"") != std::string::npos);
  CHECK(json.find("\"name\": \"mul (4, 5)\", \"pid\": 0") != std::string::npos);
  CHECK(json.find("backward of sum(mul(float, float))") != std::string::npos);
  CHECK(json.find("tanh") == std::string::npos);
  track::save_trace(folder / "after.json");
  CHECK(test::read_bytes(folder / "after.json").find("\"ph\": \"X\"") == std::string::npos);
}

// Run by the next test as a program of its own.
TEST_CASE("a traced statement") { const Tensor y = cosh(ones({6, 7})); }

TEST_CASE("WEFT_TRACE traces a program from its start to its end") {
  const test::TemporaryFolder folder;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto run = [&](const std::string& value) {
    const std::string command = "cd " + std::string(folder / ".") + " && WEFT_TRACE=" + value +
                                " '" + self + "' --test-case='a traced statement' > /dev/null";
    return std::system(command.c_str());
  };
  const auto has_statement = [&](const char* file) {
    return test::read_bytes(folder / file).find("\"name\": \"cosh (6, 7)\"") != std::string::npos;
  };
  REQUIRE(run("named.json") == 0);
  CHECK(has_statement("named.json"));
  REQUIRE(run("1") == 0);
  CHECK(has_statement("weft_trace.json"));
  std::filesystem::remove(folder / "weft_trace.json");
  REQUIRE(run("0") == 0);
  CHECK(!std::filesystem::exists(folder / "weft_trace.json"));
}
