// Where the rows lie that indices pick, for row programs that read them in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/memory.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/eval/gather.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// rows[i] = the distance in bytes of the row that ids[i] names, or of `none` where there is none,
/// which this fills with what stands for such elements.
template <class T, class I>
__global__ void find_rows(int64_t* rows, int64_t count, const I* ids, IndexRange range,
                          int64_t bytes, T* none, int64_t length, int64_t none_at) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < length) none[i] = store_element<T>(op::gathered<T, AlongAxis>::none());
  if (i < count) {
    const long long place = range.place(ids[i]);
    rows[i] = place < 0 ? none_at : place * bytes;
  }
}

namespace detail {

/// Finds the rows of x that ids picks and has the operand `out`, x's elements, read there.
template <class T, class I>
void find_rows(const Name& name, const Shape& shape, const Tensor<T, Cuda>& x,
               const Tensor<I, Cuda>& ids, const IndexRange& range, Operand& out) {
  using Value = std::remove_const_t<T>;
  using Id = std::remove_const_t<I>;
  const DeviceGuard guard(x.device());
  const Stream stream = current_stream(x.device());
  if (x.storage() != nullptr) order_read(x.storage(), stream);
  if (ids.storage() != nullptr) order_read(ids.storage(), stream);
  const int64_t count = ids.size();
  const int64_t length = x.size() / x.shape()[0];
  const int64_t before = (count * 8 + 255) / 256 * 256;
  out.keep = StorageHandle(
      Memory<Cuda>::allocate(x.device(), before + length * static_cast<int64_t>(sizeof(Value))));
  char* const memory = static_cast<char*>(out.keep->data);
  auto* rows = reinterpret_cast<int64_t*>(memory);
  auto* none = reinterpret_cast<Value*>(memory + before);
  const Id* index = ids.data();
  int64_t bytes = x.strides()[0] * static_cast<int64_t>(sizeof(Value));
  int64_t none_at = static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(none) -
                                         reinterpret_cast<std::uintptr_t>(x.data()));
  IndexRange checked = range;
  void* arguments[] = {&rows, const_cast<int64_t*>(&count),  &index,  &checked, &bytes,
                       &none, const_cast<int64_t*>(&length), &none_at};
  const int64_t work = count > length ? count : length;
  launch(name, shape, reinterpret_cast<const void*>(on_cuda::find_rows<Value, Id>),
         dim3(static_cast<unsigned>((work + block_threads - 1) / block_threads)),
         dim3(block_threads), static_cast<void**>(arguments), stream);
  out.rows = rows;
}

}  // namespace detail
}  // namespace weft::on_cuda

#endif
