package task

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Filter selects the tasks to list.
type Filter struct {
	Repo     string   // name or id; "" for every repository
	Project  string   // id; "" for every project, or that of the repository
	Find     Finder   // finds the place instead of Repo and Project; nil where they are known
	Statuses []string // nil: those not finished
	Limit    int      // 0 for all
	After    string   // Page.Next of the page before

	// Only Ready reads these.
	Agent        string        // leaves out what this agent is not able to do; "" for none
	Capabilities []string      // of that agent; nil: those it registered
	MinPriority  work.Priority // PriorityNone for any
}

// Place is a project and a repository in it, by row ids; 0 is every one.
type Place struct{ Project, Repo int64 }

// Finder finds the place that a call is about in the transaction of the call.
type Finder func(*registry.Tx) (Place, error)

// Page is one page of a list.
type Page struct {
	Tasks []Task `json:"tasks"`
	Next  string `json:"next,omitempty"` // pass it as after for the next page
}

// List returns tasks by status, those in progress first, and by age within a status.
func (s *Store) List(ctx context.Context, f Filter) (page Page, err error) {
	statuses, err := f.statuses()
	if err != nil {
		return page, err
	}
	from, last, err := f.cursor(statuses)
	if err != nil {
		return page, err
	}
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Page, error) {
		in, err := f.scope(tx)
		if err != nil {
			return Page{Tasks: []Task{}}, err
		}
		return f.readAt(tx, in, statuses, from, last)
	})
}

// Held returns the tasks of a repository that agents hold, those in progress first, and by age: at most limit.
func Held(tx *registry.Tx, r repo.Repo, limit int) ([]Task, error) {
	var running, claimed []Task
	of := func(status string, into *[]Task) func() error {
		return func() error {
			page, err := Filter{Limit: limit}.readAt(tx, Place{Project: r.ProjectID, Repo: r.ID}, []string{status}, 0, 0)
			*into = page.Tasks
			return err
		}
	}
	err := tx.Together(of(InProgress, &running), of(Claimed, &claimed))
	all := append(running, claimed...)
	return all[:min(len(all), limit)], err
}

// readAt lists tasks of statuses in a place, from the one at the place from on, after the item last.
func (f Filter) readAt(tx *registry.Tx, in Place, statuses []string, from int, last int64) (page Page, err error) {
	page.Tasks = []Task{}
	where, args := `items.kind = 'task' AND items.id > ? AND items.deleted_at IS NULL`, []any{last}
	if in.Project != 0 {
		where, args = where+` AND items.project_id = ?`, append(args, in.Project)
	}
	if in.Repo != 0 {
		where, args = where+` AND `+belongs, append(args, in.Repo)
	}
	end := ` ORDER BY items.id`
	if f.Limit > 0 { // as text, because a bound LIMIT is planned twice
		end += ` LIMIT ` + strconv.Itoa(f.Limit+1)
	}
	if from >= len(statuses) {
		return page, nil
	}
	statuses = statuses[from:]
	read := make([]unnamed, len(statuses))
	reads := make([]func() error, len(statuses))
	enough := func() bool {
		n := 0
		for _, u := range read {
			n += len(u.found)
		}
		return f.Limit > 0 && n > f.Limit
	}
	for i, status := range statuses {
		condition, more := hasStatus(status)
		rows := where
		if status == Blocked { // begin with the few open bugs, not with all tasks of the project
			rows = strings.NewReplacer(`items.kind = 'task' AND `, ``, `items.project_id = `, `items.project_id + 0 = `).Replace(where)
		}
		args := append(slices.Clone(args), more...)
		if i > 0 {
			args[0] = int64(0)
		}
		reads[i] = tx.Unless(enough, func() (err error) {
			read[i], err = collectUnnamed(tx, `WHERE `+rows+` AND `+condition+end, args...)
			return err
		})
	}
	if err := tx.Together(reads...); err != nil {
		return page, err
	}
	names := newRows()
	var all unnamed
	for _, u := range read {
		all.found, all.owned = append(all.found, u.found...), append(all.owned, u.owned...)
	}
	if f.Limit > 0 && len(all.found) > f.Limit+1 {
		all.found, all.owned = all.found[:f.Limit+1], all.owned[:f.Limit+1]
	}
	found, err := names.named(tx, all)
	if err != nil {
		return page, err
	}
	for i, u := range read {
		if page.Next != "" {
			break
		}
		part := found[:min(len(u.found), len(found))]
		found = found[len(part):]
		page.add(statuses[i], part, f.Limit)
	}
	return page, nil
}

