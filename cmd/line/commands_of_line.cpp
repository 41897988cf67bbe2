// SPDX-License-Identifier: Apache-2.0
#include "line/commands_of_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/shell_word.h"
#include "line/attention.h"
#include "line/formats.h"
#include "line/several.h"
#include "line/values.h"
#include "line/what_if.h"

namespace dsdoctor::cmd {
namespace {

/// kubectl would fetch them; this program sends requests to the cluster only.
base::Status check_files(const Raw& raw, const std::string& program, std::string_view command) {
  std::vector<std::string> files = raw.answer.input.source.files;
  for (const auto& more : {raw.what_if.add_node, raw.what_if.manifest, raw.since}) {
    files.insert(files.end(), more.begin(), more.end());
  }
  for (const std::string& file : files) {
    if (!file.starts_with("http://") && !file.starts_with("https://")) continue;
    base::Error error = base::usage_error(fmt::format("{}: URLs are not supported", file));
    error.hints.push_back(
        fmt::format("curl -fsSL {} | {} {} -f -", base::shell_word(file), program, command));
    return error;
  }
  return std::monostate();
}

/// Checks that need more than one flag, in kubectl's words.
base::Status check_standard_input(const Raw& raw) {
  std::vector<std::string_view> readers;
  const auto add = [&](std::string_view flag, const std::vector<std::string>& paths) {
    if (std::ranges::find(paths, "-") != paths.end()) readers.push_back(flag);
  };
  add("--since", raw.since);
  add("--filename", raw.answer.input.source.files);
  add("--manifest", raw.what_if.manifest);
  add("--add-node", raw.what_if.add_node);
  if (readers.size() < 2) return std::monostate();
  return base::usage_error(
      fmt::format("{} and {} cannot both read standard input", readers[0], readers[1]));
}

/// Checks the names that a command accepts with its flags.
base::Status check_names(const AnswerOptions& answer, const std::string& program,
                         std::string_view command) {
  const std::vector<ObjectName>& names = answer.scope.names;
  const bool named = std::ranges::any_of(
      names, [](const ObjectName& name) { return name.type != ObjectType::Node; });
  if (named && !answer.input.selector.text.empty()) {
    return base::usage_error("name cannot be provided when a selector is specified");
  }
  if (command == "explain") return std::monostate();
  if (std::ranges::count(names, ObjectType::Pod, &ObjectName::type) != 0) {
    return base::usage_error(fmt::format(
        "{0} {1} works on DaemonSets, not \"pods\"; {0} explain takes pod/NAME", program, command));
  }
  if (named && answer.input.source.connection.all_namespaces) {
    return base::usage_error("a resource cannot be retrieved by name across all namespaces");
  }
  return std::monostate();
}

/// The flag that makes no sense for an answer that stays current; empty: all do.
std::string_view unfit_for_watch(const Raw& raw, OutputFormat format) {
  const AnswerOptions& answer = raw.answer;
  const InputOptions& input = answer.input;
  const bool once = !raw.watch.watches && !raw.until.empty();  // files are judged once
  if (!raw.what_if.flags.empty()) return raw.what_if.flags.front().first;
  if (!raw.since.empty()) return "--since";
  if (!once && !input.source.files.empty()) return "--filename";
  if (!once && input.source.demo) return "--demo";
  if (!once && input.now.value) return "--now";
  if (input.source.is_several()) return several_flag(input.source);
  if (!raw.report.empty()) return "--report";
  if (!raw.alert.empty()) return "--alert";
  if (raw.timeline) return "--timeline";
  if (raw.print.group) return "--group";
  if (raw.print.all_nodes) return "--all-nodes";
  if (answer.redact) return "--redact";
  if (format != OutputFormat::Table && format != OutputFormat::Json) return "--output";
  return {};
}

/// Parses and checks the flags of an answer that stays current.
base::Status finish_watch(Raw& raw, OutputFormat format, std::string_view command) {
  WatchOptions& watch = raw.watch;
  watch.watches = watch.watches || watch.only_changes;
  if (!raw.until.empty()) {
    auto until = parse_until(raw.until);
    if (!until) return until.error();
    watch.until = {raw.until, std::move(*until)};
  }
  if (!raw.timeout.empty() && !raw.answer.input.source.reads_contexts()) {
    if (raw.until.empty()) {
      const bool has_contexts = command == "check";
      return base::usage_error(
          fmt::format("--timeout needs --until{}", has_contexts ? " or --contexts" : ""));
    }
    const auto timeout = parse_timeout(raw.timeout);
    if (!timeout) return timeout.error();
    watch.timeout = *timeout;
  }
  if (!watch.is_set()) return std::monostate();
  const std::string_view flag =
      raw.watch.replay.empty() ? raw.watch.watches ? "--watch" : "--until" : "--replay";
  if (!raw.watch.replay.empty() && (watch.watches || watch.until.value)) {
    return base::usage_error("--replay shows a recording: leave out --watch and --until");
  }
  const std::string_view unfit = unfit_for_watch(raw, format);
  if (unfit.empty()) return std::monostate();
  if (unfit == "--output") {
    return base::usage_error(fmt::format(
        "-o {} is one document and cannot be used with {}: use -o json, an object for each change",
        raw.output, flag));
  }
  return base::usage_error(fmt::format("{} and {} cannot be used together", unfit, flag));
}

/// Parses and checks flags that several commands share.
base::Status finish(Raw& raw, const std::vector<std::string>& arguments, const std::string& program,
                    std::string_view command) {
  AnswerOptions& answer = raw.answer;
  const SourceOptions& source = answer.input.source;
  auto names = parse_names(arguments, program);
  if (!names) return names.error();
  answer.scope.names = std::move(*names);
  kube::ConfigFlags& connection = answer.input.source.connection;
  auto ns = namespace_of_names(answer.scope.names, connection.ns);
  if (!ns) return ns.error();
  if (!ns->empty()) {
    connection.ns = std::move(*ns);
    connection.all_namespaces = false;  // the name says which
  }
  const auto format = parse_format(raw.output, command);
  if (!format) return format.error();
  if (auto fit = check_names(answer, program, command); !fit) return fit.error();
  if (source.demo && !source.files.empty()) {
    return base::usage_error("--demo and --filename cannot be used together");
  }
  if (auto files = check_files(raw, program, command); !files) return files.error();
  if (auto input = check_standard_input(raw); !input) return input.error();
  if (auto contexts = finish_contexts(raw); !contexts) return contexts.error();
  if (auto separate = check_several(raw, *format); !separate) return separate.error();
  if (raw.print.group && !is_data(*format)) {
    return base::usage_error("--group is a layout of -o json and -o yaml; tables list groups");
  }
  if (answer.redact && !is_document(*format)) {
    return base::usage_error(
        "--redact is for -o html and -o markdown; for other formats save a redacted snapshot "
        "(snapshot --redact FILE) and read it with -f FILE");
  }
  const auto color = parse_color(raw.color);
  if (!color) return color.error();
  raw.print.format = *format;
  raw.print.color = *color;
  if (source.chunk_size < 0) {
    return base::usage_error("--chunk-size must be greater than or equal to 0");
  }
  auto attention = parse_attention(raw.severity, raw.ignored);
  if (!attention) return attention.error();
  const auto limit = parse_limit(raw.limit);
  if (!limit) return limit.error();
  raw.attention = std::move(*attention);
  raw.print.limit = *limit;
  if (auto column = check_sort_by(raw.print.sort_by, command); !column) return column.error();
  if (auto read = read_texts(answer); !read) return read.error();
  if (auto read = read_what_if(raw.what_if); !read) return read.error();
  if (auto watch = finish_watch(raw, *format, command); !watch) return watch.error();
  if (answer.redact && !raw.what_if.flags.empty()) {
    return base::usage_error(fmt::format(
        "--redact cannot be used with {}: save a redacted snapshot (snapshot --redact FILE), and "
        "ask about -f FILE with its names",
        raw.what_if.flags.front().first));
  }
  return std::monostate();
}

bool chooses_nodes(const AnswerOptions& answer) {
  return !answer.scope.nodes.empty() || !answer.scope.node_selector.text.empty();
}

base::Result<Invocation> make_explain(Raw& raw, const std::vector<std::string>& arguments,
                                      const std::string& program) {
  if (auto done = finish(raw, arguments, program, "explain"); !done) return done.error();
  const std::vector<ObjectName>& names = raw.answer.scope.names;
  const auto others = std::ranges::count_if(
      names, [](const ObjectName& name) { return name.type != ObjectType::DaemonSet; });
  if (others > 0 && names.size() > 1) {
    return base::usage_error(
        "explain takes DaemonSets, one node or one pod; diff-nodes compares two nodes");
  }
  const bool pod = others > 0 && names.front().type == ObjectType::Pod;
  if (pod && chooses_nodes(raw.answer)) {
    return base::usage_error(
        "a pod is explained on its node: leave out --node and --node-selector");
  }
  const bool node = others > 0 && !pod;
  if (node && chooses_nodes(raw.answer)) {
    return base::usage_error("one node is explained: leave out --node and --node-selector");
  }
  return Invocation(ExplainOptions{
      std::move(raw.answer), std::move(raw.what_if), std::move(raw.print), std::move(raw.watch),
      std::move(raw.attention), raw.exit_code, raw.timeline, raw.no_healthy});
}

base::Result<Invocation> make_diff_nodes(Raw& raw, const std::vector<std::string>& arguments,
                                         const std::string& program) {
  if (auto done = finish(raw, arguments, program, "diff-nodes"); !done) return done.error();
  const std::vector<ObjectName>& names = raw.answer.scope.names;
  const auto nodes = std::ranges::count(names, ObjectType::Node, &ObjectName::type);
  if (nodes != 0 && (nodes != 2 || names.size() != 2)) {
    return base::usage_error(
        "diff-nodes takes DaemonSets or exactly two different nodes: "
        "node/A node/B");
  }
  if (nodes != 0 && chooses_nodes(raw.answer)) {
    return base::usage_error("two nodes are compared: leave out --node and --node-selector");
  }
  if (!raw.since.empty() && nodes != 0) {
    return base::usage_error("--since compares all nodes; use --node NAME to choose some");
  }
  // ds/A ds/B are compared; plain names are reported separately.
  const bool between =
      names.size() == 2 && nodes == 0 &&
      std::ranges::all_of(
          arguments, [](const std::string& word) { return word.find('/') != std::string::npos; }) &&
      std::ranges::all_of(names, &ObjectName::typed);
  if (raw.watch.is_set() && (nodes != 0 || between)) {
    return base::usage_error("two objects are compared once: leave out --watch and --until");
  }
  return Invocation(DiffNodesOptions{std::move(raw.answer), std::move(raw.what_if),
                                     std::move(raw.print), std::move(raw.watch),
                                     std::move(raw.attention.ignored), raw.since, between});
}

base::Result<Invocation> make_check(Raw& raw, const std::vector<std::string>& arguments,
                                    const std::string& program) {
  if (auto done = finish(raw, arguments, program, "check"); !done) return done.error();
  if (std::ranges::count(raw.answer.scope.names, ObjectType::Node, &ObjectName::type) != 0) {
    return base::usage_error("check takes DaemonSets; use --node NAME for one node");
  }
  CheckOptions options{
      std::move(raw.answer),    std::move(raw.what_if), std::move(raw.print), std::move(raw.watch),
      std::move(raw.attention), std::nullopt,           raw.partial,          raw.report,
      raw.node_labels};
  if (options.node_labels && options.print.format != OutputFormat::Prometheus) {
    return base::usage_error("--node-labels is for -o prometheus");
  }
  if (options.print.format == OutputFormat::Sarif && options.what_if.manifest.empty()) {
    return base::usage_error("-o sarif names lines of a manifest: add --manifest FILE");
  }
  if (!options.report.empty() && !options.what_if.flags.empty()) {
    return base::usage_error("--report saves what was read; leave out the flags of a what-if");
  }
  if (!options.report.empty() && options.input.source.is_several()) {
    return base::usage_error(
        fmt::format("--report and {} cannot be used together", several_flag(options.input.source)));
  }
  if (raw.alert.empty()) return Invocation(std::move(options));
  options.alert = diagnosis::alert_in(raw.alert);
  if (options.alert) return Invocation(std::move(options));
  std::vector<std::string_view> names;
  for (const diagnosis::Alert alert : diagnosis::all_alerts) names.push_back(to_string(alert));
  return base::usage_error(
      fmt::format("--alert \"{}\" is not an alert about DaemonSets: must be one of {}", raw.alert,
                  fmt::join(names, ", ")));
}

base::Result<Invocation> make_serve(Raw& raw, const std::vector<std::string>& arguments,
                                    const std::string& program) {
  if (!arguments.empty()) {
    return base::usage_error("serve takes no names; use -n, -l or --node to choose");
  }
  kube::ConfigFlags& connection = raw.answer.input.source.connection;
  connection.all_namespaces = connection.all_namespaces || connection.ns.empty();
  if (auto done = finish(raw, arguments, program, "serve"); !done) return done.error();
  auto listen = parse_listen_address(raw.listen);
  if (!listen) return listen.error();
  ServeOptions options{std::move(raw.answer),    std::move(raw.print), {},
                       std::move(raw.attention), std::move(*listen),   raw.node_labels};
  options.watch.watches = true;
  return Invocation(std::move(options));
}

base::Result<Invocation> make_suggest(Raw& raw, const std::vector<std::string>& arguments,
                                      const std::string& program) {
  SuggestOptions options;
  options.form = patch_form(raw.output);
  if (options.form || raw.output == "kubectl") raw.output.clear();
  if (auto done = finish(raw, arguments, program, "suggest"); !done) return done.error();
  static_cast<AnswerOptions&>(options) = std::move(raw.answer);
  options.what_if = std::move(raw.what_if);
  options.print = raw.print;
  options.all_nodes = raw.print.all_nodes;
  options.exit_code = raw.exit_code;
  if (std::ranges::count(options.scope.names, ObjectType::Node, &ObjectName::type) != 0) {
    return base::usage_error("suggest takes DaemonSets; use --for node/NAME for one node");
  }
  if (!raw.target.empty()) {
    auto target = fixes::parse_target(raw.target);
    if (!target) return target.error();
    options.target = std::move(*target);
  }
  options.id = raw.id;
  if (!raw.shell.empty()) {
    const auto shell = base::parse_shell(raw.shell);
    if (!shell) {
      return base::usage_error(
          fmt::format("invalid argument \"{}\" for \"--shell\" flag: must be bash, "
                      "zsh, fish, powershell or cmd",
                      raw.shell));
    }
    options.shell = *shell;
  }
  return Invocation(std::move(options));
}

base::Result<Invocation> make_taints(Raw& raw, const std::vector<std::string>& arguments,
                                     const std::string& program) {
  if (auto done = finish(raw, arguments, program, "taints"); !done) return done.error();
  // A node has the same effect as --node; the other names are those of DaemonSets.
  ScopeOptions& scope = raw.answer.scope;
  for (const ObjectName& name : scope.names) {
    if (name.type == ObjectType::Node) scope.nodes.push_back(name.name);
  }
  return Invocation(TaintsOptions{std::move(raw.answer), std::move(raw.print)});
}

base::Result<Invocation> make_snapshot(Raw& raw, const std::vector<std::string>& arguments,
                                       const std::string& program) {
  if (arguments.size() > 1) {
    return base::usage_error("snapshot takes one file name; use -l to select DaemonSets");
  }
  if (auto done = finish(raw, {}, program, "snapshot"); !done) return done.error();
  SnapshotOptions options{std::move(raw.answer.input), {}, raw.force, raw.redact};
  kube::ConfigFlags& connection = options.input.source.connection;
  connection.all_namespaces = connection.all_namespaces || connection.ns.empty();
  if (!arguments.empty()) options.file = arguments.front();
  return Invocation(std::move(options));
}

void add_command(Flags& flags, const Command& command, Raw& raw) {
  CLI::App& app = flags.add_app();
  app.option_defaults()->group(output_group);
  add_switch(app, "-h,--help", raw.help, "Show this text.");
  command.add_flags(app, raw);
  if (CLI::Option* output = app.get_option_no_throw("--output")) {
    output->description(fmt::format("One of: {}.", fmt::join(output_formats(command.name), ", ")));
  }
  if (CLI::Option* sort_by = app.get_option_no_throw("--sort-by")) {
    sort_by->description(fmt::format("Sort tables by a column, numbers the largest first: {}.",
                                     fmt::join(table_columns(command.name), ", ")));
  }
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {explain_text, add_explain_flags, make_explain},
      {diff_nodes_text, add_diff_nodes_flags, make_diff_nodes},
      {suggest_text, add_suggest_flags, make_suggest},
      {check_text, add_check_flags, make_check},
      {serve_text, add_serve_flags, make_serve},
      {findings_text, add_findings_flags, make_findings},
      {taints_text, add_taints_flags, make_taints},
      {snapshot_text, add_snapshot_flags, make_snapshot},
      {rbac_text, add_rbac_flags, make_rbac},
      {version_text, add_version_flags, make_version},
      {completion_text, [](CLI::App&, Raw&) {}, make_completion},
  };
  return all;
}

const Command* find_command(std::string_view name) {
  const auto at = std::ranges::find(commands(), name, &Command::name);
  return at == commands().end() ? nullptr : &*at;
}

Flags flags_of(const Command& command, Raw& raw) {
  Flags flags;
  add_command(flags, command, raw);
  return flags;
}

Flags flags_of_all(Raw& raw) {
  Flags flags;
  for (const Command& command : commands()) add_command(flags, command, raw);
  return flags;
}

}  // namespace dsdoctor::cmd
