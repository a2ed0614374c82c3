package task

import (
	"context"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Ask is an agent's request to the queue.
type Ask struct {
	Agent        string
	Capabilities []string      // nil: those it registered
	MinPriority  work.Priority // PriorityNone for any
	Repo         string        // the repository to stay in; "" for none
	Project      string        // id; "" for Home's where that has tasks, else every project
	Home         string        // id of the caller's own project; may be empty or unknown
	Find         Finder        // finds the place instead of Repo, Project and Home; nil where they are known
	Peek         bool          // only look
}

// Offer is the task that an agent got, or would get. Without a task TaskID is nil, and Reason counts the unfinished tasks by what blocks
// them.
type Offer struct {
	TaskID               *string          `json:"taskId"`
	Name                 string           `json:"name,omitempty"`
	Description          string           `json:"description,omitempty"`
	Priority             string           `json:"priority,omitempty"`
	EstimatedDuration    string           `json:"estimatedDuration,omitempty"`
	RequiredCapabilities []string         `json:"requiredCapabilities,omitempty"`
	Dependencies         []string         `json:"dependencies,omitzero"` // set with a task, even when there are none
	Context              *OfferContext    `json:"context,omitempty"`
	ClaimToken           int64            `json:"claimToken,omitempty"`
	Reason               map[work.Why]int `json:"reason,omitempty"`

	Task *Task `json:"-"`
}

// OfferContext is the place of an offered task.
type OfferContext struct {
	EpicName    string `json:"epicName,omitempty"`
	ProjectName string `json:"projectName"`
	ProjectID   string `json:"projectId"`
}

// Offer claims the next ready task for an agent: the agent has the capabilities, nothing is in the way, and the priority is at least the
// one asked for; highest priority first, then oldest. Of any number of callers no two get the same task. With Peek nothing is changed, and
// the agent need not be known.
func (s *Store) Offer(ctx context.Context, ask Ask) (o Offer, err error) {
	if ask.Peek {
		return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Offer, error) { return s.offer(tx, ask, known) })
	}
	if ask.Agent == "" {
		return o, nameAnAgent("take the next task")
	}
	reach := registry.Claiming
	if ask.Repo == "" && ask.Project == "" { // it is the queue over all projects, or the place is still to be found
		reach = registry.ClaimingAny
	}
	return registry.Write(ctx, s.DB, reach, func(tx *registry.Tx) (Offer, error) { return s.offer(tx, ask, agent.Caller) })
}

func (s *Store) offer(tx *registry.Tx, ask Ask, identify func(*registry.Tx, string) (agent.Agent, error)) (o Offer, err error) {
	var a agent.Agent
	var at Place
	err = tx.Together(
		func() (err error) { a, err = identify(tx, ask.Agent); return err },
		func() (err error) { at, err = ask.scope(tx); return err },
	)
	if err != nil {
		return o, err
	}
	if err := tx.In(at.Project); err != nil {
		return o, err
	}
	f := queue(at, ask.MinPriority, ask.Capabilities, a)
	var item work.Item
	var ok bool
	if ask.Peek {
		var id int64
		if id, ok, err = lease.Peek(tx, f, s.claim(a)); ok && err == nil {
			item, err = work.ByID(tx, id)
		}
	} else {
		item, ok, err = lease.Next(tx, f, s.claim(a))
		if ok {
			tx.Changed(registry.TopicTasks, item.ProjectID, item.Ref)
		}
	}
	if err != nil {
		return o, err
	}
	if !ok {
		o.Reason, err = s.reasons(tx, f, a)
		return o, err
	}
	return offered(tx, item)
}

// scope returns the place to serve: a repository, a project, or all (0). A repository that is named is the only place, even when it has no
// tasks.
func (ask Ask) scope(tx *registry.Tx) (Place, error) {
	if ask.Repo != "" || ask.Project != "" || ask.Find != nil {
		return Filter{Repo: ask.Repo, Project: ask.Project, Find: ask.Find}.scope(tx)
	}
	return Home(tx, ask.Home)
}

