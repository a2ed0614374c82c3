package azuredevops

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// types are the types of work items in the project and their roles.
type types struct {
	read     time.Time
	byName   map[string]*itemType // by name in lower case
	order    []*itemType
	epics    map[string]bool // names of the types of the portfolio levels, in lower case
	tasks    map[string]bool // of the task level
	ticket   string          // the default type of the requirement level
	task     string
	epic     string
	reloaded bool // after an unknown state
}

type itemType struct {
	Name        string
	Reference   string `json:"referenceName"`
	Disabled    bool   `json:"isDisabled"`
	States      []state
	Transitions map[string][]struct{ To string } // by the old state; "" stands for a new item
	Fields      []typeField                      `json:"fieldInstances"`
}

type typeField struct {
	Name      string `json:"name"`
	Reference string `json:"referenceName"`
	Required  bool   `json:"alwaysRequired"`
	Default   any    `json:"defaultValue"`
}

// has returns the first of some fields that items of the type have; "" for none.
func (it *itemType) has(names ...string) string {
	for _, name := range names {
		if slices.ContainsFunc(it.Fields, func(f typeField) bool { return f.Reference == name }) {
			return name
		}
	}
	return ""
}

type state struct{ Name, Category string }

// The largest age of cached types: for reading meanings, and for changing states.
const (
	forReading = time.Hour
	forWriting = 5 * time.Minute
)

// loadTypes returns the types of the project with their states, transitions and levels. They are read again when they are older than
// age.
func (c *Client) loadTypes(ctx context.Context, age time.Duration) (*types, error) {
	if known := c.types.Load(); known != nil && c.http.Now().Sub(known.read) < age {
		return known, nil
	}
	if err := c.needProject(); err != nil {
		return nil, err
	}
	var found list[*itemType]
	if _, err := c.call(ctx, request{Op: "read the types of work items", Path: c.at(c.project, "_apis", "wit", "workitemtypes")}, &found); err != nil {
		return nil, err
	}
	t := &types{read: c.http.Now(), byName: map[string]*itemType{}, epics: map[string]bool{}, tasks: map[string]bool{}}
	for _, it := range found.Value {
		if it == nil || it.Name == "" {
			continue
		}
		if len(it.States) == 0 { // older services list them separately
			var states list[state]
			op := "read the states of type " + it.Name
			if _, err := c.call(ctx, request{Op: op, Path: c.at(c.project, "_apis", "wit", "workitemtypes", it.Name, "states")}, &states); err != nil {
				return nil, err
			}
			it.States = states.Value
		}
		t.byName[strings.ToLower(it.Name)] = it
		t.order = append(t.order, it)
	}
	if err := c.loadLevels(ctx, t); err != nil {
		return nil, err
	}
	c.types.Store(t)
	return t, nil
}

// loadLevels reads which types are epics and features, and which are tasks.
func (c *Client) loadLevels(ctx context.Context, t *types) error {
	var levels list[struct {
		Reference string                  `json:"referenceName"`
		Default   *struct{ Name string }  `json:"defaultWorkItemType"`
		Types     []struct{ Name string } `json:"workItemTypes"`
	}]
	op := "read the categories of work items"
	if _, err := c.call(ctx, request{Op: op, Path: c.at(c.project, "_apis", "wit", "workitemtypecategories")}, &levels); err != nil {
		return err
	}
	for _, l := range levels.Value {
		first := ""
		if l.Default != nil {
			first = l.Default.Name
		}
		var into map[string]bool
		switch l.Reference {
		case "Microsoft.EpicCategory":
			into, t.epic = t.epics, first
		case "Microsoft.FeatureCategory":
			into = t.epics
		case "Microsoft.TaskCategory":
			into, t.task = t.tasks, first
		case "Microsoft.RequirementCategory":
			t.ticket = first
		}
		for _, one := range l.Types {
			if into != nil {
				into[strings.ToLower(one.Name)] = true
			}
		}
	}
	return nil
}

// kind returns the common type of an item. A task below another item is a subtask.
func (t *types) kind(native string, child bool) provider.ItemType {
	name := strings.ToLower(native)
	switch {
	case t.epics[name]:
		return provider.TypeEpic
	case t.tasks[name] && child:
		return provider.TypeSubtask
	}
	return provider.TypeTicket
}

