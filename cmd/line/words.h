#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace dsdoctor::cmd {

/// A flag of a command: where its value goes, and what help says about it.
struct Flag {
  std::string_view name;  // "output"
  char shorthand = 0;     // 'o'; 0: none
  /// A list takes every value, of any other the last one wins. A bool needs no value. What is there
  /// before the line is read is the default.
  std::variant<bool*, int*, std::string*, std::vector<std::string>*> target;
  std::string description = {};
  bool connection = false;  // shown by `options`, not in every help text

  [[nodiscard]] bool is_switch() const { return std::holds_alternative<bool*>(target); }
  [[nodiscard]] bool is_list() const {
    return std::holds_alternative<std::vector<std::string>*>(target);
  }
};

/// A flag that was on the line.
struct GivenFlag {
  std::string_view name;
  std::string typed;  // "--output", "'o' in -Ao"
  std::string word;   // `--name=value`; `--name` of a switch that is on
};

/// Reads the words of a line as pflag does, each once, so that everything works which kubectl's
/// users type: `-n x`, `-nx`, `-n=x`, `-Av6`, `--b=false`, values that are empty or begin with a
/// dash, `_` for `-` in names, `--`.
class WordReader {
 public:
  /// `words` must outlive the reader.
  explicit WordReader(const std::vector<std::string>& words) : words_(words) {}

  /// Sets the flags before the next argument, which it returns; null at the end of the line.
  /// Errors: Usage, in kubectl's words; the next call goes on behind the wrong flag.
  [[nodiscard]] base::Result<const std::string*> next_argument(const std::vector<Flag>& flags);

  /// Appends the arguments that are left. Errors: as next_argument.
  [[nodiscard]] base::Status read_rest(const std::vector<Flag>& flags,
                                       std::vector<std::string>& arguments);

  /// Whether all flags that were read are among `flags`. Errors: Usage.
  [[nodiscard]] base::Status check(const std::vector<Flag>& flags) const;

  [[nodiscard]] const std::vector<GivenFlag>& given() const { return given_; }
  /// The flag whose value the line ends before; empty: none.
  [[nodiscard]] std::string_view awaiting() const { return awaiting_; }
  /// A `--` was read.
  [[nodiscard]] bool only_arguments() const { return only_arguments_; }

 private:
  base::Status read_long(const std::string& word, const std::vector<Flag>& flags);
  base::Status read_shorthands(const std::string& word, const std::vector<Flag>& flags);
  /// The next word is the value.
  base::Status take_value(const Flag& flag, const std::string& typed);
  base::Status set(const Flag& flag, const std::string& typed, const std::string& value);

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  std::vector<GivenFlag> given_;
  std::string_view awaiting_;
  bool only_arguments_ = false;
};

}  // namespace dsdoctor::cmd