// scope is the place where the filter looks: a project, and in it the tasks of a repository and those without one; 0 is everywhere.
func (f Filter) scope(tx *registry.Tx) (at Place, err error) {
	if f.Find != nil {
		return f.Find(tx)
	}
	if f.Repo != "" {
		r, err := repo.Find(tx, f.Repo)
		if err != nil {
			return at, err
		}
		at.Project, at.Repo = r.ProjectID, r.ID
	}
	if f.Project == "" {
		return at, nil
	}
	p, err := project.Get(tx, f.Project)
	if err != nil {
		return at, err
	}
	if at.Project != 0 && at.Project != p.ID {
		return at, fault.Validation("project", "repository %q belongs to another project than %q", f.Repo, p.UID).WithHint("name one of them")
	}
	at.Project = p.ID
	return at, nil
}

// belongs is the condition that a task of a repository's project belongs to the repository. Every task does, except those made for another
// clone on the same host, so that a task made on one host is in the lists of all hosts. In this form it matches no index on tasks, and the
// planner begins with the few items that are wanted.
const belongs = `COALESCE(tasks.repo_id, 0) NOT IN (SELECT other.id FROM repos other JOIN repos mine
	ON other.project_id = mine.project_id AND other.host = mine.host AND other.id <> mine.id WHERE mine.id = ?)`

// blockedItems selects the items that an open bug blocks or a person holds back.
const blockedItems = `SELECT d.target_id FROM items bug JOIN dependencies d ON d.source_id = bug.id
	WHERE bug.kind = 'bug' AND bug.state IN ('open', 'active') AND bug.deleted_at IS NULL AND d.relation = 'blocks' UNION SELECT item_id FROM item_holds`

// hasStatus is the condition that a task shows a status. A blocked task shows that, whatever its stored status.
func hasStatus(status string) (condition string, args []any) {
	switch status {
	case Blocked:
		return `items.state IN ('open', 'active') AND items.id IN (` + blockedItems + `)`, nil
	case Pending, Claimed, InProgress:
		return `items.status = ? AND NOT ` + IsBlocked, []any{status}
	}
	return `items.status = ?`, []any{status}
}

// add takes over the tasks of one status, as many as fit; each status is a range of one index, so that a page costs its own length whatever
// the number of tasks. When some do not fit, Next is the cursor behind the page: the status being listed and the last item of it that was
// shown, 0 when none was.
func (p *Page) add(status string, found []listed, limit int) {
	last := int64(0)
	for _, t := range found {
		if limit > 0 && len(p.Tasks) == limit {
			p.Next = status + "." + strconv.FormatInt(last, 36)
			return
		}
		p.Tasks, last = append(p.Tasks, t.Task), t.item
	}
}

func (f Filter) cursor(statuses []string) (from int, last int64, err error) {
	if f.After == "" {
		return 0, 0, nil
	}
	status, id, ok := strings.Cut(f.After, ".")
	from = slices.Index(statuses, status)
	last, parseErr := strconv.ParseInt(id, 36, 64)
	if !ok || from < 0 || parseErr != nil {
		return 0, 0, fault.Validation("after", "%q is not the end of a page of this list", f.After).WithHint("give the `next` of the page before")
	}
	return from, last, nil
}

