package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// writing matches requests that change something.
func writing(r *http.Request, body []byte) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false
	}
	if r.URL.Path == "/graphql" {
		return isMutation(body)
	}
	return !readOnlyPost(r.URL.Path)
}

// again calls try until it succeeds or fails permanently. It passes the time of the first uncertain attempt.
func (r *Tracker) again(try func(attempted time.Time) error) error {
	r.T.Helper()
	attempted := time.Time{}
	var err error
	for range 8 {
		if err = try(attempted); err == nil {
			return nil
		}
		r.NoSecret("an error", err.Error())
		e, ok := errors.AsType[*provider.Error](err)
		if !ok {
			return err
		}
		switch e.Reason {
		case provider.Uncertain, provider.Unavailable, provider.RateLimited, provider.Protocol, provider.Changed:
		default:
			return err
		}
		if attempted.IsZero() {
			attempted = r.Clock.Now()
		}
		r.Clock.Advance(max(e.RetryAt.Sub(r.Clock.Now()), time.Second))
	}
	return err
}

// faultKinds are failures that pass by themselves.
var faultKinds = []providertest.Kind{providertest.LostAnswer, providertest.Reset, providertest.CutBody, providertest.CutJSON, providertest.Broken, providertest.BadGateway, providertest.Unavailable, providertest.Limited, providertest.EmptyBody}

func commentOnce(r *Tracker) {
	c, ok := r.Provider.(provider.Commenter)
	if !ok {
		r.T.Fatal("the provider takes no comments")
	}
	id := r.World.Add(providertest.Spec{Title: "t"})
	r.World.Comment(id, "from another person")
	want := []string{"from another person"}
	for _, kind := range append([]providertest.Kind{""}, faultKinds...) {
		text := fmt.Sprintf("comment with %q", kind)
		want = append(want, text)
		if kind != "" {
			r.World.Faults().Add(providertest.Fault{Kind: kind, Match: writing})
		}
		key := provider.UUID(text)
		err := r.again(func(attempted time.Time) error {
			_, err := c.AddComment(context.Background(), r.Item(id), provider.NewComment{Key: key, Text: text, Attempted: attempted})
			return err
		})
		if err != nil {
			r.errorf("%s: %v", kind, err)
		}
		r.World.Faults().Clear()
		// The caller was killed before it stored the success.
		if _, err := c.AddComment(context.Background(), r.Item(id), provider.NewComment{Key: key, Text: text, Attempted: r.Clock.Now()}); err != nil {
			r.errorf("%s again: %v", kind, err)
		}
	}
	if got := r.World.Comments(id); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		r.errorf("comments are\n%q, not\n%q", got, want)
	}
	n := 0
	err := c.Comments(context.Background(), r.Item(id), func(m provider.Comment) error {
		if n++; m.ID == "" || m.Body.Text == "" || m.CreatedAt.IsZero() {
			r.errorf("comment %+v", m)
		}
		return nil
	})
	if err != nil || n != len(want) {
		r.errorf("%d comments are read, %v", n, err)
	}
}

func createOnce(r *Tracker) {
	c, ok := r.Provider.(provider.Creator)
	if !ok {
		r.T.Fatal("the provider makes no items")
	}
	r.fill(3)
	sprint, points := r.sprint(), 3.0
	for _, kind := range append([]providertest.Kind{""}, faultKinds...) {
		before := len(r.World.IDs())
		if kind != "" {
			r.World.Faults().Add(providertest.Fault{Kind: kind, Match: writing})
		}
		n := provider.NewItem{Key: provider.UUID("create " + string(kind)), Title: fmt.Sprintf("Made with %q", kind), Text: "Some *text*.",
			Priority: 3, Labels: r.World.Labels()[:1], Assignee: r.World.People()[0],
			DueDate: "2027-03-04", Sprint: sprint, Estimate: &points, Unit: "points"}
		var item *provider.Item
		err := r.again(func(attempted time.Time) (err error) {
			n.Attempted = attempted
			item, err = c.Create(context.Background(), n)
			return err
		})
		r.World.Faults().Clear()
		if err != nil {
			r.errorf("%s: %v", kind, err)
			continue
		}
		r.Clock.Advance(time.Minute)
		n.Attempted = r.Clock.Now().Add(-time.Minute)
		again, err := c.Create(context.Background(), n)
		if err != nil || again.RemoteID != item.RemoteID {
			r.errorf("%s again: %v, %v", kind, again, err)
		}
		if now := len(r.World.IDs()); now != before+1 {
			r.errorf("%s: %d items were made", kind, now-before)
		}
		made, _ := r.World.Look(item.RemoteID)
		if made.Title != n.Title || made.Priority != 3 || made.Assignee != n.Assignee || len(made.Labels) != 1 {
			r.errorf("%s: made %+v", kind, made)
		}
		if (item.DueDate != n.DueDate) != r.H.Undated || (item.Sprint != nil) != (sprint != "") || sprint != "" && item.Sprint.ID != sprint {
			r.errorf("%s: made for %q and %+v", kind, item.DueDate, item.Sprint)
		}
		if (item.Estimate != nil) != r.H.Estimates || r.H.Estimates && *item.Estimate != points {
			r.errorf("%s: made with estimate %v", kind, item.Estimate)
		}
		r.sameItem(item.RemoteID, *item)
	}
}

