// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/any_tensor.hpp>

#include <vector>

#include "test.hpp"

using weft::AnyTensor;
using weft::Dtype;
using weft::Shape;
using weft::Tensor;

TEST_CASE("a tensor without a type in its type") {
  const Tensor<std::int32_t> x = weft::tensor({{1, 2, 3}, {4, 5, 6}});
  const AnyTensor any = x;
  CHECK(any.dtype() == Dtype::int32);
  CHECK(any.shape() == Shape{2, 3});
  CHECK(any.rank() == 2);
  CHECK(any.size() == 6);
  CHECK(any.bytes() == 24);
  CHECK(any.is_on_cpu());
  CHECK(any.device_name() == "cpu");
  CHECK(any.data() == x.data());
  CHECK(any.get<std::int32_t>().data() == x.data());
  CHECK_SAYS("[get] a tensor of type int32, expected float32", any.get<float>());
  const AnyTensor none;
  CHECK(none.size() == 0);
  CHECK(none.get<float>().shape() == Shape{0});
}

TEST_CASE("it keeps the elements alive") {
  AnyTensor any;
  { any = weft::full({100}, 7.0); }
  CHECK(any.get<double>().at(99) == 7);
}

TEST_CASE("read-only elements do not become writable") {
  const Tensor<float> x = weft::ones({2});
  const AnyTensor any = Tensor<const float>(x);
  any.get<float>().fill(5);
  CHECK(x.at(0) == 1);
}

TEST_CASE_TEMPLATE("views are packed", T, bool, std::uint8_t, weft::half, float, double,
                   weft::complex<double>) {
  Tensor<T> x = weft::empty<T>({2, 3, 4});
  for (int i = 0; i < 24; ++i) x.data()[i] = static_cast<T>(static_cast<float>(i % 7));
  const AnyTensor view = x.permute({2, 0, 1});
  CHECK_FALSE(view.is_contiguous());
  const AnyTensor packed = view.contiguous();
  CHECK(packed.is_contiguous());
  CHECK(packed.get<T>().to_vector() == x.permute({2, 0, 1}).to_vector());
  CHECK(packed.contiguous().data() == packed.data());
  const AnyTensor splat = x(0, 0, 0).expand({2, 2});
  CHECK(splat.contiguous().get<T>().to_vector() == x(0, 0, 0).expand({2, 2}).to_vector());
  const AnyTensor reversed = x.flip(0);
  CHECK(reversed.contiguous().get<T>().to_vector() == x.flip(0).to_vector());
}

TEST_CASE("axes in another order") {
  const Tensor<float> x = weft::arange<float>(24).reshape({2, 3, 4});
  const AnyTensor any = AnyTensor(x).permute({1, 2, 0});
  CHECK(any.shape() == Shape{3, 4, 2});
  CHECK(any.data() == x.data());
  CHECK(any.contiguous().get<float>().to_vector() == x.permute({1, 2, 0}).to_vector());
  CHECK_THROWS_AS(any.permute({0, 1}), weft::Error);
}

TEST_CASE("new elements") {
  const AnyTensor x = AnyTensor::empty(Dtype::complex128, {3, 2});
  CHECK(x.bytes() == 96);
  CHECK(x.is_contiguous());
  CHECK(AnyTensor::empty(Dtype::boolean, {}).size() == 1);
  CHECK(AnyTensor::empty(Dtype::int16, {1, 1, 1, 1, 1, 1, 1, 5}).bytes() == 10);
  CHECK_SAYS("do not fit in 63 bits",
             AnyTensor::empty(Dtype::float64, {std::int64_t{1} << 61}).size());
  CHECK_SAYS("expected sizes of at least 0", AnyTensor::empty(Dtype::float64, {-1}));
}

TEST_CASE_TEMPLATE("on either device", D, TEST_DEVICES) {
  const Tensor<float, D> x = weft::arange<float>(6, D{}).reshape({2, 3});
  const AnyTensor any = x.t();
  CHECK(any.is_on_cpu() == std::is_same_v<D, weft::Cpu>);
  CHECK(any.device_name() == text(x.device()));
  CHECK(any.cpu().template get<float>().to_vector() == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(any.template get<float, D>().data() == x.data());
  CHECK(any.template to<float>(D{}).data() == x.data());
  CHECK(any.template to<float>(weft::Cpu{}).at(2, 1) == 5);
  const AnyTensor host = weft::ones({2});
  CHECK(host.template to<float>(D{}).to_vector() == std::vector<float>{1, 1});
}

TEST_CASE("the wrong device is named [gpu]") {
#ifdef __CUDACC__
  const AnyTensor any = weft::ones({2}, weft::Cuda{});
  CHECK_SAYS("[get] a tensor on cuda:0, expected cpu: write to<T>(device)", any.get<float>());
  CHECK_SAYS("a tensor on cuda:0, expected cpu",
             AnyTensor(weft::ones({2, 2}, weft::Cuda{}).t().expand({3, 2, 2})).contiguous());
  CHECK(any.get<float, weft::CudaAt<0>>().size() == 2);
  const AnyTensor host = weft::ones({2});
  CHECK_SAYS("a tensor on cpu, expected cuda", host.get<float, weft::Cuda>());
#endif
}

TEST_CASE("what was moved from has no elements") {
  AnyTensor any = weft::ones({2, 3});
  const AnyTensor taken = std::move(any);
  CHECK(taken.shape() == Shape{2, 3});
  CHECK(any.shape() == Shape{0});
  CHECK(any.data() == nullptr);
  CHECK(any.get<float>().to_vector().empty());
}
