package land_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// authored is a worktree with three commits of two people, at known times; the second commit itself names another author.
func authored(f *worktreetest.Fixture) worktree.Worktree {
	w := f.Spawn(spawn.Request{Task: "three steps"})
	tree := f.Tree(w)
	for i, c := range []struct{ who, mail, message string }{
		{"Ann", "ann@example.com", "one\n\nbody of one\n"},
		{"Ben", "ben@example.com", "two\n\nCo-authored-by: Cyd <cyd@example.com>\n"},
		{"Ann", "ann@example.com", "three\n"},
	} {
		tree.Write([]string{"one", "two", "three"}[i], c.message)
		tree.Git("add", ".")
		tree.Git("commit", "--quiet", "--author", c.who+" <"+c.mail+">", "--date", "2024-0"+string(rune('1'+i))+"-05T06:07:08+0200", "-m", c.message)
	}
	return w
}

func log(f *worktreetest.Fixture, format, revs string) []string {
	return strings.Split(f.Main.Git("log", "--reverse", "--format="+format, revs), "\n")
}

func TestSquash(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := authored(f)
	tip := f.Tree(w).Head()
	before := f.Main.Commit("meanwhile", "b.txt", "moved\n")
	out, err := landing(f, w.Ref, func(o *land.Request) { o.Strategy = land.Squash })
	if err != nil || !out.Removed {
		t.Fatalf("%v %+v", err, out)
	}
	if got := f.Main.Git("log", "-1", "--format=%P|%an|%s|%(trailers:key=Co-authored-by,valueonly,separator=%x2C)"); got != before+"|Ann|three steps|Ben <ben@example.com>,Cyd <cyd@example.com>" {
		t.Error(got)
	}
	if body := f.Main.Git("log", "-1", "--format=%b"); !strings.HasPrefix(body, "* one\n* two\n* three\n\nCo-authored-by: ") {
		t.Errorf("%q", body)
	}
	// The removal of worktrees recognises it as merged.
	repo, err := git.Find(f.Main.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if landed, err := checkout.Landed(t.Context(), repo, tip, []string{out.Commit}); err != nil || !landed {
		t.Error(landed, err)
	}
	f.Clean()
	f.Sound()
}

func TestSquashOfOneCommitKeepsItsMessage(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "task"})
	f.Tree(w).Commit("the subject\n\nthe body", "x", "x")
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Strategy = land.Squash }); err != nil {
		t.Fatal(err)
	}
	if got := f.Main.Git("log", "-1", "--format=%B"); got != "the subject\n\nthe body" {
		t.Errorf("%q", got)
	}
}

func TestRebase(t *testing.T) {
	for _, old := range []bool{false, true} {
		t.Run(map[bool]string{false: "merge-tree", true: "old git"}[old], func(t *testing.T) {
			*land.WithoutMergeTree = old
			defer func() { *land.WithoutMergeTree = false }()
			f := worktreetest.New(t)
			w := authored(f)
			tip := f.Tree(w).Head()
			format := "%an <%ae> %aI %B"
			want := log(f, format, "main.."+tip)
			f.Main.Commit("meanwhile", "b.txt", "moved\n", "three", "three\n") // the last one adds nothing then
			before := f.Main.Head()
			out, err := landing(f, w.Ref, func(o *land.Request) {
				o.Strategy, o.Gate = land.Rebase, []string{"test -e two && grep -q moved b.txt"}
			})
			if err != nil || !out.Removed {
				t.Fatalf("%v %+v", err, out)
			}
			if got := log(f, format, before+".."); !slices.Equal(got, want[:len(got)]) || len(got) != len(want)-2 {
				t.Errorf("%q, want %q", got, want)
			}
			if f.Main.Git("rev-list", "--merges", "--count", before+"..") != "0" || f.Main.Git("rev-parse", "HEAD~2") != before {
				t.Error("not on top")
			}
			if l := lastOf(f, w.Ref); l.Strategy != land.Rebase || l.TestedTree != f.Main.Git("rev-parse", "HEAD^{tree}") {
				t.Errorf("%+v", l)
			}
			f.Clean()
			f.Sound()
		})
	}
}

