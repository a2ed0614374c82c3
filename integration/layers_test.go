package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sharedLayers are the packages of shared from the ground up, as
// docs/architecture.md names them: each imports only its own layer and those
// before it.
var sharedLayers = [][]string{
	{"fault", "term", "text", "redact", "textfile", "reference", "durable", "timestamp", "idle", "decay", "htmlpage", "benchtest", "goldentest"},
	{"registry", "config", "git"},
	{"project", "agent", "work", "sessions"},
	{"cli", "output", "sibling", "mcpkit", "clienthook", "loopback", "door"},
}

// agitLevels are the wings of agit/internal from the ground up, as the table of wings in docs/architecture.md lists them.
var agitLevels = [][]string{
	{"repo", "setup"},
	{"worktree"},
	{"run", "conflict", "task"},
	{"land", "graph", "agents"},
	{"work", "doctor"},
	{"view", "stores"},
	{"command", "mcpserver", "web", "top"},
}

// TestLayers checks that a package imports only its own level and those below it. A package without a level fails, because a new wing
// is a decision.
func TestLayers(t *testing.T) {
	t.Parallel()
	const suite = "github.com/agit-suite/agit/"
	for _, tree := range []struct {
		below string // the folder whose parts have levels
		parts [][]string
	}{
		{"shared/", sharedLayers},
		{"agit/internal/", agitLevels},
	} {
		prefix, level := suite+tree.below, map[string]int{}
		for i, names := range tree.parts {
			for _, name := range names {
				level[name] = i + 1
			}
		}
		cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, prefix+"...")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for line := range strings.Lines(string(out)) {
			imports := strings.Fields(line)
			name := strings.TrimPrefix(imports[0], prefix)
			if name == "worktree/worktreetest" {
				continue // fixtures of the tests of every level
			}
			own := level[top(name)]
			if own == 0 {
				t.Errorf("%s%s has no level: give it one here and in docs/architecture.md", tree.below, name)
				continue
			}
			for _, path := range imports[1:] {
				if other, ok := strings.CutPrefix(path, prefix); ok && level[top(other)] > own {
					t.Errorf("%[1]s%[2]s imports %[1]s%[3]s, which is on a level above it", tree.below, name, other)
				}
			}
		}
	}
}

func top(pkg string) string {
	name, _, _ := strings.Cut(pkg, "/")
	return name
}

// TestServersLinkNoFilter keeps the libraries that only commands print with out of servers and screens: a library costs its megabyte in
// each program that imports it.
func TestServersLinkNoFilter(t *testing.T) {
	t.Parallel()
	mains, err := filepath.Glob("../*/cmd/*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("%q %v", mains, err)
	}
	for _, main := range mains {
		out, err := exec.Command("go", "list", "-deps", filepath.Dir(main)).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", main, err)
		}
		if strings.Contains(string(out), "/gojq\n") {
			t.Errorf("%s links gojq, which only commands need", filepath.Dir(main))
		}
	}
}

// TestSizes bounds the size of each released program. Calling methods by name, as text/template does, costs five megabytes, because the
// linker keeps all methods. PostgreSQL's protocol takes 2.3 MB of each.
func TestSizes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(binaries, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q %v", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if mb := float64(info.Size()) / 1e6; mb > 27.5 {
			t.Errorf("%s is %.1f MB; at most 27.5 are wanted", filepath.Base(file), mb)
		}
	}
}

// TestInitialisation bounds the allocations of each of our packages before main: every command pays for a table or an expression that
// only one of them needs. The Go runtime's counts are the same on every machine.
func TestInitialisation(t *testing.T) {
	t.Parallel()
	const most = 10_000 // bytes
	for _, program := range []string{"agit", "pmsync", "memoryd", "citecheck", "classify"} {
		cmd := exec.Command(filepath.Join(binaries, program), "--version")
		cmd.Env = append(environment(t.TempDir()), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
		told := 0
		for line := range strings.Lines(string(out)) {
			// init PACKAGE @0.1 ms, 0.1 ms clock, 100 bytes, 2 allocs
			words := strings.Fields(line)
			if len(words) != 11 || words[0] != "init" {
				continue
			}
			told++
			if bytes, err := strconv.Atoi(words[7]); err != nil || strings.Contains(words[1], "agit-suite/agit/") && bytes > most {
				t.Errorf("%s: make what %s keeps when it is first needed: %s", program, words[1], line)
			}
		}
		if told == 0 {
			t.Errorf("%s tells of no package:\n%s", program, out)
		}
	}
}
