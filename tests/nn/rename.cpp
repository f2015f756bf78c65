#include "weft/nn/rename.hpp"

#include "test.hpp"

using weft::nn::Rename;
using Names = std::vector<std::string>;

TEST_CASE("pairs rename a tensor or all of a module") {
  const Rename none;
  CHECK(none("fc.weight") == "fc.weight");
  const Rename rename = {{"fc", "head"}, {"fc.bias", "never"}, {"features.1", "body"}, {"old", ""}};
  CHECK(rename("fc") == "head");
  CHECK(rename("fc.weight") == "head.weight");
  CHECK(rename("fc.bias") == "head.bias");
  CHECK(rename("fc2.weight") == "fc2.weight");
  CHECK(rename("features.1.weight") == "body.weight");
  CHECK(rename("features.10.weight") == "features.10.weight");
  CHECK(rename("my.fc.weight") == "my.fc.weight");
  CHECK(rename("old.bias").empty());
  CHECK(rename.unused({"fc.weight", "features.10.bias", "old"}) == Names{"fc.bias", "features.1"});
  CHECK(Rename(std::vector<Rename::Pair>{{"a", "b"}})("a.c") == "b.c");
}

TEST_CASE("a function renames") {
  const Rename rename = [](const std::string& name) { return "x" + name; };
  CHECK(rename("a") == "xa");
  CHECK(rename.unused({}).empty());
  const Rename text = [](std::string) { return "same"; };
  CHECK(text("a") == "same");
}
