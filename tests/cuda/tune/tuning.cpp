// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tune/tuning.hpp>

#include "test.hpp"

using weft::on_cuda::detail::Tuning;

TEST_CASE("launches ask for choices if measuring is wanted or choices are known") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("weft_tuning_" + std::to_string(::getpid())))
          .string();
  setenv("WEFT_TUNE_FILE", path.c_str(), 1);
  const auto starts = [](const char* tune) {
    tune != nullptr ? setenv("WEFT_TUNE", tune, 1) : unsetenv("WEFT_TUNE");
    return Tuning::get().start();
  };
  CHECK_FALSE(starts(nullptr));
  CHECK_FALSE(starts("0"));
  CHECK(starts("1"));
  std::ofstream(path) << weft::on_cuda::detail::tuned_header << "\n";
  CHECK_FALSE(starts(nullptr));
  std::ofstream(path) << weft::on_cuda::detail::tuned_header
                      << "\nGPU\trows 1\t8x8\tplanned\t1\t1\tf\n";
  CHECK(starts(nullptr));
  CHECK_FALSE(starts("0"));
  CHECK(Tuning::get().path() == path);
  std::filesystem::remove(path);
  setenv("WEFT_TUNE_FILE", "", 1);
  CHECK_FALSE(starts(nullptr));
}
