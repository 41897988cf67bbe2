#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# man_page.sh PROGRAM: prints the manual page, docs/kubectl-dsdoctor.1: the `--help` of every
# command, and a few sections that are in no help. The page has no date: it is added when the
# archive is packed. A test compares the page with this output.
set -euo pipefail

program=$(realpath "$1")
readonly program
unset COLUMNS # do not wrap the help

say() { (exec -a kubectl-dsdoctor "$program" "$@"); }

# Converts help to roff: blocks by their titles, options by two more spaces of indentation than
# text.
roff() { # SECTION_MACRO
  awk -v macro="$1" '
    function literal(text) {
      gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/\047/, "\\(aq", text)
      gsub(/`/, "\\(ga", text); gsub(/~/, "\\(ti", text); gsub(/\^/, "\\(ha", text)
      if (text ~ /^[.]/) text = "\\&" text
      return text
    }
    function fill(on) { if (on != filled) print (on ? ".EE" : ".EX"); filled = on }
    BEGIN { filled = 1 }
    /^(Examples|Select|Input|What if|Output|Usage|Available Commands):$/ {
      fill(1); title = $0; sub(/:$/, "", title); block = title; sub(/ .*/, "", block); pending = ""
      if (block == "Available") title = "Commands"
      if (macro == ".SH") print ".SH " toupper(title); else print ".SS " title
      next
    }
    /^$/ { pending = 1; next }
    /^[^ ]/ {
      fill(1)
      if (said) print (pending ? ".PP" : ".br")
      print literal($0); pending = ""; said = 1
      next
    }
    block == "Available" { print ".TP\n\\fB" literal($1) "\\fR"; $1 = ""; sub(/^ /, ""); print literal($0); next }
    /^    (-., )?--/ { # -A, --all-namespaces=false:
      sub(/^ */, ""); sub(/:$/, ""); cut = index($0, "=")
      print ".TP\n\\fB" literal(substr($0, 1, cut - 1)) "\\fR=" literal(substr($0, cut + 1)); pending = ""; next
    }
    /^        / && block != "Examples" { sub(/^ */, ""); print literal($0); next }
    { if (filled) fill(0); else if (pending) print ""
      sub(/^  /, ""); print literal($0); pending = "" }
    END { fill(1) }'
}

version=$(say version | sed -nE 's/^Client Version: v//p')
commands=$(say --help | sed -nE '/^Available Commands:/,/^$/s/^  ([a-z-]+) .*/\1/p')
readonly version commands

cat <<EOF_HEAD
.\" Made by cmd/packaging/man_page.sh from the texts of --help; not to be edited.
.TH KUBECTL\-DSDOCTOR 1 "" "kubectl\-dsdoctor $version" "User Commands"
.SH NAME
kubectl\-dsdoctor \- explain why a DaemonSet has or does not have a pod on each node
.SH SYNOPSIS
.B kubectl dsdoctor
.RI [ command ]
.RI [ options ]
.br
.B kubectl\-dsdoctor
.RI [ command ]
.RI [ options ]
.SH DESCRIPTION
EOF_HEAD
say --help | roff .SH
for command in $commands; do
  printf '.SH %s\n' "$(tr '[:lower:]' '[:upper:]' <<<"$command" | sed 's/-/\\-/g')"
  if [[ $command == options ]]; then say options; else say "$command" --help; fi | roff .SS
done
cat <<'EOF_TAIL'
.SH EXIT STATUS
.TP
.B 0
There is an answer, and nothing is wrong.
.TP
.B 1
There is an answer, and a problem needs action (diff\-nodes: there is a difference; check \-\-alert: the
condition of the alert holds; explain \-\-exit\-code: something is wrong; suggest \-\-exit\-code: a fix is
recommended). Without \-\-exit\-code, explain and suggest exit with 0 whenever there is an answer.
.TP
.B 2
There is no answer, or too little was read to know that nothing is wrong (check, diff\-nodes, and explain
\-\-exit\-code).
.SH ENVIRONMENT
.TP
.B KUBECONFIG
The kubeconfig files, as for kubectl. The default is \(ti/.kube/config.
.TP
.B HTTPS_PROXY, HTTP_PROXY, NO_PROXY
The proxy to the API server, unless the kubeconfig names one.
.TP
.B XDG_CONFIG_HOME
Where the user\(aqs files are, if not in \(ti/.config.
.TP
.B COLUMNS
The width of text that is no terminal\(aqs.
.TP
.B NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, CLICOLOR
Whether text has color, unless \-\-color says so.
.TP
.B KUBERC
The kuberc file, as for kubectl.
.TP
.B SSL_CERT_FILE, SSL_CERT_DIR
The authorities of servers, if the kubeconfig names none.
.SH FILES
.TP
.I \(ti/.config/dsdoctor/config.yaml
Problems to ignore, and default flags of commands.
.TP
.I \(ti/.config/dsdoctor/taints.yaml
Descriptions of your own taints.
.SH SEE ALSO
.BR kubectl (1)
EOF_TAIL
