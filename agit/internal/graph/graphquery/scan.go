package graphquery

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Scan returns the nodes of a label, a batch at a time.
func (v *view) Scan(ctx context.Context, filter graph.Filter) iter.Seq2[*value.Node, error] {
	return func(yield func(*value.Node, error) bool) {
		for place, l := range labels {
			if l.lacks(filter.Labels) {
				continue
			}
			s := v.at(place)
			ways, err := v.ways(s, filter)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, w := range ways {
				if !w.scan(ctx, v, s, yield) {
					return
				}
			}
		}
	}
}

// way is one range of an index or of a table that a scan reads.
type way struct {
	query string // up to the condition on key
	args  []any
	key   string // rows are read in this order; "" reads all at once
}

func (w way) scan(ctx context.Context, v *view, s *shape, yield func(*value.Node, error) bool) bool {
	for last := int64(0); ; {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return false
		}
		query, args := w.query, w.args
		if w.key != "" {
			query, args = query+` AND `+w.key+` > ? ORDER BY `+w.key+` LIMIT 512`, append(slices.Clone(args), last)
		}
		nodes, err := s.read(v, query, args...)
		if err != nil {
			yield(nil, err)
			return false
		}
		for _, n := range nodes {
			_, last = split(n.ID)
			if !yield(n, nil) {
				return false
			}
		}
		if w.key == "" || len(nodes) < batch {
			return true
		}
	}
}

// ways returns how to find the nodes of a label that meet conditions: by the index of a property, by the index over statuses, otherwise
// along its table.
func (v *view) ways(s *shape, filter graph.Filter) ([]way, error) {
	conditions := filter.Conditions
	condition, args, _ := s.pushed(conditions)
	led, more := v.led(s, filter.Leads)
	condition, args = condition+led, append(args, more...)
	for _, c := range conditions {
		if column, ok := s.indexed[c.Property]; ok {
			if values := texts(c); values != nil {
				for i, text := range values {
					values[i] = folded(column, text)
				}
				return []way{{query: `SELECT ` + s.key + s.fields + ` FROM ` + s.base + s.joined + ` WHERE ` + s.where + condition +
					` AND ` + column + ` IN (` + marks(len(values)) + `)`, args: append(args, values...)}}, nil
			}
		}
	}
	if ways, err := v.byStatus(s, conditions, condition, args); ways != nil || err != nil {
		return ways, err
	}
	from, at := s.base+s.joined, ""
	if s.table != s.base {
		from, at = s.table+` CROSS JOIN `+s.base+strings.Replace(s.joined, s.joins[s.table], "", 1), ` AND `+s.key+` = `+s.row
	}
	return []way{{query: `SELECT ` + s.key + s.fields + ` FROM ` + from + ` WHERE ` + s.where + at + condition, args: args, key: s.row}}, nil
}

// folded returns a text in the form that an indexed column stores.
func folded(column string, v any) any {
	if s, ok := v.(string); ok && strings.HasSuffix(column, "_key") {
		return text.Key(s)
	}
	return v
}

// texts returns the values of an equality or list condition if they are few and all texts; otherwise nil.
func texts(c graph.Condition) []any {
	values := []any{c.Value}
	if c.Op == graph.In {
		list, _ := c.Value.([]any)
		values = slices.Clone(list)
	}
	if c.Op != graph.Equal && c.Op != graph.In || len(values) == 0 || len(values) > batch ||
		slices.ContainsFunc(values, func(v any) bool { _, isText := v.(string); return !isText }) {
		return nil
	}
	return values
}

// byStatus uses the index over kind, project and status. It returns nil when no condition names a status or there are too many
// projects.
func (v *view) byStatus(s *shape, conditions []graph.Condition, condition string, args []any) ([]way, error) {
	i := slices.IndexFunc(conditions, func(c graph.Condition) bool { return c.Property == "status" && texts(c) != nil })
	if s.statuses == nil || i < 0 {
		return nil, nil
	}
	if v.known.projects == nil {
		var err error
		if v.known.projects, err = registry.Collect(v.tx, registry.One[int64], `SELECT id FROM projects LIMIT 101`); err != nil {
			return nil, err
		}
	}
	if len(v.known.projects) > 100 {
		return nil, nil
	}
	wanted := texts(conditions[i])
	ways := []way{}
	for _, status := range s.statuses {
		if !slices.Contains(wanted, any(status)) && (!slices.Contains(wanted, any(task.Blocked)) || status == task.Completed || status == task.Failed) {
			continue
		}
		for _, project := range v.known.projects {
			ways = append(ways, way{
				query: `SELECT ` + s.key + s.fields + ` FROM items` + s.joined + ` WHERE items.kind = 'task' AND items.project_id = ? AND items.status = ?
					AND items.deleted_at IS NULL` + condition, args: append([]any{project, status}, args...), key: s.key,
			})
		}
	}
	return ways, nil
}

