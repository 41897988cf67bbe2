// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/shell_word.h"
#include "diagnosis/problems/problem.h"
#include "diagnosis/views/alert.h"
#include "fixes/target.h"
#include "fixes/what_if.h"
#include "kube/config/config_flags.h"
#include "line/names.h"
#include "model/scheduling.h"
#include "render/data/patch_forms.h"

namespace dsdoctor::cmd {

enum class OutputFormat { Table, Wide, Json, Yaml, Name, Markdown, Html, Junit, Sarif, Prometheus };

/// Formats for people, not for programs.
[[nodiscard]] constexpr bool is_for_people(OutputFormat format) {
  return format == OutputFormat::Table || format == OutputFormat::Wide ||
         format == OutputFormat::Markdown || format == OutputFormat::Html;
}
[[nodiscard]] constexpr bool is_document(OutputFormat format) {
  return format == OutputFormat::Markdown || format == OutputFormat::Html;
}
[[nodiscard]] constexpr bool is_data(OutputFormat format) {
  return format == OutputFormat::Json || format == OutputFormat::Yaml;
}

/// The value of a flag, and the text that it was parsed from.
template <typename T>
struct Parsed {
  std::string text;
  T value = {};
};

using Requirements = std::vector<model::NodeSelectorRequirement>;

/// Flags as they were given, with their values.
using GivenFlags = std::vector<std::pair<std::string_view, std::string>>;

/// The source: files, else the demo, else the cluster of the kubeconfig.
struct SourceOptions {
  std::vector<std::string> files;  // -f
  bool by_file = false;            // each of them is answered separately
  bool demo = false;
  std::vector<std::string> contexts;  // --contexts: globs of the clusters that are all read
  bool all_contexts = false;
  std::chrono::milliseconds time_limit{0};  // for one cluster; 0: unlimited

  /// Whether several clusters are read, each for itself.
  [[nodiscard]] bool reads_contexts() const { return all_contexts || !contexts.empty(); }
  [[nodiscard]] bool is_several() const { return by_file || reads_contexts(); }
  kube::ConfigFlags connection;  // includes the namespace
  int chunk_size = 500;          // objects per page; 0 if lists are not paged
  int verbosity = 0;             // -v
};

/// The input, and the time of the evaluation.
struct InputOptions {
  SourceOptions source;
  Parsed<Requirements> selector;    // -l, over DaemonSets
  Parsed<model::OptionalTime> now;  // absent: the current time or that of the input
};

/// The DaemonSets and nodes to report on.
struct ScopeOptions {
  std::vector<ObjectName> names;
  std::vector<std::string> nodes;  // --node: names and globs
  Parsed<Requirements> node_selector;
  bool ignore_not_found = false;
};

/// The settings of --feature-gates; absent: not given.
struct GivenGates {
  std::optional<bool> taint_toleration_comparison_operators = {};
};

/// Options of the evaluation.
struct RuleOptions {
  Parsed<GivenGates> feature_gates;
  std::vector<std::string> taints_files;  // --taints-file
};

/// How unknown and duplicate fields of a manifest are handled, as in kubectl.
enum class FieldValidation { Strict, Warn, Ignore };

/// Hypothetical changes.
struct WhatIfOptions {
  std::vector<std::string> tolerate;
  std::vector<std::string> taint;
  std::vector<std::string> untaint;
  std::vector<std::string> label;
  std::vector<std::string> unlabel;
  std::vector<std::string> cordon;
  std::vector<std::string> drain;
  std::vector<std::string> delete_node;
  std::vector<std::string> reboot;
  bool rollout = false;
  std::vector<std::string> add_node;  // files
  bool pools = false;
  std::vector<std::string> manifest;  // files
  Parsed<FieldValidation> validate = {"strict"};
  GivenFlags flags;       // all of these, in the order of application
  fixes::WhatIf changes;  // without those from files
};

enum class ColorMode { Auto, Always, Never };

struct PrintOptions {
  OutputFormat format = OutputFormat::Table;
  ColorMode color = ColorMode::Auto;
};
struct TableOptions : PrintOptions {
  bool no_headers = false;   // without the header line
  std::string sort_by = {};  // a column; empty for the default order
};
struct ListOptions : TableOptions {
  bool all_nodes = false;
  bool group = false;                     // classes of nodes in JSON and YAML
  std::optional<std::size_t> limit = {};  // problems shown in full; 0 for all
};

/// The options of all commands about DaemonSets.
struct AnswerOptions {
  InputOptions input;
  ScopeOptions scope;
  RuleOptions rules;
  bool redact = false;  // replace identifying names in the answer
};

/// The state that a command waits for.
struct Until {
  enum class State {
    Healthy,    // `check` would exit with 0
    Resolved,   // `problem` is gone; without one, all problems of the first answer
    RolledOut,  // every pod is of the current template and available
  };
  State state = State::Healthy;
  std::optional<diagnosis::Accepted> problem = {};
};

/// Options of an answer that stays current.
struct WatchOptions {
  bool watches = false;       // -w, --watch-only
  bool only_changes = false;  // without the first state
  Parsed<std::optional<Until>> until;
  std::chrono::milliseconds timeout{0};  // of --until; 0: no limit
  std::string replay = {};               // the file of a recording, which is shown instead

