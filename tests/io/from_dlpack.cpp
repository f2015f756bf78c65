// SPDX-License-Identifier: Apache-2.0
#include <weft/io/from_dlpack.hpp>

#include <limits>
#include <thread>
#include <vector>

#include "test.hpp"

using namespace weft;

/// A producer's record over memory of the test, which counts how often its deleter runs.
struct Produced {
  std::vector<float> memory = std::vector<float>(24, 0.0F);
  std::vector<int64_t> shape{4, 6};
  std::vector<int64_t> strides{6, 1};
  int deleted = 0;
  dlpack::ManagedVersioned managed{};

  Produced() {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
    managed.major = 1;
    managed.minor = 99;  // newer minor versions add nothing that is read here
    managed.context = this;
    managed.deleter = [](dlpack::ManagedVersioned* self) {
      ++static_cast<Produced*>(self->context)->deleted;
    };
    managed.tensor = {memory.data(), {dlpack::cpu, 0}, 2, {2, 32, 1},
                      shape.data(),  strides.data(),   0};
  }
  Produced(const Produced&) = delete;
  Produced& operator=(const Produced&) = delete;
};

TEST_CASE("[nogpu] the elements are shared, and the deleter runs after the last tensor") {
  Produced x;
  x.managed.tensor.byte_offset = 24;
  x.shape = {3, 6};
  {
    Tensor<float> all_of_it = from_dlpack(&x.managed).get<float>();
    CHECK(all_of_it.data() == x.memory.data() + 6);
    CHECK(all_of_it.at(2, 5) == 23);
    const Tensor row = all_of_it[1];
    all_of_it = zeros({1});
    row += 1.0F;
    CHECK(x.deleted == 0);
  }
  CHECK(x.memory[12] == 13);
  CHECK(x.deleted == 1);
}

TEST_CASE("[nogpu] rebinding does not write into the producer's memory") {
  Produced x;
  Tensor<float> y = from_dlpack(&x.managed).get<float>();
  y = y * 2.0F;
  CHECK(x.memory[5] == 5);
  CHECK(x.deleted == 1);
  CHECK(y.at(0, 5) == 10);
}

TEST_CASE("[nogpu] strides: none, transposed, negative, zero") {
  Produced x;
  x.managed.tensor.strides = nullptr;
  CHECK(Tensor<float>(from_dlpack(&x.managed).get<float>()).is_contiguous());
  x.managed.tensor.strides = x.strides.data();
  x.shape = {6, 4};
  x.strides = {1, 6};
  CHECK(from_dlpack(&x.managed).get<float>().at(5, 3) == 23);
  x.shape = {4, 6};
  x.strides = {-6, -1};
  x.managed.tensor.byte_offset = 23 * 4;
  const Tensor turned = from_dlpack(&x.managed).get<float>();
  CHECK(turned.at(0, 0) == 23);
  CHECK(turned.storage()->data == x.memory.data());
  CHECK(turned.storage()->bytes == 96);
  CHECK(sum(turned).item() == 276);
  x.managed.tensor.byte_offset = 0;
  x.strides = {0, 0};
  x.managed.tensor.data = &x.memory[3];
  CHECK(sum(from_dlpack(&x.managed).get<float>()).item() == 72);
}

TEST_CASE("[nogpu] rank 0, no elements, no deleter, another thread") {
  Produced x;
  x.managed.tensor.ndim = 0;
  x.managed.tensor.shape = x.managed.tensor.strides = nullptr;
  x.managed.tensor.data = &x.memory[7];
  CHECK(from_dlpack(&x.managed).get<float>().item() == 7);
  Produced none;
  none.shape = {0, 6};
  none.managed.tensor.data = nullptr;
  CHECK(from_dlpack(&none.managed).get<float>().shape() == Shape{0, 6});
  CHECK(none.deleted == 1);
  Produced kept;
  {
    Tensor<float> y = from_dlpack(&kept.managed).get<float>();
    std::thread([z = std::move(y)]() mutable { z = Tensor<float>(); }).join();
    CHECK(kept.deleted == 1);
  }
  Produced without;
  without.managed.deleter = nullptr;
  CHECK(from_dlpack(&without.managed).get<float>().size() == 24);
}

TEST_CASE("[nogpu] read-only elements are const ones") {
  Produced x;
  x.managed.flags = dlpack::read_only;
  CHECK_SAYS("a read-only tensor, expected a writable one: write get<const float32>()",
             from_dlpack(&x.managed).get<float>());
  CHECK(x.deleted == 1);
  const Tensor<const float> y = from_dlpack(&x.managed).get<const float>();
  CHECK(sum(y).item() == 276);
}

TEST_CASE("[nogpu] what is wrong throws, having run the deleter once") {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  const auto says = [](const char* what, auto change) {
    Produced x;
    change(x, x.managed.tensor);
    CHECK_SAYS(what, from_dlpack(&x.managed).get<float>());
    CHECK(x.deleted == 1);
  };
  CHECK_SAYS("a null pointer", from_dlpack(static_cast<dlpack::Managed*>(nullptr)));
  says("[from_dlpack] DLPack of version 2.99, expected 1", [](auto& x, auto& t) {
    x.managed.major = 2;
    t.shape = reinterpret_cast<int64_t*>(1);  // must not be read
  });
  says("-1 dimensions", [](auto&, auto& t) { t.ndim = -1; });
  says("9 dimensions", [](auto&, auto& t) { t.ndim = 9; });
  says("2 dimensions of no shape", [](auto&, auto& t) { t.shape = nullptr; });
  says("shape (-4, 6)", [](auto& x, auto&) { x.shape[0] = -4; });
  says("does not fit in 63 bits", [](auto& x, auto&) { x.shape = {huge, 6}; });
  says("reach beyond the address space", [](auto& x, auto&) { x.strides = {huge, 1}; });
  says("reach beyond the address space", [](auto& x, auto&) { x.strides = {huge / 4, 1}; });
  says("reach beyond the address space", [](auto& x, auto&) { x.strides = {-huge / 12, 1}; });
  says("reach beyond", [](auto&, auto& t) { t.byte_offset = ~std::uint64_t{0} - 3; });
  says("no memory for shape (4, 6)", [](auto&, auto& t) { t.data = nullptr; });
  says("not a multiple of 4", [](auto&, auto& t) { t.byte_offset = 2; });
  says("type code 2 with 32 bits in 4 lanes", [](auto&, auto& t) { t.dtype.lanes = 4; });
  says("type code 0 with 4 bits", [](auto&, auto& t) { t.dtype = {0, 4, 1}; });
  says("type code 17", [](auto&, auto& t) { t.dtype = {17, 8, 1}; });
  says("a tensor of type int32, expected float32", [](auto&, auto& t) { t.dtype = {0, 32, 1}; });
  says("device type 99, expected", [](auto&, auto& t) { t.device.type = 99; });
  says("on device type 2, number 0, expected cpu", [](auto&, auto& t) { t.device.type = 2; });
}

TEST_CASE("[nogpu] what is known before the type is") {
  Produced x;
  {
    const DlpackTensor tensor = from_dlpack(&x.managed);
    CHECK(tensor.dtype() == Dtype::float32);
    CHECK(tensor.shape() == Shape{4, 6});
    CHECK(tensor.strides() == Strides{6, 1});
    CHECK(tensor.is_on_cpu());
    CHECK_FALSE(tensor.is_read_only());
  }
  CHECK(x.deleted == 1);  // nobody wanted it
}