// status returns a state of a type with its meaning; false when the type lacks it.
func (c *Client) status(t *types, native, name string) (provider.Status, bool) {
	s, known := provider.Status{ID: name, Name: name}, false
	if it := t.byName[strings.ToLower(native)]; it != nil {
		for _, st := range it.States {
			if strings.EqualFold(st.Name, name) {
				s.Native, known = st.Category, true
			}
		}
	}
	categories := map[string]provider.Category{"proposed": provider.Todo, "completed": provider.Done, "removed": provider.Canceled}
	s.Category = cmp.Or(categories[strings.ToLower(s.Native)], provider.InProgress)
	return c.mapping.Meant(s), known
}

// Statuses are the states of all types of the project, each once.
func (c *Client) Statuses(ctx context.Context) (out []provider.Status, err error) {
	t, err := c.loadTypes(ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, it := range t.order {
		for _, st := range it.States {
			if s, _ := c.status(t, it.Name, st.Name); !it.Disabled && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// steps returns the states that can follow a state of the type.
func (t *types) steps(native, from string) (out []string) {
	it := t.byName[strings.ToLower(native)]
	if it == nil {
		return nil
	}
	for name, list := range it.Transitions {
		if strings.EqualFold(name, from) {
			for _, step := range list {
				if step.To != "" && !strings.EqualFold(step.To, from) && !slices.Contains(out, step.To) {
					out = append(out, step.To)
				}
			}
		}
	}
	return out
}

// ways returns the shortest paths from a state to every reachable state, each with its states including the last one.
func (t *types) ways(native, from string) (order []string, ways map[string][]string) {
	ways = map[string][]string{}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range t.steps(native, queue[0]) {
			if _, seen := ways[to]; seen || strings.EqualFold(to, from) {
				continue
			}
			ways[to] = append(slices.Clone(ways[queue[0]]), to)
			order, queue = append(order, to), append(queue, to)
		}
	}
	return order, ways
}

// Transitions returns the states that the type allows after the item's own.
func (c *Client) Transitions(ctx context.Context, current *provider.Item) ([]provider.Transition, error) {
	t, err := c.loadTypes(ctx, forWriting)
	if err != nil {
		return nil, err
	}
	var out []provider.Transition
	for _, name := range t.steps(current.NativeType, current.Status.Name) {
		s, _ := c.status(t, current.NativeType, name)
		out = append(out, provider.Transition{ID: s.ID, Name: s.Name, To: s})
	}
	return out, nil
}

// way returns the states on the path to the state that the target means; empty when the item has it. A single step is preferred to a
// longer path.
func (c *Client) way(ctx context.Context, native string, current provider.Status, target provider.Target) ([]string, error) {
	t, err := c.loadTypes(ctx, forWriting)
	if err != nil {
		return nil, err
	}
	order, ways := t.ways(native, current.Name)
	var near, far []provider.Status
	for _, name := range order {
		s, _ := c.status(t, native, name)
		far = append(far, s)
		if len(ways[name]) == 1 {
			near = append(near, s)
		}
	}
	// A state that is configured as a target may belong to another type.
	m, wanted := c.mapping, c.mapping.State[target.Category]
	if !slices.ContainsFunc(far, func(s provider.Status) bool { return strings.EqualFold(s.Name, wanted) }) {
		m.State, wanted = nil, ""
	}
	to, err := m.Choose(provider.AzureDevOps, target, current, plain(near, target, wanted))
	if provider.Is(err, provider.Invalid) {
		to, err = m.Choose(provider.AzureDevOps, target, current, plain(far, target, wanted))
	}
	if err != nil || strings.EqualFold(to.Name, current.Name) {
		return nil, err
	}
	return ways[to.Name], nil
}

// plain leaves out resolved states when work in progress is meant and another state has exactly that category: resolved counts as in
// progress only for lack of a better category. A state that is named or configured stays.
func plain(options []provider.Status, target provider.Target, wanted string) []provider.Status {
	resolved := func(s provider.Status) bool { return strings.EqualFold(s.Native, "Resolved") }
	exact := func(s provider.Status) bool {
		return strings.EqualFold(s.Native, "InProgress") && s.Category == provider.InProgress
	}
	if target.Category != provider.InProgress || target.ID != "" || !slices.ContainsFunc(options, exact) {
		return options
	}
	return slices.DeleteFunc(slices.Clone(options), func(s provider.Status) bool {
		return resolved(s) && !strings.EqualFold(s.Name, target.Name) && !strings.EqualFold(s.Name, wanted)
	})
}
