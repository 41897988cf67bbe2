#include "kube/http/transport.h"

#include <algorithm>

namespace dsdoctor::kube {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* ResponseHead::find(std::string_view name) const {
  const auto at = std::ranges::find_if(
      headers, [&](const Header& header) { return is_same_name(header.name, name); });
  return at == headers.end() ? nullptr : &at->value;
}

std::string ResponseHead::media_type() const {
  const std::string* value = find("Content-Type");
  if (value == nullptr) return {};
  std::string type = value->substr(0, value->find(';'));
  type.erase(type.find_last_not_of(" \t") + 1);
  std::ranges::transform(type, type.begin(), lower);
  return type;
}

}  // namespace dsdoctor::kube
