package git_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

const odd = "sp ace\"quo\tte\\\nnew é"

func TestParseStatus(t *testing.T) {
	r := gittest.New(t)
	r.Commit("c", "keep", "1\n", "edit", "1\n", "stage", "1\n", "gone", "1\n", "old", "a\nb\nc\nd\n", ".gitignore", "*.log\n")
	r.Write("edit", "2\n")
	r.Write("stage", "2\n")
	r.Git("add", "stage")
	r.Remove("gone")
	r.Git("mv", "old", odd)
	r.Write("new/file", "n")
	r.Write("x.log", "n")
	out, err := r.Repo().Output(context.Background(), git.Options{}, git.StatusArgs("--ignored=traditional", "--branch")...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := git.ParseStatus(out)
	if err != nil {
		t.Fatal(err)
	}
	want := []git.StatusEntry{
		{Kind: git.Changed, Index: '.', Worktree: 'M', Submodule: "N...", Path: "edit", HeadMode: "100644", IndexMode: "100644", WorktreeMode: "100644"},
		{Kind: git.Changed, Index: '.', Worktree: 'D', Submodule: "N...", Path: "gone", HeadMode: "100644", IndexMode: "100644", WorktreeMode: "000000"},
		{Kind: git.Renamed, Index: 'R', Worktree: '.', Submodule: "N...", Path: odd, OldPath: "old", HeadMode: "100644", IndexMode: "100644", WorktreeMode: "100644"},
		{Kind: git.Changed, Index: 'M', Worktree: '.', Submodule: "N...", Path: "stage", HeadMode: "100644", IndexMode: "100644", WorktreeMode: "100644"},
		{Kind: git.Untracked, Path: "new/file"},
		{Kind: git.Ignored, Path: "x.log"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(git.StatusEntry{}, "HeadOID", "IndexOID")); diff != "" {
		t.Error(diff)
	}
}

func TestParseStatusUnmerged(t *testing.T) {
	r := gittest.New(t)
	r.Commit("base", "f", "1\n")
	r.Git("checkout", "--quiet", "-b", "side")
	r.Commit("side", "f", "2\n")
	r.Checkout("main")
	r.Commit("main", "f", "3\n")
	if _, err := r.TryGit("merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	out, _ := r.Repo().Output(context.Background(), git.Options{}, git.StatusArgs()...)
	got, err := git.ParseStatus(out)
	if err != nil || len(got) != 1 || got[0].Kind != git.Unmerged || got[0].Path != "f" || got[0].WorktreeMode != "100644" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestParseDiffs(t *testing.T) {
	r := gittest.New(t)
	base := r.Commit("base", "a", "1\n2\n3\n4\n5\n", "del", "x\n", "mv", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "bin", "\x00\x01", "empty", "")
	r.Git("mv", "mv", odd)
	r.Write(odd, "1\n2\n3\n4\n5\n6\n7\n8\n--- a/nine\n")
	r.Write("a", "1\nX\n3\n4\nno end")
	r.Write("bin", "\x00\x02")
	r.Remove("del")
	r.Git("mv", "empty", "emp ty")
	tip := r.Commit("tip", "new", "+++ b/x\n@@ -1 +1 @@\n", "void", "")
	r.Git("update-index", "--chmod=+x", "a")
	names, err := r.Repo().Output(context.Background(), git.Options{}, "diff", "--name-status", "-z", "-M", base, tip)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := git.ParseNameStatus(names)
	if err != nil {
		t.Fatal(err)
	}
	wantChanges := []git.Change{{Status: 'M', Path: "a"}, {Status: 'M', Path: "bin"}, {Status: 'D', Path: "del"},
		{Status: 'R', Score: 100, Path: "emp ty", OldPath: "empty"}, {Status: 'A', Path: "new"},
		{Status: 'R', Path: odd, OldPath: "mv"}, {Status: 'A', Path: "void"}}
	for i := range changes {
		if changes[i].Path == odd {
			changes[i].Score = 0
		}
	}
	if diff := cmp.Diff(wantChanges, changes); diff != "" {
		t.Error(diff)
	}
	out, err := r.Repo().Output(context.Background(), git.Options{Config: []string{"diff.noprefix=true"}},
		"diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
		"--submodule=short", "--inter-hunk-context=0", base, tip)
	if err != nil {
		t.Fatal(err)
	}
	got, err := git.ParseHunks(out)
	if err != nil {
		t.Fatal(err)
	}
	want := []git.FileHunks{
		{Path: "a", Hunks: []git.Hunk{{2, 1, 2, 1}, {5, 1, 5, 1}}},
		{Path: "bin", Binary: true},
		{Path: "del", Hunks: []git.Hunk{{1, 1, 0, 0}}},
		{Path: "emp ty"},
		{Path: "empty"},
		{Path: "mv", Hunks: []git.Hunk{{1, 9, 0, 0}}},
		{Path: "new", Hunks: []git.Hunk{{0, 0, 1, 2}}},
		{Path: odd, Hunks: []git.Hunk{{0, 0, 1, 9}}},
		{Path: "void"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseConfigEqualsGit(t *testing.T) {
	r := gittest.New(t)
	r.Write("c", "\ufeff[Core]\n\tBARE = false ; no\n[remote \"A.b \\\"c\"]\n url = a\\\n b  \\t\"# kept \" # gone\nempty =\nalone\n[old.Sub] K = v\r\n")
	text := []byte(r.Read("c"))
	entries, err := git.ParseConfig(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []git.ConfigEntry{{"core.bare", "false"}, {`remote.A.b "c.url`, "a b  \t# kept "}, {`remote.A.b "c.empty`, ""},
		{`remote.A.b "c.alone`, "true"}, {"old.sub.k", "v"}}
	if diff := cmp.Diff(want, entries); diff != "" {
		t.Error(diff)
	}
	out, err := r.Repo().Output(context.Background(), git.Options{}, "config", "--file", "c", "--null", "--list")
	if err != nil {
		t.Fatal(err)
	}
	var gits []git.ConfigEntry
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, found := strings.Cut(entry, "\n")
		if !found {
			value = "true" // what a key without a value means
		}
		gits = append(gits, git.ConfigEntry{Key: key, Value: value})
	}
	if diff := cmp.Diff(gits, entries); diff != "" {
		t.Errorf("git reads it in another way: %s", diff)
	}
}

func TestParseVersion(t *testing.T) {
	for in, want := range map[string]git.Version{
		"git version 2.39.5\n":             {2, 39, 5},
		"git version 2.39.5 (Apple Git-1)": {2, 39, 5},
		"git version 2.45.1.windows.1":     {2, 45, 1},
		"git version 2.51.GIT":             {2, 51, 0},
	} {
		if got, err := git.ParseVersion(in); err != nil || got != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	if _, err := git.ParseVersion("zsh: command not found"); err == nil {
		t.Error("no error")
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("1 .M N... 100644 100644 100644 aaa bbb path\x00? new\x002 R. N... 1 1 1 a b R100 to\x00from\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		entries, err := git.ParseStatus(out)
		for _, e := range entries {
			if err == nil && e.Path == "" {
				t.Error("entry without a path")
			}
		}
	})
}

func FuzzParseNameStatus(f *testing.F) {
	f.Add([]byte("M\x00a\x00R100\x00a\x00b\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		changes, _ := git.ParseNameStatus(out)
		for _, c := range changes {
			if c.Path == "" {
				t.Error("change without a path")
			}
		}
	})
}

func TestParseNumstat(t *testing.T) {
	got, err := git.ParseNumstat([]byte("3\t0\ta b.go\x00-\t-\tpic.png\x001\t2\t\x00old\x00new\tname\x00"))
	want := []git.ChangedLines{{Path: "a b.go", Insertions: 3}, {Path: "pic.png", Binary: true}, {Path: "new\tname", OldPath: "old", Insertions: 1, Deletions: 2}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %+v", err, got)
	}
	for _, bad := range []string{"3\ta\x00", "x\t0\ta\x00", "-1\t0\ta\x00", "1\t2\t\x00old\x00", "1\t2\t\x00old\x00\x00"} {
		if got, err := git.ParseNumstat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func FuzzParseNumstat(f *testing.F) {
	f.Add([]byte("3\t0\ta\x00-\t-\tb\x001\t2\t\x00old\x00new\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		files, _ := git.ParseNumstat(out)
		for _, file := range files {
			if file.Path == "" || file.Insertions < 0 || file.Deletions < 0 {
				t.Errorf("%+v", file)
			}
		}
	})
}

func FuzzParseHunks(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@ f\n-a\n-b\n+c\n\\ No newline at end of file\n"))
	f.Add([]byte("diff --git \"a/\\303\\251\" \"b/\\303\\251\"\nBinary files differ\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		files, _ := git.ParseHunks(out)
		for _, file := range files {
			for _, h := range file.Hunks {
				if h.OldStart < 0 || h.OldLines < 0 || h.NewStart < 0 || h.NewLines < 0 {
					t.Errorf("%+v", h)
				}
			}
		}
	})
}

// TestConfigKeys has keys as people write them: section and name have no case, the subsection between them has.
func TestConfigKeys(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("config", "extensions.worktreeConfig", "true")
	r.Git("config", "remote.Origin.pushURL", "x")
	config, err := r.Repo().Config()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"extensions.worktreeConfig": "true", "Extensions.worktreeconfig": "true", "REMOTE.Origin.pushurl": "x", "remote.origin.pushurl": "", "worktreeconfig": "",
	} {
		if got, ok := config.Get(key); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", key, got, ok)
		}
	}
	if on, set := config.Bool("extensions.worktreeConfig"); !on || !set {
		t.Error("a setting with a capital in its name is not read as on")
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("[a \"b\"]\nc = \"d # e\" ; f\n"))
	f.Fuzz(func(t *testing.T, text []byte) { git.ParseConfig(text) })
}
