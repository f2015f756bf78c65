// Explanation: what evaluating an expression does, kernel by kernel, as a value and as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/eval/inspect/estimate.hpp"
#include "weft/eval/inspect/expression_tree.hpp"
#include "weft/eval/inspect/svg.hpp"

namespace weft {

/// What an expression becomes when it is evaluated into a new tensor. Made by explain(e).
struct Explanation {
  /// A range of memory that a kernel reads or writes; an operand that occurs several times counts
  /// once.
  struct Operand {
    Text type;            ///< of its elements
    Shape shape;          ///< as the tensor has it
    int64_t bytes = 0;    ///< distinct ones, however often they are broadcast
    int occurrences = 1;  ///< in the part of the expression that the kernel evaluates
    Text note;            ///< "result", "temporary", "kept in shared memory", ...
    const char* address = nullptr;
  };
  struct Kernel {
    Text kind;                 ///< "element-wise", "row program", "reduction by blocks", ...
    Text work;                 ///< "over (4, 5)", "4 rows of 5: max, sum"
    int launches = 1;          ///< more than 1 where the work is cut into pieces
    int64_t blocks = 0;        ///< of the largest launch; 0 on the CPU
    int threads = 0;           ///< of a block, or of the CPU; 0 where it is not known beforehand
    int cluster = 1;           ///< blocks that exchange values
    int64_t shared_bytes = 0;  ///< of a block
    Text tuned;                ///< "128 threads a block" where that was measured to be fastest
    double operations = 0;     ///< additions and multiplications, of matrix products
    int reductions = 0;        ///< computed here
    int equal = 0;             ///< taken from an equal one that is computed here
    ElementCost cost;          ///< of an element, as known at compile time
    int64_t elements = 0;      ///< computed; of reductions, added up
    int passes = 1;            ///< over each row of a row program
    Text refused;              ///< if there are several: why rows do not stay in registers
    int64_t read_again = 0;    ///< bytes, of those in `reads`
    int64_t in_flight = 0;     ///< of these, what all blocks that run at a time go over
    Estimate estimate;         ///< by the model; 0 s where there is none: on the CPU, for products
    std::vector<Operand> reads;
    std::vector<Operand> writes;
  };

  Text name;    ///< of the expression: "div(exp(float), sum(exp(float)))"
  Text device;  ///< "cuda:0 (NVIDIA H200)"
  Text type;    ///< of the result's elements
  Shape shape;
  bool on_cpu = false;
  double bandwidth = 0;  ///< of the memory, bytes a second; 0 where it is not known
  Machine machine;       ///< that the estimates are for
  int reductions = 0;    ///< in the expression
  int opaque = 0;    ///< parts that algorithms of their own evaluate (scans, sorts), not counted
  int repeated = 0;  ///< evaluations of reductions whose value an earlier kernel had too
  std::vector<Kernel> kernels;  ///< in the order in which they run
  ExpressionTree tree;

  /// How many kernels (on the CPU: loops) the statement launches, not counting opaque parts.
  int kernel_count() const {
    int n = 0;
    for (const Kernel& kernel : kernels) n += kernel.launches;
    return n;
  }
  int64_t bytes_read() const {
    int64_t n = 0;
    for (const Kernel& kernel : kernels) {
      for (const Operand& x : kernel.reads) n += x.bytes;
    }
    return n;
  }
  int64_t bytes_written() const {
    int64_t n = 0;
    for (const Kernel& kernel : kernels) {
      for (const Operand& x : kernel.writes) n += x.bytes;
    }
    return n;
  }
  /// The additions and multiplications of matrix products.
  double operations() const {
    double n = 0;
    for (const Kernel& kernel : kernels) n += kernel.operations;
    return n;
  }
  int64_t bytes() const { return bytes_read() + bytes_written(); }
  /// The seconds in which memory could move all bytes; 0 if its bandwidth is unknown.
  double expected_seconds() const {
    return bandwidth > 0 ? static_cast<double>(bytes()) / bandwidth : 0;
  }

  /// The seconds that the model estimates for all kernels; 0 if it knows nothing of one of them.
  double estimated_seconds() const {
    double sum = 0;
    for (const Kernel& kernel : kernels) {
      if (kernel.launches > 0 && !(kernel.estimate.seconds > 0)) return 0;
      sum += kernel.estimate.seconds;
    }
    return opaque > 0 ? 0 : sum;
  }

