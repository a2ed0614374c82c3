package instruct

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestHiddenInstructions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"behind CLAUDE.md":           {map[string]string{"CLAUDE.md": "one", "AGENTS.md": "two"}, []string{"AGENTS.md hidden file AGENTS.md"}},
		"behind a local one":         {map[string]string{"CLAUDE.local.md": "one", "AGENTS.md": "two"}, []string{"AGENTS.md hidden file AGENTS.md"}},
		"below CLAUDE.md":            {map[string]string{"CLAUDE.md": "one", "web/AGENTS.md": "two"}, []string{"web/AGENTS.md hidden file AGENTS.md"}},
		"imported":                   {map[string]string{"CLAUDE.md": "@AGENTS.md", "AGENTS.md": "two"}, nil},
		"imported by one in .claude": {map[string]string{".claude/CLAUDE.md": "@../AGENTS.md", "AGENTS.md": "two"}, nil},
		"named":                      {map[string]string{"CLAUDE.md": "Read AGENTS.md first.", "AGENTS.md": "two"}, nil},
		"the same text":              {map[string]string{"CLAUDE.md": "one", "AGENTS.md": "one"}, nil},
		"alone":                      {map[string]string{"AGENTS.md": "two"}, nil},
		"beside a nested one":        {map[string]string{"AGENTS.md": "two", "web/CLAUDE.md": "one"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings, _ := found(t, repository(t, c.files), Options{})
			if diff := cmp.Diff(append([]string{}, c.want...), findings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestImportsAreFollowed(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{
		"CLAUDE.md": "@a/one.md\n", "a/one.md": "@two.md\n`src/gone1.go`\n", "a/two.md": "@../three.md\n@one.md\n", "three.md": "@four.md\n", "four.md": "@five.md\n`src/gone4.go`\n",
		"five.md": "`src/gone5.go`\n", "src/a.go": "package a\n", "GUIDE.md": "`src/gone.go`\n", "AGENTS.md": "`@x.md`\n\nSee CLAUDE.md.\n",
	})
	findings, _ := found(t, root, Options{Choice: Choice{}})
	want := []string{"AGENTS.md hidden file AGENTS.md", "a/one.md:2 missing path src/gone1.go", "four.md:2 missing path src/gone4.go"}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
}

func TestAnchorsOfLinks(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{
		"docs/a.md": "# How to *build*\n\nPart two\n--------\n\n## Again\n\n<a id=\"own\"></a>\n\n### Site {#site-1}\n",
		"code.go":   "package a\n",
		"CLAUDE.md": "# Here\n\n[1](docs/a.md#how-to-build) [2](docs/a.md#part-two) [3](docs/a.md#own) [4](#here) [5](code.go#L1) [6](docs/a.md#again-1) [7](docs/a.md#site-1)\n\n[8](docs/a.md#build-it)\n\n[9](#there)\n",
	})
	findings, _ := found(t, root, Options{})
	want := []string{"CLAUDE.md:5 missing link docs/a.md#build-it", "CLAUDE.md:7 missing link #there"}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
}

func TestLinesAreFollowed(t *testing.T) {
	t.Parallel()
	root := repository(t,
		map[string]string{"a.go": "package a\n\nfunc pay() error { return nil }\n\nvar limits = map[string]int{\"day\": 12345}\n", "AGENTS.md": "Paid in `a.go:3`, due in a.go:5, see `a.go:1`.\n"},
		map[string]string{"a.go": "package a\n\n// One more line.\n\nfunc pay() error { return nil }\n"},
	)
	findings, _ := found(t, root, Options{})
	want := []string{"AGENTS.md:1 moved place a.go:3 => a.go:5", "AGENTS.md:1 removed place a.go:5"}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
}

func TestALineOfARenamedFileIsNotRemoved(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of its own that git can tell\n", 20)
	root := repository(t,
		map[string]string{"src/pay.go": long, "src/due.go": long + "due\n", "src/old.go": "package old\n"},
		map[string]string{"src/pay.go => src/payment.go": "", "-src/old.go": ""},
		map[string]string{"AGENTS.md": "At `src/pay.go:3`, not at src/old.go:1.\n"},
	)
	r := gittest.NewAt(t, root)
	r.Git("mv", "src/due.go", "src/later.go")
	r.Write("CLAUDE.md", "@AGENTS.md\n\nAt `src/pay.go:4` and `src/due.go:2`.\n")
	findings, _ := found(t, root, Options{})
	want := []string{
		"AGENTS.md:1 renamed place src/pay.go:3", "AGENTS.md:1 removed place src/old.go:1",
		"CLAUDE.md:3 renamed place src/pay.go:4", "CLAUDE.md:3 renamed place src/due.go:2",
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Error(diff)
	}
	fixes, err := Rewrite(context.Background(), root, Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	if fix := fixes.Fixes[0]; fix.Done || fix.Reason != "no commit shows which line of it was meant" {
		t.Errorf("%+v", fix)
	}
}

func TestMemoriesOfAClientAreRead(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{"src/a.go": "package a\n"}, map[string]string{"src/a.go => src/b.go": ""})
	folder := filepath.Join(t.TempDir(), "memory")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "MEMORY.md"), []byte("Look at `src/a.go`, not at `~/x.md`.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "src/b.go"), filepath.Join(folder, "link.md")); err != nil {
		t.Skip(err)
	}
	report, err := Check(context.Background(), root, Options{MemoryFolders: map[string]string{"claude-code": folder, "other": filepath.Join(folder, "none")}})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Sources) != 1 || len(report.Findings) != 1 || report.Findings[0].Verdict != Renamed || report.Findings[0].Found != "src/b.go" || report.Sources[0].Kind != Memories {
		t.Errorf("%+v", report)
	}
}

func TestMemoriesNameOneAnother(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{"src/a.go": "package a\n", "AGENTS.md": "[b](deploy.md)\n"})
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "topics"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"MEMORY.md":    "[a](deploy.md) [b](topics/db.md) [c](src/a.go)\n\n@deploy.md\n\n[e](lost.md)\n\n@lost.md\n",
		"deploy.md":    "Run it.\n",
		"topics/db.md": "Tables.\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := Check(context.Background(), root, Options{MemoryFolders: map[string]string{"claude-code": folder}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range report.Findings {
		got = append(got, fmt.Sprintf("%s:%d %s %s %s", filepath.Base(f.File), f.Line, f.Verdict, f.Kind, f.Text))
	}
	want := []string{"MEMORY.md:5 missing link lost.md", "MEMORY.md:7 missing import @lost.md", "AGENTS.md:1 missing link deploy.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMemoryFolderIsNamedAsTheClientDoes(t *testing.T) {
	t.Parallel()
	if got, want := MemoryFolder("/c", "/home/ann/my_repo.v2"), filepath.FromSlash("/c/projects/-home-ann-my-repo-v2/memory"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWhatIsNotCommittedCounts(t *testing.T) {
	t.Parallel()
	root := repository(t, map[string]string{"src/a.go": "package a\n\nfunc A() { println(1) }\n", "src/c.go": "package a\n\n// C is another one.\n", "CLAUDE.md": "`src/a.go` and `src/c.go`\n"})
	if err := os.Remove(filepath.Join(root, "src/a.go")); err != nil {
		t.Fatal(err)
	}
	findings, _ := found(t, root, Options{})
	if diff := cmp.Diff([]string{"CLAUDE.md:1 removed path src/a.go"}, findings); diff != "" {
		t.Error(diff)
	}
}
