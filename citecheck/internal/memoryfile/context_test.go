package memoryfile_test

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
)

func TestMeant(t *testing.T) {
	files := []string{"a/config.go", "b/a/config.go", "c/config.go"}
	for _, test := range []struct{ name, text, want string }{
		{"named in the section", "# A\n`a/config.go`\n\n# C\nIn c/config.go:\n\n- config.go:3\n", "c/config.go"},
		{"nearest above", "a/config.go\nc/config.go\nconfig.go:3, not a/config.go", "a/config.go"},
		{"the longer path", "see b/a/config.go\r\nconfig.go:3\r\n", "b/a/config.go"},
		{"named once, in another section", "c/config.go\n# B\nconfig.go:3", "c/config.go"},
		{"several in other sections", "c/config.go and a/config.go\n# B\nconfig.go:3", ""},
		{"below", "config.go:3\n# C\nc/config.go", "c/config.go"},
		{"not named", "# A\nconfig.go:3", ""},
	} {
		m := memoryfile.Parse([]byte(test.text), memoryfile.References)
		r := m.References[slices.IndexFunc(m.References, func(r memoryfile.Citation) bool { return r.Path == "config.go" })]
		if got := m.Meant(r, files); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCodeBeside(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"`readAll()` at src/file.go:3", []string{"readAll"}},
		{"`pkg.ReadAll(ctx)`, `Log::write_line` and `Map<string, int>` (src/file.go:3)", []string{"ReadAll", "write_line"}},
		{"`config`, `a/pathName`, `x.readAll().b = 3`, `READ` and readMore at src/file.go:3", []string{"readAll"}},
		{"`File` and `TokenStream` of src/tokenStream.go:3", nil},
		{"`readAll()` at src/file.go:3 or src/other.go:4", nil},
		{"`größenAngabe` at src/file.go:3", nil},
	} {
		m := memoryfile.Parse([]byte(test.text+"\n"), memoryfile.References)
		if got := m.CodeBeside(m.References[0]); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
}
