// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB_BUILD_NN  // what the library holds is defined here: files are read and written by
                           // it
#include <weft/io.hpp>
#include <weft/io/lib.hpp>
#undef WEFT_LIB_BUILD_NN

#include <filesystem>

#include "test.hpp"

namespace weft {}  // namespace weft

TEST_CASE("what weft::lib holds reads what it has written") {
  using namespace weft;
  const auto folder = std::filesystem::temp_directory_path() / "weft_io_lib";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "x.safetensors").string();
  save_safetensors(path,
                   StateDict{{"a", arange<float>(6).reshape(2, 3)}, {"b", arange<int64_t>(4)}});
  const StateDict back = load_safetensors(path);
  CHECK(equal(back.get<float>("a"), arange<float>(6).reshape(2, 3)));
  CHECK(equal(back.get<int64_t>("b"), arange<int64_t>(4)));
  const std::string array = (folder / "x.npy").string();
  save_npy(array, arange<int64_t>(5));
  CHECK(equal(load_npy<int64_t>(array), arange<int64_t>(5)));
  std::filesystem::remove_all(folder);
}
