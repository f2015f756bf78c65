// DataParallel: a module on all GPUs of one process, like PyTorch's nn.DataParallel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <tuple>

#include "weft/autograd/shape/join.hpp"
#include "weft/dist/threads.hpp"
#include "weft/nn/module.hpp"

namespace weft::dist {

/// Gives each device its part of the samples, axis 0 of the input: scatters the input, copies the
/// parameters, runs the module in one thread per device, and concatenates the outputs on the first
/// device, where the module is. Gradients flow back the same way and add up in its parameters.
///   dist::DataParallel model(net, dist::all_devices<Cuda>());
///   cross_entropy(model(x), y).backward();
/// Changes to buffers are kept from the first device only. DistributedDataParallel, with one
/// process per GPU, copies no parameters and is faster.
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

/// The same for GPUs that are fixed in the types: a module on the first of them, of Ds, is copied
/// to modules of the others' types, Net<CudaAt<1>> of Net<CudaAt<0>>, so that a statement that
/// mixes two GPUs does not compile. Made by data_parallel(). The module is default-constructible on
/// each device and names its options in fields(), as for nn::to.
template <nn::Module M, class... Ds>
class DataParallelAt {
 public:
  using Parameter = nn::parameter_t<M>;
  using T = typename Parameter::value_type;
  using D = std::tuple_element_t<0, std::tuple<Ds...>>;
  static_assert(std::is_same_v<typename Parameter::device_type, D>,
                "weft: DataParallel's first device is the one that the module is on: write "
                "data_parallel(net, CudaAt<0>{}, ...) for a Net<CudaAt<0>>");

  explicit DataParallelAt(M& module) : module_(&module) {}

  M& module() const { return *module_; }
  static constexpr int devices() { return sizeof...(Ds); }

  /// x on the first device, (sample, ...); of few samples some devices get none.
  Var<T, D> operator()(const Var<T, D>& x) const {
    const int64_t n = x.size(0);
    const int64_t each = (n + devices() - 1) / devices();
    if (devices() == 1 || n <= each) return (*module_)(x);
    return run(x, each, std::index_sequence_for<Ds...>{});
  }

 private:
  template <std::size_t I>
  using At = std::tuple_element_t<I, std::tuple<Ds...>>;
  template <std::size_t I>
  using Moved = std::conditional_t<I == 0, M, nn::moved_t<M, At<I>>>;

  /// Copies parameters as recorded statements; one that occurs twice is copied once.
  template <class To>
  struct Recorded {
    std::vector<std::pair<const void*, Var<T, To>>> done = {};
    template <class F>
    Var<T, To> operator()(const Var<T, D>& x, const F&) {
      for (const auto& [other, y] : done) {
        if (x.variable() && other == x.variable().get()) return y;
      }
      done.emplace_back(x.variable().get(), x.to(To{}));
      return done.back().second;
    }
  };

  template <std::size_t... I>
  Var<T, D> run(const Var<T, D>& x, int64_t each, std::index_sequence<I...>) const {
    const int64_t n = x.size(0);
    std::tuple<std::optional<Moved<I>>...> modules;
    std::tuple<Var<T, Ds>...> values;
    std::vector<std::function<void()>> tasks;
    const auto prepare = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      const int64_t first = static_cast<int64_t>(K) * each;
      if (first >= n) return;
      auto& value = std::get<K>(values);
      value = x.narrow(0, first, std::min(each, n - first)).to(At<K>{});
      if constexpr (K == 0) {
        tasks.push_back([&value, this] {
          const DeviceScope<At<K>> scope(At<K>{});
          value = Var<T, At<K>>((*module_)(value));
        });
      } else {
        auto& mine = std::get<K>(modules).emplace();
        Recorded<At<K>> copies;
        nn::detail::move_fields(*module_, mine, copies, At<K>{});
        tasks.push_back([&value, &mine] {
          const DeviceScope<At<K>> scope(At<K>{});
          value = Var<T, At<K>>(mine(value));
        });
      }
    };
    const Generator before = default_generator();  // the copies' first values are overwritten
    (prepare(std::integral_constant<std::size_t, I>{}), ...);
    default_generator() = before;
    for_each_device(std::vector<Cpu>(tasks.size()), [&](std::size_t i, Cpu) { tasks[i](); });
    std::vector<Var<T, D>> outputs;
    const auto take = [&](const auto& y) {
      if (outputs.size() < tasks.size()) outputs.push_back(y.to(D{}));
    };
    (take(std::get<I>(values)), ...);
    return cat(outputs, axis(0));
  }

  M* module_;
};

/// A module on several devices, the first being its own:
///   auto model = dist::data_parallel(net, CudaAt<0>{}, CudaAt<1>{});
template <nn::Module M, Device... Ds>
  requires(sizeof...(Ds) > 0)
DataParallelAt<M, Ds...> data_parallel(M& module, Ds...) {
  return DataParallelAt<M, Ds...>(module);
}

}  // namespace weft::dist
