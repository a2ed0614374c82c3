package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
)

// trackers holds what pmsync sends to trackers and keeps of them, in their forms.
const trackers = "pmsync/internal/provider"

// Times in documents have one form: a field with a JSON name is a timestamp.Time,
// since the standard library writes a time.Time in another.
func TestTimesInDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t, trackers) {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join("..", name), nil, parser.SkipObjectResolution)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && f.Tag != nil && isTime(f.Type) {
				tag, _ := strconv.Unquote(f.Tag.Value)
				if name, ok := reflect.StructTag(tag).Lookup("json"); ok && name != "-" {
					t.Errorf("%s: %s is a time.Time in a document; make it a timestamp.Time", files.Position(f.Pos()), name)
				}
			}
			return true
		})
	}
}

func isTime(e ast.Expr) bool {
	if star, ok := e.(*ast.StarExpr); ok {
		return isTime(star.X)
	}
	if list, ok := e.(*ast.ArrayType); ok {
		return isTime(list.Elt)
	}
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Time" {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "time"
}
