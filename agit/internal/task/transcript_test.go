package task_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// script calls a store and notes each call with its answer.
type script struct {
	store
	t     *testing.T
	shown strings.Builder
	app   repo.Repo
	watch *registrytest.Watch // of the rows that a call changes; nil on a server
	rows  strings.Builder
}

// changing are the tables whose rows a call on a task may change.
var changing = []string{"changes", "items", "tasks", "leases", "item_history", "dependencies", "item_capabilities", "item_holds", "worktrees", "agents"}

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{store: newStore(t), t: t}
	s.write(func(tx *registry.Tx) (err error) { s.app, err = repo.Find(tx, "app"); return err })
	if !registrytest.OnServer() {
		s.watch = registrytest.NewWatch(t, s.DB, changing, "changes.seq", "changes.at", "items.uid", "items.version", "dependencies.uid", "agents.uid", "worktrees.uid", "agents.host", "agents.last_seen_at")
	}
	return s
}

// write runs a transaction in the project of app that has to succeed.
func (s *script) write(do func(*registry.Tx) error) {
	s.t.Helper()
	if err := s.try(do); err != nil {
		s.t.Fatalf("%s%v", s.shown.String(), err)
	}
}

func (s *script) try(do func(*registry.Tx) error) error {
	return s.DB.Write(s.t.Context(), registry.Named, func(tx *registry.Tx) error {
		if s.app.ProjectID != 0 {
			if err := tx.In(s.app.ProjectID); err != nil {
				return err
			}
		}
		return do(tx)
	})
}

func (s *script) part(title string) { fmt.Fprintf(&s.shown, "\n# %s\n", title) }

