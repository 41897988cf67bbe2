#include "line/invocation.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/edit_distance.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "line/command_texts.h"
#include "line/flags.h"
#include "line/formats.h"
#include "line/help.h"
#include "line/words.h"

namespace dsdoctor::cmd {
namespace {

base::Error usage_error(std::string what) { return {base::ErrorKind::Usage, "", std::move(what)}; }

base::Result<OutputFormat> parse_format(const std::string& text,
                                        const std::vector<std::string>& allowed) {
  const std::pair<std::string_view, OutputFormat> formats[] = {
      {"", OutputFormat::Table},
      {"table", OutputFormat::Table},
      {"wide", OutputFormat::Wide},
      {"json", OutputFormat::Json},
      {"yaml", OutputFormat::Yaml},
      {"name", OutputFormat::Name},
      {"markdown", OutputFormat::Markdown},
      {"html", OutputFormat::Html},
      {"junit", OutputFormat::Junit},
      {"prometheus", OutputFormat::Prometheus}};
  const std::string lower = base::lower_case(text);
  for (const auto& [name, format] : formats) {
    const bool is_allowed = name.empty() || std::ranges::find(allowed, name) != allowed.end();
    if (lower == name && is_allowed) return format;
  }
  std::vector<std::string> sorted = allowed;
  std::ranges::sort(sorted);
  return usage_error(fmt::format(
      "unable to match a printer suitable for the output format \"{}\", allowed formats are: {}",
      text, fmt::join(sorted, ",")));
}

base::Status check_color(const std::string& color) {
  if (color == "auto" || color == "always" || color == "never") return std::monostate();
  return usage_error(fmt::format(
      "invalid argument \"{}\" for \"--color\" flag: must be auto, always or never", color));
}

/// kubectl would fetch them; nothing but the cluster is asked for anything here.
base::Status check_files(const Raw& raw, const std::string& program, std::string_view command) {
  const auto& given = raw.answer;
  std::vector<std::string> files = given.source.files;
  for (const auto& more : {given.what_if.add_node, given.what_if.manifest, {raw.since}}) {
    files.insert(files.end(), more.begin(), more.end());
  }
  for (const std::string& file : files) {
    if (!file.starts_with("http://") && !file.starts_with("https://")) continue;
    base::Error error = usage_error(fmt::format("{}: URLs are not read", file));
    error.hints.push_back(
        fmt::format("curl -fsSL {} | {} {} -f -", base::shell_word(file), program, command));
    return error;
  }
  return std::monostate();
}

/// Checks that need more than one flag, in kubectl's words.
base::Result<AnswerOptions> finish(Raw& raw, const std::vector<std::string>& arguments,
                                   const std::string& program, std::string_view command) {
  AnswerOptions& answer = raw.answer;
  auto names = parse_names(arguments, program);
  if (!names) return names.error();
  answer.names = std::move(*names);
  auto format = parse_format(raw.output, output_formats(command));
  if (!format) return format.error();
  answer.format = *format;
  const bool named = std::ranges::any_of(
      answer.names, [](const auto& name) { return name.type == ObjectType::DaemonSet; });
  if (named && !answer.selector.empty()) {
    return usage_error("name cannot be provided when a selector is specified");
  }
  if (named && answer.all_namespaces) {
    return usage_error("a resource cannot be retrieved by name across all namespaces");
  }
  if (answer.source.demo && !answer.source.files.empty()) {
    return usage_error("--demo and --filename cannot be used together");
  }
  if (auto files = check_files(raw, program, command); !files) return files.error();
  if (auto color = check_color(answer.color); !color) return color.error();
  if (answer.source.chunk_size < 0) {
    return usage_error("--chunk-size must be greater than or equal to 0");
  }
  return std::move(answer);
}

/// A command: its flags, its texts, and how its parsed flags become an invocation.
struct Command : CommandText {
  std::function<void(CLI::App&, Raw&)> add_flags;
  std::function<base::Result<Invocation>(Raw&, const std::vector<std::string>&, const std::string&)>
      make;
};

base::Result<Invocation> make_explain(Raw& raw, const std::vector<std::string>& arguments,
                                      const std::string& program) {
  auto answer = finish(raw, arguments, program, "explain");
  if (!answer) return answer.error();
  const auto nodes = std::ranges::count(answer->names, ObjectType::Node, &ObjectName::type);
  if (nodes > 1 || (nodes == 1 && answer->names.size() > 1)) {
    return usage_error("explain takes DaemonSets, or one node; diff-nodes compares two");
  }
  return Invocation(ExplainOptions{std::move(*answer)});
}

base::Result<Invocation> make_diff_nodes(Raw& raw, const std::vector<std::string>& arguments,
                                         const std::string& program) {
  auto answer = finish(raw, arguments, program, "diff-nodes");
  if (!answer) return answer.error();
  const auto nodes = std::ranges::count(answer->names, ObjectType::Node, &ObjectName::type);
  if (nodes != 0 && (nodes != 2 || answer->names.size() != 2)) {
    return usage_error(
        "diff-nodes takes DaemonSets, or exactly two different nodes: "
        "node/A node/B");
  }
  if (!raw.since.empty() && nodes != 0) {
    return usage_error("--since compares all nodes with what they were; --node NAME chooses some");
  }
  const auto& files = answer->source.files;
  if (raw.since == "-" && std::ranges::find(files, "-") != files.end()) {
    return usage_error("--since and --filename cannot both read standard input");
  }
  DiffNodesOptions options{std::move(*answer), raw.since, false};
  // ds/A ds/B are compared; plain names are looked at one by one.
  options.between = options.names.size() == 2 && nodes == 0 &&
                    std::ranges::all_of(arguments, [](const std::string& word) {
                      return word.find('/') != std::string::npos;
                    });
  return Invocation(std::move(options));
}

base::Result<Invocation> make_check(Raw& raw, const std::vector<std::string>& arguments,
                                    const std::string& program) {
  auto answer = finish(raw, arguments, program, "check");
  if (!answer) return answer.error();
  if (std::ranges::count(answer->names, ObjectType::Node, &ObjectName::type) != 0) {
    return usage_error("check takes DaemonSets; --node NAME restricts it to a node");
  }
  CheckOptions options{std::move(*answer), std::nullopt};
  if (raw.alert.empty()) return Invocation(std::move(options));
  options.alert = diagnosis::alert_in(raw.alert);
  if (options.alert) return Invocation(std::move(options));
  std::vector<std::string_view> names;
  for (const diagnosis::Alert alert : diagnosis::all_alerts) names.push_back(to_string(alert));
  return usage_error(
      fmt::format("--alert \"{}\" names no alert about DaemonSets: must be one of {}", raw.alert,
                  fmt::join(names, ", ")));
}

/// The documents that a cure can be printed as.
constexpr std::pair<std::string_view, render::PatchForm> patch_forms[] = {
    {"json-patch", render::PatchForm::JsonPatch},
    {"strategic", render::PatchForm::Strategic},
    {"manifest", render::PatchForm::Manifest},
    {"kustomize", render::PatchForm::Kustomize},
    {"helm", render::PatchForm::Helm}};

base::Result<Invocation> make_suggest(Raw& raw, const std::vector<std::string>& arguments,
                                      const std::string& program) {
  SuggestOptions options;
  const auto* form = std::ranges::find(patch_forms, raw.output,
                                       &std::pair<std::string_view, render::PatchForm>::first);
  if (form != std::end(patch_forms)) {
    options.form = form->second;
    raw.output.clear();
  } else if (raw.output == "kubectl") {
    raw.output.clear();
  }
  auto answer = finish(raw, arguments, program, "suggest");
  if (!answer) return answer.error();
  static_cast<AnswerOptions&>(options) = std::move(*answer);
  if (std::ranges::count(options.names, ObjectType::Node, &ObjectName::type) != 0) {
    return usage_error("suggest takes DaemonSets; --for node/NAME asks about a node");
  }
  if (!raw.target.empty()) {
    auto target = advice::parse_target(raw.target);
    if (!target) return target.error();
    options.target = std::move(*target);
  }
  options.id = raw.id;
  if (!raw.shell.empty()) {
    const auto shell = base::parse_shell(raw.shell);
    if (!shell) {
      return usage_error(
          fmt::format("invalid argument \"{}\" for \"--shell\" flag: must be bash, "
                      "zsh, fish, powershell or cmd",
                      raw.shell));
    }
    options.shell = *shell;
  }
  return Invocation(std::move(options));
}

base::Result<Invocation> make_findings(Raw& raw, const std::vector<std::string>& arguments,
                                       const std::string&) {
  if (arguments.size() > 1) return usage_error("findings takes one ID, or none to list them all");
  auto format = parse_format(raw.output, output_formats("findings"));
  if (!format) return format.error();
  if (auto color = check_color(raw.answer.color); !color) return color.error();
  return Invocation(FindingsOptions{arguments.empty() ? std::string() : arguments.front(), *format,
                                    raw.answer.color});
}

base::Result<Invocation> make_taints(Raw& raw, const std::vector<std::string>& arguments,
                                     const std::string& program) {
  auto answer = finish(raw, arguments, program, "taints");
  if (!answer) return answer.error();
  // A node is named as --node names it; the other names are DaemonSets'.
  for (const ObjectName& name : answer->names) {
    if (name.type == ObjectType::Node) answer->nodes.push_back(name.name);
  }
  return Invocation(TaintsOptions{std::move(*answer)});
}

base::Result<Invocation> make_snapshot(Raw& raw, const std::vector<std::string>& arguments,
                                       const std::string& program) {
  if (arguments.size() > 1) {
    return usage_error("snapshot takes one file to write; -l chooses DaemonSets");
  }
  auto answer = finish(raw, {}, program, "snapshot");
  if (!answer) return answer.error();
  SnapshotOptions options{std::move(*answer), {}, raw.force, raw.redact};
  options.all_namespaces = options.all_namespaces || options.source.connection.ns.empty();
  if (!arguments.empty()) options.file = arguments.front();
  return Invocation(std::move(options));
}

base::Result<Invocation> make_version(Raw& raw, const std::vector<std::string>& arguments,
                                      const std::string&) {
  if (!arguments.empty()) return usage_error("version takes no arguments");
  auto format = parse_format(raw.output, output_formats("version"));
  if (!format) return format.error();
  return Invocation(VersionOptions{*format});
}

base::Result<Invocation> make_completion(Raw&, const std::vector<std::string>& arguments,
                                         const std::string&) {
  const auto shells = completion_shells();
  if (arguments.size() != 1) {
    return usage_error(fmt::format("completion takes one of: {}", fmt::join(shells, ", ")));
  }
  const std::string& shell = arguments.front();
  if (std::ranges::find(shells, shell) == shells.end()) {
    return usage_error(
        fmt::format("unsupported shell \"{}\": must be one of {}", shell, fmt::join(shells, ", ")));
  }
  return Invocation(CompletionOptions{shell});
}

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {explain_text, add_explain_flags, make_explain},
      {diff_nodes_text, add_diff_nodes_flags, make_diff_nodes},
      {suggest_text, add_suggest_flags, make_suggest},
      {check_text, add_check_flags, make_check},
      {findings_text, add_findings_flags, make_findings},
      {taints_text, add_taints_flags, make_taints},
      {snapshot_text, add_snapshot_flags, make_snapshot},
      {version_text, add_version_flags, make_version},
      {completion_text, [](CLI::App&, Raw&) {}, make_completion},
  };
  return all;
}

