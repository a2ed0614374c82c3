package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// inGo reads the comments of a Go file, the names of its tests, and its strings that are
// sentences. Of a test file no strings are read: they are what the tests are fed with.
func inGo(file string, text []byte) (all []finding) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // the compiler reports it
	}
	test := strings.HasSuffix(file, "_test.go")
	for _, group := range parsed.Comments {
		all = append(all, inProse(file, comment(set, group))...)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			if test && strings.HasPrefix(n.Name.Name, "Test") {
				all = append(all, inProse(file, []line{{set.Position(n.Pos()).Line, spaced(strings.TrimPrefix(n.Name.Name, "Test"))}})...)
			}
		case *ast.CallExpr:
			if name, ok := named(n); ok && test {
				all = append(all, inProse(file, []line{{set.Position(n.Pos()).Line, name}})...)
			}
		case *ast.BasicLit:
			if value, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && !test && sentence(value) {
				var lines []line
				for i, part := range strings.Split(value, "\n") {
					at := set.Position(n.Pos()).Line
					if n.Value[0] == '`' {
						at += i
					}
					lines = append(lines, line{at, part})
				}
				all = append(all, inProse(file, lines)...)
			}
		}
		return true
	})
	return all
}

// named is the name that a call of t.Run has for a subtest.
func named(call *ast.CallExpr) (string, bool) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Run" || len(call.Args) != 2 {
		return "", false
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	name, err := strconv.Unquote(lit.Value)
	return name, err == nil
}

// comment is a group of comments as lines of text, without directives and code, which
// is indented.
func comment(set *token.FileSet, group *ast.CommentGroup) (lines []line) {
	for _, c := range group.List {
		at := set.Position(c.Pos()).Line
		if text, ok := strings.CutPrefix(c.Text, "//"); ok {
			if strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "    ") || strings.HasPrefix(text, "go:") {
				text = ""
			}
			lines = append(lines, line{at, text})
			continue
		}
		for i, part := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/"), "\n") {
			lines = append(lines, line{at + i, part})
		}
	}
	return lines
}

// code is what strings with blanks are that no one reads as English.
var code = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH|EXISTS|AND|OR|ORDER|FROM|WHERE|MATCH)\b|[<>{}\\|]|^\(\?`)

// sentence reports whether a string is English: several words, and not a statement or pattern.
func sentence(text string) bool {
	return strings.Contains(strings.TrimSpace(text), " ") && !code.MatchString(text)
}

// spaced writes a name like NobodyKnows as words.
func spaced(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
