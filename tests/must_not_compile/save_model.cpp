// expect: give the arguments that it takes: save_safetensors(path, nn::state_dict(model))
#include <weft/io.hpp>
#include <weft/nn.hpp>

void f(const weft::nn::Linear<>& model) { weft::save_safetensors("x.safetensors", model); }