// A conflict names the worktree that landed the other side, also without a merge commit.
func TestConflictWithWhatWasSquashed(t *testing.T) {
	t.Parallel()
	for _, strategy := range []land.Strategy{land.Squash, land.Rebase} {
		f := worktreetest.New(t)
		mine, other, beside := f.Worked("mine"), f.Worked("other"), f.Spawn(spawn.Request{Task: "beside"})
		f.Tree(beside).Commit("beside", "beside", "b")
		for _, w := range []worktree.Worktree{other, beside} {
			if _, err := landing(f, w.Ref, func(o *land.Request) { o.Strategy = strategy }); err != nil {
				t.Fatal(err)
			}
		}
		_, err := landing(f, mine.Ref, nil)
		var conflict *land.MergeConflict
		if !errors.As(err, &conflict) || len(conflict.Others) != 1 || conflict.Others[0].Worktree != other.Ref || !conflict.Others[0].Merged {
			t.Errorf("%s: %v %+v", strategy, err, conflict)
		}
	}
}

// A commit that the branch has already is not made again.
func TestRebaseOfWhatIsThere(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := authored(f)
	tip := f.Tree(w).Head()
	if out, err := landing(f, w.Ref, func(o *land.Request) { o.Strategy = land.Rebase }); err != nil || out.Commit != tip || f.Main.Head() != tip {
		t.Errorf("%v %+v", err, out)
	}
	f.Sound()
}

func TestRebaseConflict(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Commit("fine", "new", "n")
	second := f.Tree(w).Commit("clashes", "b.txt", "mine\n")
	f.Main.Commit("theirs", "b.txt", "theirs\n")
	head := f.Main.Head()
	_, err := landing(f, w.Ref, func(o *land.Request) { o.Strategy = land.Rebase })
	var conflict *land.MergeConflict
	if !errors.As(err, &conflict) || !slices.Equal(conflict.Files, []string{"b.txt"}) || !strings.Contains(err.Error(), second[:12]) || !strings.Contains(err.Error(), "clashes") {
		t.Fatal(err)
	}
	if f.Main.Head() != head || f.Get(w).Status != worktree.Conflict {
		t.Error("something changed")
	}
	f.Sound()
}

// A merge in which something was resolved would be lost by a rebase.
func TestRebaseOverMerges(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Worked("mine")
	f.Main.Commit("theirs", "a.txt", "theirs\n2\n3\n4\n5\n6\n7\n8\n9\n")
	tree := f.Tree(w)
	if _, err := tree.TryGit("merge", "--quiet", "main"); err == nil {
		t.Fatal("no conflict")
	}
	tree.Write("a.txt", "both\n2\n3\n4\n5\n6\n7\n8\n9\n")
	tree.Git("commit", "--quiet", "-am", "resolved")
	f.Main.Commit("more", "b.txt", "more\n")
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Strategy = land.Rebase }); !fault.Is(err, fault.KindConflict) {
		t.Errorf("%v", err)
	}
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Strategy = land.Squash }); err != nil || f.Main.Read("a.txt")[:4] != "both" {
		t.Errorf("%v", err)
	}
	f.Sound()
}

func TestInto(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	f.Main.Git("branch", "release")
	head := f.Main.Head()
	w := f.Worked("x")
	out, err := landing(f, w.Ref, func(o *land.Request) { o.Into = "release" })
	if err != nil || out.Into != "release" || !out.Removed || f.Main.Head() != head || f.Main.Git("rev-parse", "release") != out.Commit {
		t.Fatalf("%v %+v", err, out)
	}
	f.Sound()
	if out, err := f.Removals.Restore(context.Background(), "app", w.Ref); err != nil {
		t.Fatalf("%v %+v", err, out)
	}
	f.Merge(w) // and into main after it

	// Where the branch is checked out its files follow, and a changed file leads to a refusal that names it.
	w = f.Worked("y")
	stage := f.Main.At(filepath.Join(t.TempDir(), "stage"))
	f.Main.Git("worktree", "add", "--quiet", "-b", "stage", stage.Dir, "main")
	stage.Write("a.txt", "edited\n")
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Into = "stage" }); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "a.txt") || !strings.Contains(err.Error(), stage.Dir) {
		t.Fatal(err)
	}
	stage.Git("checkout", "--", "a.txt")
	if _, err := landing(f, w.Ref, func(o *land.Request) { o.Into, o.Strategy = "stage", land.Squash }); err != nil || stage.Read("new/y") != "y\n" || stage.Git("status", "--porcelain") != "" {
		t.Error(err)
	}
	for into, kind := range map[string]fault.Kind{"missing": fault.KindNotFound, w.Branch: fault.KindNotFound} {
		z := f.Worked("z")
		if _, err := landing(f, z.Ref, func(o *land.Request) { o.Into = into }); !fault.Is(err, kind) {
			t.Errorf("%s: %v", into, err)
		}
		if _, err := landing(f, z.Ref, func(o *land.Request) { o.Into = z.Branch }); !fault.Is(err, fault.KindValidation) {
			t.Error(err)
		}
	}
}

