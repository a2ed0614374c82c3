package conflict

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git/gittest"
)

// ways are how a branch's commits get into the default branch.
var ways = map[string]func(main *gittest.Repo, branch string) error{
	"merged": func(main *gittest.Repo, branch string) error {
		_, err := main.TryGit("merge", "-q", "--no-ff", "--no-edit", branch)
		return err
	},
	"squashed": func(main *gittest.Repo, branch string) error {
		if _, err := main.TryGit("merge", "-q", "--squash", branch); err != nil {
			return err
		}
		_, err := main.TryGit("commit", "-qm", "squash of "+branch)
		return err
	},
	"rebased": func(main *gittest.Repo, branch string) error {
		_, err := main.TryGit("cherry-pick", "HEAD.."+branch)
		return err
	},
}

// TestLanded has work that is in the default branch already, in every way, and a
// worktree made from there.
func TestLanded(t *testing.T) {
	for name, land := range ways {
		t.Run(name, func(t *testing.T) {
			main := gittest.New(t)
			main.Commit("first", "f", tenLines, "g", tenLines)
			f := newField(t, main, 2)
			a, b := f.trees[0], f.trees[1]
			a.Write("f", edit(5, 6))
			b.Commit("one", "f", edit(5))
			b.Commit("two", "g", edit(9))
			main.Commit("else", "h", "h\n")
			if err := land(main, "w1"); err != nil {
				t.Fatal(err)
			}
			c := f.grow("w2")
			f.expect(Options{}, "f merge main,w0 contents") // w2 changed nothing, and w1 is done: neither meets w0
			c.Write("f", strings.Replace(edit(5), "8", "8 changed", 1))
			f.expect(Options{}, "f merge main,w0 contents", "f merge w0,w2 contents") // git finds them in conflict, and both changed it
			b.Write("g", edit(1))
			f.expect(Options{}, "f merge main,w0 contents", "f merge w0,w2 contents")
			c.Write("g", strings.Replace(edit(9), "2", "2 changed", 1))
			f.expect(Options{Worktree: "w1"}, "g merge w1,w2 contents")
		})
	}
}

// TestDefaultBranchOfAnyRemote has the default branch only at a remote that is not called origin: merges would go there.
func TestDefaultBranchOfAnyRemote(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines)
	f := newField(t, main, 1)
	f.trees[0].Write("f", edit(5))
	main.Commit("else", "f", edit(5, 6))
	main.Git("remote", "add", "upstream", main.Dir)
	main.Git("update-ref", "refs/remotes/upstream/main", "main")
	main.Git("checkout", "--quiet", "--detach")
	main.Git("branch", "--quiet", "-D", "main")
	f.expect(Options{}, "f merge main,w0 contents")
}

// TestLandedAndWentOn has the default branch change what it took over from a worktree: that worktree is done and in no one's way.
func TestLandedAndWentOn(t *testing.T) {
	for name, land := range ways {
		t.Run(name, func(t *testing.T) {
			main := gittest.New(t)
			main.Commit("first", "f", tenLines)
			f := newField(t, main, 1)
			f.trees[0].Commit("one", "f", edit(5))
			f.trees[0].Commit("two", "f", edit(5, 6))
			main.Commit("else", "g", "g\n")
			if err := land(main, "w0"); err != nil {
				t.Fatal(err)
			}
			main.Commit("goes on", "f", edit(4, 5, 6, 7))
			f.grow("w1").Write("f", edit(5, 6, 7, 8))
			f.expect(Options{})
			f.trees[0].Write("new", "more\n")
			f.trees[1].Write("new", "else\n")
			if name == "merged" {
				f.expect(Options{}, "new merge w0,w1 add/add")
			} else { // its branch still starts earlier, so git would meet the old lines again
				f.expect(Options{}, "f merge main,w0 contents", "new merge w0,w1 add/add")
			}
		})
	}
}

// TestPairs has three worktrees at one file, two of them at the same lines: the
// third is at a lesser depth with each.
func TestPairs(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines)
	f := newField(t, main, 4)
	f.trees[0].Write("f", edit(2))
	f.trees[1].Write("f", edit(2, 3))
	f.trees[2].Write("f", edit(9))
	f.trees[3].Write("f", edit(6))
	r := f.expect(Options{}, "f merge w0,w1 contents", "f file w0,w2,w3", "f file w1,w2,w3")
	if got := FormatLines(r.Conflicts[0].Lines); got != "2" || r.Conflicts[1].Lines != nil {
		t.Errorf("lines %q and %v", got, r.Conflicts[1].Lines)
	}
	f.expect(Options{Worktree: "w2"}, "f file w0,w2", "f file w1,w2", "f file w2,w3")
}

