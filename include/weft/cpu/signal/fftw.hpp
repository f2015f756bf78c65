// FFTW for contiguous lines on the CPU; with the macro WEFT_FFTW, as weft::fftw has it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/signal/lines.hpp"

#if defined(WEFT_FFTW)

#include <fftw3.h>

#include <mutex>

namespace weft::cpu::fourier {

/// FFTW's functions for numbers of type T.
template <class T>
struct Fftw;
template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto* transform = fftwf_plan_guru64_dft;
  static constexpr auto* from_real = fftwf_plan_guru64_dft_r2c;
  static constexpr auto* to_real = fftwf_plan_guru64_dft_c2r;
  static constexpr auto* run = fftwf_execute_dft;
  static constexpr auto* run_from_real = fftwf_execute_dft_r2c;
  static constexpr auto* run_to_real = fftwf_execute_dft_c2r;
};
template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto* transform = fftw_plan_guru64_dft;
  static constexpr auto* from_real = fftw_plan_guru64_dft_r2c;
  static constexpr auto* to_real = fftw_plan_guru64_dft_c2r;
  static constexpr auto* run = fftw_execute_dft;
  static constexpr auto* run_from_real = fftw_execute_dft_r2c;
  static constexpr auto* run_to_real = fftw_execute_dft_c2r;
};

/// FFTW's plans of one line, one for each kind and length. Its planner takes one call at a time;
/// plans run in any number of threads, and are kept for good.
template <class T>
class FftwPlans {
 public:
  static typename Fftw<T>::Plan of(Kind kind, bool inverse, int64_t n, T* in, T* out) {
    static FftwPlans plans;
    const std::lock_guard lock(plans.mutex_);
    for (const Entry& e : plans.all_) {
      if (e.kind == kind && e.inverse == inverse && e.n == n && e.in_place == (in == out)) {
        return e.plan;
      }
    }
    const fftw_iodim64 along{static_cast<std::ptrdiff_t>(n), 1, 1};
    const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT;
    auto* const z = reinterpret_cast<typename Fftw<T>::Complex*>(in);
    auto* const to = reinterpret_cast<typename Fftw<T>::Complex*>(out);
    typename Fftw<T>::Plan plan = nullptr;
    if (kind == Kind::complex_to_complex) {
      plan = Fftw<T>::transform(1, &along, 0, nullptr, z, to,
                                inverse ? FFTW_BACKWARD : FFTW_FORWARD, flags);
    } else if (kind == Kind::real_to_complex) {
      plan = Fftw<T>::from_real(1, &along, 0, nullptr, in, to, flags);
    } else {
      plan = Fftw<T>::to_real(1, &along, 0, nullptr, z, out, flags);
    }
    plans.all_.push_back({kind, inverse, n, in == out, plan});
    return plan;
  }

 private:
  struct Entry {
    Kind kind;
    bool inverse;
    int64_t n;
    bool in_place;
    typename Fftw<T>::Plan plan;  // null where FFTW has none
  };
  std::mutex mutex_;
  std::vector<Entry> all_;
};

/// Runs a pass by FFTW; returns false, having done nothing, if weft's own loops are as good: for
/// lines that are padded, strided, or long and fewer than the threads.
template <class T>
bool run_fftw(const Pass<T>& p) {
  const int64_t in_each = p.kind == Kind::real_to_complex ? 1 : 2;
  const int64_t out_each = p.kind == Kind::complex_to_real ? 1 : 2;
  const int64_t length = p.kind == Kind::complex_to_real ? p.n / 2 + 1 : p.n;
  const int64_t written = p.kind == Kind::real_to_complex ? p.n / 2 + 1 : p.n;
  const int64_t count = p.batch.size();
  if (p.available < length || p.in_step != in_each || p.out_step != out_each) return false;
  if (count < num_threads() && p.n >= (1 << 16)) return false;
  const auto plan = FftwPlans<T>::of(p.kind, p.inverse, p.n, const_cast<T*>(p.in), p.out);
  if (plan == nullptr) return false;
  parallel(count, count * p.n, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      T* const in = const_cast<T*>(p.in) + p.offset(p.in_strides, i);
      T* const out = p.out + p.offset(p.out_strides, i);
      auto* const z = reinterpret_cast<typename Fftw<T>::Complex*>(in);
      auto* const to = reinterpret_cast<typename Fftw<T>::Complex*>(out);
      if (p.kind == Kind::complex_to_complex) {
        Fftw<T>::run(plan, z, to);
      } else if (p.kind == Kind::real_to_complex) {
        Fftw<T>::run_from_real(plan, in, to);
      } else {
        Fftw<T>::run_to_real(plan, z, out);
      }
      if (p.scale == T(1)) continue;
      for (int64_t k = 0; k < written * out_each; ++k) out[k] *= p.scale;
    }
  });
  return true;
}

}  // namespace weft::cpu::fourier

#else

namespace weft::cpu::fourier {
/// Without FFTW: weft's own loops do it.
template <class T>
bool run_fftw(const Pass<T>&) {
  return false;
}
}  // namespace weft::cpu::fourier

#endif
