// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "line/options.h"
#include "line/words.h"

/// The flags of every command, declared once: parsing, help and completion read them here.
namespace dsdoctor::cmd {

/// The groups of flags in help, in this order. Those of the connection are shown by `options`, not
/// in every help text.
inline constexpr const char* select_group = "Select";
inline constexpr const char* input_group = "Input";
inline constexpr const char* what_if_group = "What if";
inline constexpr const char* watch_group = "Watch";
inline constexpr const char* output_group = "Output";
inline constexpr const char* connection_group = "Connection";
inline constexpr const char* flag_groups[] = {select_group, input_group,  what_if_group,
                                              watch_group,  output_group, connection_group};

/// The targets of flags. A Parsed value has only its text; the values are parsed later.
struct Raw {
  AnswerOptions answer;
  WhatIfOptions what_if;  // texts only
  ListOptions print;      // without the next three members
  std::string output;
  std::string color = "auto";
  std::string limit;
  std::string severity = "warning";
  std::vector<std::string> ignored;
  diagnosis::Attention attention;  // parsed from these two
  bool exit_code = false;
  bool partial = false;
  bool timeline = false;
  bool no_healthy = false;
  bool node_labels = false;
  std::string listen = "127.0.0.1:8080";
  std::string alert;
  std::string report;
  WatchOptions watch;  // without `until` and `timeout`
  std::string until;
  std::string timeout;
  std::string target;  // suggest: --for
  std::string id;
  std::string shell;
  std::vector<std::string> since;
  bool whole = false;  // findings: --all
  bool force = false;
  bool redact = false;
  std::string cache_dir;     // accepted and ignored, like the next one
  bool client_only = false;  // version
  bool help = false;
  bool version = false;  // --version, instead of a command
};

// --output and --sort-by are described with the command's formats and tables.
void add_explain_flags(CLI::App& app, Raw& raw);
void add_diff_nodes_flags(CLI::App& app, Raw& raw);
void add_suggest_flags(CLI::App& app, Raw& raw);
void add_check_flags(CLI::App& app, Raw& raw);
void add_serve_flags(CLI::App& app, Raw& raw);
void add_findings_flags(CLI::App& app, Raw& raw);
void add_taints_flags(CLI::App& app, Raw& raw);
void add_snapshot_flags(CLI::App& app, Raw& raw);
void add_rbac_flags(CLI::App& app, Raw& raw);
void add_version_flags(CLI::App& app, Raw& raw);

}  // namespace dsdoctor::cmd
