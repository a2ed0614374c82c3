package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// A driver is used once git has it and attributes give files to it.
func TestUsesDriver(t *testing.T) {
	g := gittest.New(t)
	g.Commit("one", "a.txt", "a\n")
	programs := []string{"weave-driver", "weave"}
	used := func() bool {
		t.Helper()
		yes, err := usesDriver(t.Context(), g.Repo(), programs)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	if used() {
		t.Error("without a driver")
	}
	for command, want := range map[string]bool{
		"weave-driver %O %A %B %L %P":       true,
		"/opt/weave/bin/weave-driver %O %A": true,
		"'/opt/a b/weave' %O %A %B":         true,
		"interweave %O %A %B":               false,
		"weaver %O %A":                      false,
		"mergiraf merge --git %O %A %B":     false,
	} {
		g.Git("config", "merge.mine.driver", command)
		g.Write(".gitattributes", "# *.go merge=mine\n*.go text merge=other\n")
		if used() {
			t.Errorf("%s: no attribute names it", command)
		}
		g.Write(".gitattributes", "*.go text merge=mine\n")
		if used() != want {
			t.Errorf("%s: %t", command, !want)
		}
	}
	g.Git("config", "merge.mine.driver", "weave-driver %O %A %B")
	for _, file := range []string{filepath.Join(g.Repo().CommonDir, "info", "attributes"), filepath.Join(t.TempDir(), "attributes")} {
		if err := os.Remove(filepath.Join(g.Dir, ".gitattributes")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("*.go merge=mine\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		g.Git("config", "core.attributesFile", file)
		if !used() {
			t.Errorf("not by %s", file)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if used() {
			t.Errorf("by nothing, after %s", file)
		}
	}
}

func TestNamesDriver(t *testing.T) {
	for attributes, want := range map[string]bool{
		"":                                  false,
		"*.go merge=mine":                   true,
		"*.go text merge=mine -diff\n":      true,
		"*.md text\n\n*.go merge=mine\n":    true,
		"#*.go merge=mine":                  false,
		"# merge=mine is for code":          false,
		"merge=mine":                        false, // files of that name have no attribute
		"merge=mine text":                   false,
		"*.go merge=miner":                  false,
		"*.go -merge":                       false,
		"*.go merge=other\n*.c merge=mine ": true,
	} {
		if got := namesDriver(attributes, "mine"); got != want {
			t.Errorf("%q: %t", attributes, got)
		}
	}
}
