// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// folders are those whose texts can reach a pod: as a reason of the scheduler, or as status.reason
// and status.message of a pod that a kubelet rejects or ends. Those below them belong to them.
var folders = []string{
	"pkg/kubelet",
	"pkg/scheduler",
}

// leftOut are folders of texts about other things: containers, conditions, certificates.
var leftOut = []string{
	"pkg/scheduler/apis",
	"pkg/kubelet/apis",
	"pkg/kubelet/container",
	"pkg/kubelet/images",
	"pkg/kubelet/kuberuntime",
	"pkg/kubelet/nodestatus",
	"pkg/kubelet/podcertificate",
	"pkg/kubelet/prober",
	"pkg/kubelet/status",
	"pkg/kubelet/types",
}

// withErrors are folders where the texts of error types reach a pod.
var withErrors = regexp.MustCompile(`^pkg/(scheduler|kubelet/(cm(/.*)?|lifecycle|volumemanager))$`)

// text is one string constant.
type text struct {
	file  string // in Kubernetes' tree
	words string // with the verbs of its format
}

// source is a folder of Go files.
type source struct {
	folder    string
	files     map[string]*ast.File
	fileOf    map[*ast.FuncDecl]string
	functions map[string][]*ast.FuncDecl
	constants map[string]string // of the folder, and those of others as "events.PreemptContainer"
	found     map[text]bool
}

// extract returns the texts of a tree of Kubernetes, sorted.
func extract(tree string) ([]text, error) {
	var sources []*source
	found := map[text]bool{}
	exported := map[string]string{}
	for _, top := range folders {
		err := filepath.WalkDir(filepath.Join(tree, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			folder, err := filepath.Rel(tree, path)
			if err != nil {
				return err
			}
			if slices.Contains(leftOut, folder) || entry.Name() == "testing" {
				return filepath.SkipDir
			}
			s, err := parse(tree, folder, found)
			if err == nil {
				sources = append(sources, s)
				for name, words := range s.constants {
					exported[entry.Name()+"."+name] = words
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, s := range sources {
		maps.Copy(s.constants, exported)
		for path, file := range s.files {
			s.named(path, file)
		}
		for function, path := range s.fileOf {
			s.inFunction(path, function)
		}
	}
	return slices.SortedFunc(maps.Keys(found), compare), nil
}

func compare(a, b text) int {
	return cmp.Or(strings.Compare(a.file, b.file), strings.Compare(a.words, b.words))
}

func parse(tree, folder string, found map[text]bool) (*source, error) {
	entries, err := os.ReadDir(filepath.Join(tree, folder))
	if err != nil {
		return nil, err
	}
	s := &source{folder, map[string]*ast.File{}, map[*ast.FuncDecl]string{}, map[string][]*ast.FuncDecl{},
		map[string]string{}, found}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(tree, folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files[folder+"/"+name] = file
	}
	for range 2 { // a constant may be made of one in a later file
		for path, file := range s.files {
			s.index(path, file)
		}
	}
	return s, nil
}

// index remembers functions, and constants that are strings.
func (s *source) index(path string, file *ast.File) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if _, known := s.fileOf[d]; d.Body != nil && !known {
				s.fileOf[d] = path
				s.functions[d.Name.Name] = append(s.functions[d.Name.Name], d)
			}
		case *ast.GenDecl:
			eachValue(d, func(name string, value ast.Expr) {
				if words, ok := s.constant(value); ok {
					s.constants[name] = words
				}
			})
		}
	}
}

func eachValue(d *ast.GenDecl, do func(name string, value ast.Expr)) {
	for _, spec := range d.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range values.Names {
			if i < len(values.Values) {
				do(name.Name, values.Values[i])
			}
		}
	}
}

// isReason matches names of constants that are reasons by themselves. Those of other things, such
// as metrics, have no such name.
var isReason = regexp.MustCompile(
	`^([eE]rrReason.*|(Err)?Reason|[A-Za-z]*NotAdmittedReason|ForbiddenReason|.*ExceededReason|ErrorReason.*|` +
		`Error(SMTAlignment|TopologyAffinity)|PodOS.*|InvalidNodeInfo|.*PolicyForbidden|.*PolicyNotSupported|PodFeatureUnsupported|` +
		`UnexpectedAdmissionError|UnknownReason|UnexpectedPredicateFailureType|InsufficientResourcePrefix|OutOf.*|` +
		`nodeShutdown(NotAdmitted)?(Reason|Message)|[a-zA-Z]+MessageFmt)$`)

// named takes constants by their names.
func (s *source) named(path string, file *ast.File) {
	for _, declaration := range file.Decls {
		if d, ok := declaration.(*ast.GenDecl); ok {
			eachValue(d, func(name string, value ast.Expr) {
				_, isError := value.(*ast.CallExpr)
				isError = isError && s.folder == "pkg/scheduler" && strings.HasPrefix(strings.ToLower(name), "err")
				if words, ok := s.constant(value); ok && (isError || isReason.MatchString(name)) {
					s.add(path, words)
				}
			})
		}
	}
}

func (s *source) add(path, words string) {
	words = strings.TrimSpace(words)
	if words != "" && strings.Trim(words, "%vsdq, ") != "" {
		s.found[text{path, words}] = true
	}
}

// constant is the value of a literal, of a constant of the folder, of a call that formats one, or
// of a sum of these.
func (s *source) constant(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		words, err := strconv.Unquote(x.Value)
		return words, err == nil && x.Kind == token.STRING
	case *ast.Ident:
		words, ok := s.constants[x.Name]
		return words, ok
	case *ast.SelectorExpr:
		if of, ok := x.X.(*ast.Ident); ok {
			words, ok := s.constants[of.Name+"."+x.Sel.Name]
			return words, ok
		}
	case *ast.ParenExpr:
		return s.constant(x.X)
	case *ast.BinaryExpr:
		left, ok := s.constant(x.X)
		right, also := s.constant(x.Y)
		if also && !ok {
			left = "%v"
		} else if ok && !also {
			right = "%v"
		}
		return left + right, ok || also
	case *ast.CallExpr:
		name := calleeOf(x)
		if len(x.Args) > 0 && (name == "Sprintf" || name == "Sprint" || name == "Errorf" || name == "New" || name == "string") {
			return s.constant(x.Args[0])
		}
	}
	return "", false
}

func calleeOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// inFunction takes the arguments of calls that make a rejecting status, reasons and messages of
// results, and the texts of errors.
func (s *source) inFunction(path string, function *ast.FuncDecl) {
	if strings.HasPrefix(function.Name.Name, "Sign") {
		return // why pods are not compared with each other
	}
	var reason ast.Expr
	ast.Inspect(function.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			if arguments := reasonsOf(x); calleeOf(x) == "rejectPod" && len(arguments) == 2 {
				s.pair(path, function, arguments[0], arguments[1])
			} else {
				for _, argument := range arguments {
					s.addAll(path, s.resolve(function, argument))
				}
			}
		case *ast.CompositeLit:
			if isResult(x) {
				s.pair(path, function, fieldOf(x, "Reason", "reason"), fieldOf(x, "Message"))
			}
		case *ast.AssignStmt:
			switch name, value := assigned(x); {
			case name == "status.Reason":
				reason = value
			case name == "status.Message" && strings.HasPrefix(path, "pkg/kubelet"):
				defer func() { s.pair(path, function, reason, value) }()
			case name == "errMsg" && s.folder == "pkg/scheduler":
				s.addAll(path, s.resolve(function, value))
			}
		case *ast.ReturnStmt:
			if function.Name.Name == "Error" && len(x.Results) == 1 && withErrors.MatchString(s.folder) {
				s.addAll(path, s.resolve(function, x.Results[0]))
			}
		}
		return true
	})
}

// assigned returns the name of the assigned variable or field, and the value.
func assigned(x *ast.AssignStmt) (string, ast.Expr) {
	if len(x.Lhs) != 1 || len(x.Rhs) != 1 {
		return "", nil
	}
	switch left := x.Lhs[0].(type) {
	case *ast.Ident:
		return left.Name, x.Rhs[0]
	case *ast.SelectorExpr:
		if of, ok := left.X.(*ast.Ident); ok {
			return of.Name + "." + left.Sel.Name, x.Rhs[0]
		}
	}
	return "", nil
}

func fieldOf(literal *ast.CompositeLit, names ...string) ast.Expr {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && slices.Contains(names, key.Name) {
				return pair.Value
			}
		}
	}
	return nil
}

