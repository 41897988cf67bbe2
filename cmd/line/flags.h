#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "line/options.h"
#include "line/words.h"

/// The flags of every command, declared once: parsing, help and completion read them here.
namespace dsdoctor::cmd {

/// Flags of this group are shown by `options`, not in every help text.
inline constexpr const char* connection_group = "Connection";

/// What the parser fills, before it is checked.
struct Raw {
  AnswerOptions answer;
  std::string output;
  std::string alert;
  std::string severity = "warning";
  std::vector<std::string> ignored;
  std::string limit;
  std::string target;  // suggest: --for
  std::string id;
  std::string shell;
  bool client_only = false;
  bool whole = false;  // findings: --all
  std::string since;
  bool force = false;
  bool redact = false;
  bool help = false;
};

void add_explain_flags(CLI::App& app, Raw& raw);
void add_diff_nodes_flags(CLI::App& app, Raw& raw);
void add_suggest_flags(CLI::App& app, Raw& raw);
void add_check_flags(CLI::App& app, Raw& raw);
void add_findings_flags(CLI::App& app, Raw& raw);
void add_taints_flags(CLI::App& app, Raw& raw);
void add_snapshot_flags(CLI::App& app, Raw& raw);
void add_version_flags(CLI::App& app, Raw& raw);

/// How the words of a command line name the flags of `app`.
[[nodiscard]] std::vector<FlagShape> shapes_of(const CLI::App& app);

}  // namespace dsdoctor::cmd
