// SPDX-License-Identifier: Apache-2.0
#include "decode/catalogue/key_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dsdoctor::decode {

using nlohmann::json;

bool is_one_of(std::string_view word, WordList words) {
  return std::ranges::find(words, word) != words.end();
}

Path below(Path path, std::string_view key) {
  path.emplace_back(key);
  return path;
}

void KeyReader::complain(Path path, std::string what) {
  if (!problem_) problem_ = Problem{std::move(path), std::move(what)};
}

void KeyReader::only(const Path& path, const json& object, WordList keys) {
  if (!object.is_object()) return complain(path, "expected a mapping");
  for (const auto& [key, value] : object.items()) {
    if (!is_one_of(key, keys)) {
      complain(below(path, key), fmt::format("unknown key {}; keys are {}", key,
                                             fmt::join(keys.begin(), keys.end(), ", ")));
    }
  }
}

std::string KeyReader::text_of(const Path& path, const json& object, std::string_view key,
                               bool required) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (at == object.end()) {
    if (required) complain(path, fmt::format("{} is missing", key));
    return {};
  }
  if (!at->is_string() || at->get_ref<const std::string&>().empty()) {
    complain(below(path, key), fmt::format("{} must be a string", key));
    return {};
  }
  return at->get<std::string>();
}

std::string KeyReader::optional_word_of(const Path& path, const json& object, std::string_view key,
                                        WordList words) {
  std::string word = text_of(path, object, key, false);
  if (!word.empty() && !is_one_of(word, words)) {
    complain(below(path, key), fmt::format("{} must be one of {}", word,
                                           fmt::join(words.begin(), words.end(), ", ")));
  }
  return word;
}

std::string KeyReader::word_of(const Path& path, const json& object, std::string_view key,
                               WordList words) {
  std::string word = optional_word_of(path, object, key, words);
  if (word.empty()) complain(path, fmt::format("{} is missing", key));
  return word;
}

const json& KeyReader::list_of(const Path& path, const json& object, std::string_view key) {
  static const json none = json::array();
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (at == object.end()) return none;
  if (!at->is_array()) complain(below(path, key), fmt::format("{} must be a list", key));
  return at->is_array() ? *at : none;
}

std::vector<std::string> KeyReader::texts_of(const Path& path, const json& object,
                                             std::string_view key) {
  std::vector<std::string> result;
  for (const json& item : list_of(path, object, key)) {
    if (item.is_string()) {
      result.push_back(item.get<std::string>());
    } else {
      complain(below(path, key), fmt::format("{} must be a list of strings", key));
    }
  }
  return result;
}

std::vector<std::string> KeyReader::words_of(const Path& path, const json& object,
                                             std::string_view key, WordList words) {
  if (object.is_object() && object.value(key, json()) == json("any")) {
    return {words.begin(), words.end()};
  }
  std::vector<std::string> result = texts_of(path, object, key);
  for (const std::string& word : result) {
    if (is_one_of(word, words)) continue;
    complain(below(path, key), fmt::format("{} must be one of {}", word,
                                           fmt::join(words.begin(), words.end(), ", ")));
  }
  return result;
}

bool KeyReader::flag_of(const Path& path, const json& object, std::string_view key,
                        bool otherwise) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (at == object.end()) return otherwise;
  if (!at->is_boolean()) complain(below(path, key), fmt::format("{} must be true or false", key));
  return *at == json(true);
}

}  // namespace dsdoctor::decode
