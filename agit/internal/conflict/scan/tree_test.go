package scan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// open returns the tree of a test repository and a scratch object store.
func open(t testing.TB, r *gittest.Repo) (*Tree, func() (string, error)) {
	t.Helper()
	repo := r.Repo()
	settings, err := LoadSettings(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	load := func(context.Context) (*Settings, error) { return settings, nil }
	objects := func() (string, error) {
		dir := filepath.Join(t.TempDir(), "objects")
		if err := os.MkdirAll(filepath.Join(dir, "info"), 0o755); err != nil {
			return "", err
		}
		return dir, os.WriteFile(filepath.Join(dir, "info", "alternates"), []byte(filepath.Join(repo.CommonDir, "objects")+"\n"), 0o644)
	}
	return &Tree{Repo: repo, Load: load, Seed: Seed(settings.Files)}, objects
}

// asGit renders a snapshot in the form of expected: path, new mode, content.
func asGit(s *Snapshot) []string {
	lines := []string{}
	for _, c := range s.Work {
		lines = append(lines, fmt.Sprintf("%q %06o %s", c.Path, c.To.Mode, c.To.OID))
	}
	return lines
}

// expected asks git for the differences between the index and the work tree, each with the mode and object that `git add` would record.
func expected(t *testing.T, r *gittest.Repo) []string {
	t.Helper()
	out, err := r.Repo().Output(t.Context(), git.Options{}, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := git.ParseStatus(out)
	if err != nil {
		t.Fatal(err)
	}
	// A private index records everything, so that git itself determines what each file becomes.
	private := filepath.Join(t.TempDir(), "index")
	env := []string{"GIT_INDEX_FILE=" + private}
	if buf, err := os.ReadFile(filepath.Join(r.Repo().GitDir, "index")); err == nil {
		os.WriteFile(private, buf, 0o644)
		info, _ := os.Stat(filepath.Join(r.Repo().GitDir, "index"))
		os.Chtimes(private, info.ModTime(), info.ModTime())
	}
	run := func(args ...string) string {
		out, err := r.Repo().Output(t.Context(), git.Options{Env: env}, args...)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	run("add", "--all", "--sparse")
	staged := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(run("ls-files", "-s", "-z"), "\x00"), "\x00") {
		meta, name, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if len(f) == 3 {
			staged[name] = f[0] + " " + f[1]
		}
	}
	lines := []string{}
	for _, e := range entries {
		if e.Kind != git.Untracked && e.Kind != git.Unmerged && !e.Unstaged() || strings.HasSuffix(e.Path, "/") {
			continue
		}
		blob, ok := staged[e.Path]
		if !ok {
			blob = "000000 "
		}
		if blob == e.IndexMode+" "+e.IndexOID {
			continue // git says "modified" of a size that only line ends explain
		}
		if e.IndexMode == "000000" && e.WorktreeMode == "000000" && e.Kind == git.Changed {
			continue // announced to git (intent to add) and gone again
		}
		lines = append(lines, fmt.Sprintf("%q %s", e.Path, blob))
	}
	slices.Sort(lines)
	return lines
}

func check(t *testing.T, r *gittest.Repo, step string) *Snapshot {
	t.Helper()
	tree, objects := open(t, r)
	s, err := tree.Scan(t.Context(), nil, objects)
	if err != nil {
		t.Fatalf("%s: %v", step, err)
	}
	got := asGit(s)
	slices.Sort(got)
	if diff := cmp.Diff(expected(t, r), got); diff != "" {
		t.Fatalf("%s: scan differs from git (-git +scan):\n%s", step, diff)
	}
	return s
}

func TestStates(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, r *gittest.Repo)
	}{
		{"clean", func(t *testing.T, r *gittest.Repo) {}},
		{"modified", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "changed\n") }},
		{"same size", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "enO\n") }},
		{"touched", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "one\n") }},
		{"deleted", func(t *testing.T, r *gittest.Repo) { r.Remove("a.txt") }},
		{"staged", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "x"); r.Git("add", ".") }},
		{"staged then modified", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "x"); r.Git("add", "."); r.Write("a.txt", "y") }},
		{"untracked", func(t *testing.T, r *gittest.Repo) { r.Write("new/deep/x", "x"); r.Write("src/n", "n") }},
		{"executable", func(t *testing.T, r *gittest.Repo) { os.Chmod(r.Path("a.txt"), 0o755) }},
		{"mode does not count", func(t *testing.T, r *gittest.Repo) {
			r.Git("config", "core.fileMode", "false")
			os.Chmod(r.Path("a.txt"), 0o755)
		}},
		{"link", func(t *testing.T, r *gittest.Repo) { r.Remove("a.txt"); os.Symlink("src/b.txt", r.Path("a.txt")) }},
		{"link to folder", func(t *testing.T, r *gittest.Repo) {
			os.RemoveAll(r.Path("src"))
			os.MkdirAll(r.Path("other"), 0o755)
			r.Write("other/b.txt", "two\n")
			os.Symlink("other", r.Path("src"))
		}},
		{"file becomes folder", func(t *testing.T, r *gittest.Repo) { r.Remove("a.txt"); r.Write("a.txt/in", "x") }},
		{"folder becomes file", func(t *testing.T, r *gittest.Repo) { os.RemoveAll(r.Path("src")); r.Write("src", "x") }},
		{"ignored", func(t *testing.T, r *gittest.Repo) {
			r.Write(".gitignore", "*.o\n/build/\n!keep.o\nlogs/**\n!logs/keep\n")
			r.Write("x.o", "")
			r.Write("keep.o", "")
			r.Write("build/y", "")
			r.Write("src/build/y", "")
			r.Write("logs/a", "")
			r.Write("logs/keep", "")
		}},
		{"ignored by folder", func(t *testing.T, r *gittest.Repo) {
			r.Write("src/.gitignore", "/b*\n!/bb\n")
			r.Write("src/ba", "")
			r.Write("src/bb", "")
			r.Write("src/c/ba", "")
		}},
		{"excluded folder with tracked files", func(t *testing.T, r *gittest.Repo) { r.Write(".gitignore", "src/\n"); r.Write("src/new", "") }},
		{"ignored by exclude", func(t *testing.T, r *gittest.Repo) { r.Write(".git/info/exclude", "*.log\n"); r.Write("x.log", "") }},
		{"intent to add", func(t *testing.T, r *gittest.Repo) { r.Write("n", "x"); r.Git("add", "-N", "n") }},
		{"assume unchanged", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--assume-unchanged", "a.txt")
			r.Write("a.txt", "x")
		}},
		{"skip worktree", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--skip-worktree", "a.txt")
			r.Remove("a.txt")
		}},
		{"skip worktree, there", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--skip-worktree", "a.txt")
			r.Write("a.txt", "x")
		}},
		{"sparse", func(t *testing.T, r *gittest.Repo) {
			r.Git("sparse-checkout", "set", "src")
			r.Write("src/b.txt", "x")
			r.Write("src/q", "")
		}},
		{"sparse index", func(t *testing.T, r *gittest.Repo) {
			r.Commit("more", "src/x/y", "1", "other/x/y", "2")
			r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
			r.Write("src/b.txt", "x")
		}},
		{"sparse, present again", func(t *testing.T, r *gittest.Repo) {
			r.Commit("more", "other/x", "1")
			r.Git("sparse-checkout", "set", "--cone", "src")
			r.Write("other/x", "2")
		}},
		{"split index", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--split-index")
			r.Write("z", "")
			r.Git("add", "z")
			r.Write("a.txt", "x")
		}},
		{"index version 4", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--index-version", "4")
			r.Write("a.txt", "x")
		}},
		{"untracked cache", func(t *testing.T, r *gittest.Repo) { r.Git("update-index", "--untracked-cache"); r.Write("n", "x") }},
		{"no index", func(t *testing.T, r *gittest.Repo) { os.Remove(r.Path(".git/index")) }},
		{"crlf attribute", func(t *testing.T, r *gittest.Repo) {
			r.Write(".gitattributes", "* text=auto\n*.bin -text\n")
			r.Write("a.txt", "one\r\ntwo\r\n")
			r.Write("n.txt", "one\r\n")
			r.Write("n.bin", "one\r\n")
		}},
		{"crlf already stored", func(t *testing.T, r *gittest.Repo) {
			r.Commit("crlf", "c.txt", "a\r\nb\r\n")
			r.Write(".gitattributes", "* text=auto\n")
			r.Write("c.txt", "a\r\nc\r\n")
		}},
		{"autocrlf", func(t *testing.T, r *gittest.Repo) {
			r.Git("config", "core.autocrlf", "true")
			r.Write("a.txt", "one\r\n")
			r.Write("n", "\r\n")
		}},
		{"filter", func(t *testing.T, r *gittest.Repo) {
			r.Git("config", "filter.up.clean", "tr a-z A-Z")
			r.Write(".gitattributes", "*.up filter=up\n")
			r.Write("n.up", "shout\n")
		}},
		{"ident", func(t *testing.T, r *gittest.Repo) {
			r.Write(".gitattributes", "*.id ident\n")
			r.Write("n.id", "$Id: 12 $\n")
		}},
		{"encoding", func(t *testing.T, r *gittest.Repo) {
			r.Write(".gitattributes", "*.u16 working-tree-encoding=UTF-16LE\n")
			r.Write("n.u16", "a\x00\n\x00")
		}},
		{"repository inside", func(t *testing.T, r *gittest.Repo) { in := gittest.NewAt(t, r.Path("inner")); in.Commit("x", "f", "1") }},
		{"submodule", func(t *testing.T, r *gittest.Repo) {
			in := gittest.NewAt(t, filepath.Join(filepath.Dir(r.Dir), "inner"))
			in.Commit("x", "f", "1")
			r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", in.Dir, "sub")
			r.Commit("sub")
			r.At(r.Path("sub")).Commit("moved", "f", "2")
			r.Write("sub/untracked", "")
		}},
		{"submodule gone", func(t *testing.T, r *gittest.Repo) {
			in := gittest.NewAt(t, filepath.Join(filepath.Dir(r.Dir), "inner"))
			in.Commit("x", "f", "1")
			r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", in.Dir, "sub")
			r.Commit("sub")
			os.RemoveAll(r.Path("sub"))
		}},
		{"unmerged", func(t *testing.T, r *gittest.Repo) {
			r.Branch("other")
			r.Commit("ours", "a.txt", "ours\n", "b", "1")
			r.Checkout("other")
			r.Commit("theirs", "a.txt", "theirs\n")
			r.TryGit("merge", "main")
		}},
		{"modify/delete unmerged", func(t *testing.T, r *gittest.Repo) {
			r.Branch("other")
			r.Remove("a.txt")
			r.Commit("ours")
			r.Checkout("other")
			r.Commit("theirs", "a.txt", "theirs\n")
			r.TryGit("merge", "main")
			r.Remove("a.txt")
		}},
		{"odd names", func(t *testing.T, r *gittest.Repo) {
			for _, name := range []string{"a b", "q\"uote", "new\nline", "tab\t", "\xff\xfe", "-dash", "ünï", `back\slash`, " lead", "[x]", ":(top)y"} {
				r.Write(name, name)
			}
			r.Git("add", "a b", "new\nline", "\xff\xfe")
			r.Write("new\nline", "2")
			r.Write("\xff\xfe", "2")
		}},
		{"pipe", func(t *testing.T, r *gittest.Repo) { os.Mkdir(r.Path("empty"), 0o755) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := gittest.New(t)
			r.Commit("first", "a.txt", "one\n", "src/b.txt", "two\n", "src/deep/c.txt", "three\n")
			tt.make(t, r)
			check(t, r, tt.name)
		})
	}
}

