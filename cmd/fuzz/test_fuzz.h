// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

/// Targets for arbitrary bytes. libFuzzer calls these functions (./dev fuzz), and ./dev test runs
/// them on the files of testdata/fuzz/<name>: seeds, and inputs that have found bugs.
namespace dsdoctor::fuzz {

/// An invariant does not hold for an input.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws Broken unless `holds`.
void require(bool holds, const std::string& what);

struct FuzzTarget {
  const char* name;
  void (*run)(std::string_view input);
  bool takes_json = false;    // usually: then the input is mutated as JSON
  std::size_t own_bytes = 0;  // before the JSON, for the target's own options
};

/// All targets. Each throws Broken, or a library's exception, after a bug of ours.
[[nodiscard]] std::span<const FuzzTarget> targets();
/// Null if no target has that name.
[[nodiscard]] const FuzzTarget* target_named(std::string_view name);

// One file for each folder of the product that they test.
void json_list(std::string_view input);
void protobuf_list(std::string_view input);
void yaml(std::string_view input);
void archive(std::string_view input);
void known_taints(std::string_view input);
void user_config(std::string_view input);
void selector(std::string_view input);
void quantity(std::string_view input);
void scheduler_message(std::string_view input);
void kubeconfig(std::string_view input);
void exec_credential(std::string_view input);
void manifest(std::string_view input);
void node_templates(std::string_view input);
void server_words(std::string_view input);
void command_line(std::string_view input);
void http2_frames(std::string_view input);
void watch_events(std::string_view input);
void page(std::string_view input);
void same_state(std::string_view input);
void whole(std::string_view input);

}  // namespace dsdoctor::fuzz