// A hint's command can be typed, whatever the repository's folder and the branch are called.
func TestHintsQuoteNames(t *testing.T) {
	t.Parallel()
	g := gittest.NewAt(t, filepath.Join(gittest.TempDir(t), "my app"))
	g.Commit("first", "a.txt", "a\n")
	f := worktreetest.Of(t, g, registrytest.Open(t))
	w := f.Worked("x")
	_, into := landing(f, w.Ref, func(o *land.Request) { o.Into = "x$(y)" })
	g.Git("checkout", "--quiet", "-b", "other")
	g.Git("branch", "--quiet", "-D", "main")
	_, merged := landing(f, w.Ref, nil)
	_, updated := update(f, w, false)
	_, spawned := f.Spawns.Spawn(t.Context(), spawn.Request{Repo: "app", Agent: "bob"})
	again := "`agit add '" + g.Dir + "'`"
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"into":   {into, "`git branch 'x$(y)'`"},
		"merge":  {merged, again},
		"update": {updated, again},
		"spawn":  {spawned, again},
	} {
		var said *fault.Fault
		if !errors.As(tc.err, &said) || !strings.Contains(said.Hint, tc.want) {
			t.Errorf("%s: %v, want a hint with %s", name, tc.err, tc.want)
		}
	}
}

// everything returns all that lies in a folder, with contents and times.
func everything(t *testing.T, dir string) map[string]string {
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		info, _ := d.Info()
		found[path] = info.ModTime().String() + string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPreview(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	fine, clash := f.Worked("fine"), f.Spawn(spawn.Request{Task: "clash"})
	f.Tree(clash).Commit("clash", "b.txt", "mine\n")
	f.Main.Commit("theirs", "b.txt", "theirs\n")
	f.Main.Write("a.txt", "edited\n")
	f.Set.Gate = []string{"make test"}
	before := everything(t, f.Main.Dir)
	for _, strategy := range []land.Strategy{land.MergeCommit, land.Squash, land.Rebase} {
		p, err := f.Landings.Preview(context.Background(), land.Request{Repo: "app", Worktree: fine.Ref, Strategy: strategy})
		if err != nil || !slices.Equal(p.Files, []string{"a.txt", "new/fine"}) || len(p.Conflicts) > 0 || !slices.Equal(p.Gate, f.Set.Gate) || len(p.InTheWay) != 1 || !slices.Equal(p.InTheWay[0].Files, []string{"a.txt"}) || !p.Fails() {
			t.Errorf("%s: %v %+v", strategy, err, p)
		}
		p, err = f.Landings.Preview(context.Background(), land.Request{Repo: "app", Worktree: clash.Ref, Strategy: strategy})
		if err != nil || !slices.Equal(p.Conflicts, []string{"b.txt"}) || !p.Fails() || (p.Commit != "") != (strategy == land.Rebase) {
			t.Errorf("%s: %v %+v", strategy, err, p)
		}
	}
	after := everything(t, f.Main.Dir)
	for path, content := range after {
		if before[path] != content {
			t.Errorf("%s changed", path)
		}
	}
	if len(after) != len(before) || f.Get(clash).Status != worktree.Active {
		t.Error("something changed")
	}
	if last, err := f.LastOf(context.Background(), "app", fine.Ref); err != nil || last != nil {
		t.Errorf("%v %+v", err, last)
	}
}
