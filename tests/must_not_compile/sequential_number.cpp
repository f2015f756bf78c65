// expect: weft: a Sequential holds modules
#include <weft/nn.hpp>

using namespace weft;

nn::Sequential net{nn::Linear(2, 3), 3};
