#include "kube/yaml/yaml_documents.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>

#include <algorithm>

#include "base/printable.h"

namespace dsdoctor::kube {
namespace {

constexpr std::ptrdiff_t max_entries = 500'000;

base::Error malformed(std::string what) {
  return {base::ErrorKind::Malformed, "", std::move(what)};
}

/// An upper bound of the nodes that a text can hold: every one needs a line or a flow character.
std::ptrdiff_t entries_at_most(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return c == '\n' || c == ',' || c == '[' || c == '{'; });
}

}  // namespace

base::Result<YAML::Node> first_yaml_document(std::string_view text) {
  if (!base::is_utf8_text(text)) return malformed("yaml: it holds bytes that are no UTF-8 text");
  if (entries_at_most(text) > max_entries) {
    return malformed(fmt::format("yaml: it has more than {} entries", max_entries));
  }
  try {
    return YAML::Load(std::string(text));
  } catch (const YAML::DeepRecursion& e) {
    return malformed(fmt::format("yaml: line {}: nested too deeply", e.mark.line + 1));
  } catch (const YAML::Exception& e) {  // yaml-cpp's exceptions end on this line
    return malformed(fmt::format("yaml: line {}: {}", e.mark.line + 1, e.msg));
  }
}

std::vector<std::string_view> split_yaml_documents(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (;;) {
    const auto mark = text.find("\n---", begin);
    if (mark == std::string_view::npos) break;
    parts.push_back(text.substr(begin, mark + 1 - begin));
    begin = mark + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace dsdoctor::kube
