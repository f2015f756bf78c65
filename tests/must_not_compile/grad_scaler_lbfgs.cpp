// expect: weft: a GradScaler steps optimizers whose step(skip) decides on the device
#include <weft/optim.hpp>

using namespace weft;

void f(optim::GradScaler<Cpu>& scaler, optim::LBFGS<float, Cpu>& optimizer) {
  scaler.step(optimizer);
}