// sprint returns a sprint of the tracker; "" when it has none.
func (r *Tracker) sprint() (id string) {
	if l, ok := r.Provider.(provider.SprintLister); ok {
		err := l.Sprints(context.Background(), func(s provider.Sprint) error { id = s.ID; return nil })
		if err != nil {
			r.errorf("%v", err)
		}
	}
	return id
}

func faultsReading(r *Tracker) {
	r.fill(r.H.PageSize + 5)
	for after := range 3 {
		for _, kind := range faultKinds {
			r.World.Faults().Add(providertest.Fault{Kind: kind, After: after})
			s := NewStore()
			err := r.again(func(time.Time) error { return r.Pull(s, 0) })
			if err != nil {
				r.errorf("%s after %d requests: %v", kind, after, err)
			}
			r.World.Faults().Clear()
			r.same(s)
		}
	}
	r.World.Faults().Add(providertest.Fault{Kind: providertest.HTML})
	if err := r.Pull(NewStore(), 0); !provider.Is(err, provider.Protocol) && !provider.Is(err, provider.Unauthorized) {
		r.errorf("a page for people: %v", err)
	}
	r.World.Faults().Clear()
	r.World.Faults().Add(providertest.Fault{Kind: providertest.Redirect})
	if err := r.Pull(NewStore(), 0); !provider.Is(err, provider.Protocol) && !provider.Is(err, provider.Unauthorized) {
		r.errorf("a redirection: %v", err)
	}
}

func faultsWriting(r *Tracker) {
	for _, kind := range append([]providertest.Kind{providertest.HTML}, faultKinds...) {
		id := r.World.Add(providertest.Spec{Title: "t", Priority: 1, Labels: r.World.Labels()[:1]})
		r.World.Faults().Add(providertest.Fault{Kind: kind, Match: writing})
		change := provider.Change{Status: &provider.Target{Name: r.World.StatusOf(provider.Done)}, Priority: ptr(3), AddLabels: r.World.Labels()[1:2]}
		err := r.again(func(time.Time) error {
			_, err := r.update(id, change)
			return err
		})
		r.World.Faults().Clear()
		if err != nil {
			r.errorf("%s: %v", kind, err)
		}
		now, _ := r.World.Look(id)
		if now.Status != r.World.StatusOf(provider.Done) || now.Priority != 3 || len(now.Labels) != 2 {
			r.errorf("%s: it is %+v", kind, now)
		}
	}
}

func offline(r *Tracker) {
	id := r.World.Add(providertest.Spec{Title: "t"})
	item := r.Item(id)
	r.Server.Close()
	before := r.Clock.Now()
	_, err := r.Provider.Item(context.Background(), id)
	if !provider.Is(err, provider.Offline) {
		r.errorf("reading: %v", err)
	}
	_, err = r.Provider.Update(context.Background(), item, provider.Change{Priority: ptr(1)})
	if !provider.Is(err, provider.Offline) {
		r.errorf("writing: %v", err)
	}
	if waited := r.Clock.Now().Sub(before); waited > 5*time.Second {
		r.errorf("it took %s to notice", waited)
	}
}

// isMutation reports whether the body is a GraphQL mutation.
func isMutation(body []byte) bool {
	var q struct{ Query string }
	return json.Unmarshal(body, &q) == nil && strings.HasPrefix(strings.TrimSpace(q.Query), "mutation")
}

// readOnlyPost reports whether a POST to the path only reads.
func readOnlyPost(path string) bool {
	reading := []string{"/search/jql", "/search/approximate-count", "/issue/bulkfetch", "/wiql", "/workitemsbatch", "/_apis/wit/wiql"}
	return slices.ContainsFunc(reading, func(name string) bool { return strings.HasSuffix(strings.ToLower(path), name) })
}

// wordsAndPlans changes the title, the text, the estimate and the sprint, and clears the last two again.
func wordsAndPlans(r *Tracker) {
	id := r.World.Add(providertest.Spec{Title: "Title", Body: "Body"})
	change := func(c provider.Change) *provider.Item {
		item, err := r.update(id, c)
		if err != nil {
			r.T.Fatalf("%+v: %v", c, err)
		}
		return item
	}
	if item := change(provider.Change{Title: ptr("Another title")}); item.Title != "Another title" {
		r.errorf("the title is %q", item.Title)
	}
	if item := change(provider.Change{Text: ptr("Another *text*.")}); !strings.Contains(item.Body.Text, "text") || strings.Contains(item.Body.Text, "Body") || item.Title != "Another title" {
		r.errorf("the text is %q", item.Body.Text)
	}
	if !r.H.Estimates {
		if _, err := r.update(id, provider.Change{Estimate: ptr(3.0)}); !provider.Is(err, provider.Unsupported) {
			r.errorf("an estimate that there is not: %v", err)
		}
	} else {
		if item := change(provider.Change{Estimate: ptr(3.0)}); item.Estimate == nil || *item.Estimate != 3 {
			r.errorf("the estimate is %v", item.Estimate)
		}
		if item := change(provider.Change{Estimate: ptr(-1.0)}); item.Estimate != nil {
			r.errorf("the estimate is still %v", *item.Estimate)
		}
	}
	sprint := r.sprint()
	if sprint == "" {
		return
	}
	if item := change(provider.Change{Sprint: &sprint}); item.Sprint == nil || item.Sprint.ID != sprint {
		r.errorf("the sprint is %+v, not %q", item.Sprint, sprint)
	}
	if item := change(provider.Change{Sprint: ptr("")}); item.Sprint != nil {
		r.errorf("the sprint is still %+v", item.Sprint)
	}
}

