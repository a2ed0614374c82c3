package instruct

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRewriteKeepsTheWordsOfTheText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of its own\n", 9)
	root := repository(t,
		map[string]string{
			"src/core/a.go": long + "1", "web/lib/b.ts": long + "2", "docs/c.md": long + "3", "api/old/d.go": long + "4", "api/old/e.go": long + "5", "gone.md": long + "6",
			"CLAUDE.md":      "`src/core/a.go` and `./src/core/a.go`, `lib/b.ts`,\r\n[c](docs/c.md#x \"t\") `api/old/` `web/lib/b.ts` `dir/gone.md`\r\n",
			"docs/CLAUDE.md": "[c](./c.md) [a](../src/core/a.go)\n@c.md\n",
			"dir/gone.md":    long + "7",
		},
		map[string]string{"src/core/a.go => src/core/z.go": "", "web/lib/b.ts => web/y.ts": "", "docs/c.md => docs/x.md": "", "api/old => api/new": "", "-dir/gone.md": ""},
	)
	dry, err := Rewrite(context.Background(), root, Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Rewrite(context.Background(), root, Options{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dry, out); diff != "" || out.Files != 2 || out.Left != 1 {
		t.Errorf("%+v %s", out, diff)
	}
	for name, want := range map[string]string{
		"CLAUDE.md":      "`src/core/z.go` and `./src/core/z.go`, `y.ts`,\r\n[c](docs/x.md#x \"t\") `api/new/` `web/y.ts` `dir/gone.md`\r\n",
		"docs/CLAUDE.md": "[c](./x.md) [a](../src/core/z.go)\n@x.md\n",
	} {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestRewriteMovesLines(t *testing.T) {
	t.Parallel()
	root := repository(t,
		map[string]string{"src/a.go": "package a\n\nfunc pay() error { return nil }\n", "AGENTS.md": "Paid in `a.go:3`, twice `a.go:3` no.\n\nPaid in `a.go:3`.\n"},
		map[string]string{"src/a.go": "package a\n\n// One more line.\n\nfunc pay() error { return nil }\n"},
	)
	out, err := Rewrite(context.Background(), root, Options{}, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "AGENTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("Paid in `a.go:3`, twice `a.go:3` no.\n\nPaid in `a.go:5`.\n", string(got)); diff != "" {
		t.Errorf("%s %+v", diff, out)
	}
}

// A path that cannot be rewritten is not offered, and a hidden file is not a statement that is left.
func TestOnlyWhatIsRewrittenIsOffered(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of its own\n", 9)
	root := repository(t,
		map[string]string{"src/a b.go": long + "1", "src/c.go": long + "2", "CLAUDE.md": "[a](src/a%20b.go)\n\n`src/c.go`\n", "sub/AGENTS.md": "Hidden.\n"},
		map[string]string{"src/a b.go => src/z.go": "", "src/c.go => src/y.go": ""},
	)
	report, err := Check(context.Background(), root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fixable := map[string]bool{}
	for _, f := range report.Findings {
		fixable[f.Verdict+" "+f.Found] = f.Fixable()
	}
	if diff := cmp.Diff(map[string]bool{"renamed src/z.go": false, "renamed src/y.go": true, "hidden ": false}, fixable); diff != "" {
		t.Error(diff)
	}
	out, err := Rewrite(context.Background(), root, Options{}, true)
	if err != nil || len(out.Fixes) != 2 || out.Left != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}