// pair adds "REASON: MESSAGE", or each alone where they are not a pair.
func (s *source) pair(path string, function *ast.FuncDecl, reason, message ast.Expr) {
	reasons, messages := s.resolve(function, reason), s.resolve(function, message)
	if len(reasons) == 1 && len(messages) > 0 {
		for i := range messages {
			messages[i] = reasons[0] + ": " + messages[i]
		}
		reasons = nil
	}
	s.addAll(path, append(reasons, messages...))
}

func (s *source) addAll(path string, texts []string) {
	for _, words := range texts {
		s.add(path, words)
	}
}

// isResult is true for types such as PodAdmitResult and InsufficientResource, and for elements of
// lists of them, whose type is not repeated.
func isResult(literal *ast.CompositeLit) bool {
	switch t := literal.Type.(type) {
	case *ast.Ident:
		return t.Name == "PodAdmitResult" || t.Name == "InsufficientResource" || t.Name == "insufficientResource"
	case *ast.SelectorExpr:
		return t.Sel.Name == "PodAdmitResult" || t.Sel.Name == "InsufficientResource"
	}
	return literal.Type == nil
}

// reasonsOf returns the arguments of a call that become reasons of a pod.
func reasonsOf(call *ast.CallExpr) []ast.Expr {
	switch calleeOf(call) {
	case "NewStatus":
		if len(call.Args) < 2 {
			return nil
		}
		code, ok := call.Args[0].(*ast.SelectorExpr)
		if ok && !slices.Contains([]string{"Unschedulable", "UnschedulableAndUnresolvable", "Pending", "Wait"}, code.Sel.Name) {
			return nil
		}
		return call.Args[1:]
	case "statusUnschedulable":
		if len(call.Args) > 1 {
			return call.Args[1:2]
		}
	case "AppendReason", "Reject":
		return call.Args
	case "NewPodLevelTopologyAffinityError":
		return call.Args
	case "rejectPod":
		if len(call.Args) > 2 {
			return call.Args[len(call.Args)-2:]
		}
	}
	return nil
}

// resolve returns the constants that an expression can be: its own; those assigned to a variable
// before; or, where it is the text of an error of another function here, all errors which that
// function makes.
func (s *source) resolve(function *ast.FuncDecl, e ast.Expr) []string {
	if e == nil {
		return nil
	}
	if words, ok := s.constant(e); ok {
		return []string{words}
	}
	if call, ok := e.(*ast.CallExpr); ok && calleeOf(call) == "Error" {
		if f, ok := call.Fun.(*ast.SelectorExpr); ok {
			e = f.X
		}
	}
	variable, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	var texts []string
	var last ast.Expr
	ast.Inspect(function.Body, func(n ast.Node) bool {
		if declared, ok := n.(*ast.ValueSpec); ok && declared.Pos() < e.Pos() && declared.Names[0].Name == variable.Name {
			texts = nil // another variable of the name
		}
		assignment, ok := n.(*ast.AssignStmt)
		if !ok || assignment.Pos() >= e.Pos() {
			return true
		}
		for i, left := range assignment.Lhs {
			if name, ok := left.(*ast.Ident); ok && name.Name == variable.Name {
				last = assignment.Rhs[min(i, len(assignment.Rhs)-1)]
				if words, ok := s.constant(last); ok {
					if assignment.Tok == token.DEFINE {
						texts = nil
					}
					texts = append(texts, words)
				}
			}
		}
		return true
	})
	if call, ok := last.(*ast.CallExpr); ok && len(texts) == 0 {
		return s.errorsOf(calleeOf(call))
	}
	return texts
}

func (s *source) errorsOf(name string) []string {
	var texts []string
	for _, function := range s.functions[name] {
		ast.Inspect(function.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && calleeOf(call) == "Errorf" {
				if words, ok := s.constant(call); ok {
					texts = append(texts, words)
				}
			}
			return true
		})
	}
	return texts
}

// releaseOf is the minor release of "1.37.2": "1.37".
func releaseOf(version string) (string, error) {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) < 2 || parts[0] != "1" {
		return "", fmt.Errorf("%q is no version of Kubernetes", version)
	}
	if _, err := strconv.ParseUint(parts[1], 10, 16); err != nil {
		return "", fmt.Errorf("%q is no version of Kubernetes", version)
	}
	return "1." + parts[1], nil
}
