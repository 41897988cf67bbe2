// SPDX-License-Identifier: Apache-2.0
#include "kube/http/headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"
#include "kube/os/platform.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {
namespace {

bool is_token_character(char c) {
  constexpr std::string_view punctuation = "!#$&'*+-.^_`|~";  // RFC 7230, without %
  return base::is_alphanumeric(c) || punctuation.find(c) != std::string_view::npos;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// A quoted string at the start, unescaped and removed; null if there is no quote.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string result;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return result;
    }
    if (text[i] == '\\' && ++i == text.size()) break;
    result += text[i];
  }
  return std::nullopt;
}

}  // namespace

std::string user_agent(const std::string& version) {
  return fmt::format("kubectl-dsdoctor/v{} ({}) kubernetes/unknown", version, platform());
}

std::vector<Header> impersonation_headers(const Impersonation& impersonation) {
  std::vector<Header> headers;
  if (impersonation.user.empty()) return headers;
  headers.push_back({"Impersonate-User", impersonation.user});
  if (!impersonation.uid.empty()) headers.push_back({"Impersonate-Uid", impersonation.uid});
  for (const auto& group : impersonation.groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, values] : impersonation.extra) {
    for (const auto& value : values) {
      headers.push_back({"Impersonate-Extra-" + percent_encoded(key, is_token_character), value});
    }
  }
  return headers;
}

std::vector<std::string> warning_texts(std::string_view header) {
  std::vector<std::string> texts;
  while (!header.empty()) {
    skip_blanks(header);
    const auto space = header.find(' ');
    const auto agent_end = space == std::string_view::npos ? space : header.find(' ', space + 1);
    if (space != 3 || agent_end == std::string_view::npos) return texts;
    const bool is_ours = header.starts_with("299 ");
    header.remove_prefix(agent_end + 1);
    const auto text = take_quoted(header);
    if (!text) return texts;
    if (is_ours && base::fits_header(*text) && base::is_utf8_text(*text))
      texts.push_back(base::printable(*text));
    skip_blanks(header);
    (void)take_quoted(header);  // an optional date
    skip_blanks(header);
    if (!header.starts_with(',')) return texts;
    header.remove_prefix(1);
  }
  return texts;
}

}  // namespace dsdoctor::kube
