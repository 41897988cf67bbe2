// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/bytes/log_section.h"
#include "decode/cluster/json_values.h"

namespace dsdoctor::decode {

/// Adds consecutive JSON values while they arrive. Only the unfinished item of a list is in memory,
/// and items whose kind depends on a `kind` of the list that follows them. Unused fields of items
/// are not checked, except for their bytes.
class JsonStream {
 public:
  /// Maximum size of an object, and of values that are parsed as a whole, which takes 16 times
  /// their size. An API server accepts requests of at most 3 MiB.
  static constexpr std::size_t most_parsed = std::size_t{3} << 20U;

  /// `into` and the objects that it refers to must outlive this.
  JsonStream(std::string file, const ObjectSink& into);
  ~JsonStream();
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  /// Consumes the next bytes, cut anywhere. Errors: Malformed, with the file, the item or the
  /// object. Do not call it after an error.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// Call at the end of the stream. Errors: Malformed if a value is cut off.
  [[nodiscard]] base::Status finish();

  /// The rest of the input from the first value that is not a JSON object: YAML, a bare array. It
  /// was not added. Empty if there is none.
  [[nodiscard]] std::string take_other();

 private:
  class Value;
  [[nodiscard]] base::Status add_other(std::string_view chunk);

  std::string file_;
  const ObjectSink& into_;
  std::unique_ptr<Value> value_;   // the unfinished value
  std::optional<LogSection> log_;  // the unfinished log of a container
  std::string other_;
};

}  // namespace dsdoctor::decode
