package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
)

// mutant is one change of a file: the bytes from..to become with.
type mutant struct {
	from, to int
	with     string
	function string
	place    string // file and line
	line     int
}

// mutants returns the changes to try in the named functions of a file, or in all of them.
func mutants(file string, text []byte, functions []string) []mutant {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil // the compiler reports it better
	}
	var all []mutant
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || len(functions) > 0 && !slices.Contains(functions, f.Name.Name) {
			continue
		}
		m := mutator{set: set, text: text, function: f.Name.Name}
		ast.Inspect(f.Body, m.visit)
		all = append(all, m.found...)
	}
	return all
}

type mutator struct {
	set      *token.FileSet
	text     []byte
	function string
	found    []mutant
}

// opposite returns the replacement of an operator: the smallest change that a boundary test detects.
var opposite = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*",
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if with, ok := opposite[n.Op]; ok {
			m.replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with)
		}
	case *ast.IfStmt:
		m.replace(n.Cond.Pos(), n.Cond.End(), "!("+m.source(n.Cond)+")")
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			m.replace(n.OpPos, n.OpPos+1, "")
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			m.replace(n.Pos(), n.End(), "false")
		case "false":
			m.replace(n.Pos(), n.End(), "true")
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			m.replace(n.Pos(), n.End(), "("+n.Value+"+1)")
		}
	case *ast.BranchStmt:
		if n.Label == nil && n.Tok == token.CONTINUE {
			m.replace(n.Pos(), n.End(), "break")
		}
	case *ast.IncDecStmt, *ast.ExprStmt, *ast.DeferStmt:
		m.replace(n.Pos(), n.End(), "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE { // a missing variable would not compile
			m.replace(n.Pos(), n.End(), "")
		}
	}
	return true
}

func (m *mutator) source(n ast.Node) string {
	return string(m.text[m.set.Position(n.Pos()).Offset:m.set.Position(n.End()).Offset])
}

func (m *mutator) replace(from, to token.Pos, with string) {
	at := m.set.Position(from)
	m.found = append(m.found, mutant{from: at.Offset, to: m.set.Position(to).Offset, with: with, function: m.function, line: at.Line,
		place: fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)})
}