// statuses puts the ones asked for in the order of the list.
func (f Filter) statuses() ([]string, error) {
	if f.Statuses == nil {
		return Statuses[:4], nil
	}
	for _, s := range f.Statuses {
		if !slices.Contains(Statuses, s) {
			fa := fault.Validation("status", "task status %q is not known", s)
			if near := text.Nearest(s, Statuses); near != "" {
				return nil, fa.WithHint("did you mean %q?", near)
			}
			return nil, fa.WithHint("use pending, claimed, in_progress, blocked, completed or failed")
		}
	}
	return slices.DeleteFunc(slices.Clone(Statuses), func(s string) bool { return !slices.Contains(f.Statuses, s) }), nil
}

// Counts returns the number of tasks of a repository by status. One index is enough where the repository is the only one of its project and
// host that has tasks, as usual; otherwise it looks at each task.
func Counts(tx *registry.Tx, r repo.Repo) (map[string]int, error) {
	shared, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM repos
		WHERE project_id = ? AND host = ? AND id <> ? AND EXISTS (SELECT 1 FROM tasks WHERE tasks.repo_id = repos.id))`, r.ProjectID, r.Host, r.ID))
	if err != nil {
		return nil, err
	}
	from, args := `items`, []any{"", r.ProjectID}
	where := `items.kind = 'task' AND items.status = ? AND items.project_id = ? AND items.deleted_at IS NULL`
	if shared {
		from, where, args = from+` JOIN tasks ON tasks.item_id = items.id`, where+` AND `+belongs, append(args, r.ID)
	}
	counts, err := countEach(tx, `SELECT COUNT(*) FROM `+from+` WHERE `+where, args)
	if err != nil {
		return nil, err
	}
	return counts, moveBlocked(tx, counts, `items.project_id + 0 = ? AND `+belongs, r.ProjectID, r.ID)
}

// countEach runs a count whose first parameter is a status for all statuses, in one statement: grouping takes twice as long.
func countEach(tx *registry.Tx, one string, args []any) (map[string]int, error) {
	parts, all := make([]string, len(Statuses)), make([]any, 0, len(Statuses)*len(args))
	numbers, into := make([]int, len(Statuses)), make([]any, len(Statuses))
	for i, status := range Statuses {
		parts[i], into[i] = `(`+one+`)`, &numbers[i]
		all = append(append(all, status), args[1:]...)
	}
	if err := tx.QueryRow(`SELECT `+strings.Join(parts, `, `), all...).Scan(into...); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i, status := range Statuses {
		if numbers[i] > 0 {
			counts[status] = numbers[i]
		}
	}
	return counts, nil
}

// moveBlocked moves the tasks that a bug blocks to the count of blocked ones. It begins with the open bugs, which are few; where must not
// lead the planner to another index.
func moveBlocked(tx *registry.Tx, counts map[string]int, where string, args ...any) error {
	found, err := registry.Map[string, int](tx, `SELECT items.status, COUNT(*) FROM items JOIN tasks ON tasks.item_id = items.id
		WHERE items.id IN (`+blockedItems+`)
		AND items.state IN ('open', 'active') AND items.deleted_at IS NULL AND `+where+` GROUP BY items.status`, args...)
	for status, n := range found {
		counts[status] -= n
		counts[Blocked] += n
	}
	return err
}

// CountsOf returns the number of tasks of a project by status, blocked ones apart.
func CountsOf(tx *registry.Tx, projectID int64) (map[string]int, error) {
	counts, err := registry.Map[string, int](tx, `SELECT status, COUNT(*) FROM items
		WHERE kind = 'task' AND project_id = ? AND deleted_at IS NULL GROUP BY status`, projectID)
	if err != nil {
		return nil, err
	}
	return counts, moveBlocked(tx, counts, `items.project_id + 0 = ?`, projectID)
}
