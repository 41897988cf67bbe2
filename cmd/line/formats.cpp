#include "line/formats.h"

namespace dsdoctor::cmd {

const std::vector<std::string>& output_formats(std::string_view command) {
  using Formats = std::vector<std::string>;
  static const Formats none;
  static const Formats of_version = {"json", "yaml"};
  static const Formats of_answers = {"table", "wide", "json", "yaml", "name", "markdown", "html"};
  static const Formats of_check = {"table",    "wide", "json",  "yaml",      "name",
                                   "markdown", "html", "junit", "prometheus"};
  static const Formats of_suggest = {"kubectl",  "table",     "wide", "json-patch", "strategic",
                                     "manifest", "kustomize", "helm", "json",       "yaml",
                                     "name",     "markdown",  "html"};
  if (command == "version") return of_version;
  if (command == "check") return of_check;
  if (command == "suggest") return of_suggest;
  if (command == "snapshot" || command == "completion") return none;
  return of_answers;
}

}  // namespace dsdoctor::cmd
