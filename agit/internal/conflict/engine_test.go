package conflict

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// field is a repository with worktrees, as the engine is given them.
type field struct {
	t     testing.TB
	main  *gittest.Repo
	trees []*gittest.Repo
	list  []Worktree
	cache string
}

func newField(t testing.TB, main *gittest.Repo, n int) *field {
	f := &field{t: t, main: main, cache: t.TempDir()}
	for i := range n {
		f.grow(fmt.Sprintf("w%d", i))
	}
	return f
}

func (f *field) grow(name string) *gittest.Repo {
	tree := f.main.Worktree(name)
	f.trees = append(f.trees, tree)
	f.list = append(f.list, Worktree{ID: int64(len(f.trees)), Ref: name, Branch: name, Path: tree.Dir, Agent: "agent-" + name})
	return tree
}

func (f *field) repo() Repo {
	return Repo{Name: "field", CommonDir: f.main.Repo().CommonDir, DefaultBranch: "main"}
}

func (f *field) scan(o Options) *Report {
	f.t.Helper()
	r, err := New(f.cache).Scan(f.t.Context(), f.repo(), f.list, o)
	if err != nil {
		f.t.Fatal(err)
	}
	if len(r.Skipped) > 0 {
		f.t.Fatalf("skipped: %v", r.Skipped)
	}
	return r
}

