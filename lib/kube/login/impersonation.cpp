#include "kube/login/impersonation.h"

#include <fmt/format.h>

#include <string_view>

namespace dsdoctor::kube {
namespace {

bool is_token_character(char c) {
  constexpr std::string_view punctuation = "!#$&'*+-.^_`|~";  // RFC 7230, without %
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         punctuation.find(c) != std::string_view::npos;
}

std::string escaped_key(std::string_view key) {
  std::string result;
  for (const char c : key) {
    if (is_token_character(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace

std::vector<Header> impersonation_headers(const Impersonation& impersonation) {
  std::vector<Header> headers;
  if (impersonation.user.empty()) return headers;
  headers.push_back({"Impersonate-User", impersonation.user});
  if (!impersonation.uid.empty()) headers.push_back({"Impersonate-Uid", impersonation.uid});
  for (const auto& group : impersonation.groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, values] : impersonation.extra) {
    for (const auto& value : values) {
      headers.push_back({"Impersonate-Extra-" + escaped_key(key), value});
    }
  }
  return headers;
}

}  // namespace dsdoctor::kube
