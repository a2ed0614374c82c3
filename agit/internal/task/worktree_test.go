package task_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// The --task of a spawn is a task's id, the key of a ticket, or the name of a task that the agent may take; 0 stands for a task that is
// made.
func TestResolve(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	free, held, done := create(t, s, "Log in"), create(t, s, "Log out"), create(t, s, "Sign up")
	for _, claim := range []task.Task{held, done} {
		if _, err := s.Claim(t.Context(), claim.ID, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Report(t.Context(), task.Report{ID: done.ID, Status: task.Completed, Caller: task.Caller{Agent: "ann"}}); err != nil {
		t.Fatal(err)
	}
	var r repo.Repo
	var ann agent.Agent
	write := func(do func(*registry.Tx) error) {
		t.Helper()
		if err := s.DB.Write(t.Context(), registry.Named, func(tx *registry.Tx) (err error) {
			if r, err = repo.Find(tx, "app"); err == nil {
				err = tx.In(r.ProjectID)
			}
			if err == nil {
				err = do(tx)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *registry.Tx) (err error) {
		if ann, err = agent.Get(tx, "ann"); err != nil {
			return err
		}
		for _, item := range []work.NewItem{
			{ProjectID: r.ProjectID, Kind: work.KindTicket, Ref: "ABC-1", Text: "Reset a password", Status: "todo"},
			{ProjectID: r.ProjectID, Kind: work.KindTicket, Ref: "ABC-2", Text: "Change a name", Status: "todo"},
			{ProjectID: r.ProjectID, Kind: work.KindEpic, Ref: "E-1", Text: "Accounts", Status: "active"},
		} {
			if _, err := work.Create(tx, item); err != nil {
				return err
			}
		}
		return nil
	})
	made, err := s.Create(t.Context(), []task.New{{Repo: "app", Text: "Reset it", Origin: "ABC-1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, agent, want string
		refused           fault.Kind
	}{
		{what: free.ID, agent: "bob", want: free.ID},
		{what: held.ID, agent: "ann", want: held.ID},
		{what: held.ID, agent: "bob", refused: fault.KindConflict},
		{what: held.ID, want: held.ID}, // for no agent
		{what: done.ID, agent: "ann", refused: fault.KindConflict},
		{what: "log IN ", agent: "bob", want: free.ID},
		{what: "Log out", agent: "ann", want: held.ID},
		{what: "Log out", agent: "ANN", want: held.ID},
		{what: "Log out", agent: ann.UID, want: held.ID},
		{what: "Log out", agent: "bob"},
		{what: "Log out"},
		{what: "Sign up", agent: "ann"},
		{what: "abc-1", agent: "bob", want: made[0].ID},
		{what: "ABC-2", agent: "bob"},
		{what: "E-1", agent: "bob", refused: fault.KindValidation},
		{what: "ABC-9", agent: "bob", refused: fault.KindNotFound},
		{what: "t-1s0q17ejez", agent: "bob", refused: fault.KindNotFound},
		{what: "t-shirt", agent: "bob"},
		{what: "ABC-9 is broken", agent: "bob"},
		{what: "utf-8", agent: "bob"},
	} {
		write(func(tx *registry.Tx) error {
			id, err := s.Resolve(tx, r, c.what, c.agent)
			if c.refused != "" {
				if !fault.Is(err, c.refused) {
					t.Errorf("%q for %q: %d, %v, want %s", c.what, c.agent, id, err, c.refused)
				}
				return nil
			}
			got := ""
			if err == nil && id != 0 {
				item, err := work.ByID(tx, id)
				if err != nil {
					return err
				}
				got = item.Ref
			}
			if err != nil || got != c.want {
				t.Errorf("%q for %q: %q, %v, want %q", c.what, c.agent, got, err, c.want)
			}
			return nil
		})
	}
}

// A task that was read before is refused when its agent cannot claim it any longer.
func TestRecheck(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	free, held, done, gone := create(t, s, "Log in"), create(t, s, "Log out"), create(t, s, "Sign up"), create(t, s, "Sign out")
	for _, claim := range []task.Task{held, done} {
		if _, err := s.Claim(t.Context(), claim.ID, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Report(t.Context(), task.Report{ID: done.ID, Status: task.Completed, Caller: task.Caller{Agent: "ann"}}); err != nil {
		t.Fatal(err)
	}
	err := s.DB.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
		r, err := repo.Find(tx, "app")
		if err != nil {
			return err
		}
		deleted, err := work.Find(tx, work.KindTask, gone.ID)
		if err == nil {
			err = tx.In(r.ProjectID)
		}
		if err == nil {
			err = work.Delete(tx, deleted.ID, work.Event{})
		}
		if err != nil {
			return err
		}
		for _, c := range []struct {
			id, agent string
			elsewhere bool
			refused   fault.Kind
		}{
			{id: free.ID, agent: "bob"},
			{id: held.ID, agent: "ann"},
			{id: held.ID, agent: "bob", refused: fault.KindConflict},
			{id: held.ID, agent: "ann", elsewhere: true, refused: fault.KindConflict},
			{id: done.ID, agent: "ann", refused: fault.KindConflict},
			{agent: "ann", refused: fault.KindNotFound},
		} {
			read, at := deleted, r
			if c.id != "" {
				if read, err = work.Find(tx, work.KindTask, c.id); err != nil {
					return err
				}
			}
			if c.elsewhere {
				at.ID++
			}
			a, err := agent.Caller(tx, c.agent)
			if err != nil {
				return err
			}
			read.State = work.StateOpen // as it was
			if err := s.Recheck(tx, at, read, a); (err != nil) != (c.refused != "") || err != nil && !fault.Is(err, c.refused) {
				t.Errorf("%q for %s: %v", read.Title, c.agent, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Still expects of a task that Recheck would not refuse it.
func TestStill(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	read := create(t, s, "Log in")
	for _, c := range []struct {
		what string
		do   string // in SQL, with the task's row as it is meanwhile
		want bool
	}{
		{"free", ``, true},
		{"held by the agent", `INSERT INTO leases (item_id, agent_id, epoch, agent_epoch, claimed_at) SELECT items.id, agents.id, 1, 1, '' FROM items, agents WHERE agents.name = 'ann'`, true},
		{"held by another", `UPDATE leases SET agent_id = (SELECT id FROM agents WHERE name = 'bob')`, false},
		{"given back", `UPDATE leases SET agent_id = NULL`, true},
		{"of another clone", `UPDATE tasks SET repo_id = (SELECT id FROM repos WHERE name = 'other')`, false},
		{"of no clone", `UPDATE tasks SET repo_id = NULL`, true},
		{"done", `UPDATE items SET state = 'done'`, false},
		{"dropped", `UPDATE items SET state = 'dropped'`, false},
		{"reopened", `UPDATE items SET state = 'active'`, true},
		{"deleted", `UPDATE items SET deleted_at = '2026-11-27T00:00:00.000Z'`, false},
	} {
		err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			r, err := repo.Find(tx, "app")
			if err != nil {
				return err
			}
			item, err := registry.One[int64](tx.QueryRow(`SELECT id FROM items WHERE ref = ?`, read.ID))
			if err != nil {
				return err
			}
			agents := map[string]agent.Agent{}
			for _, name := range []string{"ann", "bob"} {
				if agents[name], err = agent.Register(tx, agent.Registration{Name: name}); err != nil {
					return err
				}
			}
			if err := tx.Do(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
				SELECT 'r-2', project_id, 'other', 'other', host, '/other', '/other/.git', 'main', created_at, updated_at FROM repos WHERE name = 'app' ON CONFLICT DO NOTHING`); err != nil {
				return err
			}
			if c.do != "" {
				if _, err := tx.Exec(c.do); err != nil {
					return err
				}
			}
			where, args := task.Still(r, work.Item{ID: item, ProjectID: r.ProjectID}, agents["ann"])
			still, err := registry.One[bool](tx.QueryRow(`SELECT `+where, args...))
			if still != c.want {
				t.Errorf("%s: %t", c.what, still)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A merge completes a task that was given back, for the agent of its worktree. A task that failed or is held stays as it is; the answer and
// the history name the reason.
func TestMergedOfATaskThatMovedOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reports   [][2]string // agents, and what they report
		agent, by string      // whose worktree it is, and who merges
		status    string
		of        string
		result    string
		stays     string
	}{
		"given back":                    {[][2]string{{"ann", task.Pending}}, "ann", "", task.Completed, "ann", "merged agit/log-in", ""},
		"given back, merged by another": {[][2]string{{"ann", task.Pending}}, "ann", "bob", task.Completed, "ann", "merged agit/log-in", ""},
		"given back, of no agent":       {[][2]string{{"ann", task.Pending}}, "", "", task.Pending, "", "", "stays open: it is pending, so no agent is working on it"},
		"failed":                        {[][2]string{{"ann", task.Failed}}, "ann", "", task.Failed, "ann", "", `is not completed: it is already failed by "ann"`},
		"held by another":               {[][2]string{{"ann", task.Pending}, {"bob", task.InProgress}}, "ann", "", task.InProgress, "bob", "", `stays open: it is held by "bob"`},
		"completed":                     {[][2]string{{"ann", task.Completed}}, "ann", "", task.Completed, "ann", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			id := create(t, s, "Log in").ID
			if _, err := s.Claim(t.Context(), id, "ann"); err != nil {
				t.Fatal(err)
			}
			for _, r := range c.reports {
				if _, err := s.Report(t.Context(), task.Report{ID: id, Status: r[1], Caller: task.Caller{Agent: r[0]}}); err != nil {
					t.Fatal(err)
				}
			}
			stays := ""
			err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
				item, err := work.Find(tx, work.KindTask, id)
				if err == nil {
					stays, err = s.Merged(tx, worktree.Worktree{ItemID: item.ID, Agent: c.agent, Branch: "agit/log-in"}, c.by)
				}
				return err
			})
			if err != nil || !strings.Contains(stays, c.stays) || (stays == "") != (c.stays == "") {
				t.Errorf("%q, %v", stays, err)
			}
			now, err := s.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if now.Status != c.status || now.Agent != c.of || now.Result != c.result {
				t.Errorf("it is %s of %q with %q", now.Status, now.Agent, now.Result)
			}
			if last := now.History[len(now.History)-1]; (last.Field == "merged") != (c.stays != "") {
				t.Errorf("its history ends with %+v", last)
			}
		})
	}
}
