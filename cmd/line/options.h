#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "advice/target.h"
#include "base/result.h"
#include "base/shell_word.h"
#include "diagnosis/problems/problem.h"
#include "diagnosis/views/alert.h"
#include "kube/config/config_flags.h"
#include "line/names.h"
#include "placement/feature_gates.h"
#include "render/data/patch_forms.h"

namespace dsdoctor::cmd {

enum class OutputFormat { Table, Wide, Json, Yaml, Name, Markdown, Html, Junit, Prometheus };

/// Formats that somebody reads, as opposed to programs.
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

/// Where to read from: files, else the demo, else the cluster of the kubeconfig.
struct SourceOptions {
  std::vector<std::string> files;  // -f
  bool demo = false;
  kube::ConfigFlags connection;
  int chunk_size = 500;   // objects a page; 0: no paging
  int verbosity = 0;      // -v
  std::string now;        // --now: judge as of this time; empty: the present, or the input's own
  std::string cache_dir;  // not used: kubectl's scripts may pass it
};

/// What is to be taken as different, as the flags say it; each may be repeated.
struct WhatIfOptions {
  std::vector<std::string> tolerate;
  std::vector<std::string> taint;
  std::vector<std::string> untaint;
  std::vector<std::string> label;
  std::vector<std::string> unlabel;
  std::vector<std::string> cordon;
  std::vector<std::string> add_node;  // files
  std::vector<std::string> manifest;  // files

  [[nodiscard]] bool empty() const { return *this == WhatIfOptions{}; }
  friend bool operator==(const WhatIfOptions&, const WhatIfOptions&) = default;
};

/// Which DaemonSets and nodes, and how to answer; the same for every command.
struct AnswerOptions {
  SourceOptions source;
  std::vector<ObjectName> names;
  bool all_namespaces = false;
  std::string selector;            // -l, over DaemonSets
  std::vector<std::string> nodes;  // --node
  std::string node_selector;
  std::string feature_gates;  // "Gate=true,Other=false"
  OutputFormat format = OutputFormat::Table;
  std::string color = "auto";
  bool all_nodes = false;
  bool ignore_not_found = false;
  std::vector<std::string> taints_files;  // --taints-file
  WhatIfOptions what_if;
  diagnosis::Attention attention;    // --severity, --ignore
  std::optional<std::size_t> limit;  // --limit: problems shown in full; 0: all
  bool no_headers = false;           // tables without their line of titles
  std::string sort_by;               // a table's column; empty: the answer's own order
  bool exit_code = false;            // explain: exit 1 when something is wrong
  bool timeline = false;             // explain: also what happened when
  bool no_healthy = false;           // explain: without nodes that run the pod or are excluded
};

struct ExplainOptions : AnswerOptions {};
struct DiffNodesOptions : AnswerOptions {
  std::string since;     // a file to compare the nodes with; empty: none
  bool between = false;  // the two DaemonSets that are named
};
struct SuggestOptions : AnswerOptions {
  advice::Target target;
  std::string id;                         // of the one fix to print; empty: any
  std::optional<render::PatchForm> form;  // print this document, of one fix
  base::Shell shell = base::Shell::Posix;
};
struct CheckOptions : AnswerOptions {
  std::optional<diagnosis::Alert> alert;
};

struct FindingsOptions {
  std::string id;      // empty: all
  AnswerOptions look;  // nothing but how to answer
  bool whole = false;  // every string of every entry
};
struct TaintsOptions : AnswerOptions {};

struct SnapshotOptions : AnswerOptions {
  std::string file;  // to write; "-": stdout; empty: a name made of what was read, and when
  bool force = false;
  bool redact = false;
};

struct VersionOptions {
  OutputFormat format = OutputFormat::Table;
};

struct CompletionOptions {
  std::string shell;
};

/// Help: a text that was asked for.
struct ShowText {
  std::string text;
};

/// What the words on the command line ask for.
using Invocation =
    std::variant<ExplainOptions, DiffNodesOptions, SuggestOptions, CheckOptions, FindingsOptions,
                 TaintsOptions, SnapshotOptions, VersionOptions, CompletionOptions, ShowText>;

}  // namespace dsdoctor::cmd
