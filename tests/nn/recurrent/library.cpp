#include "weft/nn/recurrent/library.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("where outputs and states lie in one array") {
  RecurrentProblem p{
      .time = 3, .batch = 2, .in = 4, .width = 5, .out = 5, .layers = 2, .directions = 2};
  const nn::detail::RecurrentResultPlaces places(p);
  const Tensor<float> all = arange<float>(static_cast<float>(places.size()));
  CHECK(places.part(all, 0).shape() == Shape{3, 2, 10});
  CHECK(places.part(all, 1)(0, 0, 0).item() == 64);
  CHECK(places.part(all, 1).shape() == Shape{4, 2, 5});
  CHECK(places.part(all, 2)(0, 0, 0).item() == 128);
  CHECK(places.size() == 168);
  p.cell = RecurrentCellKind::gru;
  CHECK(nn::detail::RecurrentResultPlaces(p).size() == 128);
  CHECK(nn::detail::recurrent_cell<nn::detail::RnnSteps<true>>() == RecurrentCellKind::rnn_relu);
#if !defined(WEFT_CUDNN)
  CHECK(!nn::detail::has_recurrent_library<Cpu>());
#endif
}
