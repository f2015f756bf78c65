// Convolutions of floats on the CPU by oneDNN, where a program is built with weft::onednn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_ONEDNN)

#include "weft/cpu/conv/onednn_run.hpp"
#include "weft/ops/conv/run.hpp"

namespace weft {

/// Each returns false, and has done nothing, for what oneDNN does not take.
template <>
struct ConvLibrary<Cpu> {
  template <class T, class D>
  static bool results(const char* operation, const conv::Problem& p, const Tensor<T, D>& x,
                      const Tensor<T, D>& w, const Tensor<T, D>& y) {
    return run<T>(operation, cpu::OneDnnPart::results, p, x, w, y, nullptr, y);
  }
  /// The same plus a bias (filter,). relu is a separate pass: oneDNN's turns NaN into 0.
  template <class T, class D>
  static bool results_with_bias(const char* operation, const conv::Problem& p,
                                const Tensor<T, D>& x, const Tensor<T, D>& w,
                                const Tensor<T, D>& bias, bool cut, const Tensor<T, D>& y) {
    if (cut) return false;
    return run<T>(operation, cpu::OneDnnPart::biased, p, x, w, y, bias.data(), y);
  }
  template <class T, class D>
  static bool images(const char* operation, const conv::Problem& p, const Tensor<T, D>& g,
                     const Tensor<T, D>& w, const Tensor<T, D>& dx) {
    return run<T>(operation, cpu::OneDnnPart::images, p, dx, w, g, nullptr, dx);
  }
  template <class T, class D>
  static bool weights(const char* operation, const conv::Problem& p, const Tensor<T, D>& x,
                      const Tensor<T, D>& g, const Tensor<T, D>& dw) {
    return run<T>(operation, cpu::OneDnnPart::weights, p, x, dw, g, nullptr, dw);
  }

 private:
  template <class T, class X>
  static bool run([[maybe_unused]] const char* operation, cpu::OneDnnPart part,
                  const conv::Problem& p, const X& image, const X& filter, const X& result,
                  const T* bias, const X& target) {
    if constexpr (std::is_same_v<T, float>) {
      cpu::OneDnnProblem problem{};
      problem.part = static_cast<int64_t>(part);
      problem.last_image = is_channels_last(image);
      problem.last_filter = is_channels_last(filter);
      problem.conv = p;
      // How the images are shared, and so every sum, depends only on the shape.
      constexpr double least = 5e7;  // operations that are worth the copy of the filters
      const auto fitting = static_cast<int64_t>(p.operations() / least) + 1;
      const int64_t most = fitting < 16 ? fitting : 16;
      const int64_t each = (p.images + most - 1) / most;
      const int64_t slices = (p.images + each - 1) / each;
      const auto slice = [&](int64_t i) {
        cpu::OneDnnProblem some = problem;
        some.conv.images = p.images - i * each < each ? p.images - i * each : each;
        return some;
      };
      if (!cpu::takes_onednn(slice(0)) || !cpu::takes_onednn(slice(slices - 1))) return false;
      const bool sums = part == cpu::OneDnnPart::weights && slices > 1;
      StorageHandle room;
      if (sums) {
        const auto bytes = slices * target.size() * static_cast<int64_t>(sizeof(float));
        room = StorageHandle(Memory<Cpu>::allocate(Cpu{}, bytes));
      }
      auto* const parts = sums ? static_cast<float*>(room->data) : nullptr;
      int failed = 0;
      const auto work = static_cast<int64_t>(p.operations() / 16);
      cpu::parallel(slices, work, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          float* const to = sums ? parts + i * target.size() : filter.data();
          const cpu::OneDnnArrays at{image.data() + i * each * image.strides()[0], to,
                                     result.data() + i * each * result.strides()[0], bias};
          if (!cpu::run_onednn(slice(i), at)) __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        }
      });
      if (failed != 0) fail<Error>(operation, "oneDNN failed to compute it");
      if (sums) {
        float* const to = target.data();
        cpu::parallel(target.size(), slices * target.size(), [&](int64_t first, int64_t last) {
          for (int64_t k = first; k < last; ++k) to[k] = parts[k];
          for (int64_t i = 1; i < slices; ++i) {
            const float* const from = parts + i * target.size();
            for (int64_t k = first; k < last; ++k) to[k] += from[k];
          }
        });
      }
      target.storage()->bump_version();
      return true;
    } else {
      return false;
    }
  }
};

}  // namespace weft

#endif