// pushed writes the conditions that SQL can check, each after an AND. exact is true when they select exactly the matching nodes.
// Columns are wrapped, so that the planner does not choose their indexes.
func (l *label) pushed(conditions []graph.Condition) (where string, args []any, exact bool) {
	exact = true
	for _, c := range conditions {
		before := where
		sure := false
		i := slices.IndexFunc(l.properties, func(p property) bool { return p.name == c.Property })
		if i < 0 {
			where += ` AND 1 = 0` // no node of the label has the property
			continue
		}
		p := l.properties[i]
		values := texts(c)
		switch {
		case p.join != "": // the joined row may be missing
		case p.name == "priority" && values != nil:
			sure = true
			where += ` AND items.priority + 0 IN (` + marks(len(values)) + `)`
			for _, v := range values {
				args = append(args, priorityOf(v))
			}
		case p.name == "status" && l.statuses != nil:
			var more string
			var with []any
			more, with, sure = shown(c, values)
			where, args = where+more, append(args, with...)
		case p.plain && values != nil:
			sure = !slices.Contains(values, any(""))
			where, args = where+` AND COALESCE(`+p.column+`, '') IN (`+marks(len(values))+`)`, append(args, values...)
		case p.time:
			if operator, text, ok := timeCondition(c); ok {
				where, args = where+` AND COALESCE(`+p.column+`, '') `+operator+` ?`, append(args, text)
			}
		}
		exact = exact && sure && where != before
	}
	return where, args, exact
}

// priorityOf returns the number of a priority's name, or -1 for any other value.
func priorityOf(v any) int {
	for p := work.PriorityNone; p <= work.PriorityCritical; p++ {
		if v == p.String() {
			return int(p)
		}
	}
	return -1
}

// shown returns a condition on the stored task status that holds wherever the shown status meets c. An unfinished task with holds may
// show as blocked whatever its stored status is.
func shown(c graph.Condition, values []any) (where string, args []any, exact bool) {
	finished := func(v any) bool { return v == task.Completed || v == task.Failed }
	switch {
	case values != nil && slices.Contains(values, any(task.Blocked)):
		return ` AND (COALESCE(items.status, '') IN (` + marks(len(values)) + `) OR items.holds > 0)`, values, false
	case values != nil:
		unsure := slices.ContainsFunc(values, func(v any) bool { return !finished(v) })
		return ` AND COALESCE(items.status, '') IN (` + marks(len(values)) + `)`, values, !unsure
	case c.Op == graph.NotEqual && finished(c.Value):
		return ` AND COALESCE(items.status, '') <> ?`, []any{c.Value}, true
	}
	return "", nil, false
}

// Estimate counts by index and treats an indexed condition as nearly unique.
func (v *view) Estimate(_ context.Context, filter graph.Filter) float64 {
	total := 0.0
	for _, l := range labels {
		if l.lacks(filter.Labels) {
			continue
		}
		if slices.ContainsFunc(filter.Conditions, func(c graph.Condition) bool { return c.Op == graph.Equal && l.unique[c.Property] }) {
			total++
			continue
		}
		total += v.count(l)
	}
	for _, c := range filter.Conditions {
		if c.Op != graph.NotEqual && c.Op != graph.Exists {
			total = total/3 + 0.5
		}
	}
	return total
}

// count returns the number of nodes of a label, up to worthCounting.
func (v *view) count(l *label) float64 {
	return v.memo.sizeOf(l, func() float64 {
		n, err := registry.One[int64](v.tx.QueryRow(`SELECT COUNT(*) FROM (SELECT 1 FROM `+l.table+` LIMIT ?) counted`, worthCounting))
		if err != nil {
			n = worthCounting / 2 // the scan itself reports the error
		}
		return float64(n)
	})
}