// TestGroups compares random conflicts with the pairs they are made of: every two worktrees of a conflict meet as it states, and no pair is
// missing.
func TestGroups(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 9))
		n := 2 + random.IntN(9)
		states := make([]*state, n)
		found := &file{sides: map[string]Side{}}
		for i := range states {
			ref := fmt.Sprint("w", i)
			states[i] = &state{worktree: Worktree{Ref: ref}}
			found.sides[ref] = Side{ID: ref}
		}
		want := map[[2]string]Pair{}
		for i := range n {
			for k := i + 1; k < n; k++ {
				if random.IntN(4) == 0 {
					continue
				}
				p := Pair{A: fmt.Sprint("w", i), B: fmt.Sprint("w", k), Depth: Depths()[random.IntN(3)]}
				if random.IntN(2) == 0 {
					p.Lines = []Lines{{1, 2}}
				}
				found.pairs = append(found.pairs, p)
				want[[2]string{p.A, p.B}] = p
			}
		}
		said := map[[2]string]Pair{}
		for _, c := range found.conflicts("f", states) {
			for i, a := range c.Worktrees {
				for _, b := range c.Worktrees[i+1:] {
					said[[2]string{a.ID, b.ID}] = Pair{A: a.ID, B: b.ID, Depth: c.Depth, Lines: c.Lines, Kinds: c.Kinds}
				}
			}
			for _, p := range c.Pairs {
				if diff := cmp.Diff(want[[2]string{p.A, p.B}], p); diff != "" {
					t.Fatalf("seed %d: %s", seed, diff)
				}
			}
		}
		if diff := cmp.Diff(want, said); diff != "" {
			t.Fatalf("seed %d (-pairs +conflicts):\n%s", seed, diff)
		}
	}
}

// TestAgainstMergeAfterLandings is TestAgainstMerge on histories in which some
// branches have landed, main moved on, and worktrees were made after that.
func TestAgainstMergeAfterLandings(t *testing.T) {
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
			l := &landing{random: rand.New(rand.NewPCG(uint64(seed), 7)), seed: seed}
			l.run(t)
		})
	}
}

// landing is a generated history.
type landing struct {
	*field
	random *rand.Rand
	seed   int
}

func (l *landing) run(t *testing.T) {
	main := gittest.New(t)
	w := &writer{random: l.random}
	w.start(main)
	l.field = &field{t: t, main: main, cache: t.TempDir()}
	for range 7 {
		switch {
		case len(l.trees) < 2 || l.random.IntN(3) == 0:
			l.grow(fmt.Sprint("w", len(l.trees)))
		case l.random.IntN(2) == 0:
			l.land()
		}
		if l.random.IntN(4) == 0 {
			w.change(main, 1+l.random.IntN(2))
			main.Commit("main moves on")
		}
		for _, tree := range l.trees {
			if l.random.IntN(2) == 0 {
				w.change(tree, 1+l.random.IntN(2))
				if l.random.IntN(3) > 0 {
					tree.Commit("work")
				}
			}
		}
	}
	l.againstMerge(uint64(l.seed))
}

// land takes a branch into main in some way; when that conflicts, it changes nothing.
func (l *landing) land() {
	names := []string{"merged", "squashed", "rebased"}
	branch := l.list[l.random.IntN(len(l.list))].Ref
	way := names[l.random.IntN(3)]
	head := l.main.Head()
	if err := ways[way](l.main, branch); err != nil {
		l.main.TryGit("merge", "--abort")
		l.main.TryGit("cherry-pick", "--abort")
		l.main.Git("reset", "-q", "--hard", head)
	}
}

