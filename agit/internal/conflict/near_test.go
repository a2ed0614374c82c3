package conflict

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/task/tasktest"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// Neighbours without a row are known by the last scan: what each changes, the files in conflict and the named ones first.
func TestNearOthers(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Commit("first", "a.txt", "one\n", "b/c.go", "package b\n", "d.txt", "d\n")
	f := newField(t, main, 5)
	for i := range f.list {
		if i != 0 && i != 4 {
			f.list[i].ID, f.list[i].Agent, f.list[i].Maker = 0, "", "git" // made by others
		}
	}
	f.trees[0].Write("a.txt", "mine\n")
	f.trees[1].Write("d.txt", "theirs\n")
	f.trees[2].Write("a.txt", "theirs\n")
	f.trees[2].Write("b/c.go", "package c\n")
	f.trees[4].Write("d.txt", "of a row\n")
	near := func(words ...string) []Neighbour {
		t.Helper()
		list, err := New(f.cache).nearOthers(t.Context(), f.repo(), f.list, "w0", words)
		if err != nil {
			t.Fatal(err)
		}
		ByWeight(list)
		return list
	}
	if list := near(); len(list) != 0 {
		t.Errorf("before a scan: %+v", list)
	}
	f.scan(Options{})
	for _, c := range []struct {
		words []string
		want  []Neighbour
	}{
		{nil, []Neighbour{{Worktree: "w2", Agent: "(git)", Files: []string{"a.txt", "b/c.go"}, Count: 2, Conflict: []string{"a.txt"}}, {Worktree: "w1", Agent: "(git)", Files: []string{"d.txt"}, Count: 1}}},
		{[]string{"c.go"}, []Neighbour{{Worktree: "w2", Agent: "(git)", Files: []string{"b/c.go", "a.txt"}, Count: 2, Named: true, Conflict: []string{"a.txt"}}, {Worktree: "w1", Agent: "(git)", Files: []string{"d.txt"}, Count: 1}}},
	} {
		if diff := cmp.Diff(c.want, near(c.words...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.words, diff)
		}
	}
}

func TestByWeight(t *testing.T) {
	t.Parallel()
	list := []Neighbour{{Worktree: "plain"}, {Worktree: "named", Named: true}, {Worktree: "conflict", Conflict: []string{"a"}}, {Worktree: "plain too"}, {Worktree: "both", Named: true, Conflict: []string{"b"}}}
	ByWeight(list)
	var order []string
	for _, n := range list {
		order = append(order, n.Worktree)
	}
	if !slices.Equal(order, []string{"conflict", "both", "named", "plain", "plain too"}) {
		t.Errorf("got %q", order)
	}
}

func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, file string
		want       bool
	}{
		{"mend b/c.go, please", "b/c.go", true},
		{"mend `./b/c.go`.", "b/c.go", true},
		{"mend c.go.", "b/c.go", true},
		{"mend b/c.go", "a/b/c.go", true},
		{"mend c", "b/c", false},
		{"mend b/c", "b/c", true},
		{"mend xc.go", "b/c.go", false},
		{"mend .go", "b/c.go", false},
		{"", "b/c.go", false},
	} {
		if got := names(wordsOf(c.text), c.file); got != c.want {
			t.Errorf("%q names %s: %t", c.text, c.file, got)
		}
	}
}

// Of many files six are shown, and all are counted.
func TestFilesOfANeighbour(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range 9 {
		paths = append(paths, fmt.Sprintf("f%d.go", i))
	}
	n := Neighbour{}
	n.changes(paths, []string{"f8.go"})
	if n.Count != 9 || !n.Named || !slices.Equal(n.Files, []string{"f8.go", "f0.go", "f1.go", "f2.go", "f3.go", "f4.go"}) {
		t.Errorf("%+v", n)
	}
}

// An agent that gave a task back, or failed it, is not near in the kept worktree; one that holds a task, or works without one, is.
func TestNearLeavesOutWhatWasGivenUp(t *testing.T) {
	t.Parallel()
	db, repo, held := tasktest.Claimed(t)
	tasks := &task.Store{DB: db}
	made, err := tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "free"}})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		ann, err := agent.Lookup(tx, "ann")
		if err != nil {
			return err
		}
		item := func(ref string) (id int64) {
			id, err = registry.One[int64](tx.QueryRow(`SELECT id FROM items WHERE ref = ?`, ref))
			if err != nil {
				t.Error(err)
			}
			return id
		}
		taken, free := item(held.ID), item(made[0].ID)
		for _, w := range []struct {
			ref   string
			agent any
			item  any
		}{{"w-held", ann.ID, taken}, {"w-given-up", ann.ID, free}, {"w-without-a-task", ann.ID, nil}, {"w-of-a-person", nil, free}} {
			if _, err := tx.Exec(`INSERT INTO worktrees (uid, ref, repo_id, agent_id, item_id, path, branch, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'active', ?, ?)`,
				registry.NewUID(), w.ref, repo.ID, w.agent, w.item, t.TempDir(), w.ref, tx.Stamp(), tx.Stamp()); err != nil {
				return err
			}
		}
		near, _, err := Near(tx, worktree.Worktree{RepoID: repo.ID}, "")
		var got []string
		for _, n := range near {
			got = append(got, n.Worktree)
		}
		slices.Sort(got)
		if want := []string{"w-held", "w-of-a-person", "w-without-a-task"}; !slices.Equal(got, want) {
			t.Errorf("near are %q, want %q", got, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
