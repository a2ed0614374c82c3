package provider

import (
	"slices"
	"strings"
)

// Category is what a status means, whatever the tracker calls it.
type Category string

// The categories.
const (
	Todo       Category = "todo"
	InProgress Category = "in_progress"
	Done       Category = "done"
	Canceled   Category = "canceled"
)

// ParseCategory reads a category as people write it.
func ParseCategory(text string) (Category, bool) {
	switch strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(text))) {
	case "todo", "to_do":
		return Todo, true
	case "in_progress":
		return InProgress, true
	case "done":
		return Done, true
	case "canceled", "cancelled":
		return Canceled, true
	}
	return "", false
}

// Status is a state of the tracker.
type Status struct {
	ID       string   `json:"id,omitempty"`
	Name     string   `json:"name"`
	Category Category `json:"category"`
	Native   string   `json:"native,omitempty"` // the tracker's own category
}

// Transition is a step that an item may take now.
type Transition struct {
	ID       string   `json:"id,omitempty"`
	Name     string   `json:"name,omitempty"`
	To       Status   `json:"to"`
	Requires []string `json:"requires,omitempty"` // fields that the tracker asks for on the way
}

// Target is the state that an item is to get. By its id or name it is that one
// state; by category it is the state that the configuration names for it, or the
// only one there is. A name with a category is a state of both, if there is one.
type Target struct {
	ID       string   `json:"id,omitempty"`
	Name     string   `json:"name,omitempty"`
	Category Category `json:"category,omitempty"`
}

// ParseTarget reads a status as a person or an agent writes it: one of the four
// categories, else a state's name.
func ParseTarget(text string) Target {
	if c, ok := ParseCategory(text); ok {
		return Target{Category: c, Name: strings.TrimSpace(text)}
	}
	return Target{Name: strings.TrimSpace(text)}
}

// Mapping is what the configuration says where a tracker leaves it open.
type Mapping struct {
	// Category of a state, by the state's id or name; it wins over the tracker's.
	Category map[string]Category
	// State to go to for a category, by id or name.
	State map[Category]string
	// Priority of a native priority, by id or name.
	Priority map[string]int
	// Fields are the custom fields to read, by their names or ids.
	Fields []string
}

// CategoryOf is the configured category of a state.
func (m Mapping) CategoryOf(s Status) (Category, bool) { return lookup(m.Category, s.ID, s.Name) }

// Meant returns a state with its configured category, if it has one.
func (m Mapping) Meant(s Status) Status {
	if category, ok := m.CategoryOf(s); ok {
		s.Category = category
	}
	return s
}

// PriorityOf is the configured priority of a native one.
func (m Mapping) PriorityOf(id, name string) (int, bool) { return lookup(m.Priority, id, name) }

func lookup[T any](in map[string]T, id, name string) (T, bool) {
	for key, value := range in {
		if key != "" && (key == id || strings.EqualFold(key, name)) {
			return value, true
		}
	}
	return *new(T), false
}

// Choose finds the one state among options that the target means. Current is the
// state now: it fits a target of its own category. Where several fit and the
// configuration does not choose, that is an Error for Ambiguous that names them:
// guessing would move other people's tickets.
func (m Mapping) Choose(n Name, t Target, current Status, options []Status) (Status, error) {
	if t.ID != "" {
		return one(n, t.ID, options, func(s Status) bool { return s.ID == t.ID })
	}
	if t.Name != "" {
		named := func(s Status) bool {
			return strings.EqualFold(s.Name, t.Name) && (t.Category == "" || s.Category == t.Category)
		}
		all := append([]Status{current}, options...)
		if t.Category == "" || len(filter(all, named)) > 0 {
			return one(n, t.Name, all, named)
		}
	}
	if current.Category == t.Category && current.Name != "" {
		return current, nil
	}
	if want := m.State[t.Category]; want != "" {
		return one(n, want, options, func(s Status) bool { return s.ID == want || strings.EqualFold(s.Name, want) })
	}
	return one(n, string(t.Category), options, func(s Status) bool { return s.Category == t.Category })
}

// one is the only option that fits.
func one(n Name, wanted string, options []Status, fit func(Status) bool) (Status, error) {
	fits := filter(options, fit)
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return Status{}, Fail(Invalid, nil, "%s has no state %q that this item can go to", n.Title(), wanted).
			Hint("possible now: %s", names(options))
	}
	return Status{}, Fail(Ambiguous, nil, "%q fits several states of %s: %s", wanted, n.Title(), names(fits)).
		Hint("name one of them, or choose one for good under `provider.state_for` in .agit.toml and run `pmsync config trust`")
}

// filter returns the states that fit, each id once.
func filter(options []Status, fit func(Status) bool) (out []Status) {
	for _, s := range options {
		same := func(o Status) bool { return o.ID == s.ID && o.Name == s.Name }
		if fit(s) && !slices.ContainsFunc(out, same) {
			out = append(out, s)
		}
	}
	return out
}

func names(options []Status) string {
	if len(options) == 0 {
		return "none"
	}
	return Quoted(options, func(s Status) string { return s.Name })
}

// categoryWords are common words in state names with their categories; the first match wins.
var categoryWords = []struct {
	category Category
	words    []string
}{
	{Canceled, []string{"canceled", "cancelled", "won't", "wont", "not planned", "rejected", "abandoned", "duplicate", "dropped"}},
	{Done, []string{"done", "complete", "completed", "closed", "shipped", "released", "finished", "resolved", "deployed"}},
	{InProgress, []string{"progress", "doing", "wip", "started", "active", "review", "reviewing", "testing", "qa", "building", "developing", "development"}},
}

// LikelyCategory returns the category of a state by the words in its name, or to do when none is known.
func LikelyCategory(name string) Category {
	name = " " + strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" -_/:()", r) }), " ") + " "
	for _, c := range categoryWords {
		for _, word := range c.words {
			if strings.Contains(name, " "+word+" ") {
				return c.category
			}
		}
	}
	return Todo
}
