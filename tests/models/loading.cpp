#include "weft/models/loading.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("numbers of a file become those of the model") {
  StateDict dict;
  dict.add("a", Tensor<weft::half>(cast<weft::half>(tensor({1.5F, 2.0F}))));
  dict.add("b", tensor<int64_t>({7}));
  dict.add("c", tensor({0.25F}));
  const StateDict out = models::converted<float>(dict);
  CHECK(equal(out.get<float>("a"), tensor({1.5F, 2.0F})));
  CHECK(out.at("b").dtype() == dtype_of<int64_t>);
  CHECK(out.get<float>("c").data() == dict.get<float>("c").data());
}
