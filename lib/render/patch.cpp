#include "render/patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/shell_word.h"

namespace dsdoctor::render {

using base::shell_word;

namespace {

constexpr std::string_view tolerations_path = "/spec/template/spec/tolerations";

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

}  // namespace

Json toleration_json(const model::Toleration& toleration) {
  Json result = Json::object();
  const auto add = [&](const char* key, const model::Text& value) {
    if (!value.empty()) result[key] = value.str();
  };
  add("key", toleration.key);
  add("operator", toleration.op);
  add("value", toleration.value);
  add("effect", toleration.effect);
  if (toleration.toleration_seconds) {
    result["tolerationSeconds"] = *toleration.toleration_seconds;
  }
  return result;
}

Json json_patch(const advice::Suggestion& suggestion) {
  Json patch = Json::array();
  if (suggestion.creates_list) {
    Json list = Json::array();
    for (const auto& toleration : suggestion.tolerations)
      list.push_back(toleration_json(toleration));
    patch.push_back({{"op", "test"}, {"path", tolerations_path}, {"value", nullptr}});
    patch.push_back({{"op", "add"}, {"path", tolerations_path}, {"value", std::move(list)}});
    return patch;
  }
  for (const auto& toleration : suggestion.tolerations) {
    patch.push_back({{"op", "add"},
                     {"path", fmt::format("{}/-", tolerations_path)},
                     {"value", toleration_json(toleration)}});
  }
  return patch;
}

std::optional<std::string> patch_command(std::string_view ns, std::string_view name,
                                         const advice::Suggestion& suggestion, const Style& style) {
  if (has_control_characters(ns) || has_control_characters(name)) return std::nullopt;
  std::string command = "kubectl";
  for (const std::string& flag : style.kubectl_flags) {
    if (has_control_characters(flag)) return std::nullopt;
    command += " " + shell_word(flag);
  }
  const std::string patch =
      json_patch(suggestion).dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("{} --namespace {} patch daemonset {} --type=json --patch={}", command,
                     shell_word(ns), shell_word(name), base::single_quoted(patch));
}

std::string Style::own_command(std::string_view verb, std::string_view ns,
                               std::string_view name) const {
  std::string command =
      fmt::format("{} {} {} -n {}", program, verb, shell_word(base::printable_line(name)),
                  shell_word(base::printable_line(ns)));
  for (const std::string& flag : own_flags) command += " " + shell_word(base::printable_line(flag));
  return command;
}

}  // namespace dsdoctor::render