/// A parser of one command, with its flags declared.
std::unique_ptr<CLI::App> app_for(const Command& command, Raw& raw) {
  auto app =
      std::make_unique<CLI::App>(std::string(command.description), std::string(command.name));
  app->set_help_flag();  // ours: kubectl's layout, and `help` as a word
  app->add_flag("-h,--help", raw.help, "Show this text.");
  command.add_flags(*app, raw);
  if (CLI::Option* output = app->get_option_no_throw("--output")) {
    output->description(fmt::format("One of: {}.", fmt::join(output_formats(command.name), ", ")));
  }
  return app;
}

/// What CLI11 found wrong after our own reading: only values that do not convert.
base::Error translated(const CLI::ParseError& error) { return usage_error(error.what()); }

base::Result<Invocation> parse_command(const Command& command,
                                       const std::vector<std::string>& words,
                                       const std::string& program) {
  Raw raw;
  const auto app = app_for(command, raw);
  auto read = read_words(words, shapes_of(*app));
  if (!read) {
    base::Error error = read.error();
    error.hints.push_back(fmt::format("See '{} {} --help' for usage.", program, command.name));
    return error;
  }
  try {
    // CLI11 takes the words from the back.
    std::vector<std::string> reversed(read->flags.rbegin(), read->flags.rend());
    app->parse(reversed);
  } catch (const CLI::ParseError& error) {
    return translated(error);
  }
  if (raw.help) {
    return Invocation(ShowText{
        command_help(*app, std::string(command.examples), std::string(command.usage), program)});
  }
  return command.make(raw, read->arguments, program);
}

