// SPDX-License-Identifier: Apache-2.0
#include "complete/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "complete/completion_line.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/views/alert.h"
#include "line/commands_of_line.h"
#include "line/formats.h"
#include "line/invocation.h"
#include "line/names.h"

namespace dsdoctor::cmd {
namespace {

using Strings = std::vector<std::string>;

/// The values of a flag, if they are few and fixed.
Strings fixed_values(const std::string& command, std::string_view flag) {
  if (flag == "output") return output_formats(command);
  if (flag == "for") return {"misscheduled", "missing", "all", "node/", "pool="};
  if (flag == "shell") return {"bash", "zsh", "fish", "powershell", "cmd"};
  if (flag == "alert") {
    Strings names;
    for (const diagnosis::Alert alert : diagnosis::all_alerts) names.emplace_back(to_string(alert));
    return names;
  }
  if (flag == "severity") return {"critical", "error", "warning", "info"};
  if (flag == "sort-by") return table_columns(command.empty() ? "explain" : command);
  if (flag == "validate") return {"strict", "warn", "ignore"};
  if (flag == "color") return {"auto", "always", "never"};
  if (flag == "feature-gates") {
    return {"TaintTolerationComparisonOperators=true", "TaintTolerationComparisonOperators=false"};
  }
  return {};
}

Directive directive_of(std::string_view flag) {
  constexpr std::string_view files[] = {
      "filename",           "kubeconfig", "kuberc", "certificate-authority",
      "client-certificate", "client-key", "since",  "taints-file",
      "add-node",           "manifest"};
  if (std::ranges::find(files, flag) != std::end(files)) return Directive::Default;
  return flag == "cache-dir" ? Directive::FilterDirs : Directive::NoFileComp;
}

/// One completion: the words before the cursor, and the word at the cursor.
class Completer {
 public:
  Completer(CompletionLine line, std::string current, NameSource& names)
      : line_(std::move(line)), current_(std::move(current)), names_(names) {}

  Completion run() {
    if (!line_.awaiting.empty()) {
      offer_values(line_.awaiting);
    } else if (current_.starts_with('-') && !line_.only_arguments) {
      offer_flags();
    } else if (std::ranges::find(line_.flags, "help") == line_.flags.end()) {
      offer_arguments();
    }
    // The user continues these candidates, so no space follows.
    const bool open = std::ranges::all_of(result_.candidates, [](const Candidate& candidate) {
      return candidate.value.ends_with('/') || candidate.value.ends_with('=');
    });
    if (open && !result_.candidates.empty() && result_.directive == Directive::NoFileComp) {
      result_.directive = Directive::NoSpaceNoFiles;
    }
    return std::move(result_);
  }

 private:
  void offer(const std::string& value, const std::string& description = {}) {
    if (value.starts_with(current_)) result_.candidates.push_back({prefix_ + value, description});
  }
  void offer_all(const Strings& values) {
    for (const std::string& value : values) offer(value);
  }

  /// The ids of the catalogue; only findings, verdicts and reasons can be ignored.
  void offer_entries(bool with_terms) {
    for (const auto& entry : diagnosis::listed_entries()) {
      if (!with_terms && entry.family == diagnosis::Family::Terms) continue;
      offer(std::string(entry.id), std::string(entry.title));
    }
  }

  void offer_values(std::string_view flag) {
    result_.directive = directive_of(flag);
    const SourceOptions& source = line_.source;
    if (flag == "namespace") {
      offer_all(names_.namespaces(source));
    } else if (flag == "for" && current_.starts_with("node/")) {
      for (const std::string& node : names_.nodes(source)) offer("node/" + node);
    } else if (flag == "node" || flag == "cordon" || flag == "drain" || flag == "delete-node" ||
               flag == "reboot") {
      offer_all(names_.nodes(source));
    } else if (flag == "taint" || flag == "untaint" || flag == "label" || flag == "unlabel") {
      const std::size_t equals = current_.find('=');
      if (equals == std::string::npos) {
        for (const std::string& node : names_.nodes(source)) offer(node + "=");
      } else if (flag == "untaint") {  // a new taint cannot be guessed
        const std::string node = current_.substr(0, equals);
        for (const std::string& taint : names_.taints(source, node)) {
          offer(fmt::format("{}={}", node, taint));
        }
      }
    } else if (flag == "ignore") {
      offer_entries(false);
    } else if (flag == "context" || flag == "contexts") {
      offer_all(names_.contexts(source));
    } else if (flag == "cluster") {
      offer_all(names_.clusters(source));
    } else if (flag == "user") {
      offer_all(names_.users(source));
    } else {
      offer_all(fixed_values(line_.command, flag));
    }
  }