  /// Whether the answer is more than one.
  [[nodiscard]] bool is_set() const { return watches || until.value || !replay.empty(); }
};

struct ExplainOptions : AnswerOptions {
  WhatIfOptions what_if;
  ListOptions print;
  WatchOptions watch;
  diagnosis::Attention attention;  // --severity, --ignore
  bool exit_code = false;          // exit with 1 if a problem needs action
  bool timeline = false;           // with a timeline
  bool no_healthy = false;         // without nodes that run the pod or are excluded
};
struct DiffNodesOptions : AnswerOptions {
  WhatIfOptions what_if;
  ListOptions print;
  WatchOptions watch;
  std::vector<diagnosis::Accepted> ignored;  // --ignore
  std::vector<std::string> since;            // files of an earlier state; empty if none
  bool between = false;                      // compare the two named DaemonSets
};
struct SuggestOptions : AnswerOptions {
  WhatIfOptions what_if;
  PrintOptions print;
  bool all_nodes = false;
  fixes::FixTarget target;
  std::string id;                         // of the fix to print; empty for all
  std::optional<render::PatchForm> form;  // print one fix as this document
  base::Shell shell = base::Shell::Posix;
  bool exit_code = false;  // exit with 1 if a fix is recommended
};
struct CheckOptions : AnswerOptions {
  WhatIfOptions what_if;
  ListOptions print;
  WatchOptions watch;
  diagnosis::Attention attention;
  std::optional<diagnosis::Alert> alert;
  bool partial = false;      // an input that may hide problems is answered as well
  std::string report = {};   // --report: a file to write; empty: none
  bool node_labels = false;  // metrics have a series for each node of a problem
};
/// An address and a port: "127.0.0.1:8080", "[::1]:8080", ":8080" for all addresses, "localhost:0"
/// for any free port.
struct ListenAddress {
  std::string host;  // empty: all addresses
  std::string port;
};
struct ServeOptions : AnswerOptions {
  ListOptions print;
  WatchOptions watch;
  diagnosis::Attention attention;
  ListenAddress listen;
  bool node_labels = false;  // metrics have a series for each node of a problem
};
struct TaintsOptions : AnswerOptions {
  ListOptions print;
};

struct FindingsOptions {
  std::string word;  // empty for all
  TableOptions print;
  bool whole = false;  // all texts of all entries
};

struct SnapshotOptions {
  InputOptions input;
  std::string file;  // to write; "-" for stdout; empty for a name made of context and time
  bool force = false;
  bool redact = false;
};

/// The commands whose RBAC permissions are printed.
struct RbacOptions {
  std::vector<std::string> commands;  // those that read a cluster; empty for all of them
  std::string ns;                     // empty: all namespaces
  bool watches = false;
  OutputFormat format = OutputFormat::Table;
};

struct VersionOptions {
  OutputFormat format = OutputFormat::Table;
};

struct CompletionOptions {
  std::string shell;
};

/// Help: a text to print.
struct ShowText {
  std::string text;
};

/// A parsed command line.
using Invocation = std::variant<ExplainOptions, DiffNodesOptions, SuggestOptions, CheckOptions,
                                ServeOptions, FindingsOptions, TaintsOptions, SnapshotOptions,
                                RbacOptions, VersionOptions, CompletionOptions, ShowText>;

}  // namespace dsdoctor::cmd
