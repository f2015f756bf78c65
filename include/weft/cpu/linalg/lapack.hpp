// LAPACK's factorisations, for programs that link one and define WEFT_LAPACK, as weft::lapack does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/core/dtype.hpp"
#include "weft/core/shape.hpp"

namespace weft::cpu {

#if defined(WEFT_LAPACK)
/// Fortran's symbols, with 32-bit integers, under weft's names, as in blas.hpp.
namespace lapack {
using I = const int*;
using C = const char*;
template <class T>
using Potrf = void(C, I, T*, I, int*);
template <class T>
using Getrf = void(I, I, T*, I, int*, int*);
template <class T>
using Getrs = void(C, I, I, const T*, I, I, T*, I, int*);
template <class T>
using Getri = void(I, T*, I, const int*, T*, I, int*);
template <class T>
using Trtrs = void(C, C, C, I, I, const T*, I, T*, I, int*);
template <class T>
using Geqrf = void(I, I, T*, I, T*, T*, I, int*);
template <class T>
using Orgqr = void(I, I, I, T*, I, const T*, T*, I, int*);
template <class T>
using Syevd = void(C, C, I, T*, I, T*, T*, I, int*, I, int*);
template <class T>
using Heevd = void(C, C, I, T*, I, real_t<T>*, T*, I, real_t<T>*, I, int*, I, int*);
template <class T>
using Gesdd = void(C, I, I, T*, I, T*, T*, I, T*, I, T*, I, int*, int*);
template <class T>
using Cgesdd = void(C, I, I, T*, I, real_t<T>*, T*, I, T*, I, T*, I, real_t<T>*, int*, int*);
template <class T>
using Geev = void(C, C, I, T*, I, T*, T*, I, T*, I, T*, I, real_t<T>*, int*);

// clang-format off
extern "C" {
extern Potrf<float> weft_spotrf __asm__("spotrf_");
extern Potrf<double> weft_dpotrf __asm__("dpotrf_");
extern Potrf<complex<float>> weft_cpotrf __asm__("cpotrf_");
extern Potrf<complex<double>> weft_zpotrf __asm__("zpotrf_");
extern Getrf<float> weft_sgetrf __asm__("sgetrf_");
extern Getrf<double> weft_dgetrf __asm__("dgetrf_");
extern Getrf<complex<float>> weft_cgetrf __asm__("cgetrf_");
extern Getrf<complex<double>> weft_zgetrf __asm__("zgetrf_");
extern Getrs<float> weft_sgetrs __asm__("sgetrs_");
extern Getrs<double> weft_dgetrs __asm__("dgetrs_");
extern Getrs<complex<float>> weft_cgetrs __asm__("cgetrs_");
extern Getrs<complex<double>> weft_zgetrs __asm__("zgetrs_");
extern Getri<float> weft_sgetri __asm__("sgetri_");
extern Getri<double> weft_dgetri __asm__("dgetri_");
extern Getri<complex<float>> weft_cgetri __asm__("cgetri_");
extern Getri<complex<double>> weft_zgetri __asm__("zgetri_");
extern Trtrs<float> weft_strtrs __asm__("strtrs_");
extern Trtrs<double> weft_dtrtrs __asm__("dtrtrs_");
extern Trtrs<complex<float>> weft_ctrtrs __asm__("ctrtrs_");
extern Trtrs<complex<double>> weft_ztrtrs __asm__("ztrtrs_");
extern Geqrf<float> weft_sgeqrf __asm__("sgeqrf_");
extern Geqrf<double> weft_dgeqrf __asm__("dgeqrf_");
extern Geqrf<complex<float>> weft_cgeqrf __asm__("cgeqrf_");
extern Geqrf<complex<double>> weft_zgeqrf __asm__("zgeqrf_");
extern Orgqr<float> weft_sorgqr __asm__("sorgqr_");
extern Orgqr<double> weft_dorgqr __asm__("dorgqr_");
extern Orgqr<complex<float>> weft_cungqr __asm__("cungqr_");
extern Orgqr<complex<double>> weft_zungqr __asm__("zungqr_");
extern Syevd<float> weft_ssyevd __asm__("ssyevd_");
extern Syevd<double> weft_dsyevd __asm__("dsyevd_");
extern Heevd<complex<float>> weft_cheevd __asm__("cheevd_");
extern Heevd<complex<double>> weft_zheevd __asm__("zheevd_");
extern Gesdd<float> weft_sgesdd __asm__("sgesdd_");
extern Gesdd<double> weft_dgesdd __asm__("dgesdd_");
extern Cgesdd<complex<float>> weft_cgesdd __asm__("cgesdd_");
extern Cgesdd<complex<double>> weft_zgesdd __asm__("zgesdd_");
extern Geev<complex<float>> weft_cgeev __asm__("cgeev_");
extern Geev<complex<double>> weft_zgeev __asm__("zgeev_");
}

template <class T>
struct Functions;
template <>
struct Functions<float> {
  static constexpr auto *potrf = weft_spotrf; static constexpr auto *getrf = weft_sgetrf;
  static constexpr auto *getrs = weft_sgetrs; static constexpr auto *trtrs = weft_strtrs;
  static constexpr auto *getri = weft_sgetri;
  static constexpr auto *geqrf = weft_sgeqrf; static constexpr auto *orgqr = weft_sorgqr;
  static constexpr auto *syevd = weft_ssyevd; static constexpr auto *gesdd = weft_sgesdd;
};
template <>
struct Functions<double> {
  static constexpr auto *potrf = weft_dpotrf; static constexpr auto *getrf = weft_dgetrf;
  static constexpr auto *getrs = weft_dgetrs; static constexpr auto *trtrs = weft_dtrtrs;
  static constexpr auto *getri = weft_dgetri;
  static constexpr auto *geqrf = weft_dgeqrf; static constexpr auto *orgqr = weft_dorgqr;
  static constexpr auto *syevd = weft_dsyevd; static constexpr auto *gesdd = weft_dgesdd;
};
template <>
struct Functions<complex<float>> {
  static constexpr auto *potrf = weft_cpotrf; static constexpr auto *getrf = weft_cgetrf;
  static constexpr auto *getrs = weft_cgetrs; static constexpr auto *trtrs = weft_ctrtrs;
  static constexpr auto *getri = weft_cgetri;
  static constexpr auto *geqrf = weft_cgeqrf; static constexpr auto *orgqr = weft_cungqr;
  static constexpr auto *syevd = weft_cheevd; static constexpr auto *gesdd = weft_cgesdd;
  static constexpr auto *geev = weft_cgeev;
};
template <>
struct Functions<complex<double>> {
  static constexpr auto *potrf = weft_zpotrf; static constexpr auto *getrf = weft_zgetrf;
  static constexpr auto *getrs = weft_zgetrs; static constexpr auto *trtrs = weft_ztrtrs;
  static constexpr auto *getri = weft_zgetri;
  static constexpr auto *geqrf = weft_zgeqrf; static constexpr auto *orgqr = weft_zungqr;
  static constexpr auto *syevd = weft_zheevd; static constexpr auto *gesdd = weft_zgesdd;
  static constexpr auto *geev = weft_zgeev;
};
// clang-format on
}  // namespace lapack

/// f(room, length, info), first to query the length, then with that much room; returns info.
template <class T, class F>
int with_room(const F& f) {
  T least{};
  int info = 0;
  f(&least, -1, info);
  const int length = static_cast<int>(reinterpret_cast<const real_t<T>&>(least));
  std::vector<T> room(static_cast<std::size_t>(length > 0 ? length : 1));
  f(room.data(), length > 0 ? length : 1, info);
  return info;
}

/// Eigenvalues, ascending, and eigenvectors in place of the n x n matrix at a; 0, or -1 for
/// failure.
template <class T>
int lapack_eigh(T* a, int n, real_t<T>* w, bool vectors) {
  const char* const job = vectors ? "V" : "N";
  std::vector<int> integers(static_cast<std::size_t>(vectors ? 5 * n + 3 : 1));
  const int count = static_cast<int>(integers.size());
  const int info = with_room<T>([&](T* room, int length, int& status) {
    if constexpr (is_complex<T>) {
      const int64_t wide = n;
      std::vector<real_t<T>> reals(
          static_cast<std::size_t>(vectors ? 2 * wide * wide + 5 * wide + 1 : wide));
      const int real_count = static_cast<int>(reals.size());
      lapack::Functions<T>::syevd(job, "L", &n, a, &n, w, room, &length, reals.data(), &real_count,
                                  integers.data(), &count, &status);
    } else {
      lapack::Functions<T>::syevd(job, "L", &n, a, &n, w, room, &length, integers.data(), &count,
                                  &status);
    }
  });
  return info == 0 ? 0 : -1;
}

/// Singular values, descending, and vectors where u is not null: of reduced or full factors.
template <class T>
int lapack_svd(T* a, int m, int n, real_t<T>* s, T* u, T* vh, bool full) {
  const char* const job = u == nullptr ? "N" : full ? "A" : "S";
  const int k = m < n ? m : n;
  const int right = full || u == nullptr ? n : k;
  std::vector<int> integers(static_cast<std::size_t>(8 * k));
  const int info = with_room<T>([&](T* room, int length, int& status) {
    if constexpr (is_complex<T>) {
      const int64_t low = k;
      const int64_t high = m + n - k;
      std::vector<real_t<T>> reals(static_cast<std::size_t>(
          low * (5 * low + 7 > 2 * high + 2 * low + 1 ? 5 * low + 7 : 2 * high + 2 * low + 1)));
      lapack::Functions<T>::gesdd(job, &m, &n, a, &m, s, u, &m, vh, &right, room, &length,
                                  reals.data(), integers.data(), &status);
    } else {
      lapack::Functions<T>::gesdd(job, &m, &n, a, &m, s, u, &m, vh, &right, room, &length,
                                  integers.data(), &status);
    }
  });
  return info == 0 ? 0 : -1;
}

/// Eigenvalues, and eigenvectors where v is not null.
template <class T>
int lapack_eig(T* a, int n, T* w, T* v) {
  std::vector<real_t<T>> reals(static_cast<std::size_t>(2 * n));
  for (int64_t i = 0; i < int64_t{n} * n; ++i) {  // where LAPACK may not come back
    if (!(a[i].re - a[i].re == 0) || !(a[i].im - a[i].im == 0)) return -1;
  }
  const int info = with_room<T>([&](T* room, int length, int& status) {
    lapack::Functions<T>::geev("N", v == nullptr ? "N" : "V", &n, a, &n, w, nullptr, &n, v, &n,
                               room, &length, reals.data(), &status);
  });
  return info == 0 ? 0 : -1;
}
#endif

}  // namespace weft::cpu