  /// `-Aojs`: completes the value of the first flag that takes one, keeping the text before it.
  void offer_attached() {
    const Flags flags = known_flags();
    for (std::size_t i = 1; i < current_.size(); ++i) {
      const CLI::Option* const flag = flags.find({'-', current_[i]});
      if (flag == nullptr) return;
      if (is_switch(*flag)) continue;
      const std::size_t value = i + (current_.substr(i + 1).starts_with('=') ? 2 : 1);
      prefix_ = current_.substr(0, value);
      current_.erase(0, value);
      return offer_values(name_of(*flag));
    }
  }

  /// `--flag=va`: offers bare values; the shells' scripts add the flag again.
  void offer_flags() {
    if (current_.size() > 2 && current_[1] != '-') return offer_attached();
    if (const std::size_t equals = current_.find('='); equals != std::string::npos) {
      std::string name = current_.substr(0, equals);
      name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
      std::ranges::replace(name, '_', '-');
      current_.erase(0, equals + 1);
      offer_values(name);
      return;
    }
    const Flags flags = known_flags();
    for (const CLI::Option* flag : flags.all()) {
      const std::string& name = name_of(*flag);
      const bool used = std::ranges::find(line_.flags, name) != line_.flags.end();
      if (name != "help" && (!used || is_list(*flag))) offer("--" + name, flag->get_description());
    }
  }

  [[nodiscard]] std::string command_or_explain() const {
    return line_.command.empty() ? "explain" : line_.command;
  }

  Flags known_flags() {
    const Command* command = find_command(command_or_explain());
    return command == nullptr ? Flags() : flags_of(*command, unused_);
  }

  void offer_arguments() {
    if (line_.command.empty()) {
      const bool help = line_.arguments == Strings{"help"};
      const std::string first = line_.arguments.empty() ? current_ : line_.arguments.front();
      if (object_type(first.substr(0, first.find('/')))) {  // explain
        // A name without its type would be parsed as an unknown command.
        const bool only_type = line_.arguments.empty() && current_.find('/') == current_.npos;
        return only_type ? offer_types(std::nullopt) : offer_objects();
      }
      if (!line_.arguments.empty() && !help) return;  // the first word is not a command
      for (const CommandInfo& info : command_infos()) offer(info.name, info.description);
    } else if (reads_no_cluster()) {
      offer_fixed_words();
    } else if (line_.command == "check" || line_.command == "suggest") {
      offer_daemon_sets();
    } else if (line_.command == "snapshot") {
      if (line_.arguments.empty())
        result_.directive = Directive::Default;  // the argument is a file
    } else if (line_.command == "explain" || line_.command == "diff-nodes" ||
               line_.command == "taints") {
      offer_objects();
    }
  }

  [[nodiscard]] bool reads_no_cluster() const {
    return line_.command == "completion" || line_.command == "findings" || line_.command == "rbac";
  }

  void offer_fixed_words() {
    if (line_.command == "rbac") return offer_all(commands_of_cluster());
    if (!line_.arguments.empty()) return;  // the others take one
    if (line_.command == "findings") return offer_entries(true);
    offer_all(completion_shells());
  }

  /// Like kubectl for commands with a single type: names without type prefixes.
  void offer_daemon_sets() {
    const std::size_t slash = current_.find('/');
    if (slash == std::string::npos) return offer_named(ObjectType::DaemonSet, "");
    if (object_type(current_.substr(0, slash)) == ObjectType::DaemonSet) {
      offer_named(ObjectType::DaemonSet, current_.substr(0, slash + 1));
    }
  }

