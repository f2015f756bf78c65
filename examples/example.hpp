// What the examples share: weft for the compiler at hand, the choice of the device, and checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include <weft/all.hpp>
#else
#include <weft/weft.hpp>
#endif

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

namespace example {

/// Says whether something that must hold does.
inline bool check(const char* what, bool holds) {
  std::cout << (holds ? "ok: " : "WRONG: ") << what << "\n";
  return holds;
}

/// A bar that grows with each step of a loop, on a terminal; nothing where the output is a file.
class Progress {
 public:
  explicit Progress(weft::int64_t steps) : steps_(isatty(STDOUT_FILENO) != 0 ? steps : 0) {}
  ~Progress() {
    if (shown_ > 0) std::printf("\r%*s\r", width + 2, "");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step() {
    if (steps_ == 0) return;
    const int wanted = static_cast<int>(++done_ * width / steps_);
    if (wanted == shown_) return;
    shown_ = wanted;
    std::printf("\r[%s%*s]", std::string(static_cast<std::size_t>(shown_), '=').c_str(),
                width - shown_, "");
    std::fflush(stdout);
  }

 private:
  static constexpr int width = 40;
  weft::int64_t steps_;
  weft::int64_t done_ = 0;
  int shown_ = 0;
};

/// The path that a program was called with before its options, which is taken off; else
/// `otherwise`.
inline std::string path_of(int& argc, char**& argv, const char* otherwise) {
  if (argc == 1 || argv[1][0] == '-') return otherwise;
  const std::string path = argv[1];
  argv[1] = argv[0];
  --argc;
  ++argv;
  return path;
}

/// The exit code of a program: run(Cpu{}), or run(Cuda{}) where it is called with `--device cuda`.
template <class Run>
int main(int argc, char** argv, Run run) {
  std::string device = argc == 1 ? "cpu" : "";
  if (argc == 3 && std::string(argv[1]) == "--device") device = argv[2];
  try {
    if (device == "cpu") return run(weft::Cpu{});
#ifdef __CUDACC__
    if (device == "cuda" && weft::cuda::is_available()) return run(weft::Cuda{});
    if (device == "cuda") {
      std::cout << "skipped: there is no GPU that CUDA can use\n";
      return 77;
    }
#else
    if (device == "cuda") {
      std::cerr << "this program was built without CUDA: nvcc builds " << argv[0] << "_cuda\n";
      return 2;
    }
#endif
  } catch (const weft::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  std::cerr << "usage: " << argv[0] << " [--device cpu|cuda]\n";
  return 2;
}

}  // namespace example
