package obstacle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// An agent is at work in a worktree when it was heard of after it got the worktree or its task, and not too long ago. It does not stand in
// its own way.
func TestAtWork(t *testing.T) {
	f := worktreetest.New(t)
	f.Set.AgentStale = time.Hour
	w := f.Spawn(spawn.Request{Agent: "ann", Branch: "x"})
	f.Tree(w).Commit("work", "x.txt", "x\n")
	f.Merge(w) // so that nothing else stands in the way
	w = f.Spawn(spawn.Request{Agent: "ann", Branch: "y"})
	var item work.Item
	var bob agent.Agent
	f.Write(func(tx *registry.Tx) (err error) {
		if item, err = work.Create(tx, work.NewItem{ProjectID: f.Repo.ProjectID, Kind: work.KindTask, Prefix: "t-", Text: "one", Status: "pending"}); err != nil {
			return err
		}
		if bob, err = agent.Register(tx, agent.Registration{Name: "bob", Type: "custom"}); err != nil {
			return err
		}
		_, _, err = lease.ByID(tx, item.ID, lease.Claim{Agent: bob, From: "pending", To: "claimed"})
		return err
	})
	const (
		works = "agent ann works in it"
		holds = "agent bob holds its task"
	)
	made := -30 * time.Minute // when the worktree was made
	for _, c := range []struct {
		name     string
		ann, bob time.Duration // when they were heard of
		set      string        // what else is so
		by       string
		want     []string
	}{
		{name: "both since", ann: -time.Minute, bob: -time.Minute, want: []string{works, holds}},
		{name: "the owner asks", ann: -time.Minute, bob: -time.Minute, by: "ANN", want: []string{holds}},
		{name: "the holder asks", ann: -time.Minute, bob: -time.Minute, by: "Bob", want: []string{works}},
		{name: "the owner before", ann: -40 * time.Minute, bob: -2 * time.Hour},
		{name: "as it was made", ann: made, bob: -2 * time.Hour},
		{name: "too long ago", ann: -2 * time.Hour, bob: -2 * time.Hour},
		{name: "the holder before the worktree was made", ann: -2 * time.Hour, bob: -40 * time.Minute, want: []string{holds}},
		{name: "disconnected", ann: -time.Minute, bob: -2 * time.Hour, set: `UPDATE agents SET status = 'disconnected' WHERE name = 'ann'`},
		{name: "the owner holds it since", ann: -time.Minute, set: `UPDATE leases SET agent_id = (SELECT id FROM agents WHERE name = 'ann')`, want: []string{works, "agent ann holds its task"}},
		{name: "the owner held it as it was made", ann: made, set: `UPDATE leases SET agent_id = (SELECT id FROM agents WHERE name = 'ann')`},
		{name: "no task", ann: -2 * time.Hour, bob: -time.Minute, set: `UPDATE worktrees SET item_id = NULL`},
		{name: "no owner", ann: -time.Minute, bob: -2 * time.Hour, set: `UPDATE worktrees SET agent_id = NULL`},
	} {
		f.Exec(`UPDATE agents SET status = 'active', last_seen_at = CASE name WHEN 'ann' THEN ? ELSE ? END`, worktreetest.Stamp(c.ann), worktreetest.Stamp(c.bob))
		f.Exec(`UPDATE leases SET agent_id = ?`, bob.ID)
		f.Exec(`UPDATE worktrees SET agent_id = (SELECT id FROM agents WHERE name = 'ann'), item_id = ?, created_at = ? WHERE id = ?`, item.ID, worktreetest.Stamp(made), w.ID)
		if c.ann == made {
			f.Exec(`UPDATE agents SET last_seen_at = (SELECT created_at FROM worktrees WHERE id = ?) WHERE name = 'ann'`, w.ID)
		}
		if c.set != "" {
			f.Exec(c.set)
		}
		p, err := obstacle.ProveRemovable(t.Context(), f.Worktrees, obstacle.Subject{Git: f.Main.Repo(), Repo: f.Repo, Worktree: f.Get(w)}, c.by)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []string
		for _, o := range p.Obstacles {
			if o.Kind == obstacle.AtWork {
				got = append(got, o.Text)
			}
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
