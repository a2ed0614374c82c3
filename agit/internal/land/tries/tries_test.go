package tries_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

type fixture struct {
	*worktreetest.Fixture
	t     *testing.T
	first worktree.Worktree
}

func setUp(t *testing.T) *fixture {
	t.Helper()
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	_, err := tasks.Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "Log in"}})
	worktreetest.Must(t, err)
	return &fixture{f, t, f.Get(f.Spawn(spawn.Request{Task: "T-1", Agent: "ann"}))}
}

func (f *fixture) write(do func(tx *registry.Tx) error) {
	f.t.Helper()
	worktreetest.Must(f.t, f.DB.Write(f.t.Context(), registry.Scope{Project: f.first.ProjectID}, do))
}

// begin makes tries of clients and returns them.
func (f *fixture) begin(clients ...string) (list []tries.Try) {
	f.t.Helper()
	f.write(func(tx *registry.Tx) (err error) {
		list, err = tries.Begin(tx, f.first, clients)
		return err
	})
	return list
}

func (f *fixture) end(t tries.Try, state tries.State) {
	f.t.Helper()
	f.write(func(tx *registry.Tx) error { return tries.End(tx, t, state, "", "so it ended") })
}

func states(list []tries.Try) (words []string) {
	for _, t := range list {
		words = append(words, t.Client+" "+string(t.State))
	}
	return words
}

// A race that is begun again continues; one whose tries have all failed is run again; and work that was shown is not thrown away.
func TestBegin(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	list := f.begin("claude", "codex")
	if !slices.Equal(states(list), []string{"claude running", "codex running"}) || list[0].WorktreeID != f.first.ID || list[1].WorktreeID != 0 || list[1].Number != 2 {
		t.Fatalf("%+v", list)
	}
	other := f.Get(f.Spawn(spawn.Request{Branch: "agit/two", Agent: "ann-try2"}))
	f.write(func(tx *registry.Tx) error { return tries.SetWorktree(tx, list[1], other.ID) })
	f.end(list[0], tries.Shown)
	if again := f.begin("gemini", "qwen", "kimi"); !slices.Equal(states(again), []string{"claude shown", "codex running"}) || again[1].WorktreeID != other.ID {
		t.Errorf("while one runs: %+v", again)
	}
	f.end(list[1], tries.Failed)
	if again := f.begin("claude", "codex"); !slices.Equal(states(again), []string{"claude shown", "codex failed"}) || again[1].Why != "so it ended" {
		t.Errorf("one waits for a person: %+v", again)
	}
	f.end(list[0], tries.Failed)
	if again := f.begin("claude", "codex"); !slices.Equal(states(again), []string{"claude running", "codex running"}) || again[1].WorktreeID != other.ID || again[1].Why != "" {
		t.Errorf("all had failed: %+v", again)
	}
	f.end(list[0], tries.Failed)
	f.end(list[1], tries.Shown)
	f.Exec(`UPDATE worktrees SET status = 'trashed' WHERE id = ?`, other.ID)
	if again := f.begin("gemini", "qwen", "kimi"); !slices.Equal(states(again), []string{"gemini running", "qwen running", "kimi running"}) {
		t.Errorf("nothing of it is left: %+v", again)
	}
}

// Tries that were returned go on in their worktrees, whatever the number of clients, and the task's worktree is the first. One whose
// worktree was removed has failed, and gets another one.
func TestBeginReturned(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	list := f.begin("claude", "codex", "gemini")
	other, gone := f.Get(f.Spawn(spawn.Request{Branch: "agit/two", Agent: "ann-try2"})), f.Get(f.Spawn(spawn.Request{Branch: "agit/three", Agent: "ann-try3"}))
	for i, w := range []worktree.Worktree{f.first, other, gone} {
		f.write(func(tx *registry.Tx) error { return tries.SetWorktree(tx, list[i], w.ID) })
		f.end(list[i], tries.Shown)
		f.Exec(`INSERT INTO reviews (uid, project_id, worktree_id, state, tip_oid, why, asked_at) VALUES (?, ?, ?, ?, 'x', 'not so', ?)`,
			w.Ref, w.ProjectID, w.ID, map[bool]string{true: "returned", false: "waiting"}[i == 1], worktreetest.Stamp(0))
	}
	f.Exec(`UPDATE worktrees SET status = 'trashed' WHERE id = ?`, gone.ID)
	if again := f.begin("claude"); !slices.Equal(states(again), []string{"claude shown", "codex returned", "gemini failed"}) || again[1].Why != "not so" || again[2].Why != "its worktree was removed" {
		t.Errorf("one waits: %+v", again)
	}
	f.Exec(`UPDATE reviews SET state = 'returned' WHERE worktree_id = ?`, f.first.ID)
	old := f.first
	f.first = other // the task's worktree by now
	f.first.ItemID = old.ItemID
	again := f.begin("claude")
	if !slices.Equal(states(again), []string{"claude running", "codex running", "gemini running"}) || again[0].WorktreeID != other.ID || again[1].WorktreeID != 0 || again[2].WorktreeID != 0 {
		t.Errorf("all were decided: %+v", again)
	}
}

