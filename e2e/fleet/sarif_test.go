// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
)

// sarifSchema is the schema of SARIF 2.1.0 in the source of a library. The library's own function validates
// what it has read, without unknown fields.
func sarifSchema(t *testing.T) string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(folder)), "pkg/report/v210/sarif/schema.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
	if !ok {
		t.Fatal("the schema is not a literal")
	}
	schema, err := strconv.Unquote(text.Value)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSarifIsValid validates logs by the schema of SARIF 2.1.0.
func TestSarifIsValid(t *testing.T) {
	scenarios, err := filepath.Abs("../../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	schema := sarifSchema(t)
	for name, arguments := range map[string][]string{
		"a problem at its line": {"-f", scenarios + "/suggest/cluster.yaml", "--manifest", scenarios + "/what-if/rendered.yaml"},
		"nothing wrong":         {"--demo", "--manifest", scenarios + "/what-if/rendered.yaml"},
		"standard input":        {"-f", scenarios + "/suggest/cluster.yaml", "--manifest", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command(os.Getenv("DSDOCTOR_BINARY"), append([]string{"check", "-o", "sarif"}, arguments...)...)
			command.Stdin, err = os.Open(scenarios + "/what-if/rendered.yaml")
			if err != nil {
				t.Fatal(err)
			}
			log, err := command.Output()
			if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() > 1) {
				t.Fatal(err, string(exit.Stderr))
			}
			result, err := gojsonschema.Validate(gojsonschema.NewStringLoader(schema), gojsonschema.NewBytesLoader(log))
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range result.Errors() {
				t.Error(fault)
			}
			report, err := sarif.FromBytes(log)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Runs) != 1 {
				t.Errorf("%d runs", len(report.Runs))
			}
		})
	}
}