const Command* find_command(std::string_view name) {
  const auto at = std::ranges::find(commands(), name, &Command::name);
  return at == commands().end() ? nullptr : &*at;
}

/// Of all commands, each once: a flag may stand before the command.
std::vector<FlagShape> all_shapes() {
  std::vector<FlagShape> result;
  for (const Command& command : commands()) {
    Raw raw;
    for (FlagShape& shape : shapes_of(*app_for(command, raw))) {
      if (std::ranges::find(result, shape.name, &FlagShape::name) == result.end()) {
        result.push_back(std::move(shape));
      }
    }
  }
  return result;
}

/// The position of the first word that is no flag and no flag's value.
std::optional<std::size_t> command_position(const std::vector<std::string>& words) {
  const auto shapes = all_shapes();
  for (std::size_t length = 1; length <= words.size(); ++length) {
    const std::vector<std::string> head(words.begin(), words.begin() + std::ptrdiff_t(length));
    const auto read = read_words(head, shapes);
    if (read && !read->arguments.empty()) return length - 1;
  }
  return std::nullopt;
}

base::Error unknown_command(const std::string& word, const std::string& program) {
  base::Error error = usage_error(fmt::format("unknown command \"{}\" for \"{}\"", word, program));
  std::vector<std::string> names;
  for (const CommandInfo& command : command_infos()) names.push_back(command.name);
  const auto near_names = base::near_words(word, names);
  for (const std::string& near : near_names) {
    error.hints.push_back(fmt::format("did you mean: {} {}", program, near));
  }
  if (near_names.empty()) {
    error.hints.push_back(
        fmt::format("for a DaemonSet: {} explain {}", program, base::shell_word(word)));
  }
  error.hints.push_back(fmt::format("See '{} --help' for usage.", program));
  return error;
}