  /// The expression as a Graphviz graph: a cluster for each kernel, operands beside them.
  Text dot() const { return detail::dot_of(tree, kernels); }
  /// The same as an SVG picture, for a browser: `std::ofstream("e.svg") << explain(e).svg();`
  Text svg() const { return detail::svg_of(tree, kernels); }
};

namespace detail {
/// "512 B", "1.50 KiB", "12.0 MiB"
WEFT_ONCE inline Text bytes_text(int64_t bytes) {
  constexpr const char* units[] = {" KiB", " MiB", " GiB", " TiB", " PiB"};
  if (bytes < 1024) return text(static_cast<long long>(bytes)) + " B";
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return formatted(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value) + units[unit];
}

/// "27.3 us"
WEFT_ONCE inline Text seconds_text(double seconds) {
  constexpr const char* units[] = {" s", " ms", " us", " ns"};
  int unit = 0;
  for (; seconds < 1 && unit < 3; ++unit) seconds *= 1000;
  return formatted("%.3g", seconds) + units[unit];
}

/// "4.92 TB/s"
WEFT_ONCE inline Text rate_text(double bytes_a_second) {
  const bool tera = bytes_a_second >= 1e12;
  return formatted("%.3g", bytes_a_second / (tera ? 1e12 : 1e9)) + (tera ? " TB/s" : " GB/s");
}

/// "17.2 GFLOP"
WEFT_ONCE inline Text operations_text(double n) {
  constexpr const char* units[] = {" FLOP", " kFLOP", " MFLOP", " GFLOP", " TFLOP", " PFLOP"};
  int unit = 0;
  for (; n >= 1000 && unit < 5; ++unit) n /= 1000;
  return formatted("%.3g", n) + units[unit];
}

/// "1 kernel", "2 kernels"
WEFT_ONCE inline Text counted(int64_t n, const char* what) {
  return text(static_cast<long long>(n)) + " " + what + (n == 1 ? "" : "s");
}

inline void add_operands(Text& out, const char* verb,
                         const std::vector<Explanation::Operand>& operands) {
  for (const Explanation::Operand& x : operands) {
    out += join({"\n     ", verb, " ", x.type, " ", x.shape, ", ", bytes_text(x.bytes)});
    if (x.occurrences > 1) out += ", occurs " + counted(x.occurrences, "time");
    if (!x.note.empty()) out += ", " + x.note;
  }
}

/// What a kernel does, for estimate().
inline KernelWork work_of(const Explanation::Kernel& kernel) {
  KernelWork work;
  for (const Explanation::Operand& x : kernel.reads) work.read += static_cast<double>(x.bytes);
  for (const Explanation::Operand& x : kernel.writes) work.written += static_cast<double>(x.bytes);
  work.operands = static_cast<int>(kernel.reads.size() + kernel.writes.size());
  work.read_again = static_cast<double>(kernel.read_again);
  work.in_flight = static_cast<double>(kernel.in_flight);
  work.elements = static_cast<double>(kernel.elements);
  work.cost = kernel.cost;
  work.blocks = static_cast<double>(kernel.blocks) * kernel.launches;
  work.threads = kernel.threads;
  work.reductions = kernel.reductions;
  work.launches = kernel.launches;
  return work;
}

/// Estimates the kernels whose launches are known.
WEFT_ONCE inline void estimate_kernels(Explanation& out) {
  for (Explanation::Kernel& kernel : out.kernels) {
    if (kernel.blocks > 0) kernel.estimate = estimate(work_of(kernel), out.machine);
  }
}

/// "estimate 52.1 us: memory; bound 48 us"
inline void add_estimate(Text& out, const Explanation::Kernel& kernel, double bandwidth) {
  if (!(kernel.estimate.seconds > 0)) return;
  out += join(
      {"\n     estimate ", seconds_text(kernel.estimate.seconds), ": ", kernel.estimate.limit()});
  const KernelWork work = work_of(kernel);
  if (bandwidth > 0) out += "; bound " + seconds_text((work.read + work.written) / bandwidth);
}

inline void add_launch(Text& out, const Explanation::Kernel& kernel) {
  if (kernel.blocks > 0) {
    out += join({"\n     ", counted(kernel.blocks, "block"), " of ", kernel.threads, " threads"});
    if (kernel.cluster > 1) out += join({", in clusters of ", kernel.cluster});
    if (kernel.shared_bytes > 0) {
      out += ", " + bytes_text(kernel.shared_bytes) + " of shared memory each";
    }
  } else if (kernel.threads > 0) {
    out += "\n     " + counted(kernel.threads, "thread");
  }
  if (!kernel.tuned.empty()) out += ", tuned: " + kernel.tuned;
  if (kernel.launches > 1) {
    out += join({kernel.blocks + kernel.threads > 0 ? ", " : "\n     ", "in ", kernel.launches,
                 " launches"});
  }
}
}  // namespace detail

/// The explanation as text, a few lines per kernel.
WEFT_ONCE inline Text to_string(const Explanation& e) {
  using namespace detail;
  Text out = e.name;
  const char* const what = e.on_cpu ? "loop" : "kernel";
  out += join({"\n  ", e.type, " ", e.shape, " on ", e.device, ": "});
  if (e.opaque == 0 || e.kernel_count() > 0) {
    out += join({counted(e.kernel_count(), what), ", ", bytes_text(e.bytes_read()), " read, ",
                 bytes_text(e.bytes_written()), " written"});
    if (e.bandwidth > 0) {
      out += join({", ", seconds_text(e.expected_seconds()), " at ", rate_text(e.bandwidth)});
      if (e.estimated_seconds() > 0) out += ", estimate " + seconds_text(e.estimated_seconds());
    }
    if (e.opaque > 0) out += ", and ";
  }
  if (e.opaque > 0) {
    out += join({counted(e.opaque, "part"), " by other algorithms, whose ", what,
                 "s and bytes are not counted"});
  }
  if (e.repeated > 0) {
    out += join({"\n  ", counted(e.repeated, "reduction"), " evaluated again by a later ",
                 e.on_cpu ? "loop" : "kernel"});
  }
  int number = 0;
  for (const Explanation::Kernel& kernel : e.kernels) {
    out += join({"\n  ", ++number, ". ", kernel.kind, " ", kernel.work});
    if (kernel.operations > 0) out += ", " + operations_text(kernel.operations);
    add_launch(out, kernel);
    if (kernel.passes > 1) {
      out += join({"\n     ", kernel.passes,
                   " passes over each row, none kept in registers: ", kernel.refused});
    }
    add_estimate(out, kernel, e.bandwidth);
    add_operands(out, "reads ", kernel.reads);
    add_operands(out, "writes", kernel.writes);
  }
  return out + "\n";
}

/// Prints to_string(e) to a stream.
template <class S, std::same_as<Explanation> E>
  requires requires(S& stream, const char* characters) { stream << characters; }
S& operator<<(S& stream, const E& e) {
  stream << to_string(e).c_str();
  return stream;
}

}  // namespace weft
