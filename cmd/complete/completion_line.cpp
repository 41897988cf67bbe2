// SPDX-License-Identifier: Apache-2.0
#include "complete/completion_line.h"

#include <algorithm>
#include <utility>

namespace dsdoctor::cmd {
namespace {

bool is_command(const std::string& word) {
  return std::ranges::any_of(command_infos(),
                             [&](const CommandInfo& command) { return command.name == word; });
}

class LineReader {
 public:
  explicit LineReader(const std::vector<std::string>& words) : words_(words) { use("explain"); }

  CompletionLine read() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (line_.only_arguments || word.size() < 2 || word.front() != '-') {
        take_argument(word);
      } else if (word == "--") {
        line_.only_arguments = true;
      } else {
        take_flag(word);
      }
    }
    line_.source = lenient_source("explain", flags_);
    return std::move(line_);
  }

 private:
  /// The default command is explain.
  void use(const std::string& command) {
    auto infos = flag_infos(command);
    if (infos.empty()) return;  // a word such as "options", which is not a command with flags
    infos_ = std::move(infos);
    shapes_.clear();
    for (const FlagInfo& info : infos_) shapes_.push_back(info.shape);
  }

  void take_argument(const std::string& word) {
    const bool topic = !line_.arguments.empty() && line_.arguments.front() == "help";
    if (line_.command.empty() && !topic && is_command(word)) {
      line_.command = word;
      use(word);
    } else {
      line_.arguments.push_back(word);
    }
  }

  /// A flag that needs a value takes the next word; the last word awaits its value. This is found
  /// by parsing it with a value that every such flag accepts, numbers included.
  void take_flag(const std::string& word) {
    if (auto alone = read_words({word}, shapes_)) {
      keep({word}, *alone);
    } else if (auto with_value = read_words({word, "0"}, shapes_);
               with_value && with_value->arguments.empty()) {
      if (at_ + 1 < words_.size()) {
        ++at_;
        keep({word, words_[at_]}, *with_value);
      } else {
        await(with_value->flags.back());
      }
    }
  }

  void keep(std::vector<std::string> typed, const LineWords& read) {
    for (const std::string& flag : read.flags) {
      if (!flag.empty())
        line_.flags.push_back(name_of(flag));  // an empty text is a value, not a flag
    }
    flags_.push_back(std::move(typed));
  }
  void await(const std::string& flag) {
    const std::string name = name_of(flag);
    const auto found =
        std::ranges::find_if(infos_, [&](const FlagInfo& info) { return info.shape.name == name; });
    if (found != infos_.end()) line_.awaiting = *found;
  }
  /// The name in "--output=json".
  static std::string name_of(const std::string& flag) {
    return flag.substr(
        2, flag.find('=') == std::string::npos ? std::string::npos : flag.find('=') - 2);
  }

  const std::vector<std::string>& words_;
  std::vector<FlagInfo> infos_;
  std::vector<FlagShape> shapes_;
  std::size_t at_ = 0;
  std::vector<std::vector<std::string>> flags_;
  CompletionLine line_;
};

}  // namespace

CompletionLine read_line(const std::vector<std::string>& words) { return LineReader(words).read(); }

}  // namespace dsdoctor::cmd
