// What the examples share: weft for the compiler at hand, the choice of the device, and checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include <weft/cuda.hpp>
#else
#include <weft/weft.hpp>
#endif

#include <weft/track/progress.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

namespace example {

/// Says whether something that must hold does.
inline bool check(const char* what, bool holds) {
  std::cout << (holds ? "ok: " : "WRONG: ") << what << "\n";
  return holds;
}

/// A bar that grows with each step() of a loop, on a terminal; nothing where the output is a file.
using Progress = weft::track::ProgressLine;

/// The folder for what an example leaves, weft_examples/NAME among the system's temporary files.
inline std::filesystem::path results(const std::string& name) {
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

/// What a program was called with, besides the device. Programs that train take `--resume`, and
/// `--stop N` to end after epoch N (checkpoint.hpp).
struct Options {
  bool resume = false;
  int stop = 0;
};
inline Options options;

/// Thrown after the epoch that `--stop` names.
struct Stopped {};

/// The exit code of a program: run(Cpu{}), or run(Cuda{}) where it is called with `--device cuda`.
template <class Run>
int main(int argc, char** argv, Run run) {
  std::string device = "cpu";
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool valued = i + 1 < argc;
    if (option == "--resume") {
      options.resume = true;
    } else if (option == "--device" && valued) {
      device = argv[++i];
    } else if (option == "--stop" && valued && std::atoi(argv[i + 1]) > 0) {
      options.stop = std::atoi(argv[++i]);
    } else {
      device = "";
      break;
    }
  }
  try {
#if !defined(WEFT_EXAMPLES_WITHOUT_CPU)  // where the same program is compiled for the CPU by itself
    if (device == "cpu") return run(weft::Cpu{});
#endif
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
  } catch (const Stopped&) {
    std::cout << "stopped: --resume goes on from here\n";
    return 0;
  } catch (const weft::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  std::cerr << "usage: " << argv[0] << " [--device cpu|cuda] [--resume] [--stop EPOCH]\n";
  return 2;
}

}  // namespace example
