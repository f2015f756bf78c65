// Hyper-parameters and metrics of a run, in the form of TensorBoard's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "weft/track/summary.hpp"
#include "weft/track/value.hpp"

// Field numbers as in tensorboard/plugins/hparams/{api,plugin_data}.proto and
// google/protobuf/struct.proto.
namespace weft::track {

namespace detail {
inline Message hparams_value(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return Message().integer(4, value.number() != 0 ? 1 : 0);
    case Value::Kind::text:
      return Message().bytes(3, value.text());
    default:
      return Message().number(2, value.number());
  }
}
inline int hparams_type(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::text:
      return 1;
    case Value::Kind::boolean:
      return 2;
    default:
      return 3;
  }
}
/// A value without data, whose metadata are all.
inline Message hparams_record(std::string_view tag, int field, const Message& content) {
  const Message data = Message().integer(1, 0).message(field, content);  // version 0
  const Message empty = Message().integer(1, 1).message(2, Message());   // a float tensor
  return summary_of(Message().bytes(1, tag).message(8, empty).message(
      9, plugin("hparams", data.data()).integer(4, 2)));
}
}  // namespace detail

/// The three summaries that make a run a row of the table: what is varied and measured in the
/// experiment, the values of this run, and that it has ended.
inline std::vector<Message> hparams_summaries(const Fields& parameters,
                                              const std::vector<std::string>& metrics,
                                              double wall_time) {
  Message experiment, start;
  for (const auto& [name, value] : parameters) {
    experiment.message(4, Message().bytes(1, name).integer(4, detail::hparams_type(value)));
    start.message(1, Message().bytes(1, name).message(2, detail::hparams_value(value)));
  }
  for (const std::string& tag : metrics) {
    experiment.message(5, Message().message(1, Message().bytes(2, tag)));
  }
  start.number(5, wall_time);
  const Message end = Message().integer(1, 1).number(2, wall_time);  // STATUS_SUCCESS
  return {detail::hparams_record("_hparams_/experiment", 2, experiment),
          detail::hparams_record("_hparams_/session_start_info", 3, start),
          detail::hparams_record("_hparams_/session_end_info", 4, end)};
}

}  // namespace weft::track
