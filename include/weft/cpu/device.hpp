// The CPU as a device: what generic code asks of any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/device.hpp"

namespace weft {

/// Waits for the device's pending work; the CPU has none once a statement returns.
inline void synchronize(Cpu) {}

/// True when the device can be used.
inline bool is_available(Cpu) { return true; }

/// A name to print: "cpu", or the GPU's product name.
inline const char* device_name(Cpu) { return "cpu"; }

}  // namespace weft
