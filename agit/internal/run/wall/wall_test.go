package wall

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words []string
		want  Spec
		fails string
	}{
		"nothing":             {},
		"empty":               {words: []string{""}},
		"none":                {words: []string{"none"}},
		"bwrap":               {words: []string{"bwrap"}, want: Spec{Kind: Bwrap}},
		"sandbox-exec":        {words: []string{"sandbox-exec"}, want: Spec{Kind: Seatbelt}},
		"docker":              {words: []string{"docker:node:22"}, want: Spec{Kind: Docker, Image: "node:22"}},
		"docker, no image":    {words: []string{"docker:"}, fails: "not a sandbox"},
		"docker, an option":   {words: []string{"docker:--privileged"}, fails: "not a sandbox"},
		"one's own":           {words: []string{"firejail", "--read-write={write}", "{command}"}, want: Spec{Kind: Own, Words: []string{"firejail", "--read-write={write}", "{command}"}}},
		"one's own, alone":    {words: []string{"/opt/wall"}, want: Spec{Kind: Own, Words: []string{"/opt/wall"}}},
		"another word":        {words: []string{"bubblewrap"}, fails: "not a sandbox"},
		"unknown placeholder": {words: []string{"x", "--a={writes}"}, fails: "not known"},
		"a word of one":       {words: []string{"x", "{tree}"}, fails: "not known"},
		"no end of a brace":   {words: []string{"x", "{tree"}, want: Spec{Kind: Own, Words: []string{"x", "{tree"}}},
		"the command first":   {words: []string{"{command}", "x"}, fails: "no program"},
		"command in a word":   {words: []string{"x", "a={command}"}, fails: "more than {command}"},
		"no program":          {words: []string{"", "x"}, fails: "no program"},
		"braces of a shell":   {words: []string{"x", "a}{b"}, want: Spec{Kind: Own, Words: []string{"x", "a}{b"}}},
	} {
		got, err := Parse(tt.words)
		if (err != nil) != (tt.fails != "") || err != nil && (!fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), tt.fails)) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (got.Kind != tt.want.Kind || got.Image != tt.want.Image || !slices.Equal(got.Words, tt.want.Words)) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// An unavailable sandbox is refused with the next step and the exit status for an unreachable service.
func TestFindRefuses(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("bwrap is asked for, which works on Linux alone")
	}
	t.Setenv("PATH", dir)
	refused := func(what string, words []string, parts ...string) {
		t.Helper()
		w, err := Find(t.Context(), Settings{Sandbox: words})
		f := fault.From(err)
		if err == nil || f.Kind.ExitCode() != 5 || f.Retryable {
			t.Errorf("%s: %+v, %v", what, w, err)
			return
		}
		for _, part := range append(parts, "the sandbox is not available", `work.sandbox = "none"`) {
			if !strings.Contains(f.Message+"; "+f.Hint, part) {
				t.Errorf("%s: %q lacks %q", what, f.Message+"; "+f.Hint, part)
			}
		}
	}
	refused("no bwrap", []string{"bwrap"}, "bwrap was not found", "apt install bubblewrap")
	refused("no docker", []string{"docker:x"}, "docker was not found", "install Docker")
	refused("no program of one's own", []string{"wall", "x"}, "wall was not found")
	refused("on another system", []string{"sandbox-exec"}, "macOS alone", "docker:IMAGE")
	script("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
	refused("no namespaces", []string{"bwrap"}, "No permissions to create new namespace", "seccomp=unconfined")
	script("bwrap", "echo 'bwrap: odd' >&2; exit 1")
	refused("another reason", []string{"bwrap"}, "bwrap: odd", "see what is missing")
	script("docker", "echo 'No such image: x' >&2; exit 1")
	refused("no image", []string{"docker:x"}, "No such image", "docker pull x")
	script("bwrap", "exit 0")
	script("wall", "exit 9")
	for _, words := range [][]string{{"bwrap"}, {"wall", "x"}} {
		if w, err := Find(t.Context(), Settings{Sandbox: words}); err != nil || w == nil || w.path != filepath.Join(dir, words[0]) {
			t.Errorf("%q: %+v, %v", words, w, err)
		}
	}
	if w, err := Find(t.Context(), Settings{Sandbox: []string{"none"}}); w != nil || err != nil {
		t.Errorf("none: %+v, %v", w, err)
	}
}

// A sandbox that was found is not looked for again; one that was not found is.
func TestWanted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("bwrap is asked for, which works on Linux alone")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	w := &Wanted{Settings: Settings{Sandbox: []string{"bwrap"}}}
	if _, err := w.Get(t.Context()); err == nil || w.Name() != "bwrap" {
		t.Errorf("%v, %q", err, w.Name())
	}
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	first, err := w.Get(t.Context())
	if err != nil || first == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := os.Remove(filepath.Join(dir, "bwrap")); err != nil {
		t.Fatal(err)
	}
	if again, err := w.Get(t.Context()); err != nil || again != first {
		t.Errorf("%+v, %v", again, err)
	}
	var none *Wanted
	if made, err := none.Get(t.Context()); made != nil || err != nil || none.Name() != "" || made.Name() != "none" || made.Cache("x") != "" || len(made.Setting()) != 0 {
		t.Errorf("nothing is wanted, but: %+v, %v", made, err)
	}
	if name := (&Wanted{Settings: Settings{Sandbox: []string{"none"}}}).Name(); name != "" {
		t.Errorf("none is %q", name)
	}
}

