// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dsdoctor::cmd {

/// Declares a flag that sets `target`; `names` are CLI11's ("-n,--namespace"). Help shows the
/// current value of the target as the default. A list collects all values, other flags keep the
/// last.
void add_value(CLI::App& app, const std::string& names, std::string& target,
               const std::string& description);
void add_value(CLI::App& app, const std::string& names, int& target,
               const std::string& description);
void add_value(CLI::App& app, const std::string& names, std::vector<std::string>& target,
               const std::string& description);
/// Declares a flag that needs no value.
void add_switch(CLI::App& app, const std::string& names, bool& target,
                const std::string& description);

[[nodiscard]] const std::string& name_of(const CLI::Option& flag);  // "output"
[[nodiscard]] std::string shown_names(const CLI::Option& flag);     // "-o, --output"
[[nodiscard]] bool is_switch(const CLI::Option& flag);
[[nodiscard]] bool is_list(const CLI::Option& flag);
[[nodiscard]] bool is_number(const CLI::Option& flag);

/// The flags of one command, or of several. Each command has its own app, since an app cannot have
/// two options with the same name.
class Flags {
 public:
  /// An empty app, to declare flags on.
  CLI::App& add_app();

  /// Finds "--output" or "-o" in the first app that has it; null if there is none.
  [[nodiscard]] CLI::Option* find(const std::string& dashed) const;
  /// The flags of all apps, sorted by name.
  [[nodiscard]] std::vector<const CLI::Option*> all() const;

 private:
  std::vector<std::unique_ptr<CLI::App>> apps_;
};

/// Parses a boolean like Go's strconv.ParseBool; absent for other texts.
[[nodiscard]] std::optional<bool> parse_bool(std::string_view text);

/// A flag that was on the line.
struct GivenFlag {
  std::string name;
  std::string typed;  // "--output", "'o' in -Ao"
  std::string word;   // `--name=value`; `--name` of a switch that is on
};

/// Reads the words of a line like pflag, each once, and supports all forms that kubectl's users
/// type: `-n x`, `-nx`, `-n=x`, `-Av6`, `--b=false`, values that are empty or begin with a
/// dash, `_` for `-` in names, `--`. CLI11 sets the values; its own parser differs in all of these.
class WordReader {
 public:
  /// `words` must outlive the reader.
  explicit WordReader(const std::vector<std::string>& words) : words_(words) {}

  /// Sets the flags before the next argument, which it returns; null at the end of the line.
  /// Errors: Usage, in kubectl's words; the next call continues after the invalid flag.
  [[nodiscard]] base::Result<const std::string*> next_argument(const Flags& flags);

  /// Appends the arguments that are left. Errors: as next_argument.
  [[nodiscard]] base::Status read_rest(const Flags& flags, std::vector<std::string>& arguments);

  /// Whether all flags that were read are among `flags`. Errors: Usage.
  [[nodiscard]] base::Status check(const Flags& flags) const;

  [[nodiscard]] const std::vector<GivenFlag>& given() const { return given_; }
  /// The flag whose value is missing at the end of the line; empty if none.
  [[nodiscard]] const std::string& awaiting() const { return awaiting_; }
  /// A `--` was read.
  [[nodiscard]] bool only_arguments() const { return only_arguments_; }

 private:
  base::Status read_long(const std::string& word, const Flags& flags);
  base::Status read_shorthands(const std::string& word, const Flags& flags);
  /// Sets the next word as the value.
  base::Status take_value(CLI::Option& flag, const std::string& typed);
  base::Status set(CLI::Option& flag, const std::string& typed, const std::string& value);

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  std::vector<GivenFlag> given_;
  std::string awaiting_;
  bool only_arguments_ = false;
};

}  // namespace dsdoctor::cmd
