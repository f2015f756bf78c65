// Checkpoint: what a training program saves after each epoch, and resumes from with `--resume`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/io/safetensors.hpp>
#include <weft/nn/state.hpp>

#include "program.hpp"

namespace example {

/// A file in the results folder with the state of a run: its named parts, the number of epochs, and
/// the random generator. An interrupted and resumed run gives the same bits as an uninterrupted
/// one.
class Checkpoint {
 public:
  /// Without `--resume` an earlier run's file is deleted.
  explicit Checkpoint(const std::string& name) : path_(results(name) / "checkpoint.safetensors") {
    if (!options.resume) std::filesystem::remove(path_);
  }

  /// With `--resume` the parts take the state of the file, if it is there. Returns how many epochs
  /// are done: load("net", net, "optimizer", optimizer).
  template <class... Parts>
  int load(Parts&&... parts) const {
    if (!options.resume || !std::filesystem::exists(path_)) return 0;
    const weft::StateDict all = weft::load_safetensors(path_.string());
    each(
        [&](const char* name, auto& part) {
          const weft::StateDict own = all.under(std::string(name) + ".");
          if constexpr (weft::nn::Module<std::remove_cvref_t<decltype(part)>>) {
            weft::nn::load_state_dict(part, own);
          } else {
            part.load_state_dict(own);
          }
        },
        parts...);
    const auto number = [&](const char* name) { return all.get<std::int64_t>(name).item(); };
    weft::default_generator() = weft::Generator(static_cast<std::uint64_t>(number("seed")),
                                                static_cast<std::uint64_t>(number("draws")));
    std::printf("epoch %2d   resumed from %s\n", static_cast<int>(number("epoch")),
                path_.string().c_str());
    const int done = static_cast<int>(number("epoch"));
    stop_behind(done);
    return done;
  }

  /// Writes the file anew; it appears whole or not at all. Ends the program after the epoch that
  /// `--stop` names, as an interruption would.
  template <class... Parts>
  void save(int epoch, const Parts&... parts) const {
    weft::StateDict all;
    each(
        [&](const char* name, const auto& part) {
          const std::string prefix = std::string(name) + ".";
          if constexpr (weft::nn::Module<std::remove_cvref_t<decltype(part)>>) {
            all.add(weft::nn::state_dict(part), prefix);
          } else {
            all.add(part.state_dict(), prefix);
          }
        },
        parts...);
    const weft::Generator& numbers = weft::default_generator();
    const auto note = [&](const char* name, auto value) {
      all.add(name, weft::full<std::int64_t>({}, static_cast<std::int64_t>(value), weft::Cpu{}));
    };
    note("epoch", epoch);
    note("seed", numbers.seed());
    note("draws", numbers.offset());
    std::filesystem::create_directories(path_.parent_path());
    weft::save_safetensors(path_.string(), all);
    stop_behind(epoch);
  }

 private:
  static void stop_behind(int epoch) {
    if (options.stop > 0 && epoch >= options.stop) throw Stopped{};
  }
  template <class F, class Part, class... Rest>
  static void each(const F& f, const char* name, Part& part, Rest&... rest) {
    f(name, part);
    if constexpr (sizeof...(Rest) > 0) each(f, rest...);
  }

  std::filesystem::path path_;
};

}  // namespace example
