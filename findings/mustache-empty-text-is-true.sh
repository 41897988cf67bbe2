#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Mustache for C++ renders a section about an empty text, and leaves an empty line for a false one.
#
# Good guess:  a Mustache template is rendered alike by all implementations: a section about "" is left out,
#              as in mustache.js, and tags on lines of their own leave no line, as the specification has it.
# Seen:        kainjow/Mustache 4.1 (Debian's libkainjow-mustache-dev 4.1+ds-2) renders {{#note}}...{{/note}}
#              if note is an empty string, and leaves an empty line where a false section had lines of its
#              own. Lines of a partial are not indented like its tag, only the first is. mustache.js 4.2.0
#              does none of the three.
# Why:         only `false` and empty lists count as false there; the rules about lines are parts of the
#              specification that it does not follow in these cases.
# Matters for: templates that move between languages, and optional fields that are filled with "": a
#              heading without text appears. Here, empty texts become `false` before a template is filled.
#
# Needs apt with Debian 12's packages, g++, node and npm.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

apt-get download -qq libkainjow-mustache-dev=4.1+ds-2
dpkg-deb -x libkainjow-mustache-dev_*.deb debian
npm pack --silent mustache@4.2.0 >/dev/null
tar -xzf mustache-4.2.0.tgz

cat >cases.cpp <<'CPP'
#include <iostream>
#include <kainjow/mustache.hpp>

using namespace kainjow::mustache;

int main() {
  data values;
  values.set("note", std::string());
  values.set("off", false);
  values.set("part", data(partial([] { return std::string("one\ntwo\n"); })));
  for (const char* text : {"{{#note}}note{{/note}}.", "a\n{{#off}}\nx\n{{/off}}\nb", "  {{>part}}\n."}) {
    for (const char c : mustache(text).render(values)) std::cout << (c == '\n' ? std::string("\\n") : std::string(1, c));
    std::cout << "\n";
  }
}
CPP
g++ -std=c++17 -I debian/usr/include cases.cpp -o cases
cat >cases.js <<'JS'
const mustache = require('./package/mustache.js');
for (const text of ['{{#note}}note{{/note}}.', 'a\n{{#off}}\nx\n{{/off}}\nb', '  {{>part}}\n.']) {
  console.log(mustache.render(text, {note: '', off: false}, {part: 'one\ntwo\n'}).replaceAll('\n', '\\n'));
}
JS

in_cpp=$(./cases)
in_js=$(node cases.js)
printf 'kainjow/Mustache 4.1:\n%s\nmustache.js 4.2.0:\n%s\n' "$in_cpp" "$in_js"
[[ $in_js == '.
a\nb
  one\n  two\n.' ]] || { echo "changed: mustache.js" >&2; exit 1; }
[[ $in_cpp == 'note.
a\n\nb
  one\ntwo\n\n.' ]] || { echo "changed: kainjow/Mustache" >&2; exit 1; }
echo "as described"