  void offer_objects() {
    const Strings& given = line_.arguments;
    const auto has_slash = [](const std::string& word) { return word.find('/') != word.npos; };
    if (const std::size_t slash = current_.find('/'); slash != std::string::npos) {
      if (const auto type = object_type(current_.substr(0, slash))) {
        offer_named(*type, current_.substr(0, slash + 1));
      }
    } else if (std::ranges::any_of(given, has_slash)) {
      offer_types(object_type(given.front().substr(0, given.front().find('/'))));
    } else if (const auto type = given.empty() ? std::nullopt : object_type(given.front())) {
      offer_named(*type, "");
    } else {
      offer_named(ObjectType::DaemonSet, "");
      if (given.empty() && !names_.has_failed()) offer_types(std::nullopt);
    }
  }

  /// Names that are not on the line yet, with `prefix` ("ds/") before each.
  void offer_named(ObjectType type, const std::string& prefix) {
    const bool explains =
        command_or_explain() == "explain";  // the other commands accept no name with -A
    if (type == ObjectType::DaemonSet && line_.source.connection.all_namespaces && !explains)
      return;
    if (type == ObjectType::Pod && !explains) return;
    const Strings names = type == ObjectType::Node  ? names_.nodes(line_.source)
                          : type == ObjectType::Pod ? names_.pods(line_.source)
                                                    : names_.daemon_sets(line_.source);
    for (const std::string& name : names) {
      const bool given = std::ranges::any_of(line_.arguments, [&](const std::string& word) {
        return word.substr(word.find('/') + 1) == name;  // npos + 1 is 0
      });
      if (!given) offer(prefix + name);
    }
  }

  /// Offers the prefixes that end in a slash; only that of `type` if it is given. Omits that of
  /// nodes if the word can be a DaemonSet's name.
  void offer_types(std::optional<ObjectType> type) {
    const bool named = !result_.candidates.empty() && !current_.empty();
    const bool explains = command_or_explain() == "explain";
    // With -A only explain accepts a DaemonSet's name.
    if (type.value_or(ObjectType::DaemonSet) == ObjectType::DaemonSet &&
        (explains || !line_.source.connection.all_namespaces)) {
      if (!current_.empty()) offer("daemonset/");
      offer("ds/");
    }
    if (type.value_or(ObjectType::Node) == ObjectType::Node && !named) offer("node/");
    if (!type && explains && !current_.empty() && !named) offer("pod/");
  }

  CompletionLine line_;
  std::string current_;
  std::string prefix_;  // prepended to every candidate: text that the shell treats as a part of the
                        // same word
  NameSource& names_;
  Raw unused_;  // the targets of the flags; never read
  Completion result_;
};

}  // namespace

Completion complete(const std::vector<std::string>& words, NameSource& names) {
  const std::vector<std::string> before(words.begin(), words.end() - 1);
  return Completer(read_line(before), words.back(), names).run();
}

std::string completion_lines(const Completion& completion, bool descriptions) {
  std::string result;
  for (const Candidate& candidate : completion.candidates) {
    result += candidate.value;
    if (descriptions && !candidate.description.empty()) result += "\t" + candidate.description;
    result += "\n";
  }
  return result + fmt::format(":{}\n", static_cast<int>(completion.directive));
}

std::string completion_note(const Completion& completion) {
  const char* name = "";
  switch (completion.directive) {
    case Directive::Default: name = "Default"; break;
    case Directive::NoSpace: name = "NoSpace"; break;
    case Directive::NoFileComp: name = "NoFileComp"; break;
    case Directive::NoSpaceNoFiles: name = "NoSpace, ShellCompDirectiveNoFileComp"; break;
    case Directive::FilterDirs: name = "FilterDirs"; break;
  }
  return fmt::format("Completion ended with directive: ShellCompDirective{}\n", name);
}

}  // namespace dsdoctor::cmd
