// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "model/labels.h"
#include "model/meta.h"
#include "model/text.h"

namespace dsdoctor::decode {

/// Reads fields of Kubernetes' protobuf messages (gogo, proto2). An empty string means unset, a
/// zero time means absent. Errors are protozero's exceptions: wrong wire types of known fields,
/// lengths beyond the message, unterminated varints, groups.
class ProtobufReader {
 public:
  using Field = protozero::pbf_reader;

  explicit ProtobufReader(model::TextPool& pool) : pool_(pool) {}

  /// Calls `read(field)` for each field of the message in `bytes`; `field.tag()` is its number.
  /// Fields that `read` does not consume are skipped.
  template <typename Read>
  void message(std::string_view bytes, Read&& read) {
    Field field(bytes.data(), bytes.size());
    while (field.next()) {
      const auto before = field.data().data();
      read(field);
      if (field.data().data() == before) field.skip();
    }
  }
  /// The same for a field that contains a message.
  template <typename Read>
  void object(Field& field, Read&& read) {
    message(bytes(field), std::forward<Read>(read));
  }

  [[nodiscard]] std::string_view bytes(Field& field);
  [[nodiscard]] model::Text text(Field& field);
  /// A text that rarely occurs twice, not from the pool.
  [[nodiscard]] model::UniqueText unique_text(Field& field);
  [[nodiscard]] bool boolean(Field& field);
  [[nodiscard]] std::int64_t integer(Field& field);
  /// The low 32 bits of the number, as in Kubernetes.
  [[nodiscard]] std::int64_t int32(Field& field);
  /// {1 seconds, 2 nanos}
  [[nodiscard]] model::OptionalTime time(Field& field);
  /// An entry {1 key, 2 value} of a map of strings.
  [[nodiscard]] model::Labels::Entry entry(Field& field);
  /// The same as views into the message.
  [[nodiscard]] std::pair<std::string_view, std::string_view> raw_entry(Field& field);
  /// An entry {1 key, 2 Quantity{1 text}}.
  [[nodiscard]] model::Labels::Entry quantity_entry(Field& field);
  struct Resources {
    std::vector<model::Labels::Entry> limits;
    std::vector<model::Labels::Entry> requests;
  };
  /// {1 limits, 2 requests}
  [[nodiscard]] Resources resources(Field& field);

 private:
  static void expect(const Field& field, protozero::pbf_wire_type type);

  model::TextPool& pool_;
};

}  // namespace dsdoctor::decode