// TestRandom compares a scan with git after each of many random steps.
func TestRandom(t *testing.T) {
	r := gittest.New(t)
	random := rand.New(rand.NewPCG(7, 7))
	dirs := []string{"", "a/", "a/b/", "c/", "c.d/", "c/e/"}
	name := func() string { return dirs[random.IntN(len(dirs))] + string(rune('p'+random.IntN(6))) }
	for range 20 {
		n := name()
		r.Write(n, n+"\n")
	}
	r.Commit("first")
	for step := range 150 {
		n := name()
		full := r.Path(n)
		what := random.IntN(12)
		switch what {
		case 0, 1, 2, 3:
			os.RemoveAll(full)
			r.Write(n, fmt.Sprint(random.IntN(50), "\n"))
		case 4:
			os.RemoveAll(full)
		case 5:
			os.Chmod(full, os.FileMode(0o644+0o111*random.IntN(2)))
		case 6:
			os.RemoveAll(full)
			os.MkdirAll(filepath.Dir(full), 0o755)
			os.Symlink("target", full)
		case 7:
			r.TryGit("add", "--", n)
		case 8:
			r.TryGit("add", "-N", "--", n)
		case 9:
			r.Write(dirs[random.IntN(len(dirs))]+".gitignore", []string{"p\n", "b/\n", "/c\n!p\n", "*\n!*/\n", "", "q\n"}[random.IntN(6)])
		case 10:
			if random.IntN(4) == 0 {
				r.TryGit("commit", "-qam", "step")
			}
		case 11:
			r.TryGit("mv", "-f", "--", n, name())
		}
		check(t, r, fmt.Sprintf("step %d (%d on %q)", step, what, n))
	}
}

