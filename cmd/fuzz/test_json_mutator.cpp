// SPDX-License-Identifier: Apache-2.0
#include "fuzz/test_json_mutator.h"

#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

#include "fuzz/test_reading.h"

namespace dsdoctor::fuzz {
namespace {

using Json = nlohmann::ordered_json;

/// Values that readers of Kubernetes objects treat specially, and edge cases.
const Json& literals() {
  static const Json all = {
      nullptr,
      true,
      false,
      0,
      1,
      -1,
      2147483648,
      9223372036854775807,
      1.5,
      1e300,
      "",
      "*",
      "0",
      "1",
      "true",
      "True",
      "False",
      "Unknown",
      "110",
      "250m",
      "-1",
      "1Gi",
      "9223372036854775807",
      "30%",
      "a\nb",
      "\u202e",
      "n1",
      "agent",
      "mon",
      "app",
      "gpu",
      "NoSchedule",
      "NoExecute",
      "PreferNoSchedule",
      "Exists",
      "Equal",
      "In",
      "NotIn",
      "DoesNotExist",
      "Gt",
      "Lt",
      "metadata.name",
      "kubernetes.io/hostname",
      "node.kubernetes.io/unschedulable",
      "node.kubernetes.io/not-ready",
      "ToBeDeletedByClusterAutoscaler",
      "virtual-kubelet",
      "Running",
      "Pending",
      "Failed",
      "Succeeded",
      "Evicted",
      "CrashLoopBackOff",
      "ImagePullBackOff",
      "FailedScheduling",
      "FailedCreate",
      "FailedMount",
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {gpu: yes}.",
      "OnDelete",
      "RollingUpdate",
      "2026-11-20T23:59:00Z",
      "2026-11-20T23:59:00.123456Z",
      "1970-01-01T00:00:00Z",
      Json::array(),
      Json::object(),
  };
  return all;
}

class Mutation {
 public:
  Mutation(Json& root, std::uint32_t seed) : root_(root), random_(seed) { collect(root_); }

  /// Inserts a value of `donor`, or a special one, into the tree.
  void insert(const Json& donor) {
    Json value = below(3) == 0 ? any_of(literals()) : any_below(donor);
    place(std::move(value), donor);
  }

  /// Removes, doubles, moves or damages an existing value.
  void change() {
    Json& at = *places_[below(places_.size())];
    switch (below(4)) {
      case 0: remove_one(at); break;
      case 1: double_one(at); break;
      case 2: swap(at); break;
      default: damage(at); break;
    }
  }

 private:
  [[nodiscard]] std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  void collect(Json& value) {
    places_.push_back(&value);
    if (!value.is_structured()) return;
    for (Json& each : value) collect(each);
  }

  [[nodiscard]] const Json& any_of(const Json& container) {
    return *std::next(container.begin(), static_cast<std::ptrdiff_t>(below(container.size())));
  }

  /// Picks a value at a random depth, each level with the same probability.
  [[nodiscard]] Json any_below(const Json& value) {
    const Json* at = &value;
    for (std::size_t levels = below(8); levels > 0 && at->is_structured() && !at->empty();
         --levels) {
      at = &any_of(*at);
    }
    return *at;
  }

  /// The name of a random field in `donor`.
  [[nodiscard]] std::string any_key(const Json& donor) {
    std::string key = "name";
    const Json* at = &donor;
    for (std::size_t levels = 1 + below(8); levels > 0 && at->is_structured() && !at->empty();
         --levels) {
      const auto member = std::next(at->begin(), static_cast<std::ptrdiff_t>(below(at->size())));
      if (at->is_object()) key = member.key();
      at = &*member;
    }
    return key;
  }

  void place(Json value, const Json& donor) {
    Json& at = *places_[below(places_.size())];
    if (at.is_array() && below(2) == 0) {
      at.insert(at.begin() + static_cast<std::ptrdiff_t>(below(at.size() + 1)), std::move(value));
    } else if (at.is_object() && below(2) == 0) {
      at[any_key(donor)] = std::move(value);
    } else {
      at = std::move(value);
    }
  }

  void remove_one(Json& at) {
    if (!at.is_structured() || at.empty()) {
      at = nullptr;
      return;
    }
    at.erase(std::next(at.begin(), static_cast<std::ptrdiff_t>(below(at.size()))));
  }

  void double_one(Json& at) {
    if (at.is_array() && !at.empty()) {
      at.push_back(Json(any_of(at)));
    } else if (at.is_string()) {
      at = at.get<std::string>() + at.get<std::string>();
    } else if (at.is_number_integer()) {
      at = static_cast<std::int64_t>(2 * at.get<std::uint64_t>());
    }
  }

  /// Replaces a value by a copy of another one, at any depth.
  void swap(Json& at) {
    Json other = *places_[below(places_.size())];
    at = std::move(other);
  }

  void damage(Json& at) {
    if (!at.is_string()) {
      at = any_of(literals());
      return;
    }
    std::string text = at.get<std::string>();
    const auto letter = static_cast<char>(below(128));
    const std::size_t where = below(text.size() + 1);
    if (where == text.size()) {
      text += letter;
    } else if (below(2) == 0) {
      text[where] = letter;
    } else {
      text.resize(where);
    }
    at = std::move(text);
  }

  Json& root_;
  std::mt19937 random_;
  std::vector<Json*> places_;
};

std::optional<std::string> written(const Json& document, std::size_t most) {
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > most) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::string> mutated_json(std::string_view input, std::size_t most,
                                        std::uint32_t seed) {
  if (is_deep(input)) return std::nullopt;
  Json document = Json::parse(input, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  const Json before = document;
  for (std::uint32_t count = 1 + seed % 3; count > 0; --count) {
    Mutation mutation(document, seed + count);
    if ((seed >> count) % 2 == 0) {
      mutation.insert(before);
    } else {
      mutation.change();
    }
  }
  return written(document, most);
}

std::optional<std::string> crossed_json(std::string_view input, std::string_view donor,
                                        std::size_t most, std::uint32_t seed) {
  if (is_deep(input) || is_deep(donor)) return std::nullopt;
  Json document = Json::parse(input, nullptr, false);
  const Json other = Json::parse(donor, nullptr, false);
  if (document.is_discarded() || other.is_discarded()) return std::nullopt;
  Mutation(document, seed).insert(other);
  return written(document, most);
}

}  // namespace dsdoctor::fuzz
