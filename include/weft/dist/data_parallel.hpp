// DataParallel: a module on all GPUs of one process, as guides to PyTorch show it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/shape/join.hpp"
#include "weft/dist/threads.hpp"
#include "weft/nn/module.hpp"

namespace weft::dist {

/// Gives each device its part of the samples, axis 0 of the input: scatters the input, copies the
/// parameters, runs the module in a thread a device, and puts the outputs together on the first
/// device, where the module is. Gradients go back the same way and add up in its parameters.
///   dist::DataParallel model(net, dist::all_devices<Cuda>());
///   cross_entropy(model(x), y).backward();
/// Copies of buffers are thrown away but the first device's. DistributedDataParallel, with a
/// process a GPU, copies no parameters and is faster.
template <nn::Module M>
class DataParallel {
 public:
  using Parameter = nn::parameter_t<M>;
  using T = typename Parameter::value_type;
  using D = typename Parameter::device_type;

  DataParallel(M& module, std::vector<D> devices) : module_(&module), devices_(std::move(devices)) {
    if (devices_.empty()) fail<ValueError>("DataParallel", "no devices, expected at least 1");
    for (const auto& [name, p] : nn::named_parameters(module)) {
      if (!(p.device() == devices_[0])) {
        fail<DeviceError>("DataParallel", name.c_str(), " is on ", p.device(), ", expected ",
                          devices_[0], ", the first device");
      }
    }
  }

  M& module() const { return *module_; }
  const std::vector<D>& devices() const { return devices_; }

  /// x on the first device, (sample, ...); of few samples some devices get none.
  Var<T, D> operator()(const Var<T, D>& x) const {
    const int64_t n = x.size(0);
    const auto most = static_cast<int64_t>(devices_.size());
    const int64_t each = (n + most - 1) / most;
    std::vector<D> used;
    std::vector<Var<T, D>> parts;
    for (int64_t first = 0; first < n; first += each) {
      used.push_back(devices_[used.size()]);
      parts.push_back(x.narrow(0, first, std::min(each, n - first)).to(used.back()));
    }
    if (used.size() < 2) return (*module_)(x);
    std::vector<M> replicas;
    for (std::size_t i = 1; i < used.size(); ++i) replicas.push_back(replica(used[i]));
    std::vector<Var<T, D>> outputs(used.size());
    for_each_device(used, [&](std::size_t i, D) {
      outputs[i] = Var<T, D>(i == 0 ? (*module_)(parts[0]) : replicas[i - 1](parts[i]));
    });
    for (auto& y : outputs) y = y.to(used[0]);
    return cat(outputs, axis(0));
  }

 private:
  /// The module with its parameters copied to a device, as a recorded statement.
  M replica(D device) const {
    M out = *module_;
    nn::visit(out, [&](const std::string&, auto& x) {
      if constexpr (nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
        x = x.to(device);
      } else {
        x = x.to(device).clone();
      }
    });
    return out;
  }

  M* module_;
  std::vector<D> devices_;
};

}  // namespace weft::dist
