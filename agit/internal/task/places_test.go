package task_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// refs are the tasks of a page with their statuses and repositories.
func refs(page task.Page) map[string]any {
	var all []string
	for _, one := range page.Tasks {
		all = append(all, one.ID+" "+one.Status+" in "+one.Repo)
	}
	return map[string]any{"tasks": all, "next": page.Next}
}

// clones adds to the repository app of a script the repository twin, another clone of its project here, and lib in the project "second";
// away is a clone of app's project on another host.
func (s *script) clones() (twin, lib, away repo.Repo) {
	s.t.Helper()
	s.write(func(tx *registry.Tx) error {
		second, err := project.Make(tx, project.New{UID: "second", Name: "Second"})
		if err == nil {
			err = tx.In(second.ID)
		}
		if err != nil {
			return err
		}
		for _, c := range []struct {
			into       *repo.Repo
			name, host string
			project    int64
		}{{&twin, "twin", registry.Host(), s.app.ProjectID}, {&lib, "lib", registry.Host(), second.ID}, {&away, "away", "elsewhere", s.app.ProjectID}} {
			id, err := tx.Insert(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
				VALUES (?, ?, ?, ?, ?, ?, ?, 'main', ?, ?) RETURNING id`, "r-"+c.name, c.project, c.name, c.name, c.host, "/"+c.name, "/"+c.name+"/.git", tx.Stamp(), tx.Stamp())
			if err == nil {
				*c.into, err = repo.ByID(tx, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return twin, lib, away
}

// Which tasks belong to a repository, of two clones of a project here, one on another host, and one of another project.
func TestPlaces(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	twin, lib, away := s.clones()
	s.create("some", task.New{ID: "A-1", Repo: "app", Text: "In app", Priority: work.PriorityHigh}, task.New{ID: "A-2", Repo: "app", Text: "Held in app"}, task.New{ID: "B-1", Repo: "twin", Text: "In twin"},
		task.New{ID: "B-2", Repo: "twin", Text: "Blocked in twin"}, task.New{ID: "L-1", Repo: "lib", Text: "In lib", Capabilities: []string{"go"}}, task.New{ID: "L-2", Repo: "lib", Text: "Low in lib", Priority: work.PriorityLow},
		task.New{ID: "L-3", Project: "second", Text: "Last in lib", DependsOn: []string{"L-1"}})
	s.write(func(tx *registry.Tx) error {
		if _, err := agent.Register(tx, agent.Registration{Name: "gil", Capabilities: []string{"go"}}); err != nil {
			return err
		}
		p, err := project.ByID(tx, s.app.ProjectID)
		if err != nil {
			return err
		}
		for _, n := range []task.New{{ID: "P-1", Project: p.UID, Text: "Anywhere"}, {ID: "F-1", Project: p.UID, Text: "Far away"}} {
			if _, err := task.Make(tx, n); err != nil {
				return err
			}
		}
		return tx.Do(`UPDATE tasks SET repo_id = ? WHERE item_id = (SELECT id FROM items WHERE ref = 'F-1')`, away.ID)
	})
	s.claim("A-2", "ann")
	_, err := s.Block(t.Context(), "B-2", task.Caller{Force: true}, "wait")
	s.note("block B-2", nil, err)

	for _, r := range []string{"app", "twin", "lib", ""} {
		s.part("Of " + r)
		for _, f := range []task.Filter{{Repo: r}, {Repo: r, Limit: 2}, {Repo: r, Limit: 1, After: "claimed.0"}, {Repo: r, Statuses: []string{task.Pending, task.Blocked}}, {Repo: r, Project: "second"}} {
			page, err := s.List(t.Context(), f)
			s.note(fmt.Sprintf("list %q project %q statuses %v limit %d after %q", f.Repo, f.Project, f.Statuses, f.Limit, f.After), refs(page), err)
		}
		for _, f := range []task.Filter{{Repo: r}, {Repo: r, Limit: 1}, {Repo: r, Limit: 1, After: "1"}, {Repo: r, After: "2"}, {Repo: r, Project: "second"}} {
			page, err := s.Ready(t.Context(), f)
			s.note(fmt.Sprintf("ready %q project %q limit %d after %q", f.Repo, f.Project, f.Limit, f.After), refs(page), err)
		}
		for _, f := range []task.Filter{{Agent: "gil"}, {Agent: "unknown"}, {Agent: "unknown", Capabilities: []string{"go"}}, {Agent: "gil", Capabilities: []string{}}, {Agent: "gil", MinPriority: work.PriorityMedium}, {MinPriority: work.PriorityHigh}} {
			f.Repo = r
			page, err := s.Ready(t.Context(), f)
			s.note(fmt.Sprintf("ready %q for %q with %q from %s", r, f.Agent, f.Capabilities, f.MinPriority), refs(page), err)
		}
		for _, ask := range []task.Ask{
			{Repo: r, Peek: true}, {Repo: r, Agent: "gil", Peek: true}, {Repo: r, Agent: "unknown", Peek: true}, {Repo: r, Agent: "unknown", Capabilities: []string{"go"}, Peek: true}, {Repo: r, Agent: "gil", Capabilities: []string{}, Peek: true},
			{Repo: r, Agent: "gil", MinPriority: work.PriorityHigh, Peek: true}, {Repo: r, Agent: "gil", MinPriority: work.PriorityCritical, Peek: true}, {Repo: r, Project: "second", Agent: "gil", Peek: true}, {Repo: r, Home: "second", Agent: "gil", Peek: true}, {Repo: r, Home: "third", Agent: "gil", Peek: true}, {Repo: r},
		} {
			o, err := s.Offer(t.Context(), ask)
			s.note(fmt.Sprintf("offer from %q project %q home %q to %q with %v from %s", ask.Repo, ask.Project, ask.Home, ask.Agent, ask.Capabilities, ask.MinPriority), o, err)
		}
	}
	s.part("Each repository")
	for _, r := range []repo.Repo{s.app, twin, lib, away} {
		s.in("counts of "+r.Name, func(tx *registry.Tx) (any, error) { return task.Counts(tx, r) })
		s.in("counts of its project", func(tx *registry.Tx) (any, error) { return task.CountsOf(tx, r.ProjectID) })
		s.in("held", func(tx *registry.Tx) (any, error) {
			all, err := task.Held(tx, r, 1)
			return refs(task.Page{Tasks: all}), err
		})
		for _, id := range []string{"A-1", "A-2", "B-1", "L-1", "P-1", "F-1"} {
			for _, name := range []string{"", "ann", "bob"} {
				s.in(fmt.Sprintf("resolve %s in %s for %q", id, r.Name, name), func(tx *registry.Tx) (any, error) {
					found, err := s.Resolve(tx, r, id, name)
					return found != 0, err
				})
			}
			s.in("still, for bob", func(tx *registry.Tx) (any, error) {
				item, err := work.Find(tx, work.KindTask, id)
				if err != nil {
					return nil, err
				}
				bob, err := agent.Caller(tx, "bob")
				if err != nil {
					return nil, err
				}
				where, args := task.Still(r, item, bob)
				still, err := registry.One[bool](tx.QueryRow(`SELECT CASE WHEN `+where+` THEN 1 ELSE 0 END`, args...))
				refusal := s.Recheck(tx, r, item, bob)
				if still != (refusal == nil) {
					t.Errorf("%s in %s: still %t, but %v", id, r.Name, still, refusal)
				}
				return still, err
			})
		}
	}
	for _, id := range []string{"A-1", "B-1", "L-1", "L-3", "P-1", "F-1", "none"} {
		s.in("repository of "+id, func(tx *registry.Tx) (any, error) { r, err := s.RepoOf(tx, id); return r.Name, err })
	}
	s.part("The next")
	for _, c := range []struct{ repo, agent string }{{"app", ""}, {"none", "bob"}, {"twin", "bob"}, {"twin", "bob"}, {"twin", "bob"}, {"twin", "bob"}, {"lib", "bob"}, {"lib", "gil"}, {"lib", "gil"}} {
		got, ok, err := s.Next(t.Context(), c.repo, c.agent)
		s.note(fmt.Sprintf("next of %q for %q", c.repo, c.agent), map[string]any{"task": got.ID, "token": got.ClaimToken, "agent": got.Agent, "status": got.Status, "ok": ok}, err)
	}
	for _, ask := range []task.Ask{{Agent: "cy"}, {Agent: "cy", Project: "second"}, {Agent: "cy"}} {
		o, err := s.Offer(t.Context(), ask)
		s.note(fmt.Sprintf("offer from %q project %q to %q", ask.Repo, ask.Project, ask.Agent), o, err)
	}
	for _, want := range []task.Wanted{{ID: "B-1"}, {ID: "L-1"}, {}} {
		s.take("dan", want)
	}
	s.part("Leaving")
	s.create("more", task.New{ID: "L-4", Repo: "lib", Text: "New"}, task.New{ID: "L-5", Repo: "lib", Text: "Also new"})
	for _, dryRun := range []bool{true, false} {
		for _, r := range []repo.Repo{twin, lib} {
			s.in(fmt.Sprintf("leave %s, dry run %t", r.Name, dryRun), func(tx *registry.Tx) (any, error) {
				if err := tx.In(r.ProjectID); err != nil {
					return nil, err
				}
				gone, kept, err := task.LeaveRepo(tx, r.ID, dryRun)
				return []int{gone, kept}, err
			})
		}
	}
	s.in("leave it again", func(tx *registry.Tx) (any, error) {
		gone, kept, err := task.LeaveRepo(tx, lib.ID, false)
		return []int{gone, kept}, err
	})
	s.compare("places")
}

// Who may change a task, by name, token, session and state that was seen, and how it is refused.
func TestCallers(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.create("some", task.New{ID: "T-1", Repo: "app", Text: "One"}, task.New{ID: "T-2", Repo: "app", Text: "Two"}, task.New{ID: "T-3", Repo: "app", Text: "Three", DependsOn: []string{"T-1"}}, task.New{ID: "T-4", Repo: "app", Text: "Four"})
	report := func(id, status string, c task.Caller) task.Task {
		t.Helper()
		got, err := s.Report(t.Context(), task.Report{ID: id, Status: status, Caller: c, Why: "so"})
		s.note(fmt.Sprintf("report %s %s by agent %q token %d force %t client %q session %d seen %q", id, status, c.Agent, c.Token, c.Force, c.Client, c.SessionToken, c.Seen.Holder), map[string]any{"status": got.Status, "agent": got.Agent, "token": got.ClaimToken, "result": got.Result}, err)
		return got
	}
	ann, bob, none, person := task.Caller{Agent: "ann"}, task.Caller{Agent: "bob"}, task.Caller{}, task.Caller{Force: true}
	s.part("Pending")
	for _, status := range []string{task.Pending, task.InProgress, task.Completed, task.Failed} {
		report("T-1", status, none)
	}
	report("T-3", task.InProgress, ann)
	_, err := s.HandOver(t.Context(), "T-1", "bob", ann)
	s.note("hand over", nil, err)
	_, err = s.Reopen(t.Context(), "T-1", ann, "")
	s.note("reopen", nil, err)
	s.part("Held")
	report("T-1", task.InProgress, ann)
	report("T-1", task.InProgress, ann)
	for _, c := range []task.Caller{bob, none, person, {Token: 1}, {Agent: "bob", Token: 1}, {Token: 7}, {Agent: "ann", Token: 7}, {Client: "editor"}, {Client: "editor", SessionToken: 1}, {Agent: "bob", Client: "editor", SessionToken: 1}, {Agent: "ann", Client: "editor", SessionToken: 1}} {
		report("T-1", task.InProgress, c)
		_, err := s.Edit(t.Context(), "T-1", task.Edit{Priority: of(work.PriorityHigh)}, c)
		s.note("edit", nil, err)
		_, err = s.Edit(t.Context(), "T-1", task.Edit{Priority: of(work.PriorityLow)}, c)
		s.note("edit back", nil, err)
	}
	held := report("T-1", task.InProgress, task.Caller{Force: true, Agent: "ann"})
	s.part("As seen")
	for _, c := range []task.Caller{
		{Force: true, Seen: task.Seen{Holder: "cleo"}}, {Force: true, Seen: task.Seen{Holder: held.Agent}}, {Force: true, Seen: task.Seen{Stood: timestamp.Of(time.Now().Add(-time.Hour))}},
		{Force: true, Seen: task.Seen{Holder: held.Agent, Stood: timestamp.Of(time.Now().Add(-time.Hour))}},
	} {
		report("T-1", task.InProgress, c)
	}
	s.part("Another holder")
	_, err = s.HandOver(t.Context(), "T-1", "cleo", person)
	s.note("hand over", nil, err)
	for _, c := range []task.Caller{none, {Token: 1}, {Agent: "ann"}} {
		report("T-1", task.Completed, c)
	}
	_, err = s.Delete(t.Context(), []string{"T-1"}, person, false)
	s.note("delete", nil, err)
	report("T-1", task.Pending, task.Caller{Agent: "cleo"})
	report("T-1", task.Pending, task.Caller{Agent: "cleo"})
	report("T-1", task.Pending, bob)
	_, err = s.Delete(t.Context(), []string{"T-1"}, person, false)
	s.note("delete", nil, err)
	_, err = s.Block(t.Context(), "T-1", none, "x")
	s.note("block", nil, err)
	_, err = s.Unblock(t.Context(), "T-1", none, "")
	s.note("unblock", nil, err)
	s.part("Finished")
	report("T-1", task.Completed, ann)
	report("T-1", task.Completed, ann)
	report("T-1", task.Completed, none)
	report("T-1", task.Completed, task.Caller{Token: 1})
	report("T-1", task.Failed, ann)
	report("T-1", task.Failed, person)
	report("T-1", task.Completed, task.Caller{Force: true, Seen: task.Seen{Stood: timestamp.Of(time.Now().Add(-time.Hour))}})
	for _, c := range []task.Caller{none, bob, person} {
		_, err := s.Reopen(t.Context(), "T-1", c, "")
		s.note("reopen", nil, err)
	}
	report("T-2", task.Failed, task.Caller{Client: "editor"})
	got, err := s.Report(t.Context(), task.Report{ID: "T-4", Status: task.Failed, Result: task.Canceled, Caller: none})
	s.note("cancel T-4", map[string]any{"status": got.Status, "agent": got.Agent, "result": got.Result}, err)

	s.part("Named and blocked")
	s.create("another", task.New{ID: "T-5", Repo: "app", Text: "Five"}, task.New{ID: "T-6", Repo: "app", Text: "Six"})
	s.claim("T-5", "ann")
	_, err = s.Block(t.Context(), "T-5", person, "not now")
	s.note("block T-5", nil, err)
	s.take("ann", task.Wanted{ID: "T-5"})
	s.take("ann", task.Wanted{ID: "T-5", Make: true})
	s.take("ann", task.Wanted{})
	s.claim("T-5", "ann")
	s.claim("", "")
	w := s.tree("w-5", "ann", "T-5", "")
	s.in("merged, blocked", func(tx *registry.Tx) (any, error) { return s.Merged(tx, w, "ann") })
	_, err = s.Unblock(t.Context(), "T-5", person, "now")
	s.note("unblock T-5", nil, err)

	s.part("Worktrees")
	for _, of := range []struct{ tree, agent string }{{"w-5", "ann"}, {"w-5", "bob"}, {"w-5", ""}, {"w-5", "unknown"}, {"w-0", "ann"}} {
		s.in(fmt.Sprintf("holding in %s of %q", of.tree, of.agent), func(tx *registry.Tx) (any, error) {
			h, err := task.HoldingIn(tx, of.tree, of.agent)
			return []any{h.Agent.Name, h.Begun(task.Caller{Agent: of.agent}), h.Begun(task.Caller{Agent: of.agent, Token: 1}), h.Begun(task.Caller{Agent: of.agent, Token: 9}),
				h.Begun(task.Caller{Agent: of.agent, Seen: task.Seen{Holder: "ann"}}), h.Begun(task.Caller{})}, err
		})
	}
	report("T-5", task.InProgress, ann)
	s.in("holding once begun", func(tx *registry.Tx) (any, error) {
		h, err := task.HoldingIn(tx, "w-5", "ann")
		return []any{h.Agent.Name, h.Begun(ann), h.Begun(task.Caller{Agent: "ann", Token: 1}), h.Begun(task.Caller{Agent: "ann", Token: 9}), h.Begun(task.Caller{Agent: "ann", Seen: task.Seen{Holder: "ann"}}), h.Begun(task.Caller{})}, err
	})
	s.in("holding of bob", func(tx *registry.Tx) (any, error) {
		h, err := task.HoldingIn(tx, "w-5", "bob")
		return []any{h.Agent.Name, h.Begun(bob)}, err
	})
	_, err = s.Block(t.Context(), "T-5", person, "again")
	s.note("block T-5", nil, err)
	s.in("holding while blocked", func(tx *registry.Tx) (any, error) {
		h, err := task.HoldingIn(tx, "w-5", "ann")
		return h.Begun(ann), err
	})
	for _, c := range []struct{ agent, item string }{{"ann", "T-5"}, {"bob", "T-5"}, {"ann", "T-6"}} {
		s.in(fmt.Sprintf("link %s held by %s", c.item, c.agent), func(tx *registry.Tx) (any, error) {
			a, err := agent.Caller(tx, c.agent)
			if err != nil {
				return nil, err
			}
			item, err := work.Find(tx, work.KindTask, c.item)
			if err != nil {
				return nil, err
			}
			return nil, task.LinkHeld(tx, worktree.Worktree{ID: w.ID, AgentID: a.ID, ItemID: item.ID}, fault.Conflict("task", c.item, "it is not held"))
		})
	}
	_, err = s.HandOver(t.Context(), "T-5", "bob", ann)
	s.note("hand over with its worktree", nil, err)
	_, err = s.HandOver(t.Context(), "T-5", "bob", bob)
	s.note("hand over to its holder", nil, err)

	s.part("In review")
	s.claim("T-6", "bob")
	s.write(func(tx *registry.Tx) error {
		return tx.Do(`INSERT INTO reviews (uid, project_id, item_id, worktree_id, state, tip_oid, asked_at) SELECT 'v-1', project_id, id, ?, 'waiting', 'abc', ? FROM items WHERE ref = 'T-5'`, w.ID, tx.Stamp())
	})
	s.take("bob", task.Wanted{ID: "T-5"})
	s.in("release what bob holds", func(tx *registry.Tx) (any, error) {
		a, err := agent.Named(tx, "bob")
		if err != nil {
			return nil, err
		}
		return task.ReleaseHeldBy(tx, a.ID, "doctor", "gone")
	})
	s.compare("callers")
}