// linked creates a repository with a linked worktree on a branch and returns the worktree.
func linked(t *testing.T, branch string) *git.Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(dir, "repo")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "repo"), 0o755); err != nil {
		t.Fatal(err)
	}
	run("init", "-q", "-b", "main", ".")
	run("commit", "-q", "--allow-empty", "-m", "first")
	run("branch", "agit/other")
	run("branch", "agit/deep/one")
	run("branch", "release")
	run("worktree", "add", "-q", "-b", branch, filepath.Join(dir, "tree"))
	run("pack-refs", "--all")
	tree, err := git.Find(filepath.Join(dir, "tree"))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestGitOf(t *testing.T) {
	t.Parallel()
	for branch, tt := range map[string]struct {
		heads string
		fixed []string
		open  []string // refs that stay unchanged
	}{
		"agit/mine": {"refs/heads/agit", []string{"refs/heads/agit/other", "refs/heads/agit/deep"}, []string{"refs/heads/main", "refs/heads/release"}},
		"mine":      {"refs/heads", []string{"refs/heads/agit", "refs/heads/main", "refs/heads/release"}, nil},
	} {
		t.Run(branch, func(t *testing.T) {
			t.Parallel()
			tree := linked(t, branch)
			g, err := GitOf(tree, branch)
			if err != nil {
				t.Fatal(err)
			}
			at := func(name string) string { return filepath.Join(tree.CommonDir, filepath.FromSlash(name)) }
			for _, want := range []string{at("objects"), tree.GitDir, at(tt.heads), at("logs/refs/heads/" + branch)} {
				if !slices.Contains(g.Write, want) {
					t.Errorf("%s is not written: %q", want, g.Write)
				}
			}
			for _, want := range append(tt.fixed, "objects/pack", "objects/info") {
				if !slices.Contains(g.Fixed, at(want)) {
					t.Errorf("%s is not fixed: %q", want, g.Fixed)
				}
			}
			for _, name := range []string{"commondir", "gitdir", "config.worktree", "modules"} {
				if !slices.Contains(g.Fixed, filepath.Join(tree.GitDir, name)) {
					t.Errorf("%s is not fixed: %q", name, g.Fixed)
				}
			}
			if !slices.Contains(g.Fixed, filepath.Join(tree.WorkTree, ".git")) {
				t.Errorf(".git is not fixed: %q", g.Fixed)
			}
			for _, p := range slices.Concat(g.Write, g.Fixed) {
				if !exists(p) {
					t.Errorf("%s does not exist, so that it cannot be bound", p)
				}
			}
			for _, p := range g.Write {
				if p == at("hooks") || p == tree.CommonDir || p == at("config") || p == at("packed-refs") {
					t.Errorf("%s is written", p)
				}
			}
			for _, ref := range tt.open {
				if exists(at(ref)) {
					t.Errorf("%s was written as a loose ref, which is beside the point", ref)
				}
			}
			cmd := exec.Command("git", "for-each-ref", "--format=%(refname)")
			cmd.Dir = tree.WorkTree
			if out, err := cmd.Output(); err != nil || strings.Count(string(out), "\n") != 5 {
				t.Errorf("git sees these refs: %s, %v", out, err)
			}
			if slices.Contains(g.Fixed, at("refs/heads/"+branch)) {
				t.Error("the branch itself is fixed")
			}
		})
	}
}

// A ref that git is writing is left alone, and a loose ref is not replaced by its packed value.
func TestLoosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	oid := strings.Repeat("a", 40)
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("loose", "newer\n")
	put("locked.lock", "")
	for _, name := range []string{"loose", "locked", "fresh", "deep/one"} {
		if err := loosen(filepath.Join(dir, filepath.FromSlash(name)), oid); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{"loose": "newer\n", "fresh": oid + "\n", "deep/one": oid + "\n", "locked": ""} {
		text, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if string(text) != want {
			t.Errorf("%s holds %q, want %q", name, text, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.lock")); len(left) != 1 {
		t.Errorf("locks are left: %q", left)
	}
}

func TestGitOfRefuses(t *testing.T) {
	t.Parallel()
	tree := linked(t, "agit/mine")
	main, err := git.Find(tree.MainFolder())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := GitOf(main, "main"); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "not a linked worktree") {
		t.Errorf("the main checkout: %v", err)
	}
	if err := os.Mkdir(filepath.Join(tree.CommonDir, "reftable"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := GitOf(tree, "agit/mine"); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "reftable") {
		t.Errorf("with a table of refs: %v", err)
	}
}
