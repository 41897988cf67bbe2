// SPDX-License-Identifier: Apache-2.0
#include "line/several.h"

#include <fmt/format.h>

#include <algorithm>

#include "line/values.h"

namespace dsdoctor::cmd {

std::string_view several_flag(const SourceOptions& source) {
  return source.by_file ? "--by-file" : source.all_contexts ? "--all-contexts" : "--contexts";
}

base::Status finish_contexts(Raw& raw) {
  SourceOptions& source = raw.answer.input.source;
  if (!source.reads_contexts()) return std::monostate();
  const std::string_view flag = several_flag(source);
  std::string_view other;
  if (!source.files.empty()) other = "--filename";
  if (source.demo) other = "--demo";
  if (raw.answer.redact) other = "--redact";
  constexpr std::string_view of_one[] = {"--context",
                                         "--cluster",
                                         "--user",
                                         "--server",
                                         "--tls-server-name",
                                         "--certificate-authority",
                                         "--client-certificate",
                                         "--client-key"};
  for (const auto& [given, value] : given_cluster_flags(source)) {
    if (std::ranges::find(of_one, given) != std::end(of_one)) other = given;
  }
  if (!source.connection.token.empty()) other = "--token";  // other servers must not get it
  if (!other.empty()) {
    return base::usage_error(fmt::format("{} and {} cannot be used together", flag, other));
  }
  for (const std::string& glob : source.contexts) {
    if (glob.empty()) return base::usage_error("--contexts needs the name of a context, or a glob");
  }
  constexpr std::chrono::minutes usual{1};
  source.time_limit = usual;
  if (raw.timeout.empty()) return std::monostate();
  const auto timeout = parse_timeout(raw.timeout);
  if (!timeout) return timeout.error();
  source.time_limit = *timeout;
  return std::monostate();
}

base::Status check_several(const Raw& raw, OutputFormat format) {
  const SourceOptions& source = raw.answer.input.source;
  if (!source.is_several()) return std::monostate();
  const std::string_view flag = several_flag(source);
  if (source.by_file && source.files.empty()) {
    return base::usage_error("--by-file needs --filename");
  }
  if (!raw.since.empty()) {
    return base::usage_error("--by-file and --since cannot be used together");
  }
  for (const auto* paths : {&raw.what_if.manifest, &raw.what_if.add_node}) {
    if (std::ranges::find(*paths, "-") == paths->end()) continue;
    return base::usage_error(
        fmt::format("{} reads the file of --manifest or --add-node for each {}, and standard input "
                    "can be read only once",
                    flag, source.by_file ? "input" : "cluster"));
  }
  const bool has_headings = is_data(format) || format == OutputFormat::Table ||
                            format == OutputFormat::Wide || format == OutputFormat::Markdown;
  if (has_headings) return std::monostate();
  return base::usage_error(fmt::format(
      "-o {} is one document for one {} and cannot be used with {}; run the "
      "command for each {}, or use json, yaml or markdown",
      raw.output, source.by_file ? "input" : "cluster", flag, source.by_file ? "file" : "context"));
}

}  // namespace dsdoctor::cmd
