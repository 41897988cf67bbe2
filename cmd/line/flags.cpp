#include "line/flags.h"

#include <algorithm>
#include <utility>

namespace dsdoctor::cmd {
namespace {

std::vector<Flag> connection_flags(Raw& raw) {
  SourceOptions& source = raw.answer.input.source;
  kube::ConfigFlags& connection = source.connection;
  std::vector<Flag> flags = {
      {"kubeconfig", 0, &connection.kubeconfig, "Path to the kubeconfig file to use."},
      {"kuberc", 0, &connection.kuberc,
       "Path to the kuberc file, whose credential plugin policy is honored."},
      {"context", 0, &connection.context, "The name of the kubeconfig context to use."},
      {"cluster", 0, &connection.cluster, "The name of the kubeconfig cluster to use."},
      {"user", 0, &connection.user, "The name of the kubeconfig user to use."},
      {"server", 's', &connection.server, "The address and port of the Kubernetes API server."},
      {"tls-server-name", 0, &connection.tls_server_name,
       "Server name to use for server certificate validation."},
      {"certificate-authority", 0, &connection.certificate_authority,
       "Path to a cert file for the certificate authority."},
      {"client-certificate", 0, &connection.client_certificate,
       "Path to a client certificate file for TLS."},
      {"client-key", 0, &connection.client_key, "Path to a client key file for TLS."},
      {"token", 0, &connection.token, "Bearer token for authentication to the API server."},
      {"as", 0, &connection.as, "Username to impersonate for the requests."},
      {"as-uid", 0, &connection.as_uid, "UID to impersonate for the requests."},
      {"request-timeout", 0, &connection.request_timeout,
       "How long to wait for one answer: 0 (no limit), seconds, or a duration like 1m30s."},
      {"cache-dir", 0, &raw.cache_dir, "Accepted as in kubectl; nothing is cached."},
      {"as-group", 0, &connection.as_groups,
       "Group to impersonate for the requests; may be repeated."},
      {"as-user-extra", 0, &connection.as_user_extra,
       "User extra to impersonate for the requests, key=value; may be repeated."},
      {"insecure-skip-tls-verify", 0, &connection.insecure_skip_tls_verify,
       "Do not check the server's certificate. This makes your connection insecure."},
      {"disable-compression", 0, &connection.disable_compression,
       "Do not ask for compressed answers."},
      {"v", 'v', &source.verbosity,
       "Level of detail on stderr: 4 shows the configuration, 6 each request, 7 to 10 its "
       "headers and bodies as well, without credentials."},
      {"chunk-size", 0, &source.chunk_size,
       "Read large lists in pages of this many objects; 0 to read them whole."}};
  for (Flag& flag : flags) flag.connection = true;
  return flags;
}

/// What is read, and of which DaemonSets.
void add_input_flags(std::vector<Flag>& flags, Raw& raw) {
  const std::vector<Flag> connection = connection_flags(raw);
  flags.insert(flags.end(), connection.begin(), connection.end());
  InputOptions& input = raw.answer.input;
  flags.insert(
      flags.end(),
      {{"namespace", 'n', &input.source.connection.ns,
        "The namespace of the DaemonSets; with -f, the default is all namespaces."},
       {"all-namespaces", 'A', &input.source.connection.all_namespaces,
        "All namespaces; -n is ignored."},
       {"selector", 'l', &input.selector.text,
        "Label selector over DaemonSets, as in kubectl (-l key1=value1,key2=value2)."},
       {"filename", 'f', &input.source.files,
        "Read this file, folder or tar archive instead of a cluster: JSON or YAML as kubectl "
        "get -o json prints it, a snapshot, a cluster-info dump, must-gather or support bundle; "
        "gzip, zstd and xz are unpacked; - is standard input. May be repeated."},
       {"now", 0, &input.now.text,
        "Evaluate as of this time (RFC 3339, like 2006-01-02T15:04:05Z). The default is the "
        "current time for a cluster, and the newest time in the input for files."},
       {"demo", 0, &input.source.demo, "Read an embedded example cluster."}});
}

void add_answer_flags(std::vector<Flag>& flags, Raw& raw) {
  add_input_flags(flags, raw);
  AnswerOptions& answer = raw.answer;
  flags.insert(
      flags.end(),
      {{"node", 0, &answer.scope.nodes,
        "Only this node, or the nodes that a glob matches (--node 'gpu-*'); may be repeated."},
       {"node-selector", 0, &answer.scope.node_selector.text,
        "Only the nodes with these labels (--node-selector key=value)."},
       {"feature-gates", 0, &answer.rules.feature_gates.text,
        "Feature gates of kube-controller-manager, which clients cannot read: "
        "TaintTolerationComparisonOperators=true|false."},
       {"taints-file", 0, &answer.rules.taints_files,
        "Descriptions of your own taints, YAML or JSON in the format of known_taints.yaml; they "
        "override the built-in ones. May be repeated."},
       {"output", 'o', &raw.output},
       {"color", 0, &raw.color, "Color: auto, always or never."},
       {"ignore-not-found", 0, &answer.scope.ignore_not_found,
        "Do not fail if a DaemonSet does not exist."},
       {"all-nodes", 0, &raw.print.all_nodes, "List every node instead of groups of nodes."}});
}

void add_what_if_flags(std::vector<Flag>& flags, Raw& raw) {
  WhatIfOptions& what_if = raw.what_if;
  flags.insert(flags.end(),
               {{"tolerate", 0, &what_if.tolerate,
                 "What if: add toleration KEY[=VALUE][:EFFECT] to the DaemonSets."},
                {"taint", 0, &what_if.taint,
                 "What if: add taint NODE=KEY[=VALUE]:EFFECT; NODE is a name, a glob with *, or "
                 "@label-selector."},
                {"untaint", 0, &what_if.untaint, "What if: remove taint NODE=KEY[:EFFECT]."},
                {"label", 0, &what_if.label, "What if: set label NODE=KEY=VALUE."},
                {"unlabel", 0, &what_if.unlabel, "What if: remove label NODE=KEY."},
                {"cordon", 0, &what_if.cordon, "What if: cordon NODE."},
                {"add-node", 0, &what_if.add_node,
                 "What if: add the nodes of this manifest, and show which pods run on them."},
                {"manifest", 0, &what_if.manifest,
                 "What if: apply the DaemonSets of this manifest; without a NAME, explain them."}});
}

void add_limit_flag(std::vector<Flag>& flags, Raw& raw) {
  flags.push_back(
      {"limit", 0, &raw.limit, "Show this many problems in full; 0 to show everything."});
}

void add_ignore_flag(std::vector<Flag>& flags, Raw& raw) {
  flags.push_back(
      {"ignore", 0, &raw.ignored,
       "Ignore problems: ID[=ROOT], globs for the id of a finding and the object to fix "
       "(create-quota-exceeded=logging/*). May be repeated."});
}

/// Which problems count, and how many are shown.
void add_problem_flags(std::vector<Flag>& flags, Raw& raw) {
  flags.push_back(
      {"severity", 0, &raw.severity,
       "The lowest severity that counts as wrong: critical, error, warning or info. With info, "
       "problems that resolve without action count as well."});
  add_ignore_flag(flags, raw);
  add_limit_flag(flags, raw);
}

/// How tables look.
void add_table_flags(std::vector<Flag>& flags, Raw& raw) {
  flags.insert(flags.end(),
               {{"no-headers", 0, &raw.print.no_headers, "Tables without their line of titles."},
                {"sort-by", 0, &raw.print.sort_by}});
}

}  // namespace

void describe(std::vector<Flag>& flags, std::string_view name, std::string description) {
  const auto flag = std::ranges::find(flags, name, &Flag::name);
  if (flag != flags.end()) flag->description = std::move(description);
}

void add_explain_flags(std::vector<Flag>& flags, Raw& raw) {
  add_answer_flags(flags, raw);
  add_problem_flags(flags, raw);
  add_table_flags(flags, raw);
  add_what_if_flags(flags, raw);
  flags.insert(
      flags.end(),
      {{"exit-code", 0, &raw.exit_code,
        "Exit with 1 when something is wrong and with 2 when that is unknown; otherwise explain "
        "exits with 0 whenever there is an answer."},
       {"timeline", 0, &raw.timeline,
        "Also show a timeline of the DaemonSet and of the first node of each wrong group."},
       {"no-healthy", 0, &raw.no_healthy, "Leave out nodes that run the pod or are excluded."}});
}

void add_suggest_flags(std::vector<Flag>& flags, Raw& raw) {
  add_answer_flags(flags, raw);
  add_what_if_flags(flags, raw);
  flags.insert(
      flags.end(),
      {{"for", 0, &raw.target,
        "Suggest one fix for these nodes: misscheduled, missing, node/NAME, pool=[LABEL=]NAME "
        "or all. Without it, suggest one fix for each cause."},
       {"id", 0, &raw.id, "Only the suggestion with this id; -o json lists the ids."},
       {"shell", 0, &raw.shell,
        "Quote commands for this shell: bash, zsh, fish, powershell or cmd."},
       {"exit-code", 0, &raw.exit_code,
        "Exit with 1 when a fix is recommended; otherwise with 0 whenever there is an answer."}});
}

void add_check_flags(std::vector<Flag>& flags, Raw& raw) {
  add_answer_flags(flags, raw);
  add_problem_flags(flags, raw);
  add_table_flags(flags, raw);
  add_what_if_flags(flags, raw);
  flags.push_back(
      {"alert", 0, &raw.alert,
       "Show what makes this alert fire, and whether it resolves without action: "
       "KubeDaemonSetNotScheduled, KubeDaemonSetMisScheduled or KubeDaemonSetRolloutStuck; "
       "the end of the name or the line of a notification is enough."});
}

void add_findings_flags(std::vector<Flag>& flags, Raw& raw) {
  add_table_flags(flags, raw);
  flags.insert(flags.end(),
               {{"all", 0, &raw.whole,
                 "Show every entry in full: meaning, detection and fix, as for a single ID."},
                {"output", 'o', &raw.output},
                {"color", 0, &raw.color, "Color: auto, always or never."}});
}

void add_version_flags(std::vector<Flag>& flags, Raw& raw) {
  flags.insert(flags.end(),
               {{"output", 'o', &raw.output},
                {"client", 0, &raw.client_only,
                 "Accepted as in kubectl; only the client's version is ever printed."}});
}

void add_diff_nodes_flags(std::vector<Flag>& flags, Raw& raw) {
  add_answer_flags(flags, raw);
  add_ignore_flag(flags, raw);
  add_table_flags(flags, raw);
  add_limit_flag(flags, raw);
  add_what_if_flags(flags, raw);
  flags.push_back(
      {"since", 0, &raw.since,
       "Show what changed on the nodes since this file was written, and which verdicts changed "
       "because of it: a snapshot, or any input of -f."});
}

void add_taints_flags(std::vector<Flag>& flags, Raw& raw) {
  add_answer_flags(flags, raw);
  add_table_flags(flags, raw);
  flags.push_back({"limit", 0, &raw.limit, "0 to show everything, instead of what fits a screen."});
}

void add_snapshot_flags(std::vector<Flag>& flags, Raw& raw) {
  add_input_flags(flags, raw);
  describe(flags, "namespace",
           "Only the DaemonSets of this namespace. The default is all namespaces.");
  describe(flags, "all-namespaces",
           "The DaemonSets of all namespaces, which is the default; -n is ignored.");
  flags.insert(
      flags.end(),
      {{"force", 0, &raw.force, "Overwrite an existing file."},
       {"redact", 0, &raw.redact,
        "Replace every word that is neither common to Kubernetes (kubectl, "
        "default-scheduler, ebs.csi.aws.com) nor a number, consistently: names, images, "
        "addresses, labels, taints, messages; verdicts, counts and findings do not change."}});
}

}  // namespace dsdoctor::cmd
