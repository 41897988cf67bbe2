#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

/// What arbitrary bytes are given to. libFuzzer feeds these functions (./dev fuzz), and ./dev test
/// what is in testdata/fuzz/<name>: seeds, and inputs that have found something.
namespace dsdoctor::fuzz {

/// What must hold of any input does not.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws Broken.
void require(bool holds, const std::string& what);

struct FuzzTarget {
  const char* name;
  void (*run)(std::string_view input);
  bool takes_json = false;    // mostly: it is changed as such
  std::size_t own_bytes = 0;  // before it, for what is no part of it
};

/// Each throws Broken, or something of a library, for what is a mistake of ours.
[[nodiscard]] std::span<const FuzzTarget> targets();
/// Null: there is none of that name.
[[nodiscard]] const FuzzTarget* target_named(std::string_view name);

// A file each for the folders of the product that they are about.
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
void server_words(std::string_view input);
void command_line(std::string_view input);
void same_state(std::string_view input);
void whole(std::string_view input);

}  // namespace dsdoctor::fuzz
