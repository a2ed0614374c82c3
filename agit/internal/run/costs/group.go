package costs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// By is the grouping of a report.
type By string

// Groups are the possible values of By.
var Groups = []string{"day", "task", "agent", "client", "model", "repo", "project", "branch", "worktree", "block", "session", "machine"}

func (b By) check() error {
	if slices.Contains(Groups, string(b)) {
		return nil
	}
	f := fault.Validation("by", "%q is not a group of costs", string(b))
	if near := text.Nearest(string(b), Groups); near != "" {
		return f.WithHint("did you mean %q?", near)
	}
	return f.WithHint("give one of %s", strings.Join(Groups, ", "))
}

// keys return what a group's entries have in common, and its title.
var keys = map[By]func(e *entry) (key, title string){
	"day":      func(e *entry) (string, string) { return e.At.Local().Format(time.DateOnly), "" },
	"task":     func(e *entry) (string, string) { return e.task, e.title },
	"agent":    func(e *entry) (string, string) { return e.agent, "" },
	"client":   func(e *entry) (string, string) { return e.Client, "" },
	"model":    func(e *entry) (string, string) { return e.Model, "" },
	"repo":     func(e *entry) (string, string) { return e.place.repo, "" },
	"project":  func(e *entry) (string, string) { return e.place.project, "" },
	"branch":   func(e *entry) (string, string) { return e.Branch, e.place.project },
	"worktree": func(e *entry) (string, string) { return e.place.worktree, e.place.ref },
	"session":  func(e *entry) (string, string) { return e.Session, e.Client },
	"machine":  func(e *entry) (string, string) { return cmp.Or(e.machine, registry.Host()), "" },
}

// group sums entries, which are sorted by time. Days, blocks and sessions stay in that order; other groups are sorted by use, largest
// first.
func group(all []entry, by By, now time.Time) []Row {
	if by == "block" {
		return blocks(all, now)
	}
	rows := []Row{}
	type name struct{ key, title string }
	at := map[name]int{}
	makers := []*maker{}
	for i := range all {
		e := &all[i]
		key, title := keys[by](e)
		n := name{key: key}
		if by == "branch" || by == "session" {
			n.title = title // branch names are not unique
		}
		k, ok := at[n]
		if !ok {
			k = len(makers)
			at[n] = k
			makers = append(makers, newMaker(key, title))
		}
		makers[k].add(e)
	}
	for _, m := range makers {
		rows = append(rows, m.row())
	}
	switch by {
	case "day":
		slices.SortStableFunc(rows, func(a, b Row) int { return strings.Compare(a.Key, b.Key) })
	case "session":
		slices.SortStableFunc(rows, func(a, b Row) int { return a.Last.Compare(b.Last.Time) })
	default:
		slices.SortStableFunc(rows, func(a, b Row) int {
			return cmp.Or(cmp.Compare(b.largest(), a.largest()), cmp.Compare(b.Tokens.Total, a.Tokens.Total), strings.Compare(a.Key, b.Key))
		})
	}
	return rows
}

// largest returns the largest amount of a sum in any currency.
func (s Sum) largest() (most float64) {
	for _, m := range s.Cost {
		most = max(most, m.Amount)
	}
	return most
}

// maker builds one row.
type maker struct {
	r        Row
	sessions map[[2]string]bool
}

func newMaker(key, title string) *maker {
	return &maker{r: Row{Key: key, Title: title, Clients: []string{}, Models: []string{}}, sessions: map[[2]string]bool{}}
}

func (m *maker) add(e *entry) {
	if len(m.sessions) == 0 {
		m.r.First = timestamp.Of(e.At)
	}
	m.r.Sum.add(*e)
	m.r.Last = timestamp.Of(e.At)
	m.sessions[[2]string{e.Client, e.Session}] = true
	for _, s := range []struct {
		list *[]string
		name string
	}{{&m.r.Clients, e.Client}, {&m.r.Models, e.Model}} {
		if i, found := slices.BinarySearch(*s.list, s.name); !found && s.name != "" {
			*s.list = slices.Insert(*s.list, i, s.name)
		}
	}
}

func (m *maker) row() Row {
	m.r.Sessions = len(m.sessions)
	m.r.round()
	return m.r
}

// blockLength is how long a client's window of usage lasts.
const blockLength = 5 * time.Hour

// blocks sums the entries of each client in blocks of five hours, as ccusage does: a block begins with the full UTC hour of its first
// answer. A new block begins with the first answer after its end, or after five hours without an answer.
func blocks(all []entry, now time.Time) []Row {
	type open struct {
		*maker
		start, last time.Time
	}
	current := map[string]*open{}
	rows := []Row{}
	end := func(o *open) {
		r, ends := o.row(), timestamp.Of(o.start.Add(blockLength))
		r.EndsAt, r.Active = &ends, now.Before(ends.Time) && now.Sub(o.last) < blockLength
		rows = append(rows, r)
	}
	for i := range all {
		e := &all[i]
		o := current[e.Client]
		if o != nil && (e.At.Sub(o.start) > blockLength || e.At.Sub(o.last) > blockLength) {
			end(o)
			o = nil
		}
		if o == nil {
			start := e.At.UTC().Truncate(time.Hour)
			o = &open{newMaker(timestamp.Format(start), e.Client), start, start}
			current[e.Client] = o
		}
		o.add(e)
		o.last = e.At
	}
	for _, o := range current {
		end(o)
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Key+a.Title, b.Key+b.Title) })
	return rows
}
