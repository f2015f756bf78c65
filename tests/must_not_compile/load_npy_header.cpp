// expect: weft: to read and write files include <weft/io.hpp>
#include <weft/weft.hpp>

using namespace weft;

auto x = load_npy<float>("x.npy");