base::Error with_see_line(base::Error error, const std::string& program) {
  error.hints.push_back(fmt::format("See '{} --help' for usage.", program));
  return error;
}

base::Result<Invocation> connection_options(const std::string& program) {
  Raw raw;
  return Invocation(ShowText{connection_help(*app_for(*find_command("explain"), raw), program)});
}

/// Behind the word `help`; its flags are no topics.
base::Result<Invocation> help_about(const std::vector<std::string>& words,
                                    const std::string& program) {
  const auto topic =
      std::ranges::find_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  if (topic == words.end() || *topic == "help") {
    return Invocation(ShowText{program_help(program, command_infos())});
  }
  if (const Command* command = find_command(*topic)) {
    return parse_command(*command, {"--help"}, program);
  }
  if (*topic == "options") return connection_options(program);
  return with_see_line(usage_error(fmt::format("unknown help topic \"{}\"", *topic)), program);
}

/// TYPE/NAME, or a TYPE that names follow: what kubectl's users type first.
bool names_objects(const std::string& word) {
  return word.find('/') != std::string::npos || object_type(word).has_value();
}

bool asks_for_help(const std::vector<std::string>& words) {
  return std::ranges::any_of(
      words, [](const std::string& word) { return word == "-h" || word == "--help"; });
}

}  // namespace