// outline is a report in short: "file depth w0,w1 kinds", with the default
// branch as "main".
func outline(r *Report) []string {
	lines := []string{}
	for _, c := range r.Conflicts {
		var who []string
		if c.DefaultBranch != "" {
			who = append(who, c.DefaultBranch)
		}
		for _, s := range c.Worktrees {
			who = append(who, s.ID)
		}
		line := c.File + " " + string(c.Depth) + " " + strings.Join(who, ",")
		if len(c.Kinds) > 0 {
			line += " " + strings.Join(c.Kinds, ",")
		}
		lines = append(lines, line)
	}
	return lines
}

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// edit returns the text with lines changed.
func edit(lines ...int) string {
	all := strings.Split(tenLines, "\n")
	for _, l := range lines {
		all[l-1] += fmt.Sprint(" changed ", len(lines))
	}
	return strings.Join(all, "\n")
}

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(f *field, a, b *gittest.Repo)
		want []string
	}{
		{"nothing", func(f *field, a, b *gittest.Repo) {}, []string{}},
		{"different files", func(f *field, a, b *gittest.Repo) { a.Write("f", "x"); b.Write("g", "x") }, []string{}},
		{"same file, apart", func(f *field, a, b *gittest.Repo) { a.Write("f", edit(1)); b.Write("f", edit(9)) }, []string{"f file w0,w1"}},
		{"adjacent lines", func(f *field, a, b *gittest.Repo) { a.Write("f", edit(3)); b.Write("f", edit(4)) }, []string{"f merge w0,w1 contents"}},
		{"same lines, alike", func(f *field, a, b *gittest.Repo) { a.Write("f", edit(3)); b.Write("f", edit(3)) }, []string{"f lines w0,w1"}},
		{"same lines, unlike", func(f *field, a, b *gittest.Repo) { a.Write("f", edit(3)); b.Write("f", edit(3, 4)) }, []string{"f merge w0,w1 contents"}},
		{"committed and uncommitted", func(f *field, a, b *gittest.Repo) {
			a.Commit("x", "f", edit(3))
			b.Write("f", edit(3, 4))
		}, []string{"f merge w0,w1 contents"}},
		{"staged", func(f *field, a, b *gittest.Repo) {
			a.Write("f", edit(3))
			a.Git("add", ".")
			b.Write("f", edit(3, 4))
			b.Git("add", ".")
		}, []string{"f merge w0,w1 contents"}},
		{"staged, then taken back", func(f *field, a, b *gittest.Repo) {
			a.Write("f", edit(3))
			a.Git("add", ".")
			a.Write("f", tenLines)
			b.Write("f", edit(3, 4))
		}, []string{}},
		{"untracked", func(f *field, a, b *gittest.Repo) { a.Write("n", "1\n"); b.Write("n", "2\n") }, []string{"n merge w0,w1 add/add"}},
		{"untracked, alike", func(f *field, a, b *gittest.Repo) { a.Write("n", "1\n"); b.Write("n", "1\n") }, []string{"n lines w0,w1"}},
		{"deleted and modified", func(f *field, a, b *gittest.Repo) { a.Remove("f"); b.Write("f", edit(3)) }, []string{"f merge w0,w1 modify/delete"}},
		{"both deleted", func(f *field, a, b *gittest.Repo) { a.Remove("f"); b.Remove("f") }, []string{"f lines w0,w1"}},
		{"renamed and modified apart", func(f *field, a, b *gittest.Repo) {
			a.Git("mv", "f", "moved")
			b.Write("f", edit(3))
		}, []string{"f file w0,w1"}},
		{"renamed with edits and modified", func(f *field, a, b *gittest.Repo) {
			os.Rename(a.Path("f"), a.Path("moved"))
			a.Write("moved", edit(3))
			b.Write("f", edit(3, 4))
		}, []string{"f merge w0,w1 contents"}},
		{"both renamed", func(f *field, a, b *gittest.Repo) {
			os.Rename(a.Path("f"), a.Path("one"))
			os.Rename(b.Path("f"), b.Path("two"))
		}, []string{"f merge w0,w1 rename/rename"}},
		{"renamed to what the other adds", func(f *field, a, b *gittest.Repo) {
			os.Rename(a.Path("f"), a.Path("n"))
			b.Write("n", "else\n")
		}, []string{"n merge w0,w1 add/add"}},
		{"folder renamed, file added in it", func(f *field, a, b *gittest.Repo) {
			os.Rename(a.Path("dir"), a.Path("folder"))
			b.Write("dir/new", "x")
		}, []string{"dir/new merge w0,w1 directory rename suggested"}},
		{"file against folder", func(f *field, a, b *gittest.Repo) { a.Write("n", "1"); b.Write("n/in", "2") }, []string{"n merge w0,w1 file/directory"}},
		{"modes", func(f *field, a, b *gittest.Repo) { os.Chmod(a.Path("f"), 0o755); b.Write("f", edit(2)) }, []string{"f file w0,w1"}},
		{"link and file", func(f *field, a, b *gittest.Repo) {
			a.Remove("f")
			os.Symlink("g", a.Path("f"))
			b.Write("f", edit(2))
		}, []string{"f merge w0,w1 distinct modes"}},
		{"binary", func(f *field, a, b *gittest.Repo) { a.Write("bin", "\x00a"); b.Write("bin", "\x00b") }, []string{"bin merge w0,w1 binary"}},
		{"odd name", func(f *field, a, b *gittest.Repo) {
			a.Write("new\nline \"q\" \xff", "1")
			b.Write("new\nline \"q\" \xff", "2")
		}, []string{`"new\nline \"q\" \377" merge w0,w1 add/add`}},
		{"union attribute", func(f *field, a, b *gittest.Repo) {
			a.Write("log", "1\na\n")
			b.Write("log", "1\nb\n")
		}, []string{"log lines w0,w1"}},
		{"line ends by attribute", func(f *field, a, b *gittest.Repo) {
			a.Write("win", "1\r\n2\r\n3 changed\r\n")
			b.Write("win", "1\r\n2\r\n3\r\n")
		}, []string{}},
		{"default branch moved on", func(f *field, a, b *gittest.Repo) {
			f.main.Commit("on", "f", edit(1))
			b.Git("merge", "-q", "main")
			a.Write("f", edit(9))
			b.Write("f", strings.Replace(edit(1), "9", "9 too", 1))
		}, []string{"f merge w0,w1 contents"}},
		{"inherited from the default branch", func(f *field, a, b *gittest.Repo) {
			f.main.Commit("on", "f", edit(1))
			b.Git("merge", "-q", "main")
			a.Write("f", edit(1, 2))
		}, []string{"f merge main,w0 contents"}},
		{"renamed in the default branch", func(f *field, a, b *gittest.Repo) {
			f.main.Git("mv", "f", "moved")
			f.main.Commit("on")
			b.Git("merge", "-q", "main")
			a.Write("f", edit(1, 2))
			b.Write("moved", edit(2))
		}, []string{"moved merge w0,w1 contents"}},
		{"stacked on the other", func(f *field, a, b *gittest.Repo) {
			a.Commit("work", "f", edit(3))
			b.Git("merge", "-q", "w0")
			b.Write("g", "x")
		}, []string{}},
		{"during a merge", func(f *field, a, b *gittest.Repo) {
			f.main.Commit("on", "f", edit(3))
			a.Commit("mine", "f", edit(3, 4))
			a.TryGit("merge", "main")
			a.Write("f", edit(3, 5))
			b.Write("f", edit(7))
		}, []string{"f file w0,w1"}},
		{"without commit", func(f *field, a, b *gittest.Repo) {
			a.Git("checkout", "-q", "--orphan", "alone")
			b.Write("f", edit(3))
		}, []string{"f file w0,w1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			main := gittest.New(t)
			main.Commit("first", "f", tenLines, "g", "g\n", "dir/x", "x\n", "dir/y", "y\n", "bin", "\x00", "log", "1\n", "win", "1\n2\n3\n",
				".gitattributes", "log merge=union\nwin text\n")
			f := newField(t, main, 2)
			tt.make(f, f.trees[0], f.trees[1])
			before := fingerprint(t, main.Dir, f.trees[0].Dir, f.trees[1].Dir)
			r := f.scan(Options{})
			if diff := cmp.Diff(tt.want, outline(r)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			for _, depth := range []Depth{DepthFile, DepthLines} {
				shallow := f.scan(Options{Depth: depth})
				for _, c := range shallow.Conflicts {
					if !depth.AtLeast(c.Depth) {
						t.Errorf("depth %s was asked for, %q is at %s", depth, c.File, c.Depth)
					}
				}
			}
			if diff := cmp.Diff(before, fingerprint(t, main.Dir, f.trees[0].Dir, f.trees[1].Dir)); diff != "" {
				t.Errorf("a scan changed the repository:\n%s", diff)
			}
		})
	}
}