// note writes a call with its answer down.
func (s *script) note(call string, answer any, err error) {
	s.t.Helper()
	if s.watch != nil {
		if changed := s.watch.Changes(); changed != "" {
			fmt.Fprintf(&s.rows, "%s\n%s", s.watch.Text(call), changed)
		}
	}
	if err != nil {
		fmt.Fprintf(&s.shown, "%s\n  %s: %v\n", call, fault.From(err).Kind, err)
		return
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(&s.shown, "%s\n  %s\n", call, encoded)
}

// in notes a call inside a transaction.
func (s *script) in(call string, do func(tx *registry.Tx) (any, error)) {
	s.t.Helper()
	var answer any
	err := s.try(func(tx *registry.Tx) (err error) { answer, err = do(tx); return err })
	s.note(call, answer, err)
}

func (s *script) create(call string, all ...task.New) {
	made, err := s.Create(s.t.Context(), all)
	s.note("create "+call, made, err)
}

func (s *script) claim(id, agentName string) {
	t, err := s.Claim(s.t.Context(), id, agentName)
	s.note(fmt.Sprintf("claim %s as %q", id, agentName), t, err)
}

func (s *script) report(r task.Report) {
	t, err := s.Report(s.t.Context(), r)
	s.note(fmt.Sprintf("report %s %s %q by %q", r.ID, r.Status, r.Result, r.Agent), t, err)
}

func (s *script) edit(call, id string, e task.Edit, by string) {
	t, err := s.Edit(s.t.Context(), id, e, task.Caller{Agent: by})
	s.note(fmt.Sprintf("edit %s: %s by %q", id, call, by), t, err)
}

func (s *script) explain(id, agentName string) {
	e, err := s.Explain(s.t.Context(), id, agentName)
	s.note(fmt.Sprintf("explain %s to %q", id, agentName), e, err)
}

func (s *script) get(id string) {
	d, err := s.Get(s.t.Context(), id)
	s.note("get "+id, d, err)
}

func (s *script) remove(dryRun bool, by task.Caller, ids ...string) {
	d, err := s.Delete(s.t.Context(), ids, by, dryRun)
	s.note(fmt.Sprintf("delete %v by %q, dry run %t", ids, by.Agent, dryRun), d, err)
}

// take notes what an agent takes up.
func (s *script) take(agentName string, want task.Wanted) {
	s.in(fmt.Sprintf("take %+v as %q", want, agentName), func(tx *registry.Tx) (any, error) {
		a, err := agent.Caller(tx, agentName)
		if err != nil {
			return nil, err
		}
		got, err := s.Take(tx, s.app, a, want)
		if err == nil && got.Item.ID != 0 {
			err = got.Load(tx)
		}
		return map[string]any{"task": got.Task, "item": got.Item.Ref, "new": got.New, "made": got.Made, "reason": got.Reason}, err
	})
}

// tree makes the row of a worktree, without a folder.
func (s *script) tree(ref, agentName, itemRef, text string) (w worktree.Worktree) {
	s.t.Helper()
	s.write(func(tx *registry.Tx) error {
		w = worktree.Worktree{Ref: ref, RepoID: s.app.ID, Agent: agentName, Task: text, Branch: "agit/" + ref}
		if agentName != "" {
			a, err := agent.Caller(tx, agentName)
			if err != nil {
				return err
			}
			w.AgentID = a.ID
		}
		if itemRef != "" {
			item, err := work.Find(tx, work.KindTask, itemRef)
			if err != nil {
				return err
			}
			w.ItemID = item.ID
		}
		if err := tx.Do(`INSERT INTO worktrees (uid, ref, repo_id, agent_id, item_id, task_text, path, branch, status, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'active', ?, ?)`, "u-"+ref, ref, w.RepoID, registry.NullIfZero(w.AgentID), registry.NullIfZero(w.ItemID), text,
			"/trees/"+ref, w.Branch, tx.Stamp(), tx.Stamp()); err != nil {
			return err
		}
		var err error
		w.ID, err = registry.One[int64](tx.QueryRow(`SELECT id FROM worktrees WHERE ref = ?`, ref))
		return err
	})
	return w
}

// numbers are those of a history's entries. A server leaves some out.
var numbers = regexp.MustCompile(`"seq":\d+`)

// compare compares the notes, and the rows that each call changed, with those of testdata.
func (s *script) compare(name string) {
	s.t.Helper()
	masks := clitest.NewMasks(s.t)
	shown := numbers.ReplaceAllString(strings.TrimPrefix(s.shown.String(), "\n"), `"seq":0`)
	clitest.Golden(s.t, filepath.Join("testdata", name+".txt"), masks.Apply(shown))
	if s.watch != nil {
		clitest.Golden(s.t, filepath.Join("testdata", name+"-rows.txt"), s.rows.String())
	}
}

func of[T any](v T) *T { return &v }

func TestMakingAndEditing(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.write(func(tx *registry.Tx) error {
		for _, item := range []work.NewItem{
			{ProjectID: s.app.ProjectID, Kind: work.KindEpic, Ref: "E-1", Text: "Accounts", Status: "active"},
			{ProjectID: s.app.ProjectID, Kind: work.KindEpic, Ref: "E-2", Text: "Other accounts", Status: "active"},
			{ProjectID: s.app.ProjectID, Kind: work.KindTicket, Ref: "ABC-1", Text: "Reset a password", Status: "todo", Priority: work.PriorityHigh},
		} {
			if _, err := work.Create(tx, item); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.DB.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
		p, err := project.Make(tx, project.New{UID: "other", Name: "Other"})
		if err == nil {
			err = tx.In(p.ID)
		}
		if err == nil {
			_, err = work.Create(tx, work.NewItem{ProjectID: p.ID, Kind: work.KindEpic, Ref: "E-9", Text: "Elsewhere", Status: "active"})
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}

	s.part("Making")
	s.create("in a repository", task.New{ID: "T-1", Repo: "app", Text: "One\n\nThe first.", Priority: work.PriorityHigh, Agent: "ann", Estimate: 90 * time.Minute, Capabilities: []string{"go", "sql"}})
	s.create("in an epic, after another", task.New{ID: "T-2", Epic: "E-1", Text: "Two", DependsOn: []string{"T-1"}})
	s.create("below a task", task.New{ID: "T-3", Parent: "T-2", Text: "Three"})
	s.create("from a ticket", task.New{ID: "T-4", Repo: "app", Origin: "ABC-1", Text: "Four"})
	s.create("from a ticket again", task.New{ID: "T-5", Repo: "app", Origin: "ABC-1", Text: "Five"})
	s.create("from a ticket once", task.New{ID: "T-5", Repo: "app", Origin: "ABC-1", Text: "Five", Once: true})
	s.create("in a project", task.New{ID: "T-6", Project: "other", Text: "Six"})
	s.create("nowhere", task.New{Text: "x"})
	s.create("in two projects", task.New{Repo: "app", Project: "other", Text: "x"})
	s.create("in an epic of another project", task.New{Repo: "app", Epic: "E-9", Text: "x"})
	s.create("in an unknown epic", task.New{Repo: "app", Epic: "E-8", Text: "x"})
	s.create("from an unknown ticket", task.New{Repo: "app", Origin: "ABC-8", Text: "x"})
	s.create("after an unknown task", task.New{Repo: "app", Text: "x", DependsOn: []string{"T-99"}})
	s.create("after itself", task.New{ID: "T-7", Repo: "app", Text: "x", DependsOn: []string{"T-7"}})
	s.create("several, the last wrong", task.New{ID: "T-7", Repo: "app", Text: "x"}, task.New{Repo: "app"})
	s.in("make many", func(tx *registry.Tx) (any, error) {
		var refusals []string
		made, err := task.MakeMany(tx, []task.New{
			{ID: "M-1", Repo: "app", Text: "Seven", Status: task.Completed, Capabilities: []string{"go"}, Agent: "ann", CreatedAt: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)},
			{ID: "M-2", Repo: "nowhere", Text: "Eight"},
			{ID: "M-3", Repo: "app", Epic: "E-2", Text: "Nine", Status: task.Failed},
			{ID: "M-1", Repo: "app", Text: "Ten"},
			{ID: "M-4", Repo: "app", Text: "Eleven", Priority: work.PriorityLow},
			{ID: "M-5", Repo: "app", Text: "Twelve"},
		}, func(i int, err error) error {
			refusals = append(refusals, fmt.Sprintf("%d: %v", i, err))
			return nil
		})
		var refs []string
		for _, item := range made {
			refs = append(refs, fmt.Sprintf("%s %s %s %s", item.Ref, item.Status, item.State, item.Priority))
		}
		return map[string]any{"made": refs, "refused": refusals}, err
	})
	s.in("make many, the first refused", func(tx *registry.Tx) (any, error) {
		return task.MakeMany(tx, []task.New{{Repo: "nowhere", Text: "x"}}, func(_ int, err error) error { return err })
	})
	for _, id := range []string{"T-1", "T-2", "T-3", "T-4", "M-1", "M-3", "M-4", "T-99"} {
		s.get(id)
	}
	for _, id := range []string{"T-1", "T-2", "E-1", "ABC-1"} {
		s.explain(id, "")
		s.explain(id, "ann")
	}
	s.explain("nothing", "ann")

	s.part("Editing")
	s.edit("nothing", "T-1", task.Edit{}, "ann")
	s.edit("its text", "T-1", task.Edit{Text: of("Uno\n\nThe first one.")}, "ann")
	s.edit("its text as seen", "T-1", task.Edit{Text: of("Ein"), Seen: "Uno\n\nThe first one."}, "ann")
	s.edit("its text as no longer seen", "T-1", task.Edit{Text: of("Eins"), Seen: "One"}, "ann")
	s.edit("an empty text", "T-1", task.Edit{Text: of(" ")}, "ann")
	s.edit("priority and estimate", "T-1", task.Edit{Priority: of(work.PriorityLow), Estimate: of(time.Duration(0))}, "ann")
	s.edit("its capabilities", "T-1", task.Edit{Capabilities: &[]string{"css"}}, "bob")
	s.edit("the same capabilities", "T-1", task.Edit{Capabilities: &[]string{"css"}}, "bob")
	s.edit("its assignee", "T-1", task.Edit{Assignee: of("bob")}, "ann")
	s.edit("the same assignee", "T-1", task.Edit{Assignee: of("bob")}, "ann")
	s.edit("another assignee", "T-1", task.Edit{Assignee: of("cleo")}, "")
	s.edit("no assignee", "T-1", task.Edit{Assignee: of("")}, "ann")
	s.edit("its epic", "T-1", task.Edit{Epic: of("e-1")}, "ann")
	s.edit("another epic", "T-1", task.Edit{Epic: of("E-2")}, "ann")
	s.edit("an epic of another project", "T-1", task.Edit{Epic: of("E-9")}, "ann")
	s.edit("an unknown epic", "T-1", task.Edit{Epic: of("E-8")}, "ann")
	s.edit("no epic", "T-1", task.Edit{Epic: of("")}, "ann")
	s.edit("one that is finished", "M-1", task.Edit{Text: of("x")}, "ann")
	s.claim("T-1", "ann")
	s.edit("the assignee of a held one", "T-1", task.Edit{Assignee: of("bob")}, "ann")
	s.edit("another's", "T-1", task.Edit{Text: of("x")}, "bob")
	s.get("T-1")
	s.in("may ann and bob edit", func(tx *registry.Tx) (any, error) {
		item, err := work.Find(tx, work.KindTask, "T-1")
		if err != nil {
			return nil, err
		}
		return nil, errorsOf(task.MayEdit(tx, item, task.Caller{Agent: "ann"}), task.MayEdit(tx, item, task.Caller{Agent: "bob"}))
	})

	s.part("Deleting")
	s.remove(true, task.Caller{Agent: "nobody"}, "M-5")
	s.remove(true, task.Caller{Agent: "ann"}, "T-3", "t-3", "T-2")
	s.remove(false, task.Caller{Agent: "ann"}, "T-3", "T-1")
	s.remove(false, task.Caller{}, "T-99")
	s.tree("w-1", "ann", "T-4", "")
	s.remove(false, task.Caller{Agent: "ann"}, "T-4")
	s.remove(false, task.Caller{Agent: "ann"}, "T-3", "t-3", "T-2", "M-5")
	s.get("T-3")
	s.remove(false, task.Caller{Agent: "ann"}, "M-1")
	s.compare("making")
}

// errorsOf joins errors in one.
func errorsOf(all ...error) error {
	var b strings.Builder
	for _, err := range all {
		fmt.Fprintf(&b, "%v; ", err)
	}
	return fault.Validation("", "%s", strings.TrimSuffix(b.String(), "; "))
}

func TestTakingAndReporting(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.write(func(tx *registry.Tx) error {
		for _, item := range []work.NewItem{
			{ProjectID: s.app.ProjectID, Kind: work.KindTicket, Ref: "ABC-1", Text: "Reset a password", Status: "todo", Priority: work.PriorityHigh},
			{ProjectID: s.app.ProjectID, Kind: work.KindTicket, Ref: "ABC-2", Text: "Change a name", Status: "todo"},
			{ProjectID: s.app.ProjectID, Kind: work.KindBug, Ref: "BUG-1", Text: "It breaks", Status: "open"},
		} {
			if _, err := work.Create(tx, item); err != nil {
				return err
			}
		}
		return nil
	})
	s.take("ann", task.Wanted{})
	s.create("some", task.New{ID: "T-1", Repo: "app", Text: "One"}, task.New{ID: "T-2", Repo: "app", Text: "Two", Priority: work.PriorityHigh, Capabilities: []string{"go"}},
		task.New{ID: "T-3", Repo: "app", Text: "Three", DependsOn: []string{"T-1"}}, task.New{ID: "T-4", Repo: "app", Text: "Four"}, task.New{ID: "T-5", Repo: "app", Text: "Five"})
	s.write(func(tx *registry.Tx) error {
		if err := tx.Do(`INSERT INTO criteria (uid, ref, item_id, position, text, changed_at, created_at)
			SELECT 'c-' || ref, 'AC-' || ref, id, 1, 'it adds', created_at, created_at FROM items WHERE ref IN ('T-1', 'ABC-1')`); err != nil {
			return err
		}
		bug, err := work.Find(tx, work.KindBug, "BUG-1")
		if err != nil {
			return err
		}
		five, err := work.Find(tx, work.KindTask, "T-5")
		if err != nil {
			return err
		}
		return work.Link(tx, work.Edge{Source: bug.ID, Target: five.ID, Relation: work.Blocks})
	})

	s.part("Taking")
	s.take("bob", task.Wanted{MinPriority: work.PriorityHigh})
	s.take("ann", task.Wanted{Capabilities: []string{"go"}})
	s.take("ann", task.Wanted{})
	s.take("bob", task.Wanted{ID: "T-2"})
	s.take("bob", task.Wanted{ID: "t-3"})
	s.take("bob", task.Wanted{ID: "T-5"})
	s.take("bob", task.Wanted{ID: "T-99", Make: true})
	s.take("bob", task.Wanted{ID: "ABC-1"})
	s.take("bob", task.Wanted{ID: "ABC-1", Make: true})
	_, err := s.Claim(t.Context(), "ABC-1", "bob")
	s.note("claim a ticket", nil, err)
	s.take("cleo", task.Wanted{ID: "four", Make: true})
	s.take("dan", task.Wanted{ID: "word", Make: true})
	s.take("dan", task.Wanted{ID: "Some words", Make: true})
	s.take("dan", task.Wanted{ID: "Some words"})
	s.take("eve", task.Wanted{})
	s.take("eve", task.Wanted{})
	s.take("fay", task.Wanted{})
	s.in("criteria of T-1 and of ABC-1", func(tx *registry.Tx) (any, error) {
		one, err := work.Find(tx, work.KindTask, "T-1")
		if err != nil {
			return nil, err
		}
		from, err := work.FindIn(tx, s.app.ProjectID, work.KindTicket, "ABC-1")
		if err != nil {
			return nil, err
		}
		return task.Criteria(tx, one.ID, from.ID)
	})
	s.in("repository of T-1", func(tx *registry.Tx) (any, error) { r, err := s.RepoOf(tx, "T-1"); return r.Name, err })
	s.in("repository of ABC-1", func(tx *registry.Tx) (any, error) { r, err := s.RepoOf(tx, "ABC-1"); return r.Name, err })
	s.in("repository of T-99", func(tx *registry.Tx) (any, error) { r, err := s.RepoOf(tx, "T-99"); return r.Name, err })
	s.in("held in app", func(tx *registry.Tx) (any, error) { return task.Held(tx, s.app, 3) })
	s.in("counts", func(tx *registry.Tx) (any, error) { return task.Counts(tx, s.app) })

	s.part("Outlook")
	s.in("look", func(tx *registry.Tx) (any, error) { return task.Look(tx, s.app.ProjectID, 10, 0) })
	s.in("look at one each", func(tx *registry.Tx) (any, error) { return task.Look(tx, s.app.ProjectID, 1, 0) })
	s.in("cards", func(tx *registry.Tx) (any, error) { return task.Cards(tx, s.app.ProjectID, 0) })
	s.in("cards of all projects", func(tx *registry.Tx) (any, error) { all, err := task.Cards(tx, 0, 0); return len(all), err })
	s.in("edges", func(tx *registry.Tx) (any, error) { return task.Edges(tx, s.app.ProjectID) })
	s.in("edges of all projects", func(tx *registry.Tx) (any, error) { return task.Edges(tx, 0) })

	s.part("Holding back")
	for _, c := range []task.Caller{{Agent: "bob"}, {Force: true}} {
		got, err := s.Block(t.Context(), "T-2", c, "no key")
		s.note(fmt.Sprintf("block T-2 by %+v", c), got, err)
	}
	s.explain("T-2", "ann")
	s.report(task.Report{ID: "T-2", Status: task.Completed, Caller: task.Caller{Agent: "ann"}})
	s.in("look", func(tx *registry.Tx) (any, error) {
		o, err := task.Look(tx, s.app.ProjectID, 10, 0)
		return o.Blocked, err
	})
	s.get("T-2")
	for range 2 {
		got, err := s.Unblock(t.Context(), "T-2", task.Caller{Force: true}, "it came")
		s.note("unblock T-2", got, err)
	}

	s.part("Reporting")
	s.report(task.Report{ID: "T-2", Status: "done", Caller: task.Caller{Agent: "ann"}})
	s.report(task.Report{ID: "T-2", Status: task.InProgress, Took: 90 * time.Second, Caller: task.Caller{Agent: "ann"}})
	s.report(task.Report{ID: "T-2", Status: task.Completed, Result: "it adds", Took: 400 * time.Millisecond, Caller: task.Caller{Agent: "ann"}})
	s.report(task.Report{ID: "T-2", Status: task.Completed, Result: "it adds", Caller: task.Caller{Agent: "ann"}})
	s.report(task.Report{ID: "T-2", Status: task.Completed, Result: "it subtracts", Caller: task.Caller{Agent: "ann"}})
	s.report(task.Report{ID: "T-1", Status: task.Failed, Caller: task.Caller{Agent: "bob"}})
	s.report(task.Report{ID: "T-1", Status: task.Failed, Result: task.Canceled, Caller: task.Caller{Agent: "bob"}})
	s.report(task.Report{ID: "T-5", Status: task.Completed, Result: "in spite of the bug", Caller: task.Caller{Agent: "bob"}})
	s.report(task.Report{ID: "T-1", Status: task.Failed, Result: "no", Why: "no time", Caller: task.Caller{Force: true}})
	s.get("T-1")
	s.get("T-2")
	reopened, err := s.Reopen(t.Context(), "T-2", task.Caller{Force: true}, "it does not")
	s.note("reopen T-2", reopened, err)
	reopened, err = s.Reopen(t.Context(), "T-2", task.Caller{Force: true}, "")
	s.note("reopen T-2 again", reopened, err)

	s.part("Handing over and giving up")
	for _, to := range []string{"", "gus", "gus"} {
		got, err := s.HandOver(t.Context(), "T-4", to, task.Caller{Agent: "cleo"})
		s.note(fmt.Sprintf("hand over to %q", to), got, err)
	}
	for _, name := range []string{"cleo", "gus"} {
		s.in("give up T-4 as "+name, func(tx *registry.Tx) (any, error) {
			item, err := work.Find(tx, work.KindTask, "T-4")
			if err != nil {
				return nil, err
			}
			a, err := agent.Named(tx, name)
			if err != nil {
				return nil, err
			}
			if err := s.GiveUp(tx, item.ID, a.ID, "no room"); err != nil {
				return nil, err
			}
			now, err := work.ByID(tx, item.ID)
			return now.Status, err
		})
	}
	s.claim("T-4", "gus")
	for range 2 {
		s.in("put back T-4", func(tx *registry.Tx) (any, error) {
			item, err := work.Find(tx, work.KindTask, "T-4")
			if err == nil {
				err = task.PutBack(tx, item.ID, "doctor", "lost")
			}
			if err != nil {
				return nil, err
			}
			now, err := work.ByID(tx, item.ID)
			return now.Status, err
		})
	}
	s.get("T-4")
	s.claim("T-4", "dan")
	s.in("release what dan holds", func(tx *registry.Tx) (any, error) {
		a, err := agent.Named(tx, "dan")
		if err != nil {
			return nil, err
		}
		return task.ReleaseHeldBy(tx, a.ID, "doctor", "gone")
	})

	s.part("Worktrees")
	s.claim("T-4", "ann")
	for _, w := range []worktree.Worktree{
		s.tree("w-1", "ann", "T-4", ""), s.tree("w-2", "bob", "", "ABC-2"), s.tree("w-3", "bob", "", "New words"), s.tree("w-4", "", "", "Words of nobody"),
		s.tree("w-5", "", "", "ABC-2"), s.tree("w-6", "", "", ""), s.tree("w-7", "ann", "T-2", ""), s.tree("w-8", "bob", "T-4", ""),
	} {
		s.in("spawned "+w.Ref, func(tx *registry.Tx) (any, error) { return s.Spawned(tx, w) })
		s.in("its item", func(tx *registry.Tx) (any, error) {
			return registry.Collect(tx, registry.One[string], `SELECT i.ref || ' ' || i.status || ' ' || COALESCE(a.name, '') FROM worktrees w JOIN items i ON i.id = w.item_id
				LEFT JOIN leases l ON l.item_id = i.id LEFT JOIN agents a ON a.id = l.agent_id WHERE w.ref = ?`, w.Ref)
		})
	}
	for _, c := range []struct{ ref, agent, item, by string }{
		{"w-1", "ann", "T-4", "bob"}, {"w-1", "ann", "T-4", ""}, {"w-7", "ann", "T-2", "ann"}, {"w-9", "", "T-2", ""}, {"w-6", "", "", ""},
	} {
		s.in("merged "+c.ref+" by "+c.by, func(tx *registry.Tx) (any, error) {
			w := worktree.Worktree{Ref: c.ref, Agent: c.agent, Branch: "agit/" + c.ref}
			if c.item != "" {
				item, err := work.Find(tx, work.KindTask, c.item)
				if err != nil {
					return nil, err
				}
				w.ItemID = item.ID
			}
			return s.Merged(tx, w, c.by)
		})
	}
	for _, said := range []string{"", "It adds at last"} {
		s.in("say "+said, func(tx *registry.Tx) (any, error) {
			item, err := work.Find(tx, work.KindTask, "T-4")
			if err == nil {
				err = s.SayResult(tx, item.ID, task.MergedResult("agit/w-1"), said)
			}
			return nil, err
		})
	}
	s.get("T-4")
	s.get("T-2")

	s.part("Lists")
	for _, f := range []task.Filter{
		{Repo: "app"}, {Repo: "app", Statuses: task.Statuses, Limit: 3}, {Repo: "app", Statuses: task.Statuses, Limit: 3, After: "blocked.0"}, {Statuses: []string{task.Completed}},
		{Statuses: []string{"none"}}, {After: "x"}, {Repo: "nowhere"}, {Project: "nowhere"},
	} {
		page, err := s.List(t.Context(), f)
		var refs []string
		for _, one := range page.Tasks {
			refs = append(refs, one.ID+" "+one.Status)
		}
		s.note(fmt.Sprintf("list %+v", f), map[string]any{"tasks": refs, "next": page.Next}, err)
	}
	for _, f := range []task.Filter{{Repo: "app"}, {Repo: "app", Limit: 1}, {Repo: "app", Limit: 1, After: "1"}, {After: "-1"}, {After: "x"}} {
		page, err := s.Ready(t.Context(), f)
		var refs []string
		for _, one := range page.Tasks {
			refs = append(refs, one.ID+" "+one.Status)
		}
		s.note(fmt.Sprintf("ready %+v", f), map[string]any{"tasks": refs, "next": page.Next}, err)
	}
	s.in("leave the repository, dry run", func(tx *registry.Tx) (any, error) {
		gone, kept, err := task.LeaveRepo(tx, s.app.ID, true)
		return []int{gone, kept}, err
	})
	s.in("leave the repository", func(tx *registry.Tx) (any, error) {
		gone, kept, err := task.LeaveRepo(tx, s.app.ID, false)
		return []int{gone, kept}, err
	})
	s.compare("taking")
}
