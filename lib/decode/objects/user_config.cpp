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

constexpr std::string_view defaults_example =
    "a list is expected, such as [{command: check, options: [{name: severity, default: error}]}]";

using nlohmann::json;

/// Reads the parts of the file, and collects warnings.
class ConfigReader {
 public:
  ConfigReader(const std::string& text, std::string file, std::vector<model::Warning>& warnings)
      : text_(text), file_(std::move(file)), warnings_(warnings) {}

  void read_ignore(const json& list) {
    if (!list.is_array() && !list.is_null()) return warn({"ignore"}, ignore_example, "ignore");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string index = std::to_string(i);
      const std::string name = fmt::format("ignore[{}]", index);
      if (list[i].is_string()) {
        config_.ignore.push_back({place({"ignore", index}, name), list[i].get<std::string>()});
      } else {
        warn({"ignore", index}, "a text is expected, ID or ID=ROOT", name);
      }
    }
  }

  void read_defaults(const json& list) {
    if (!list.is_array() && !list.is_null()) {
      return warn({"defaults"}, defaults_example, "defaults");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string index = std::to_string(i);
      const std::string name = fmt::format("defaults[{}]", index);
      const json& entry = list[i];
      const bool is_entry = entry.is_object() && has_text(entry, "command") &&
                            entry.contains("options") && entry["options"].is_array();
      if (!is_entry) {
        warn({"defaults", index}, "command and a list of options are expected", name);
        continue;
      }
      for (std::size_t k = 0; k < entry["options"].size(); ++k) {
        read_option(entry["options"][k], entry["command"].get<std::string>(),
                    {"defaults", index, "options", std::to_string(k)},
                    fmt::format("{}.options[{}]", name, k));
      }
    }
  }

  void warn(const std::vector<std::string>& path, std::string_view what, std::string_view name) {
    warnings_.push_back({yaml_place(text_, file_, path), fmt::format("{}: {}", name, what)});
  }

  [[nodiscard]] UserConfig take() { return std::move(config_); }

 private:
  static bool has_text(const json& object, const char* key) {
    return object.contains(key) && object[key].is_string();
  }
  [[nodiscard]] std::string place(const std::vector<std::string>& path,
                                  const std::string& name) const {
    return fmt::format("{}: {}", yaml_place(text_, file_, path), name);
  }

  void read_option(const json& option, const std::string& command,
                   const std::vector<std::string>& path, const std::string& name) {
    const bool is_option =
        option.is_object() && has_text(option, "name") && option.contains("default");
    const json value = is_option ? option["default"] : json();
    if (!value.is_string() && !value.is_boolean() && !value.is_number()) {
      return warn(path, "the name of a flag and its default are expected", name);
    }
    config_.defaults.push_back({place(path, name), command, option["name"].get<std::string>(),
                                value.is_string() ? value.get<std::string>() : value.dump()});
  }

  const std::string& text_;
  std::string file_;
  std::vector<model::Warning>& warnings_;
  UserConfig config_;
};

}  // namespace

base::Result<UserConfig> read_user_config(std::string_view content, std::string_view file,
                                          std::vector<model::Warning>& warnings) {
  const std::string text = as_yaml(content);
  const auto document = yaml_file(text, file);
  if (!document) return document.error();
  if (document->is_null()) return UserConfig();
  if (!document->is_object()) {
    return base::Error{base::ErrorKind::Malformed, std::string(file),
                       "a mapping is expected, such as \"ignore: [node-not-ready]\""};
  }
  ConfigReader reader(text, std::string(file), warnings);
  for (const auto& [key, value] : document->items()) {
    if (key == "ignore") {
      reader.read_ignore(value);
    } else if (key == "defaults") {
      reader.read_defaults(value);
    } else {
      const auto near = base::near_words(key, {"ignore", "defaults"}, 1);
      reader.warn({key},
                  near.empty() ? std::string("no such field; there are: defaults, ignore")
                               : fmt::format("no such field; did you mean {}?", near.front()),
                  key);
    }
  }
  return reader.take();
}

}  // namespace dsdoctor::decode