// Home returns the place of a caller whose own project has an id: that project where it has tasks, else all.
func Home(tx *registry.Tx, project string) (Place, error) {
	if project == "" {
		return Place{}, nil
	}
	id, err := registry.OrZero(registry.One[int64](tx.QueryRow(`SELECT id FROM projects WHERE uid = ? AND deleted_at IS NULL
		AND EXISTS (SELECT 1 FROM items WHERE items.kind = 'task' AND items.project_id = projects.id AND items.deleted_at IS NULL)`, project)))
	return Place{Project: id}, err
}

func offered(tx *registry.Tx, item work.Item) (o Offer, err error) {
	o.Context, o.Dependencies = &OfferContext{}, []string{}
	var t Task
	err = tx.Together(
		func() (err error) { t, err = load(tx, item.ID); return err },
		func() error { return o.loadFacts(tx, item) },
	)
	o.TaskID, o.Name, o.Description, o.Priority, o.EstimatedDuration = &t.ID, t.Name, t.Description, t.Priority.String(), work.FormatDuration(item.Estimate)
	o.ClaimToken, o.Task, o.Context.ProjectID = t.ClaimToken, &t, t.Project
	return o, err
}

// loadFacts reads what surrounds the task: its project, its epic, what it waits for, and what it requires.
func (o *Offer) loadFacts(tx *registry.Tx, item work.Item) error {
	return registry.Each(tx, func(row registry.Scanner) error {
		var place int64
		var fact, value string
		err := row.Scan(&fact, &place, &value)
		switch fact {
		case "project":
			o.Context.ProjectName = value
		case "epic":
			o.Context.EpicName = value
		case "waits for":
			o.Dependencies = append(o.Dependencies, value)
		case "capability":
			o.RequiredCapabilities = append(o.RequiredCapabilities, value)
		}
		return err
	}, `SELECT 'project', 0 AS place, name AS value FROM projects WHERE id = ?
		UNION ALL SELECT 'epic', 0, title FROM items WHERE id = ? AND kind = 'epic'
		UNION ALL SELECT 'waits for', d.id, b.ref FROM dependencies d JOIN items b ON b.id = d.source_id
			WHERE d.target_id = ? AND d.relation = 'blocks' AND b.kind <> 'bug' AND b.deleted_at IS NULL
		UNION ALL SELECT 'capability', 0, capability FROM item_capabilities WHERE item_id = ?
		ORDER BY place, value`, item.ProjectID, item.ParentID, item.ID, item.ID)
}

// queue is the part of the queue that an agent is offered in a place: what its capabilities suffice for, nil being those it registered.
func queue(at Place, least work.Priority, capabilities []string, a agent.Agent) lease.Filter {
	f := lease.Filter{ProjectID: at.Project, Kind: work.KindTask, MinPriority: least, Capabilities: capabilities}
	if capabilities == nil {
		f.Capabilities = a.Capabilities
	}
	if at.Repo != 0 {
		f.Where, f.Args = `EXISTS (SELECT 1 FROM tasks WHERE tasks.item_id = items.id AND `+belongs+`)`, []any{at.Repo}
	}
	return f
}

// reasons counts the unfinished tasks in reach by the first thing that keeps each from being offered.
func (s *Store) reasons(tx *registry.Tx, f lease.Filter, a agent.Agent) (map[work.Why]int, error) {
	query, args := `SELECT CASE`, []any{}
	for _, r := range work.Rules() {
		if r.Why == work.WhyDeleted || r.Why == work.WhyFinished || r.Why == work.WhyContainer {
			continue
		}
		query += ` WHEN ` + r.SQL + ` THEN '` + string(r.Why) + `'`
		if r.Asks() {
			args = append(args, a.ID)
		}
	}
	able, more := f.Able()
	query += ` WHEN items.priority < ? THEN '` + string(work.WhyPriority) + `' WHEN NOT (` + able + `) THEN '` + string(work.WhyCapability) + `'
		ELSE 'ready' END AS why, COUNT(*) FROM items WHERE items.kind = 'task' AND items.state IN ('open', 'active') AND items.deleted_at IS NULL`
	args = append(append(args, int(f.MinPriority)), more...)
	if f.ProjectID != 0 {
		query, args = query+` AND items.project_id = ?`, append(args, f.ProjectID)
	}
	if f.Where != "" {
		query, args = query+` AND `+f.Where, append(args, f.Args...)
	}
	return registry.Map[work.Why, int](tx, query+` GROUP BY 1`, args...)
}
