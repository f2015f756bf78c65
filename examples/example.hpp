// What the examples share: weft for the compiler at hand, the choice of the device, and checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include <weft/all.hpp>
#else
#include <weft/weft.hpp>
#endif

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

namespace example {

/// Says whether something that must hold does.
inline bool check(const char* what, bool holds) {
  std::cout << (holds ? "ok: " : "WRONG: ") << what << "\n";
  return holds;
}

/// The folder for what an example leaves, weft_examples/NAME among the system's temporary files.
inline std::filesystem::path results(const char* name) {
  return std::filesystem::temp_directory_path() / "weft_examples" / name;
}

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
