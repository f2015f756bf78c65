// Recorder<D>: how the statements of a function are recorded on a device, to run again at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/device.hpp"

namespace weft {

/// Specialised in cuda/recorder.hpp; devices that gain nothing from it, such as the CPU, have none:
///   using Recording = ...;                        // has replay(), and is empty at first
///   static Recording record(const F& f, D device);  // runs f() without running its statements
template <class D>
struct Recorder;

}  // namespace weft