// againstMerge compares a scan with every merge that git makes of the same states. A scan leaves everything as it is.
func (f *field) againstMerge(seed uint64) {
	dirs := []string{f.main.Dir}
	for _, tree := range f.trees {
		dirs = append(dirs, tree.Dir)
	}
	before := fingerprint(f.t, dirs...)
	report := f.scan(Options{})
	if diff := cmp.Diff(report.Conflicts, f.scan(Options{}).Conflicts); diff != "" {
		f.t.Errorf("a second scan says otherwise:\n%s", diff)
	}
	if diff := cmp.Diff(before, fingerprint(f.t, dirs...)); diff != "" {
		f.t.Errorf("a scan changed the repository:\n%s", diff)
	}
	said := map[[2]string]bool{}
	for _, c := range report.Conflicts {
		if c.DefaultBranch != "" {
			said[[2]string{"main", c.Worktrees[0].ID}] = true
		}
		for _, p := range c.Pairs {
			if p.Depth == DepthMerge {
				said[[2]string{p.A, p.B}] = true
			}
		}
	}
	own, over := map[string]changes{}, map[string]bool{}
	for i, tree := range f.trees {
		ref := f.list[i].Ref
		clean := tree.Git("status", "--porcelain") == ""
		base := tree.Git("merge-base", "main", "HEAD")
		if f.isIn(tree.Head()) {
			base, over[ref] = tree.Head(), clean
		}
		tree.TryGit("add", "--all")
		tree.TryGit("commit", "-qm", "state")
		own[ref] = changesSince(tree, base)
	}
	for i, w := range f.list {
		really, out := mergeConflicts(f.t, f, "main", w.Ref)
		if want := really && !over[w.Ref]; said[[2]string{"main", w.Ref}] != want {
			f.t.Errorf("seed %d: main and %s: report says conflict %v, git merge %v, over %v\n%s\n%v",
				seed, w.Ref, !want, really, over[w.Ref], out, outline(report))
		}
		for _, other := range f.list[i+1:] {
			key := [2]string{w.Ref, other.Ref}
			really, out := mergeConflicts(f.t, f, w.Ref, other.Ref)
			both := own[w.Ref].meets(own[other.Ref], out)
			f.t.Logf("%v: conflict %v, both changed it: %s", key, really, both)
			if said[key] && (!really || both == no) || !said[key] && really && both == yes {
				f.t.Errorf("seed %d: %v: report says conflict %v, git merge %v, both changed it: %s\n%s\n%v",
					seed, key, said[key], really, both, out, outline(report))
			}
		}
	}
}

// isIn reports whether main has everything that a commit brings, according to git.
func (f *field) isIn(head string) bool {
	if _, err := f.main.TryGit("merge-base", "--is-ancestor", head, "main"); err == nil {
		return true
	}
	tree, err := f.main.TryGit("merge-tree", "--write-tree", "main", head)
	if err == nil {
		return strings.TrimSpace(tree) == f.main.Git("rev-parse", "main^{tree}")
	}
	base := f.main.Git("merge-base", "main", head)
	one := f.main.Git("commit-tree", head+"^{tree}", "-p", base, "-m", "one")
	picked := func(tip string) bool { return !strings.Contains("\n"+f.main.Git("cherry", "main", tip), "\n+") }
	return picked(one) || f.main.Git("rev-list", "--merges", "main.."+head) == "" && picked(head)
}

// changes are the paths a worktree changed.
type changes []string

func changesSince(tree *gittest.Repo, base string) changes {
	return strings.Fields(tree.Git("-c", "core.quotePath=false", "diff", "--name-only", "--no-renames", base, "HEAD"))
}

type answer string

const yes, no, unsure answer = "yes", "no", "unsure"

// meets reports whether both changed one of the files that git names in conflict. Where folders or renames are involved, the names decide
// nothing.
func (c changes) meets(o changes, out string) answer {
	named := false
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "CONFLICT") {
			continue
		}
		if strings.Contains(line, "rename") || strings.Contains(line, "directory") || strings.Contains(line, "distinct types") {
			return unsure
		}
		for _, p := range c {
			named = named || slices.Contains(o, p) && mentions(line, p)
		}
	}
	if named {
		return yes
	}
	if slices.ContainsFunc(c, func(p string) bool { return slices.Contains(o, p) && strings.Contains(out, "CONFLICT") }) {
		return unsure
	}
	for _, p := range c { // the default branch may have moved the file
		if slices.ContainsFunc(o, func(q string) bool { return path.Base(q) == path.Base(p) }) {
			return unsure
		}
	}
	return no
}

func mentions(line, path string) bool {
	for _, word := range strings.Fields(line) {
		if strings.Trim(word, ".,") == path {
			return true
		}
	}
	return false
}
