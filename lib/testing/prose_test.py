#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What prose.py finds, and what it leaves alone. ./dev lint runs it."""

import pathlib
import unittest

import prose


def rules_broken(name, text):
    rules = prose.RULES + prose.words_to_avoid()
    return [(line, rule.split(":")[0]) for line, rule, _ in
            prose.complaints_of(pathlib.PurePosixPath(name), text, rules)]


class Comments(unittest.TestCase):
    def test_each_fault(self):
        rows = [
            ("// What cannot be read is skipped.", "a clause as subject"),
            ("// Pods. Who asks for one node gets it.", "a clause as subject"),
            ("/// Of two patches, the shorter one.", "'Of X, Y'"),
            ("// The form is told by its first byte.", "told, said, stands"),
            ("int x = 0;  // stands for the name", "told, said, stands"),
            ("// They are no nodes.", "is none, is no X"),
            ("// This is no node.", "is none, is no X"),
            ("// A hint for who reads the file.", "who without a noun"),
            ("// The pod is taken away.", '"taken away"'),
        ]
        for text, rule in rows:
            self.assertEqual(rules_broken("a.cpp", text + "\n"), [(1, rule)], text)

    def test_good_sentences(self):
        for text in ["// The user who runs kubectl.", "// There is no longer a node.",
                     "// Prints `what is told`.", "// What does it cost? Nothing.",
                     "// What-if edits.", "// Null if there is none.", 'const char* text = "What is told";',
                     "// kubectl stands by its word."]:
            self.assertEqual(rules_broken("a.cpp", text + "\n"), [], text)

    def test_a_sentence_over_two_lines(self):
        self.assertEqual(rules_broken("a.cpp", "\n// Its age is\n// told in seconds.\n"),
                         [(2, "told, said, stands")])

    def test_names_of_tests(self):
        self.assertEqual(rules_broken("a_test.cpp", 'TEST_CASE("of two, one is told",\n  "[a]") {\n'),
                         [(1, "'Of X, Y'"), (1, "told, said, stands")])

    def test_scripts_and_documents(self):
        self.assertEqual(rules_broken("a.sh", "#!/bin/sh\necho is none  # x\n# It is none.\n"),
                         [(3, "is none, is no X")])
        self.assertEqual(rules_broken("a.md", "```\nis told\n```\n\n- It is\n  told.\n"),
                         [(5, "told, said, stands")])


if __name__ == "__main__":
    unittest.main()
