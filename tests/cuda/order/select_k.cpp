// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/order/select_k.hpp>

#include <algorithm>
#include <vector>

#include "reference.hpp"
#include "test.hpp"

static_assert(sizeof(weft::cuda::ranked_t<unsigned short>) == 8);
static_assert(sizeof(weft::cuda::ranked_t<unsigned long long>) == 16);

#ifdef __CUDACC__
namespace {

constexpr unsigned room = 1024;

/// out = the k smallest of n words, in order; places = how many are smaller than each of them.
template <class Key, int Size>
__global__ void smallest(const weft::cuda::ranked_t<Key>* words, unsigned n, unsigned k,
                         weft::cuda::ranked_t<Key>* out, unsigned* places) {
  __shared__ weft::cuda::ranked_t<Key> held[room];
  __shared__ unsigned bins[256];
  __shared__ unsigned counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  weft::cuda::SelectK<Key, Size> kept{held, bins, &counter};
  for (unsigned start = 0; start < n; start += Size) {
    const unsigned i = start + kept.rank();
    kept.append(i < n, i < n ? words[i] : 0);
  }
  kept.settle();
  if (kept.held > k) kept.keep(k);
  kept.sort();
  for (unsigned i = kept.rank(); i < k; i += Size) {
    out[i] = kept.words[i];
    places[i] = kept.place(kept.words[i]);
  }
}

template <class Key, int Size>
void check(unsigned n, unsigned k, Key mask) {
  using Word = weft::cuda::ranked_t<Key>;
  test::Numbers numbers;
  std::vector<Word> words;
  for (unsigned i = 0; i < n; ++i) {
    words.push_back(static_cast<Word>(static_cast<Key>(numbers.bits()) & mask) << 32 | i);
  }
  const auto bytes = static_cast<std::int64_t>(n * sizeof(Word));
  const auto in = weft::empty<std::uint8_t>({bytes}, weft::Cuda{});
  const auto out = weft::zeros<std::uint8_t>({bytes}, weft::Cuda{});
  const auto places = weft::zeros<std::int32_t>({k}, weft::Cuda{});
  weft::cuda::check(
      cudaMemcpy(in.data(), words.data(), static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice),
      "test");
  smallest<Key, Size><<<1, Size, 0, weft::cuda::current_stream().handle()>>>(
      reinterpret_cast<const Word*>(in.data()), n, k, reinterpret_cast<Word*>(out.data()),
      reinterpret_cast<unsigned*>(places.data()));
  weft::cuda::synchronize();
  std::vector<Word> got(n);
  weft::cuda::check(
      cudaMemcpy(got.data(), out.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
      "test");
  std::sort(words.begin(), words.end());
  std::fill(words.begin() + k, words.end(), Word(0));
  CHECK((got == words));
  const auto at = places.to_vector();
  for (unsigned i = 0; i < k; ++i) CHECK(at[i] == static_cast<int>(i));
}

template <class Key>
void check_sizes() {
  for (const Key mask : {static_cast<Key>(~Key(0)), Key(3), Key(0)}) {
    check<Key, 32>(1, 1, mask);
    check<Key, 32>(100, 7, mask);
    check<Key, 32>(600, 300, mask);
    check<Key, 256>(5, 5, mask);
    check<Key, 256>(1000, 1, mask);
    check<Key, 256>(1024, 777, mask);
  }
}

}  // namespace

TEST_CASE("the smallest words of a warp and a block [gpu]") {
  check_sizes<unsigned char>();
  check_sizes<unsigned>();
  check_sizes<unsigned long long>();
}
#endif