func TestUnchanged(t *testing.T) {
	changes := []struct {
		name string
		make func(t *testing.T, r *gittest.Repo)
	}{
		{"content in place", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "two\n") }},
		{"untracked content", func(t *testing.T, r *gittest.Repo) { r.Write("u/v", "2") }},
		{"new file", func(t *testing.T, r *gittest.Repo) { r.Write("src/new", "") }},
		{"new file in untracked folder", func(t *testing.T, r *gittest.Repo) { r.Write("u/w", "") }},
		{"new file in empty folder", func(t *testing.T, r *gittest.Repo) { r.Write("empty/w", "") }},
		{"deleted", func(t *testing.T, r *gittest.Repo) { r.Remove("src/b.txt") }},
		{"mode", func(t *testing.T, r *gittest.Repo) { os.Chmod(r.Path("a.txt"), 0o755) }},
		{"commit", func(t *testing.T, r *gittest.Repo) { r.Git("commit", "--allow-empty", "-qm", "x") }},
		{"stage", func(t *testing.T, r *gittest.Repo) { r.Git("add", "u/v") }},
		{"exclude", func(t *testing.T, r *gittest.Repo) { r.Write(".git/info/exclude", "u\n") }},
		{"config", func(t *testing.T, r *gittest.Repo) { r.Git("config", "core.fileMode", "false") }},
		{"ignored rules", func(t *testing.T, r *gittest.Repo) { r.Write("hidden/.gitignore", "") }},
	}
	for _, tt := range changes {
		t.Run(tt.name, func(t *testing.T) {
			r := gittest.New(t)
			r.Commit("first", "a.txt", "one\n", "src/b.txt", "two\n")
			r.Write("u/v", "1")
			os.Mkdir(r.Path("empty"), 0o755)
			r.Write("hidden/.gitignore", "*\n")
			r.Write("hidden/x", "")
			tree, objects := open(t, r)
			s, err := tree.Scan(t.Context(), nil, objects)
			if err != nil {
				t.Fatal(err)
			}
			if s.Settled {
				t.Fatal("a state made just now counts as settled")
			}
			s.Settled = true // as if it had been two seconds old
			if same, err := tree.Unchanged(t.Context(), s); err != nil || !same {
				t.Fatalf("Unchanged = %v, %v before any change", same, err)
			}
			if again, err := tree.Scan(t.Context(), s, objects); err != nil || again != s {
				t.Fatalf("an unchanged tree was scanned again (%v)", err)
			}
			tt.make(t, r)
			tree.Seed = Seed(tree.settings.Files)
			if same, err := tree.Unchanged(t.Context(), s); err != nil || same {
				t.Fatalf("Unchanged = %v, %v after the change", same, err)
			}
		})
	}
}
