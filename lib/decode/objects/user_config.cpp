// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/user_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
#include "decode/yaml/yaml_file.h"
#include "decode/yaml/yaml_place.h"

namespace dsdoctor::decode {
namespace {

constexpr std::string_view ignore_example =
    "a list is expected, such as [create-quota-exceeded=logging/*]";

}  // namespace

base::Result<UserConfig> read_user_config(std::string_view content, std::string_view file,
                                          std::vector<model::Warning>& warnings) {
  UserConfig config;
  const std::string text = as_yaml(content);
  const auto document = yaml_file(text, file);
  if (!document) return document.error();
  if (document->is_null()) return config;
  if (!document->is_object()) {
    return base::Error{base::ErrorKind::Malformed, std::string(file),
                       "a mapping is expected, such as \"ignore: [node-not-ready]\""};
  }
  const auto warn = [&](const std::vector<std::string>& path, std::string what) {
    warnings.push_back({yaml_place(text, file, path), std::move(what)});
  };
  for (const auto& [key, value] : document->items()) {
    if (key != "ignore") {
      const bool near = !base::near_words(key, {"ignore"}).empty();
      warn({key}, fmt::format("{}: no such field; {}", key,
                              near ? "did you mean ignore?" : "there is: ignore"));
    } else if (!value.is_array() && !value.is_null()) {
      warn({key}, fmt::format("ignore: {}", ignore_example));
    } else {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string index = std::to_string(i);
        if (value[i].is_string()) {
          config.ignore.push_back(
              {fmt::format("{}: ignore[{}]", yaml_place(text, file, {key, index}), index),
               value[i].get<std::string>()});
        } else {
          warn({key, index}, fmt::format("ignore[{}]: a text is expected, ID or ID=ROOT", index));
        }
      }
    }
  }
  return config;
}

}  // namespace dsdoctor::decode