func underway(tx *registry.Tx, worktreeID int64) (bool, error) {
	return registry.One[bool](tx.QueryRow(`SELECT `+tries.Underway, worktreeID))
}

func TestInAndGive(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	list := f.begin("claude", "codex")
	other := f.Get(f.Spawn(spawn.Request{Branch: "agit/two", Agent: "ann-try2"}))
	alone := f.Get(f.Spawn(spawn.Request{Branch: "agit/three", Agent: "bob"}))
	f.write(func(tx *registry.Tx) error { return tries.SetWorktree(tx, list[1], other.ID) })
	f.write(func(tx *registry.Tx) error {
		for id, want := range map[int64]int{f.first.ID: 2, other.ID: 2, alone.ID: 0} {
			all, own, err := tries.In(tx, id)
			under, failed := underway(tx, id)
			if err != nil || failed != nil || len(all) != want || want > 0 && own.WorktreeID != id || under != (want > 0) {
				t.Errorf("worktree %d: %+v of %+v, under way %v, %v, %v", id, own, all, under, err, failed)
			}
		}
		return nil
	})
	f.end(list[0], tries.Failed)
	f.end(list[1], tries.Shown)
	f.write(func(tx *registry.Tx) error {
		all, own, err := tries.In(tx, other.ID)
		if under, failed := underway(tx, other.ID); failed != nil || under {
			t.Errorf("all have ended: %v, %v", under, failed)
		}
		if err == nil {
			err = tries.Give(tx, all, own)
		}
		return err
	})
	if first, second := f.Get(f.first), f.Get(other); first.ItemID != 0 || second.ItemID != f.first.ItemID {
		t.Errorf("the task's worktree: %d and %d", first.ItemID, second.ItemID)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	list := f.begin("claude", "codex", "gemini")
	other := f.Get(f.Spawn(spawn.Request{Branch: "agit/two", Agent: "ann-try2"}))
	f.write(func(tx *registry.Tx) error { return tries.SetWorktree(tx, list[1], other.ID) })
	f.Tree(f.first).Commit("Log in", "login.go", "package login\n")
	f.Tree(f.first).Commit("Same", "same.go", "package same\n")
	f.Tree(other).Commit("Log in", "login.go", "package login\n\nvar other int\n")
	f.Tree(other).Commit("Same", "same.go", "package same\n")
	f.Tree(other).Commit("More", "more.go", "package more\n")
	for i, minutes := range []string{"-10m", "-4m"} {
		f.Exec(`INSERT INTO attempts (run, item_id, agent_id, worktree_id, cause, client, host, pid, mark, state, started_at, ended_at, tokens_in, tokens_out, cost, currency)
			SELECT ?, ?, agent_id, id, 'begun', 'claude', 'h', 1, 'm', 'done', ?, ?, 100, 20, 250000, ? FROM worktrees WHERE id = ?`, "run-"+minutes, f.first.ItemID, worktreetest.Stamp(-600e9), worktreetest.Stamp(-540e9),
			[]string{"USD", "USD"}[i], f.first.ID)
	}
	var groups []tries.Group
	f.write(func(tx *registry.Tx) (err error) {
		groups, err = tries.Groups(tx, f.Repo.ID)
		return err
	})
	if len(groups) != 1 || groups[0].TaskID != "T-1" || groups[0].Task != "Log in" || len(groups[0].Tries) != 3 {
		t.Fatalf("%+v", groups)
	}
	worktreetest.Must(t, groups[0].Compare(t.Context(), f.Repo, worktree.Settings{DefaultBranch: "main"}))
	one, two, three := groups[0].Tries[0], groups[0].Tries[1], groups[0].Tries[2]
	if one.Files != 2 || one.Insertions != 2 || one.Seconds != 120 || one.Tokens != 240 || one.Micros != 500000 || one.Currency != "USD" || one.Worktree != f.first.Ref {
		t.Errorf("the first: %+v", one)
	}
	if two.Files != 3 || two.Insertions != 5 || two.Deletions != 0 || two.Currency != "" {
		t.Errorf("the second: %+v", two)
	}
	if len(one.Shares) != 1 || one.Shares[0] != (tries.Share{With: 2, Files: 2, Same: 1}) || len(two.Shares) != 1 || two.Shares[0] != (tries.Share{With: 1, Files: 2, Same: 1}) {
		t.Errorf("they share %+v and %+v", one.Shares, two.Shares)
	}
	if three.Worktree != "" || three.Files != 0 || len(three.Shares) != 0 || strings.TrimSpace(three.Branch) != "" {
		t.Errorf("one without a worktree: %+v", three)
	}
	f.Exec(`UPDATE worktrees SET status = 'trashed'`)
	f.write(func(tx *registry.Tx) (err error) {
		if groups, err = tries.Groups(tx, f.Repo.ID); len(groups) != 0 {
			t.Errorf("nothing is left to choose among, but %+v", groups)
		}
		return err
	})
}
