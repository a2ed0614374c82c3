package worktree_test

import (
	"errors"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
)

// A row is written with its intent where all is as it was read, and otherwise not at all.
func TestInsertOnly(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	refusal := errors.New("it has changed")
	var ann agent.Agent
	var item int64
	f.Write(func(tx *registry.Tx) (err error) {
		if item, err = tx.Insert(`INSERT INTO items (uid, ref, ref_key, kind, project_id, title, status, state, created_at, updated_at) VALUES ('u1', 'T-1', 't-1', 'task', ?, 'Log in', 'pending', 'open', ?, ?) RETURNING id`,
			f.Repo.ProjectID, tx.Stamp(), tx.Stamp()); err == nil {
			ann, err = agent.Caller(tx, "ann")
		}
		return err
	})
	first := worktree.Worktree{Ref: "w-1", AgentID: ann.ID, ItemID: item, Path: "/one", Branch: "one", Port: 4000, Status: worktree.Creating}
	for _, c := range []struct {
		what  string
		w     worktree.Worktree
		where string
		want  error
	}{
		{"what is not so", first, "1 = 2", refusal},
		{"what is so", first, "1 = 1", nil},
		{"the same agent and item", worktree.Worktree{Ref: "w-2", AgentID: ann.ID, ItemID: item, Path: "/two", Branch: "two", Status: worktree.Creating}, "1 = 1", refusal},
		{"the same port", worktree.Worktree{Ref: "w-3", AgentID: ann.ID, Path: "/three", Branch: "three", Port: 4000, Status: worktree.Creating}, "1 = 1", refusal},
		{"the same folder", worktree.Worktree{Ref: "w-4", Path: "/one", Branch: "four", Port: 4010, Status: worktree.Creating}, "1 = 1", refusal},
		{"another item", worktree.Worktree{Ref: "w-5", AgentID: ann.ID, Path: "/five", Branch: "five", Port: 4010, Status: worktree.Creating}, "1 = 1", nil},
	} {
		var uid string
		err := f.DB.Write(t.Context(), registry.Scope{Project: f.Repo.ProjectID}, func(tx *registry.Tx) (err error) {
			uid, err = worktree.InsertOnly(tx, f.Repo, c.w, worktree.OpSpawn, "journal", c.where, nil, refusal)
			return err
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
		err = f.DB.Read(t.Context(), func(tx *registry.Tx) error {
			w, err := worktree.ByUID(tx, uid)
			if registry.NoRows(err) && c.want != nil {
				return nil
			}
			if c.want != nil || w.Ref != c.w.Ref || w.AgentID != c.w.AgentID || w.ItemID != c.w.ItemID || w.Path != c.w.Path || w.Branch != c.w.Branch || w.Port != c.w.Port || w.Operation() != worktree.OpSpawn {
				t.Errorf("%s: stored %+v", c.what, w)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	f.Write(func(tx *registry.Tx) error {
		taken, err := worktree.Ports(tx)
		if len(taken) != 2 || !taken[4000] || !taken[4010] {
			t.Errorf("ports %v", taken)
		}
		return err
	})
}

// A free port is the first of a range that no worktree has, for as long as there is one.
func TestFreePort(t *testing.T) {
	t.Parallel()
	set := worktree.Settings{PortBase: 32738, PortCount: 10}
	taken := map[int]bool{}
	for range 3 {
		port := worktree.FreePort(taken, "w-1", set)
		if port < 32738 || (port-32738)%10 != 0 || taken[port] {
			t.Fatalf("%d beside %v", port, taken)
		}
		taken[port] = true
	}
	if port := worktree.FreePort(taken, "w-1", set); port != 0 {
		t.Errorf("%d beside all of them, %v", port, taken)
	}
	for base, want := range map[int]int{32758: 32758, 32759: 32759 + 10*3276, 40000: 40000 + 10*2552, 65526: 65526, 65527: 0} {
		set, taken := worktree.Settings{PortBase: base, PortCount: 10}, map[int]bool{}
		last := 0
		for port := worktree.FreePort(taken, "w-1", set); port != 0; port = worktree.FreePort(taken, "w-1", set) {
			taken[port], last = true, max(last, port)
		}
		if last != want {
			t.Errorf("from %d: up to %d, want %d", base, last, want)
		}
	}
	if port := worktree.FreePort(nil, "w-1", worktree.Settings{PortBase: 4000}); port != 0 {
		t.Errorf("%d where none is wanted", port)
	}
}