// fingerprint describes every file below the folders: content, mode and time.
func fingerprint(t testing.TB, dirs ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			mark := fmt.Sprint(info.Mode())
			if !strings.Contains(path, "/.git/objects/") { // git refreshes the time of an object that it would write again
				mark += fmt.Sprint(" ", info.ModTime().UnixNano())
			}
			if info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				mark += fmt.Sprintf(" %x", sha256.Sum256(text))
			}
			files[path] = mark
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestAgainstMerge compares merge depth with real merges of the committed states, on generated histories: no false alarm, no missed
// conflict.
func TestAgainstMerge(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 4
	}
	if n, err := strconv.Atoi(os.Getenv("CONFLICT_ROUNDS")); err == nil {
		rounds = n // for a long run by hand
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			againstMerge(t, uint64(seed))
		})
	}
}

func againstMerge(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 5))
	main := gittest.New(t)
	w := &writer{random: random}
	w.start(main)
	f := &field{t: t, main: main, cache: t.TempDir()}
	for i := range 4 {
		tree := f.grow(fmt.Sprintf("w%d", i))
		if random.IntN(3) == 0 {
			w.change(main, 1+random.IntN(3))
			main.Commit("main moves on")
		}
		if i > 0 && random.IntN(5) == 0 { // built on another's work
			tree.TryGit("merge", "-q", fmt.Sprintf("w%d", i-1))
			tree.TryGit("merge", "--abort")
		}
		for range random.IntN(3) {
			w.change(tree, 1+random.IntN(3))
			if random.IntN(2) == 0 {
				tree.Commit("work")
			}
		}
		if random.IntN(2) == 0 {
			tree.TryGit("add", "--all")
		}
		w.change(tree, random.IntN(3))
	}
	f.againstMerge(seed)
}

