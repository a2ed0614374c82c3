package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// statementAt is the index of the statement among a method's arguments, by the method's name.
var statementAt = map[string]int{"Exec": 0, "Do": 0, "QueryRow": 0, "Insert": 0, "Rows": 0, "Collect": 2}

// statementsOfSource returns the statements that are complete in the source: strings and constants joined with +. Statements built at
// run time are left out.
func statementsOfSource(t *testing.T) (found []string) {
	t.Helper()
	s := source{constants: map[string]ast.Expr{}}
	var files []*ast.File
	for _, name := range sources(t, "integration", "shared/registry") { // the registry's own code is for SQLite
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.SkipObjectResolution)
		must(t, err)
		s.declare(file)
		files = append(files, file)
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if at, known := statementAt[method.Sel.Name]; known && at < len(call.Args) {
				if text, whole := s.text(file.Name.Name, call.Args[at]); whole && strings.Contains(text, " ") && !exempt(text) {
					found = append(found, text)
				}
			}
			return true
		})
	}
	return found
}

// source holds the constants of packages, by "package.name".
type source struct{ constants map[string]ast.Expr }

func (s source) declare(file *ast.File) {
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			values := spec.(*ast.ValueSpec)
			for i, name := range values.Names {
				if i < len(values.Values) {
					s.constants[file.Name.Name+"."+name.Name] = values.Values[i]
				}
			}
		}
	}
}

// text returns the value of a string expression; whole is false when a part is known only at run time.
func (s source) text(pkg string, e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.ParenExpr:
		return s.text(pkg, e.X)
	case *ast.BinaryExpr:
		left, known := s.text(pkg, e.X)
		right, whole := s.text(pkg, e.Y)
		return left + right, known && whole && e.Op == token.ADD
	case *ast.Ident:
		if value, ok := s.constants[pkg+"."+e.Name]; ok {
			return s.text(pkg, value)
		}
	case *ast.SelectorExpr:
		if from, ok := e.X.(*ast.Ident); ok {
			if value, ok := s.constants[from.Name+"."+e.Sel.Name]; ok {
				return s.text(from.Name, value)
			}
		}
	}
	return "", false
}

// The source is read correctly: statements of a package whose own tests open no registry, and one joined from two packages' constants.
func TestStatementsOfSource(t *testing.T) {
	t.Parallel()
	all := strings.Join(statementsOfSource(t), "\n")
	for _, part := range []string{"INSERT INTO attempts (", "WHERE t.state = 'running' AND t.host = ?", "INSERT INTO reviews ("} {
		if !strings.Contains(all, part) {
			t.Errorf("no statement with %q is found", part)
		}
	}
}