base::Result<Invocation> parse_invocation(const std::vector<std::string>& words,
                                          const std::string& program) {
  const auto position = command_position(words);
  if (!position) {
    if (asks_for_help(words)) {
      std::vector<std::string> flags = words;
      std::erase(flags, "--version");
      const auto read = read_words(flags, all_shapes());
      if (!read) return with_see_line(read.error(), program);
      return Invocation(ShowText{program_help(program, command_infos())});
    }
    if (std::ranges::find(words, "--version") != words.end()) {
      return Invocation(VersionOptions{});
    }
    return parse_command(*find_command("explain"), words, program);
  }
  const std::string& word = words[*position];
  std::vector<std::string> rest = words;
  rest.erase(rest.begin() + std::ptrdiff_t(*position));
  if (const Command* command = find_command(word)) return parse_command(*command, rest, program);
  if (word == "help") return help_about(rest, program);
  if (word == "options") {
    const auto read = read_words(rest, all_shapes());
    if (!read) return with_see_line(read.error(), program);
    if (!read->arguments.empty()) {
      return with_see_line(usage_error("options takes no arguments"), program);
    }
    return connection_options(program);
  }
  if (names_objects(word)) return parse_command(*find_command("explain"), words, program);
  return unknown_command(word, program);
}

AnswerOptions lenient_options(const std::string& command,
                              const std::vector<std::vector<std::string>>& flags) {
  const auto parses = [&](const std::vector<std::string>& words, Raw& raw) {
    const auto app = app_for(*find_command(command), raw);
    const auto read = read_words(words, shapes_of(*app));
    if (!read) return false;
    try {
      app->parse(std::vector<std::string>(read->flags.rbegin(), read->flags.rend()));
    } catch (const CLI::ParseError&) {
      return false;
    }
    return true;
  };
  std::vector<std::string> sound;
  for (const auto& flag : flags) {
    Raw alone;
    if (parses(flag, alone)) sound.insert(sound.end(), flag.begin(), flag.end());
  }
  Raw raw;
  (void)parses(sound, raw);
  return std::move(raw.answer);
}

std::vector<FlagInfo> flag_infos(const std::string& command) {
  const Command* found = find_command(command);
  if (found == nullptr) return {};
  Raw raw;
  const auto app = app_for(*found, raw);
  std::vector<FlagInfo> result;
  for (const FlagShape& shape : shapes_of(*app)) {
    const CLI::Option* option = app->get_option("--" + shape.name);
    result.push_back({shape, option->get_description(), option->get_expected_max() > 1});
  }
  std::ranges::sort(result, {}, [](const FlagInfo& flag) { return flag.shape.name; });
  return result;
}

std::vector<std::string> completion_shells() { return {"bash", "fish", "kubectl", "zsh"}; }

std::vector<CommandInfo> command_infos() {
  std::vector<CommandInfo> result;
  for (const Command& command : commands()) {
    result.push_back({std::string(command.name), std::string(command.summary)});
  }
  result.push_back({"options", "List the connection options"});
  return result;
}

}  // namespace dsdoctor::cmd
