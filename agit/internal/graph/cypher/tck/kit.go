package tck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
)

// Kit returns the folder of the compatibility kit and its scenarios: TCK_DIR, or shared/tck beside the repository. It skips the test where
// there is none.
func Kit(t testing.TB) (dir string, scenarios []Scenario) {
	t.Helper()
	dir = os.Getenv("TCK_DIR")
	for up, n := "..", 0; dir == "" && n < 8; up, n = filepath.Join(up, ".."), n+1 {
		if beside := filepath.Join(up, "shared", "tck"); isFolder(filepath.Join(beside, "features")) {
			dir = beside
		}
	}
	if dir == "" {
		t.Skip("there is no compatibility kit in shared/tck beside the repository")
	}
	scenarios, err := Read(filepath.Join(dir, "features"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, scenarios
}

// Conform runs the scenarios of the kit whose files lie in one of these folders of its features, and fails for each that is not answered as
// the kit has it.
func Conform(t testing.TB, folders ...string) {
	t.Helper()
	dir, scenarios := Kit(t)
	passed := 0
	for _, s := range scenarios {
		in := func(folder string) bool { return strings.Contains(filepath.ToSlash(s.File), folder) }
		if !slices.ContainsFunc(folders, in) {
			continue
		}
		o := Run(dir, s, func(g *memory.Graph) (graph.Graph, error) { return g, nil })
		switch {
		case o.Verdict == "passed":
			passed++
		case o.Verdict == "wrong", o.Verdict == "failed" && !strings.Contains(o.Reason, "what clocks showed differs"):
			t.Errorf("%s: %s: %s: %s", s.File, s.Name, o.Verdict, o.Reason)
		}
	}
	if passed == 0 {
		t.Errorf("no scenario of %v was run", folders)
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