// mergeConflicts does the merge where ours is checked out, and undoes it.
func mergeConflicts(t testing.TB, f *field, ours, theirs string) (bool, string) {
	t.Helper()
	in := f.main
	if i := slices.IndexFunc(f.list, func(w Worktree) bool { return w.Ref == ours }); i >= 0 {
		in = f.trees[i]
	}
	head := in.Head()
	out, err := in.TryGit("merge", "--no-ff", "--no-edit", theirs)
	conflict := err != nil
	if strings.Contains(out, "BUG: merge-ort") { // git 2.39 gives up on some file/directory renames after finding the conflict
		conflict = true
		os.Remove(filepath.Join(in.Repo().GitDir, "index.lock")) // it died with it
	} else if conflict && !strings.Contains(out, "CONFLICT") {
		t.Fatalf("git merge %s into %s: %s", theirs, ours, out)
	}
	in.TryGit("merge", "--abort")
	in.Git("reset", "-q", "--hard", head)
	return conflict, out
}

// writer makes random changes that are likely to meet.
type writer struct{ random *rand.Rand }

var (
	writerDirs  = []string{"", "a/", "a/b/", "c/"}
	writerFiles = []string{"x", "y", "z", "u.union", "t.txt", "b.bin"}
)

func (w *writer) name() string {
	return writerDirs[w.random.IntN(len(writerDirs))] + writerFiles[w.random.IntN(len(writerFiles))]
}

func (w *writer) start(r *gittest.Repo) {
	for _, dir := range writerDirs {
		for _, file := range writerFiles {
			lines := ""
			for i := range 12 {
				lines += fmt.Sprintf("%s%s line %d\n", dir, file, i)
			}
			if file == "b.bin" {
				lines = "\x00" + lines
			}
			r.Write(dir+file, lines)
		}
	}
	r.Write(".gitattributes", "*.union merge=union\n*.txt text\n")
	r.Commit("first")
}

func (w *writer) change(r *gittest.Repo, n int) {
	for range n {
		name := w.name()
		switch w.random.IntN(14) {
		case 0:
			os.RemoveAll(r.Path(name))
		case 1:
			w.move(r, name, w.name()+"-moved")
		case 2:
			w.move(r, name, w.name())
		case 3:
			dir := strings.TrimSuffix(writerDirs[1+w.random.IntN(3)], "/")
			os.RemoveAll(r.Path(dir + "-moved"))
			os.Rename(r.Path(dir), r.Path(dir+"-moved"))
		case 4:
			w.write(r, writerDirs[w.random.IntN(4)]+"new", fmt.Sprintf("new %d\n", w.random.IntN(3)))
		case 5:
			os.Chmod(r.Path(name), 0o755)
		case 6:
			if w.random.IntN(3) == 0 {
				os.RemoveAll(r.Path(name))
				w.write(r, name+"/inside", "was a file\n")
			}
		case 7:
			if strings.HasSuffix(name, ".txt") {
				w.write(r, name, strings.ReplaceAll(r.Read(name), "\n", "\r\n"))
			}
		case 8:
			os.RemoveAll(r.Path(name))
			os.MkdirAll(filepath.Dir(r.Path(name)), 0o755)
			os.Symlink(fmt.Sprint("to", w.random.IntN(2)), r.Path(name))
		default:
			w.edit(r, name)
		}
	}
}

func (w *writer) edit(r *gittest.Repo, name string) {
	info, err := os.Lstat(r.Path(name))
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	lines := strings.SplitAfter(r.Read(name), "\n")
	at := w.random.IntN(len(lines))
	switch w.random.IntN(3) {
	case 0:
		lines = slices.Delete(lines, at, min(at+2, len(lines)))
	case 1:
		lines = slices.Insert(lines, at, fmt.Sprintf("inserted %d\n", w.random.IntN(2)))
	default:
		lines[at] = fmt.Sprintf("changed %d\n", w.random.IntN(3))
	}
	w.write(r, name, strings.Join(lines, ""))
}

// write writes a file, unless a file stands in the place of a folder it needs, or a link in the place of the file.
func (w *writer) write(r *gittest.Repo, name, content string) {
	if info, err := os.Lstat(r.Path(name)); err == nil && !info.Mode().IsRegular() {
		return
	}
	if os.MkdirAll(filepath.Dir(r.Path(name)), 0o755) == nil {
		os.WriteFile(r.Path(name), []byte(content), 0o644)
	}
}

func (w *writer) move(r *gittest.Repo, from, to string) {
	if os.MkdirAll(filepath.Dir(r.Path(to)), 0o755) == nil {
		os.Rename(r.Path(from), r.Path(to))
	}
}
