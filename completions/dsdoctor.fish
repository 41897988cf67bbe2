# SPDX-License-Identifier: Apache-2.0
# fish completion for kubectl-dsdoctor called directly; for `kubectl dsdoctor` kubectl's own
# completion calls kubectl_complete-dsdoctor.
function __kubectl_dsdoctor_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
    set -l directive (string replace ':' '' -- $lines[-1])
    set -e lines[-1]
    set -l prefix (string match -r '^--[^=]*=' -- $words[-1])
    for line in $lines
        echo "$prefix$line"  # quoted, because an empty prefix is an empty list
    end
    if test (count $lines) -eq 0; and contains -- "$directive" 0 16
        __fish_complete_path $words[-1]
    end
end
complete -c kubectl-dsdoctor -f -a '(__kubectl_dsdoctor_complete)'
