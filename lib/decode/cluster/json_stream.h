#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/json_values.h"

namespace dsdoctor::decode {

/// Adds values of JSON that stand behind each other while they arrive. Of a list only the
/// unfinished item is in memory, besides items that cannot be told without the kind of the list,
/// which may follow them. Of an item what nobody reads is not checked; its bytes are.
class JsonStream {
 public:
  /// An object, and what is parsed as a whole, which takes 16 times its size. An API server takes
  /// no request of more than 3 MiB.
  static constexpr std::size_t most_parsed = std::size_t{3} << 20U;

  /// `into` and what it refers to must outlive this.
  JsonStream(std::string file, const ObjectSink& into);
  ~JsonStream();
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  /// Takes the next bytes, cut anywhere. Errors: Malformed, with the file, the item or the object.
  /// After an error nothing may be fed.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// The stream is complete. Errors: Malformed, where a value is cut off.
  [[nodiscard]] base::Status finish();

  /// Something that is no object of JSON stands next: YAML, a bare array. It was not added; what
  /// was fed from its first byte on. Empty: there is no such thing.
  [[nodiscard]] std::string take_other();

 private:
  class Value;
  std::string file_;
  const ObjectSink& into_;
  std::unique_ptr<Value> value_;  // that has begun
  std::string other_;
};

}  // namespace dsdoctor::decode
