package ticket

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// named are the fields with references to other tickets.
var named = []string{"parent", "blocks", "blocked_by", "related_to"}

// register finds tickets by the names that an export uses for them: the key, the tracker's own number, or the title, if only one ticket has
// it.
type register struct {
	keys    map[string]string // folded key → key
	numbers map[string]target
	titles  map[string][]target
	left    map[string]bool // keys, numbers and titles of tickets that were left out
}

// target is a ticket of the file or one that is here, identified by its key, or in a file without keys by its title.
type target struct{ key, title string }

// newRegister holds the tickets of a file, whose keys may be known from here, and those of here.
func newRegister(records []record, tickets []New, here []titled) *register {
	g := &register{keys: map[string]string{}, numbers: map[string]target{}, titles: map[string][]target{}, left: map[string]bool{}}
	seen := map[string]bool{}
	for i, r := range records {
		t := target{key: tickets[i].Key, title: line(r.first("title"), maxTitle)}
		if t.key != "" {
			g.keys[text.Key(t.key)] = t.key
			seen[text.Key(t.key)] = true
		}
		if number := r.first("provider_id"); number != "" {
			g.numbers[number] = t
		}
		g.titles[t.title] = append(g.titles[t.title], t)
	}
	for _, k := range here {
		if !seen[text.Key(k.key)] {
			g.keys[text.Key(k.key)] = k.key
			g.titles[k.title] = append(g.titles[k.title], target(k))
		}
	}
	return g
}

// find returns the ticket with that key, number or title.
func (g *register) find(called string) (t target, ok bool) {
	called = strings.TrimSpace(called)
	if key, ok := g.keys[text.Key(called)]; ok {
		return target{key: key}, true
	}
	if t, ok := g.numbers[called]; ok {
		return t, true
	}
	if all := g.titles[line(called, maxTitle)]; len(all) == 1 && called != "" {
		return all[0], true
	}
	return target{}, false
}

// entries splits a cell that names tickets. Keys are divided by commas. A title may hold commas itself, so the longest run of parts that
// names a ticket is taken.
func (g *register) entries(cell string) []string {
	parts := list(cell)
	if !slices.ContainsFunc(parts, func(part string) bool { _, ok := g.find(part); return !ok }) || strings.HasPrefix(strings.TrimSpace(cell), `"`) {
		return parts
	}
	var all []string
	for rest := splitAt(cell); len(rest) > 0; {
		n := len(rest)
		for ; n > 1; n-- {
			if _, ok := g.find(strings.Join(rest[:n], "")); ok {
				break
			}
		}
		if one := strings.Trim(strings.Join(rest[:n], ""), " \t"+dividers); one != "" {
			all = append(all, one)
		}
		if rest = rest[n:]; len(rest) > 0 {
			rest[0] = strings.TrimLeft(rest[0], dividers+" ")
		}
	}
	return all
}

// splitAt cuts a cell before each divider, and keeps the divider.
func splitAt(cell string) (parts []string) {
	for cell != "" {
		end := strings.IndexAny(cell[1:], dividers) + 1
		if end == 0 {
			end = len(cell)
		}
		parts, cell = append(parts, cell[:end]), cell[end:]
	}
	return parts
}

// resolve replaces a record's references to other tickets by keys, and notes those that it did not find: their links wait until the ticket
// comes.
func (g *register) resolve(r *record, n *New, told *Report) {
	at := func(called string) (Ref, bool) {
		if t, ok := g.find(called); ok && t.key != "" {
			return Ref{Key: t.key}, true
		} else if ok {
			return Ref{Title: t.title}, true
		}
		if g.left[text.Key(called)] {
			return Ref{}, false
		}
		if len(g.titles[line(called, maxTitle)]) > 1 {
			told.note("line %d: several tickets have the title %q, so which one %s names is not known", r.line, called, titleOf(*n))
		} else {
			told.note("line %d: %s names %q, which is not in the file and not here", r.line, titleOf(*n), called)
		}
		return Ref{Key: called}, true
	}
	if called := cmp.Or(r.first("parent_key"), r.first("parent")); called != "" {
		n.Parent, _ = at(called)
	}
	n.Links = nil
	for _, relation := range named[1:] {
		for _, cell := range r.fields[relation] {
			calls := []string{cell}
			if r.cells {
				calls = g.entries(cell)
			}
			for _, called := range calls {
				if ref, ok := at(strings.TrimSpace(called)); ok {
					n.Links = append(n.Links, Link{Relation: relation, Target: ref})
				}
			}
		}
	}
	slices.SortFunc(n.Links, func(a, b Link) int {
		return strings.Compare(a.Relation+" "+a.Target.Key+a.Target.Title, b.Relation+" "+b.Target.Key+b.Target.Title)
	})
}

// titleOf returns the name of a ticket for notes.
func titleOf(n New) string {
	return cmp.Or(n.Key, strconv.Quote(text.FirstLine(n.Title, 60)))
}

// byLevel sets the parents of the rows of a tree: Azure DevOps writes the title of a row at level N into column Title N.
func byLevel(records []record) {
	var above []string // keys by level
	for _, r := range records {
		level, _ := strconv.Atoi(r.first("level")) // 0 without a level
		if r.has["level"] {
			r.has["parent"] = true
		}
		if level < 1 {
			above = nil
			continue
		}
		above = above[:min(len(above), level-1)]
		above = append(above, make([]string, level-1-len(above))...)
		for _, key := range slices.Backward(above) {
			if key != "" && r.first("parent") == "" {
				r.fields["parent"] = []string{key}
			}
		}
		above = append(above, r.first("id"))
	}
}