// placesAndLinks sets, changes and removes an item's parent, and adds each relation that the tracker supports, also after lost answers.
func placesAndLinks(r *Tracker) {
	first, second := r.World.Add(providertest.Spec{Title: "First"}), r.World.Add(providertest.Spec{Title: "Second"})
	id := r.World.Add(providertest.Spec{Title: "Item"})
	for _, to := range []string{first, second, second, ""} {
		item, err := r.update(id, provider.Change{Parent: &to, ParentType: provider.TypeTicket})
		if err != nil {
			r.errorf("below %q: %v", to, err)
			continue
		}
		has := ""
		if item.Parent != nil {
			has = item.Parent.ID
		}
		if has != to || item.Presence != provider.Present {
			r.errorf("it is below %q and %s, not below %q", has, item.Presence, to)
		}
	}
	kind, _ := provider.KindOf(r.Provider.Name())
	for _, relation := range provider.Relations() {
		l := provider.NewLink{Relation: relation, Target: r.World.Add(providertest.Spec{Title: string(relation)})}
		has := slices.Contains(kind.Relations, relation)
		for _, fault := range []providertest.Kind{"", providertest.LostAnswer} {
			if fault != "" && has {
				l.Target = r.World.Add(providertest.Spec{Title: string(relation)})
				r.World.Faults().Add(providertest.Fault{Kind: fault, Match: writing})
			}
			var item *provider.Item
			err := r.again(func(time.Time) (err error) {
				item, err = r.update(id, provider.Change{AddLink: &l})
				return err
			})
			r.World.Faults().Clear()
			switch {
			case !has && !provider.Is(err, provider.Unsupported):
				r.errorf("%s: %v", relation, err)
			case has && (err != nil || !item.Linked(l)):
				r.errorf("%s with %q: %v, %+v", relation, fault, err, item)
			case has:
				if other := r.Item(l.Target); !other.Linked(provider.NewLink{Relation: relation.Inverse(), Target: id}) {
					r.errorf("%s: the other one has %+v", relation, other.Links)
				}
			}
		}
	}
}

// customFields sets and clears a custom field, and checks that invalid values and unknown fields are refused.
func customFields(r *Tracker) {
	name, value := r.H.Custom.Name, r.H.Custom.Value
	id := r.World.Add(providertest.Spec{Title: "Item"})
	set := func(name, value string) (*provider.Item, error) {
		return r.update(id, provider.Change{Fields: []provider.FieldValue{{Name: name, Value: value}}})
	}
	if name == "" {
		if _, err := set("Severity", "Major"); !provider.Is(err, provider.Unsupported) {
			r.errorf("a field that there is not: %v", err)
		}
		return
	}
	for _, v := range []string{value, ""} {
		if _, err := set(strings.ToUpper(name), v); err != nil {
			r.errorf("%q: %v", v, err)
		}
		if item := r.Item(id); len(item.Fields) != 1 || item.Fields[0] != (provider.FieldValue{Name: name, Value: v}) && v != "" || v == "" && item.Fields[0].Value != "" {
			r.errorf("the fields are %+v, not %q", item.Fields, v)
		}
	}
	if _, err := set(name, "a value that it does not take"); !provider.Is(err, provider.Invalid) {
		r.errorf("a wrong value: %v", err)
	}
	if _, err := set("No such field", value); !provider.Is(err, provider.Invalid) {
		r.errorf("a wrong field: %v", err)
	}
	if creator, ok := r.Provider.(provider.Creator); ok {
		made, err := creator.Create(context.Background(), provider.NewItem{Key: provider.UUID("with a field"), Title: "Made", Fields: []provider.FieldValue{{Name: name, Value: value}}})
		if err != nil || len(made.Fields) != 1 || made.Fields[0].Value != value {
			r.errorf("made %+v, %v", made, err)
		}
	}
	if r.H.Demanding == "" {
		return
	}
	creator, _ := r.Provider.(provider.Creator)
	_, err := creator.Create(context.Background(), provider.NewItem{Key: provider.UUID("without it"), Title: "Made", NativeType: r.H.Demanding})
	if !provider.Is(err, provider.Invalid) || !strings.Contains(err.Error(), strconv.Quote(name)) {
		r.errorf("without a field that it must have: %v", err)
	}
}
