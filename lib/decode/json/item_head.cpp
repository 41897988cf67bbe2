// SPDX-License-Identifier: Apache-2.0
#include "decode/json/item_head.h"

#include <algorithm>

namespace dsdoctor::decode {
namespace {

/// Removes tokens from the front of a text; false if the next token is another one.
class Front {
 public:
  explicit Front(std::string_view text) : rest_(text) {}

  bool sign(char expected) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool text(std::string_view& into) {
    if (!sign('"')) return false;
    const std::size_t end = rest_.find_first_of("\"\\");
    if (end == rest_.npos || rest_[end] != '"') return false;
    into = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::optional<ItemHead> item_head(std::string_view json) {
  Front front(json);
  ItemHead head;
  for (const char opening : {'{', ','}) {
    std::string_view key;
    std::string_view value;
    if (!front.sign(opening) || !front.text(key) || !front.sign(':') || !front.text(value)) {
      return std::nullopt;
    }
    if (key == "apiVersion") {
      head.api_version = value;
    } else if (key == "kind") {
      head.kind = value;
    } else {
      return std::nullopt;
    }
  }
  if (head.api_version.empty() || head.kind.empty()) return std::nullopt;
  return head;
}

}  // namespace dsdoctor::decode
