package sync

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
)

func to[T any](v T) *T { return &v }

// TestTaken: every value that an item did not get is named, however the tracker writes the values that it took.
func TestTaken(t *testing.T) {
	t.Parallel()
	user := func(id string) *provider.User { return &provider.User{ID: id} }
	sprint := func(id string) provider.Item { return provider.Item{Sprint: &provider.Ref{ID: id}} }
	status := func(id, name string, c provider.Category) provider.Item {
		return provider.Item{Status: provider.Status{ID: id, Name: name, Category: c}}
	}
	field := func(name, value string) provider.FieldValue { return provider.FieldValue{Name: name, Value: value} }
	for name, c := range map[string]struct {
		change   provider.Change
		was, now provider.Item
		want     string
	}{
		"nothing":                      {},
		"a status by its id":           {provider.Change{Status: &provider.Target{ID: "1", Name: "Done"}}, provider.Item{}, status("1", "Closed", provider.Todo), ""},
		"another id":                   {provider.Change{Status: &provider.Target{ID: "1"}}, provider.Item{}, status("2", "Todo", provider.Todo), `the status "1" and has "Todo"`},
		"another id of that name":      {provider.Change{Status: &provider.Target{ID: "1", Name: "Done"}}, provider.Item{}, status("2", "Done", provider.Done), `the status "Done" and has "Done"`},
		"a status by its name":         {provider.Change{Status: &provider.Target{Name: "done", Category: provider.Done}}, provider.Item{}, status("1", "DONE", provider.Todo), ""},
		"a status by its category":     {provider.Change{Status: &provider.Target{Name: "done", Category: provider.Done}}, provider.Item{}, status("1", "Closed", provider.Done), ""},
		"another category":             {provider.Change{Status: &provider.Target{Category: provider.Done}}, provider.Item{}, status("1", "Open", provider.Todo), `the status "done" and has "Open"`},
		"a name that is an id":         {provider.Change{Status: &provider.Target{Name: "7"}}, provider.Item{}, status("7", "Open", provider.Todo), ""},
		"another name":                 {provider.Change{Status: &provider.Target{Name: "7"}}, provider.Item{}, status("8", "Open", provider.Todo), `the status "7" and has "Open"`},
		"no status":                    {provider.Change{Status: &provider.Target{Category: provider.Done}}, provider.Item{}, provider.Item{}, `the status "done" and has ""`},
		"a priority":                   {provider.Change{Priority: to(3)}, provider.Item{}, provider.Item{Priority: 3}, ""},
		"another priority":             {provider.Change{Priority: to(3)}, provider.Item{}, provider.Item{Priority: 2}, "the priority 3 and has 2"},
		"an assignee":                  {provider.Change{Assignee: to("u1")}, provider.Item{}, provider.Item{Assignee: user("U1")}, ""},
		"an assignee of another form":  {provider.Change{Assignee: to("ann")}, provider.Item{Assignee: user("u2")}, provider.Item{Assignee: user("u1")}, ""},
		"no assignee":                  {provider.Change{Assignee: to("u1")}, provider.Item{}, provider.Item{}, `the assignee "u1" and has ""`},
		"the former assignee":          {provider.Change{Assignee: to("u1")}, provider.Item{Assignee: user("u2")}, provider.Item{Assignee: user("U2")}, `the assignee "u1" and has "U2"`},
		"an assignee taken off":        {provider.Change{Assignee: to("")}, provider.Item{Assignee: user("u2")}, provider.Item{}, ""},
		"a title":                      {provider.Change{Title: to("B")}, provider.Item{Title: "A"}, provider.Item{Title: "B."}, ""},
		"the former title":             {provider.Change{Title: to("B")}, provider.Item{Title: "A"}, provider.Item{Title: "A"}, `the title "B"`},
		"the same title":               {provider.Change{Title: to(" A ")}, provider.Item{Title: "A"}, provider.Item{Title: "A"}, ""},
		"an estimate":                  {provider.Change{Estimate: to(3.0)}, provider.Item{}, provider.Item{Estimate: to(3.0)}, ""},
		"another estimate":             {provider.Change{Estimate: to(3.0)}, provider.Item{}, provider.Item{Estimate: to(2.5)}, "the estimate 3"},
		"no estimate":                  {provider.Change{Estimate: to(3.0)}, provider.Item{}, provider.Item{}, "the estimate 3"},
		"an estimate of nothing":       {provider.Change{Estimate: to(0.0)}, provider.Item{}, provider.Item{}, ""},
		"an estimate that is nothing":  {provider.Change{Estimate: to(0.0)}, provider.Item{}, provider.Item{Estimate: to(1.0)}, "the estimate 0"},
		"an estimate taken off":        {provider.Change{Estimate: to(-1.0)}, provider.Item{}, provider.Item{}, ""},
		"an estimate taken off as 0":   {provider.Change{Estimate: to(-1.0)}, provider.Item{}, provider.Item{Estimate: to(0.0)}, ""},
		"an estimate that stays":       {provider.Change{Estimate: to(-1.0)}, provider.Item{}, provider.Item{Estimate: to(1.0)}, "the estimate "},
		"a sprint":                     {provider.Change{Sprint: to("s")}, provider.Item{}, sprint("s"), ""},
		"another sprint":               {provider.Change{Sprint: to("s")}, provider.Item{}, sprint("t"), "another sprint"},
		"no sprint":                    {provider.Change{Sprint: to("s")}, provider.Item{}, provider.Item{}, "another sprint"},
		"a sprint that stays":          {provider.Change{Sprint: to("")}, provider.Item{}, sprint("s"), "another sprint"},
		"a sprint taken off":           {provider.Change{Sprint: to("")}, provider.Item{}, provider.Item{}, ""},
		"a parent":                     {provider.Change{Parent: to("p")}, provider.Item{}, provider.Item{Parent: &provider.Ref{ID: "p"}}, ""},
		"an epic":                      {provider.Change{Parent: to("p")}, provider.Item{}, provider.Item{Epic: &provider.Ref{ID: "p"}}, ""},
		"no parent":                    {provider.Change{Parent: to("p")}, provider.Item{}, provider.Item{}, "another parent"},
		"a parent taken off":           {provider.Change{Parent: to("")}, provider.Item{}, provider.Item{}, ""},
		"a parent that stays":          {provider.Change{Parent: to("")}, provider.Item{}, provider.Item{Parent: &provider.Ref{ID: "p"}}, "another parent"},
		"a link":                       {provider.Change{AddLink: &provider.NewLink{Relation: provider.Blocks, Target: "2"}}, provider.Item{}, provider.Item{Links: []provider.Link{{Relation: provider.Blocks, Target: provider.Ref{ID: "2"}}}}, ""},
		"another link":                 {provider.Change{AddLink: &provider.NewLink{Relation: provider.Blocks, Target: "2"}}, provider.Item{}, provider.Item{Links: []provider.Link{{Relation: provider.RelatedTo, Target: provider.Ref{ID: "2"}}}}, `a link "blocks"`},
		"a field taken off":            {provider.Change{Fields: []provider.FieldValue{field("Severity", "")}}, provider.Item{}, provider.Item{Fields: []provider.FieldValue{field("severity", "")}}, ""},
		"a field that stays":           {provider.Change{Fields: []provider.FieldValue{field("Severity", "")}}, provider.Item{}, provider.Item{Fields: []provider.FieldValue{field("Area", "x"), field("severity", "Major")}}, `no value in the field "Severity" and has "Major"`},
		"a field that is not read":     {provider.Change{Fields: []provider.FieldValue{field("Severity", "")}}, provider.Item{}, provider.Item{Fields: []provider.FieldValue{field("Area", "x")}}, ""},
		"a field of another form":      {provider.Change{Fields: []provider.FieldValue{field("Severity", "2")}}, provider.Item{}, provider.Item{Fields: []provider.FieldValue{field("Severity", "Major")}}, ""},
		"labels":                       {provider.Change{AddLabels: []string{"A"}, RemoveLabels: []string{"b"}}, provider.Item{}, provider.Item{Labels: []string{"a", "c"}}, ""},
		"labels that neither came nor": {provider.Change{AddLabels: []string{"A", "d"}, RemoveLabels: []string{"b"}}, provider.Item{}, provider.Item{Labels: []string{"a", "B"}}, `the label "d" and does not have it; not to have the label "b" and has it`},
		"several":                      {provider.Change{Priority: to(3), Title: to("B"), Sprint: to("s")}, provider.Item{Title: "A"}, provider.Item{Title: "A", Priority: 1}, `the priority 3 and has 1; the title "B"; another sprint`},
	} {
		c.now.Key = "A-1"
		want := ""
		if c.want != "" {
			want = "Linear reported success, but A-1 was to get " + c.want
		}
		err := taken(provider.Linear, &c.was, &c.now, c.change)
		if got := said(err); got != want || err != nil && !provider.Is(err, provider.Invalid) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestLeft: each part that a made ticket lacks is named.
func TestLeft(t *testing.T) {
	t.Parallel()
	full := ticket.Ticket{Status: "Doing", DueDate: "2027-01-02", Estimate: to(2.5), EstimateUnit: "hours", Parent: "E-1", Sprint: "Nine"}
	asked := provider.NewItem{NativeType: "Bug", Status: &provider.Target{Category: provider.InProgress}, Priority: 3}
	all := provider.Item{NativeType: "bug", Status: provider.Status{Name: "Started", Category: provider.InProgress}, Priority: 3, DueDate: "2027-01-02", Estimate: to(2.5), Epic: &provider.Ref{ID: "1"}, Sprint: &provider.Ref{ID: "2"}}
	with := func(edit func(*provider.Item)) *provider.Item { i := all; edit(&i); return &i }
	for _, c := range []struct {
		t    ticket.Ticket
		n    provider.NewItem
		made *provider.Item
		want []string
	}{
		{full, asked, &all, nil},
		{ticket.Ticket{}, provider.NewItem{}, &all, nil},
		{ticket.Ticket{}, provider.NewItem{}, &provider.Item{}, nil},
		{full, asked, with(func(i *provider.Item) { i.NativeType = "Task" }), []string{`type "Bug"`}},
		{full, asked, with(func(i *provider.Item) { i.Status = provider.Status{Name: "Open", Category: provider.Todo} }), []string{`status "Doing" (it has "Open")`}},
		{full, asked, with(func(i *provider.Item) { i.Priority = 2 }), []string{"priority high"}},
		{full, asked, with(func(i *provider.Item) { i.DueDate = "2027-01-03" }), []string{"due date 2027-01-02"}},
		{full, asked, with(func(i *provider.Item) { i.Estimate = nil }), []string{"estimate of 2.5 hours"}},
		{full, asked, with(func(i *provider.Item) { i.Estimate = to(3.0) }), []string{"estimate of 2.5 hours"}},
		{full, asked, with(func(i *provider.Item) { i.Epic = nil }), []string{"parent E-1"}},
		{full, asked, with(func(i *provider.Item) { i.Sprint = nil }), []string{`sprint "Nine"`}},
		{ticket.Ticket{Estimate: to(1.0)}, asked, &provider.Item{}, []string{`type "Bug"`, `status "" (it has "")`, "priority high", "estimate of 1 points"}},
	} {
		if d := cmp.Diff(c.want, left(c.t, c.n, c.made)); d != "" {
			t.Errorf("%+v: %s", c.made, d)
		}
	}
}

// crowd is a tracker with these people, and finds all of them.
type crowd struct {
	provider.Provider
	users []provider.User
	err   error
}

func (crowd) Name() provider.Name { return provider.Linear }

func (c crowd) Users(context.Context, string) ([]provider.User, error) { return c.users, c.err }

// unsearched is a tracker that cannot be searched for people.
type unsearched struct{ provider.Provider }

func (unsearched) Name() provider.Name { return provider.Linear }

// TestPerson: a person is meant by the whole name, address, mention or id. Others are named, and never taken.
func TestPerson(t *testing.T) {
	t.Parallel()
	ann := provider.User{ID: "u1", Name: "Ann Archer", Email: "ann@example.com", Login: "archer"}
	bob, bob2 := provider.User{ID: "u2", Name: "Bob", Email: "bob@example.com"}, provider.User{ID: "u3", Name: "bob"}
	many := []provider.User{}
	for i := range 6 {
		many = append(many, provider.User{ID: fmt.Sprint(i), Name: fmt.Sprint("Bobby ", i)})
	}
	for _, c := range []struct {
		name, given string
		tracker     provider.Provider
		current     string
		id, want    string
		guessed     bool
	}{
		{"no one", "", crowd{}, "u1", "", "", false},
		{"the present one", "u9", crowd{}, "u9", "u9", "", false},
		{"no search", "zoe", unsearched{}, "", "zoe", "", true},
		{"none found", "zoe", crowd{}, "u1", "zoe", "", true},
		{"by the id", "u1", crowd{users: []provider.User{bob, ann}}, "", "u1", "", false},
		{"by the id as a mention", "@U1", crowd{users: []provider.User{bob, ann}}, "", "u1", "", false},
		{"by the name", "ANN archer", crowd{users: []provider.User{bob, ann}}, "", "u1", "", false},
		{"by the address", "ann@Example.com", crowd{users: []provider.User{bob, ann}}, "", "u1", "", false},
		{"by the login", "archer", crowd{users: []provider.User{bob, ann}}, "", "u1", "", false},
		{"by the login as a mention", "@archer", crowd{users: []provider.User{bob, ann}}, "", "u1", "", false},
		{"only a sign", "@", crowd{users: []provider.User{bob}}, "", "", `no one at Linear is "@" exactly; alike are Bob (u2); give the id or the address of one of them`, false},
		{"two of the name", "Bob", crowd{users: []provider.User{ann, bob, bob2}}, "", "", `"Bob" may be several people of Linear: Bob (u2), bob (u3); give the id of one of them`, false},
		{"only alike", "Bo", crowd{users: []provider.User{bob}}, "", "", `no one at Linear is "Bo" exactly; alike are Bob (u2); give the id or the address of one of them`, false},
		{"many alike", "Bo", crowd{users: many}, "", "", `no one at Linear is "Bo" exactly; alike are Bobby 0 (0), Bobby 1 (1), Bobby 2 (2), Bobby 3 (3), Bobby 4 (4); give the id or the address of one of them`, false},
		{"not reachable", "Bo", crowd{users: []provider.User{bob}, err: provider.Fail(provider.Offline, nil, "away")}, "", "", "away", false},
	} {
		s := &sending{Engine: &Engine{Tracker: c.tracker}, current: &provider.Item{}, guessed: true}
		if c.current != "" {
			s.current.Assignee = &provider.User{ID: c.current}
		}
		id, err := s.person(t.Context(), c.given)
		if id != c.id || said(err) != c.want || s.guessed != c.guessed {
			t.Errorf("%s: %q, %v, guessed %t", c.name, id, err, s.guessed)
		}
	}
}

// TestOrNoOne: an assignee that neither the search nor the tracker knows is refused in the same words everywhere.
func TestOrNoOne(t *testing.T) {
	t.Parallel()
	invalid, missing, away := provider.Fail(provider.Invalid, nil, "bad value"), provider.Fail(provider.NotFound, nil, "not there"), provider.Fail(provider.Offline, nil, "away")
	const noOne = `no one at Linear is "zoe"; give the name, the address or the id of a person there`
	for _, c := range []struct {
		assignee        *string
		guessed, missed bool
		err             error
		want            string
	}{
		{to("zoe"), true, false, invalid, noOne},
		{to("zoe"), true, true, invalid, noOne},
		{to("zoe"), true, true, missing, noOne},
		{to("zoe"), true, false, missing, "not there"},
		{to("zoe"), false, true, missing, "not there"},
		{to("zoe"), false, false, invalid, "bad value"},
		{nil, true, true, invalid, "bad value"},
		{to("zoe"), true, true, away, "away"},
	} {
		s := &sending{Engine: &Engine{Tracker: unsearched{}}, guessed: c.guessed, missed: c.missed}
		err := s.orNoOne(provider.Change{Assignee: c.assignee}, c.err)
		if said(err) != c.want || c.want == noOne && !provider.Is(err, provider.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAbout: an error names its ticket once.
func TestAbout(t *testing.T) {
	t.Parallel()
	if got := about("A-1", errors.New("no")).Error(); got != "A-1: no" {
		t.Errorf("%q", got)
	}
	if got := about("A-1", errors.New("A-1 is away")).Error(); got != "A-1 is away" {
		t.Errorf("%q", got)
	}
}

// TestToldAtMost: a result names the first twenty errors and notes.
func TestToldAtMost(t *testing.T) {
	t.Parallel()
	r := Result{Status: Success}
	for i := range maxTold + 1 {
		r.note(fmt.Sprint("note ", i))
		r.fail(errors.New(strings.Repeat("x", 299+i) + "\nmore"))
	}
	if len(r.Notes) != 20 || len(r.Errors) != 20 || r.Notes[19] != "note 19" || r.Status != Partial || len(r.Errors[0]) != 299 || len(r.Errors[19]) > 303 {
		t.Errorf("%d notes, %d errors, %s", len(r.Notes), len(r.Errors), r.Status)
	}
}
