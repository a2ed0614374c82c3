package task

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Filter says which tasks to list.
type Filter struct {
	Repo     string   // name or id; "" for every repository
	Statuses []string // nil: those not finished
	Limit    int      // 0 for all
	After    string   // Page.Next of the page before
}

// Page is one page of a list.
type Page struct {
	Tasks []Task `json:"tasks"`
	Next  string `json:"next,omitempty"` // give as after for the next page
}

// List gives tasks by status, what is moving first, and by age within one.
func (s *Store) List(ctx context.Context, f Filter) (page Page, err error) {
	statuses, err := f.statuses()
	if err != nil {
		return page, err
	}
	from, last, err := f.cursor(statuses)
	if err != nil {
		return page, err
	}
	page.Tasks = []Task{}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		where, args := `items.kind = 'task'`, []any{}
		if f.Repo != "" {
			r, err := repo.Find(tx, f.Repo)
			if err != nil {
				return err
			}
			where += ` AND items.project_id = ? AND ` + belongs
			args = append(args, r.ProjectID, r.ID, r.ID)
		}
		for i := from; i < len(statuses) && page.Next == ""; i++ {
			if err := f.fill(tx, &page, statuses[i], last, where, args); err != nil {
				return err
			}
			last = 0
		}
		return nil
	})
	return page, err
}

// belongs is the condition that a task is one of a repository's: made for it, or
// for its project and no repository in particular. Written this way no index on
// tasks fits, and the planner starts from the few items that are wanted.
const belongs = `COALESCE(tasks.repo_id, ?) = ?`

// fill adds the tasks of one status, as many as fit; each status is a range of
// one index, so that a page costs its own length whatever the number of tasks.
func (f Filter) fill(tx *registry.Tx, page *Page, status string, after int64, where string, args []any) error {
	query := selection + `WHERE ` + where + ` AND items.id > ? AND items.deleted_at IS NULL`
	args = append(slices.Clone(args), after)
	switch status {
	case Blocked:
		query += ` AND ` + IsBlocked
	case Pending, Claimed, InProgress:
		query, args = query+` AND items.status = ? AND NOT `+IsBlocked, append(args, status)
	default:
		query, args = query+` AND items.status = ?`, append(args, status)
	}
	query += ` ORDER BY items.id`
	if f.Limit > 0 {
		query, args = query+` LIMIT ?`, append(args, f.Limit-len(page.Tasks)+1)
	}
	found, err := registry.Collect(tx, scan, query, args...)
	if err != nil {
		return err
	}
	if f.Limit > 0 && len(page.Tasks)+len(found) > f.Limit {
		found = found[:f.Limit-len(page.Tasks)]
		last := append(page.Tasks, found...)
		page.Next, err = f.next(tx, status, last)
		if err != nil {
			return err
		}
	}
	page.Tasks = append(page.Tasks, found...)
	return nil
}

// next is the cursor behind a page: the status being listed and the last item
// of it that was shown, 0 when none was.
func (f Filter) next(tx *registry.Tx, status string, shown []Task) (string, error) {
	last := int64(0)
	if n := len(shown); n > 0 && shown[n-1].Status == status {
		item, err := find(tx, shown[n-1].ID)
		if err != nil {
			return "", err
		}
		last = item.ID
	}
	return status + "." + strconv.FormatInt(last, 36), nil
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
	var ordered []string
	for _, s := range Statuses {
		if slices.Contains(f.Statuses, s) {
			ordered = append(ordered, s)
		}
	}
	return ordered, nil
}

// Counts gives the number of tasks of a repository by status. Where it is the
// only repository of its project that has tasks, which is the rule, one index
// answers; else each task is looked at.
func Counts(tx *registry.Tx, r repo.Repo) (map[string]int, error) {
	shared, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM repos
		WHERE project_id = ? AND id <> ? AND EXISTS (SELECT 1 FROM tasks WHERE tasks.repo_id = repos.id))`, r.ProjectID, r.ID))
	if err != nil {
		return nil, err
	}
	query, args := `SELECT status, COUNT(*) FROM items WHERE kind = 'task' AND project_id = ? AND deleted_at IS NULL GROUP BY status`, []any{r.ProjectID}
	if shared {
		query = `SELECT items.status, COUNT(*) FROM items JOIN tasks ON tasks.item_id = items.id
			WHERE items.kind = 'task' AND items.project_id = ? AND items.deleted_at IS NULL AND ` + belongs + ` GROUP BY items.status`
		args = append(args, r.ID, r.ID)
	}
	counts := map[string]int{}
	rows, err := tx.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var status string
		var n int
		if err := rows.Scan(&status, &n); err != nil {
			return nil, err
		}
		counts[status] = n
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return counts, moveBlocked(tx, counts, `items.project_id = ? AND `+belongs, r.ProjectID, r.ID, r.ID)
}

// count is how many tasks have a status.
type count struct {
	status string
	n      int
}

// moveBlocked counts the tasks that a bug blocks as such; it starts from the
// open bugs, which are few.
func moveBlocked(tx *registry.Tx, counts map[string]int, where string, args ...any) error {
	found, err := registry.Collect(tx, func(row registry.Scanner) (c count, err error) { return c, row.Scan(&c.status, &c.n) },
		`SELECT items.status, COUNT(*) FROM items JOIN tasks ON tasks.item_id = items.id
		WHERE items.id IN (SELECT d.target_id FROM items bug JOIN dependencies d ON d.source_id = bug.id
		  WHERE bug.kind = 'bug' AND bug.state IN ('open', 'active') AND bug.deleted_at IS NULL AND d.relation = 'blocks')
		AND items.state IN ('open', 'active') AND items.deleted_at IS NULL AND `+where+` GROUP BY items.status`, args...)
	for _, c := range found {
		counts[c.status] -= c.n
		counts[Blocked] += c.n
	}
	return err
}

// CountsOf gives the number of tasks of a project by status, blocked ones apart.
func CountsOf(tx *registry.Tx, projectID int64) (map[string]int, error) {
	counts := map[string]int{}
	found, err := registry.Collect(tx, func(row registry.Scanner) (c count, err error) { return c, row.Scan(&c.status, &c.n) },
		`SELECT status, COUNT(*) FROM items WHERE kind = 'task' AND project_id = ? AND deleted_at IS NULL GROUP BY status`, projectID)
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		counts[c.status] = c.n
	}
	return counts, moveBlocked(tx, counts, `items.project_id = ?`, projectID)
}
