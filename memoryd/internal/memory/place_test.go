package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestCited(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]Citation{
		"a.go":                      {Path: "a.go"},
		"src/a.go:12":               {Path: "src/a.go", Line: 12},
		"a.go:12-20":                {Path: "a.go", Line: 12},
		"a.go:12:5":                 {Path: "a.go", Line: 12},
		"a.go#L12":                  {Path: "a.go", Line: 12},
		"a.go#L12-L14":              {Path: "a.go", Line: 12},
		"c#sharp.go:4":              {Path: "c#sharp.go", Line: 4},
		"a.go:12:x := 1: really":    {Path: "a.go", Line: 12, Snippet: "x := 1: really"},
		"a.go:12-14:x":              {Path: "a.go", Line: 12, Snippet: "x"},
		"a.go:3:5 apples":           {Path: "a.go", Line: 3, Snippet: "5 apples"},
		"odd:name.go":               {Path: "odd:name.go"},
		"odd:name.go:3":             {Path: "odd:name.go", Line: 3},
		"a.go:0":                    {Path: "a.go:0"},
		"a.go:-1":                   {Path: "a.go:-1"},
		":":                         {Path: ":"},
		"":                          {},
		"a.go:99999999999999999999": {Path: "a.go:99999999999999999999"},
	} {
		if diff := cmp.Diff(want, Cited(given)); diff != "" {
			t.Errorf("%q: %s", given, diff)
		}
	}
}

func FuzzCited(f *testing.F) {
	for _, s := range []string{"a:b:3:c", "a.go#L1-L2", "a.go:12:5", ":1", "#L1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, given string) {
		if c := Cited(given); !strings.HasPrefix(given, c.Path) || !strings.HasSuffix(given, c.Snippet) || c.Line < 0 {
			t.Errorf("%q became %+v", given, c)
		}
	})
}

// Paths from a folder of the project and absolute paths are cited from its root. A path outside stays as given, and is refused.
func TestPathsFromTheRoot(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit("first", "big.go", "package big\n", "src/f.go", "package src\n", "src/big.go", "package src\n")
	src := filepath.Join(repo.Dir, "src")
	link := filepath.Join(gittest.TempDir(t), "link")
	if err := os.Symlink(repo.Dir, link); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ folder, given, want string }{
		{repo.Dir, "src/f.go", "src/f.go"}, {repo.Dir, filepath.Join(src, "f.go"), "src/f.go"}, {repo.Dir, filepath.Join(link, "src", "f.go"), "src/f.go"},
		{src, "f.go", "src/f.go"}, {src, "../big.go", "big.go"}, {src, "big.go", "big.go"}, {src, "./f.go", "src/f.go"}, {src, "src/f.go", "src/f.go"},
		{src, "none.go", "none.go"}, {src, "../../out.go", "../../out.go"}, {repo.Dir, "/etc/hosts", "/etc/hosts"}, {repo.Dir, "", ""},
	} {
		list := []Citation{{Path: c.given}}
		Standing(t.Context(), c.folder, list)
		if list[0].Path != c.want {
			t.Errorf("%q from %s is %q, want %q", c.given, c.folder, list[0].Path, c.want)
		}
	}
}
