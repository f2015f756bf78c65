// Tracking a run: TensorBoard event files, CSV and JSON logs, progress bars, curves as SVG.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/weft.hpp"

#include "weft/track/chrome_trace.hpp"  // ChromeTrace, TraceSpan
#include "weft/track/csv_logger.hpp"    // CsvLogger
#include "weft/track/curve.hpp"         // Curve: lines as an SVG picture
#include "weft/track/event_writer.hpp"  // EventWriter: for TensorBoard
#include "weft/track/json_logger.hpp"   // JsonLogger
#include "weft/track/progress.hpp"      // for (auto batch : progress(loader))
#include "weft/track/trace.hpp"         // WEFT_TRACE=1, trace_statements, save_trace

#if defined(__CUDACC__)
#include "weft/cuda/inspect/monitor.hpp"  // Monitor: peak memory, mean utilization
#include "weft/track/cuda.hpp"            // WEFT_TRACE=1 on GPUs, trace_kernels
#endif
