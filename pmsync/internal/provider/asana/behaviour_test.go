package asana_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/asana"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeasana"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// with begins the conformance's tracker with other options of the client or the
// server.
func with(t *testing.T, world fakeasana.Options, change func(*asana.Options)) (*conformance.Tracker, *fakeasana.Server) {
	t.Helper()
	h := conformance.Asana()
	h.World = func(clock *providertest.Clock, skew time.Duration) providertest.World {
		world.Clock, world.Skew = clock, skew
		return fakeasana.New(world)
	}
	h.Client = func(url, secret string, m provider.Mapping, tr transport.Options) (provider.Provider, error) {
		o := asana.Options{URL: url + fakeasana.Path, Token: secret, Project: fakeasana.Project, PriorityField: fakeasana.PriorityField, Mapping: m, Transport: tr}
		if change != nil {
			change(&o)
		}
		return asana.New(o)
	}
	r := h.Begin(t)
	return r, r.World.(*fakeasana.Server)
}

func (s state) to(t *testing.T, id string, target provider.Target) (*provider.Item, error) {
	t.Helper()
	return s.r.Provider.Update(context.Background(), s.r.Item(id), provider.Change{Status: &target})
}

type state struct{ r *conformance.Tracker }

// A move to another section is a change of state that no list of modified tasks
// shows.
func TestSectionMoveIsNoticed(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	s := conformance.NewStore()
	r.MustPull(s)
	for range 3 {
		r.Clock.Advance(time.Hour)
		r.MustPull(s)
	}
	doing := "Doing"
	world.Edit(id, providertest.Edit{Status: &doing})
	r.Clock.Advance(time.Hour)
	r.MustPull(s)
	if got := s.Items[id].Status; got.Name != "Doing" || got.Category != provider.InProgress {
		t.Errorf("status is %+v", got)
	}
}

// A subtask is in no list of the project, and its parent does not change with it.
func TestSubtasks(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	parent := world.Add(providertest.Spec{Title: "parent"})
	child := world.Add(providertest.Spec{Title: "child", Parent: parent})
	grandchild := world.Add(providertest.Spec{Title: "grandchild", Parent: child})
	s := conformance.NewStore()
	r.MustPull(s)
	r.Clock.Advance(time.Hour)
	r.MustPull(s)
	title := "changed"
	world.Edit(grandchild, providertest.Edit{Title: &title})
	late := world.Add(providertest.Spec{Title: "late", Parent: child})
	r.Clock.Advance(time.Hour)
	r.MustPull(s)
	if s.Items[grandchild].Title != "changed" || s.Items[late].Title != "late" {
		t.Errorf("grandchild is %q, late %q", s.Items[grandchild].Title, s.Items[late].Title)
	}
	if got := s.Items[grandchild]; got.Type != provider.TypeSubtask || got.Parent.ID != child {
		t.Errorf("grandchild is %+v", got)
	}
	if s.Delivered != 2 {
		t.Errorf("%d items came for two changes", s.Delivered)
	}
}

// Events may be lost. A change that only they report is found within a day.
func TestLostEventsAreMadeUpFor(t *testing.T) {
	r, world := with(t, fakeasana.Options{LoseEvents: 100}, nil)
	parent := world.Add(providertest.Spec{Title: "parent"})
	child := world.Add(providertest.Spec{Title: "child", Parent: parent})
	s := conformance.NewStore()
	r.MustPull(s)
	r.Clock.Advance(time.Hour)
	title, doing := "changed", "Doing"
	world.Edit(child, providertest.Edit{Title: &title})
	world.Edit(parent, providertest.Edit{Status: &doing})
	for range 30 {
		r.Clock.Advance(time.Hour)
		r.MustPull(s)
	}
	if s.Items[child].Title != title || s.Items[parent].Status.Name != doing {
		t.Errorf("child is %q, parent %q", s.Items[child].Title, s.Items[parent].Status.Name)
	}
}

// After a day the token of the event stream has expired: everything is read.
func TestExpiredEventToken(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	s := conformance.NewStore()
	r.MustPull(s)
	doing := "Doing"
	world.Edit(id, providertest.Edit{Status: &doing})
	r.Clock.Advance(40 * time.Hour)
	r.MustPull(s)
	if s.Items[id].Status.Name != doing {
		t.Errorf("status is %q", s.Items[id].Status.Name)
	}
}

// A pull that is resumed after the token of its page has expired begins the list
// anew and ends.
func TestExpiredOffset(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	for i := range 350 {
		world.Add(providertest.Spec{Title: fmt.Sprint(i)})
	}
	s := conformance.NewStore()
	if err := r.Pull(s, 2); err == nil {
		t.Fatal("the pull was not cut")
	}
	r.Clock.Advance(2 * time.Hour)
	r.MustPull(s)
	if len(s.Items) != 350 {
		t.Errorf("%d items", len(s.Items))
	}
}

// Subtasks name no project: they leave it, and come back, with the task at their
// top, which changes neither of them.
func TestSubtasksMoveWithTheirParent(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	parent := world.Add(providertest.Spec{Title: "parent"})
	child := world.Add(providertest.Spec{Title: "child", Parent: parent})
	grandchild := world.Add(providertest.Spec{Title: "grandchild", Parent: child})
	s := conformance.NewStore()
	r.MustPull(s)
	r.Clock.Advance(time.Hour)
	r.MustPull(s)
	world.Move(parent)
	r.Clock.Advance(time.Hour)
	r.MustPull(s)
	for _, id := range []string{parent, child, grandchild} {
		if s.Gone[id].Where != provider.Moved || s.Gone[id].Project != fakeasana.OtherProject {
			t.Errorf("%s: %+v", id, s.Gone[id])
		}
		if got := r.Where(conformance.NewStore(), id); got != provider.Moved {
			t.Errorf("%s is %s", id, got)
		}
		if item := r.Item(id); item.Presence != provider.Moved || item.Project != fakeasana.OtherProject {
			t.Errorf("%s is read as %s in %s", id, item.Presence, item.Project)
		}
	}
	world.Return(parent)
	r.Clock.Advance(time.Hour)
	fresh := conformance.NewStore()
	fresh.Cursor = s.Cursor
	r.MustPull(fresh)
	if len(fresh.Items) != 3 {
		t.Errorf("%d of 3 came back", len(fresh.Items))
	}
}

func TestRenamedSection(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t", Status: "Doing"})
	s := conformance.NewStore()
	r.MustPull(s)
	r.Clock.Advance(time.Hour)
	world.Rename("Doing", "In progress")
	r.MustPull(s)
	if got := s.Items[id].Status.Name; got != "In progress" {
		t.Errorf("status is %q", got)
	}
}

// A choice that the configuration leaves open is refused, and nothing is sent.
func TestStateIsNotGuessed(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	bare := r.Client(fakeasana.Token, time.Minute, provider.Mapping{})
	id := world.Add(providertest.Spec{Title: "t"})
	update := func(target provider.Target) error {
		_, err := bare.Update(context.Background(), r.Item(id), provider.Change{Status: &target})
		return err
	}
	for _, c := range []provider.Category{provider.InProgress, provider.Canceled} {
		err := update(provider.Target{Category: c})
		if !provider.Is(err, provider.Ambiguous) || !strings.Contains(err.Error(), "Doing") {
			t.Errorf("%s: %v", c, err)
		}
	}
	if n := len(world.Writes(id)); n != 0 {
		t.Errorf("%d fields were written", n)
	}
	if err := update(provider.Target{Category: provider.Done}); err != nil { // every task can be completed
		t.Error(err)
	}
	if now, _ := world.Look(id); now.Status != "Completed" {
		t.Errorf("status is %q", now.Status)
	}
	if err := update(provider.Target{Category: provider.Todo}); err != nil { // and reopened
		t.Error(err)
	}
	if now, _ := world.Look(id); now.Status != "To do" {
		t.Errorf("status is %q", now.Status)
	}
	if err := update(provider.Target{Name: "Doing"}); err != nil {
		t.Error(err)
	}
	if _, err := bare.Update(context.Background(), r.Item(id), provider.Change{Priority: ptr(2)}); !provider.Is(err, provider.Ambiguous) {
		t.Errorf("priority: %v", err)
	}
}

func ptr[T any](v T) *T { return &v }

// Done completes the task as well, work to do reopens it, and canceled leaves that
// as it is.
func TestSectionAndCompleted(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	completed := func() bool { return strings.Contains(string(r.Item(id).Raw), `"completed":true`) }
	for _, step := range []struct {
		to   provider.Target
		name string
		done bool
	}{
		{provider.Target{Category: provider.Done}, "Done", true},
		{provider.Target{Category: provider.Canceled}, "Won't do", true},
		{provider.Target{Category: provider.InProgress}, "Doing", false},
		{provider.Target{Category: provider.Canceled}, "Won't do", false},
		{provider.Target{Name: "Completed"}, "Won't do", true},
		{provider.Target{Name: "In review"}, "In review", false},
	} {
		item, err := state{r}.to(t, id, step.to)
		if err != nil {
			t.Fatalf("%+v: %v", step.to, err)
		}
		if item.Status.Name != step.name || completed() != step.done {
			t.Errorf("to %+v: %q, completed %t", step.to, item.Status.Name, completed())
		}
	}
}

// Naming a section as the one to go to says what it means.
func TestStateToGoToHasAMeaning(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, func(o *asana.Options) {
		o.Mapping = provider.Mapping{State: map[provider.Category]string{provider.InProgress: "doing", provider.Done: "Done", provider.Canceled: "Won't do"}}
	})
	id := world.Add(providertest.Spec{Title: "t"})
	for _, c := range []provider.Category{provider.InProgress, provider.Done, provider.InProgress, provider.Canceled} {
		item, err := state{r}.to(t, id, provider.Target{Category: c})
		if err != nil || item.Status.Category != c || item.Status.Name != world.StatusOf(c) {
			t.Errorf("%s: %+v, %v", c, item, err)
		}
		n := len(world.Writes(id))
		if _, err := (state{r}).to(t, id, provider.Target{Category: c}); err != nil || len(world.Writes(id)) != n {
			t.Errorf("%s again: %v", c, err)
		}
	}
}

// A subtask has no section: it is completed or not, whatever sections are
// configured for.
func TestStateOfSubtask(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, func(o *asana.Options) {
		o.Mapping = provider.Mapping{State: map[provider.Category]string{provider.InProgress: "Doing", provider.Done: "Done", provider.Todo: "To do"}}
	})
	id := world.Add(providertest.Spec{Title: "child", Parent: world.Add(providertest.Spec{Title: "parent"})})
	for _, step := range []struct {
		to   provider.Category
		name string
	}{{provider.Done, "Completed"}, {provider.Todo, "Incomplete"}} {
		item, err := state{r}.to(t, id, provider.Target{Category: step.to})
		if err != nil || item.Status.Name != step.name || item.Status.Category != step.to {
			t.Errorf("%s: %+v, %v", step.to, item, err)
		}
	}
	if _, err := (state{r}).to(t, id, provider.Target{Category: provider.InProgress}); !provider.Is(err, provider.Invalid) {
		t.Errorf("in progress: %v", err)
	}
}

// A task in a section without a meaning is to do until it is completed.
func TestUnmappedSection(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, func(o *asana.Options) { o.Mapping = provider.Mapping{} })
	id := world.Add(providertest.Spec{Title: "t", Status: "In review"})
	if got := r.Item(id).Status; got.Name != "In review" || got.Category != provider.Todo {
		t.Errorf("%+v", got)
	}
}

// A list whose pages are always refused ends with an error.
func TestOffsetIsAlwaysRefused(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	for i := range 120 {
		world.Add(providertest.Spec{Title: fmt.Sprint(i)})
	}
	r.Server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Query().Get("offset") != "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"errors":[{"message":"offset: Your pagination token has expired."}]}`))
			return
		}
		world.ServeHTTP(w, q)
	})
	if err := r.Pull(conformance.NewStore(), 0); !provider.Is(err, provider.Invalid) {
		t.Errorf("%v", err)
	}
}

func TestStatusField(t *testing.T) {
	mapping := provider.Mapping{Category: map[string]provider.Category{"Idea": provider.Todo, "Building": provider.InProgress, "Shipped": provider.Done}}
	r, world := with(t, fakeasana.Options{}, func(o *asana.Options) { o.StatusField, o.Mapping = fakeasana.StageField, mapping })
	id := world.Add(providertest.Spec{Title: "t"})
	for _, c := range []struct {
		category provider.Category
		name     string
	}{{provider.InProgress, "Building"}, {provider.Done, "Shipped"}, {provider.Todo, "Idea"}} { // it begins as todo, with no value in the field
		item, err := state{r}.to(t, id, provider.Target{Category: c.category})
		if err != nil || item.Status.Name != c.name || item.Status.Category != c.category {
			t.Errorf("%s: %+v, %v", c.category, item, err)
		}
	}
	states, err := r.Provider.Statuses(context.Background())
	if err != nil || len(states) != 5 || states[0].Name != "Idea" {
		t.Errorf("states %+v, %v", states, err)
	}
}

func TestApprovalsAndCustomTypes(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	approval, incident := world.AddApproval("approve me"), world.AddIncident("down")
	if _, err := (state{r}).to(t, approval, provider.Target{Category: provider.Done}); !provider.Is(err, provider.Ambiguous) {
		t.Errorf("an approval was decided: %v", err) // approved, or rejected: that is for a person to say
	}
	item, err := state{r}.to(t, approval, provider.Target{Name: "rejected"})
	if err != nil || item.Status.Name != "rejected" || item.Status.Category != provider.Done {
		t.Errorf("approval: %+v, %v", item, err)
	}
	if item, err = (state{r}).to(t, incident, provider.Target{Category: provider.Done}); err != nil || item.Status.Name != "Resolved" {
		t.Errorf("incident: %+v, %v", item, err)
	}
	if item.NativeType != "Incident" {
		t.Errorf("type %q", item.NativeType)
	}
	steps, err := r.Provider.Transitions(context.Background(), item)
	if err != nil || len(steps) != 2 || steps[0].Name != "Open" {
		t.Errorf("steps %+v, %v", steps, err)
	}
}

// A part of a change that was made before another failed is named.
func TestAppliedPartsAreNamed(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	item := r.Item(id)
	world.Faults().Add(providertest.Fault{Kind: providertest.Forbidden, Match: func(r *http.Request, _ []byte) bool { return strings.HasSuffix(r.URL.Path, "/addTask") }})
	_, err := r.Provider.Update(context.Background(), item, provider.Change{Priority: ptr(4), Status: &provider.Target{Name: "Doing"}})
	var applied []provider.Field
	if e := (*provider.Error)(nil); errors.As(err, &e) {
		applied = e.Applied
	}
	if !provider.Is(err, provider.Forbidden) || !slices.Equal(applied, []provider.Field{provider.FieldPriority}) {
		t.Errorf("applied %q, %v", applied, err)
	}
}

// A tag whose making was not answered is not made twice.
func TestTagIsMadeOnce(t *testing.T) {
	r, world := with(t, fakeasana.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	world.Faults().Add(providertest.Fault{Kind: providertest.LostAnswer, Match: func(r *http.Request, _ []byte) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/tags")
	}})
	if _, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{AddLabels: []string{"fresh"}}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.Join(world.Labels(), "\n"), "fresh"); n != 1 {
		t.Errorf("%d tags", n)
	}
	if now, _ := world.Look(id); !slices.Equal(now.Labels, []string{"fresh"}) {
		t.Errorf("labels %q", now.Labels)
	}
}

// answering is a server that gives one answer to everything.
func answering(t *testing.T, status int, header http.Header, body string, log *bytes.Buffer) provider.Provider {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	p, err := asana.New(asana.Options{URL: s.URL, Token: fakeasana.Token, Project: "1", Transport: transport.Options{
		Clock: providertest.NewClock(providertest.Start), Attempts: 2, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   provider.Reason
		says   string
	}{
		{402, `{"errors":[{"message":"This feature needs a paid plan."}]}`, provider.Forbidden, "paid plan"},
		{403, `{"errors":[{"message":"No access."}]}`, provider.Forbidden, "No access"},
		{404, `{"errors":[{"message":"Unknown object: 7"}]}`, provider.NotFound, "may not see it"},
		{401, `{"errors":[{"message":"Not Authorized"}]}`, provider.Unauthorized, "config set providers.asana.access_token"},
		{400, `{"errors":[{"message":"bad thing"}]}`, provider.Invalid, "bad thing"},
		{500, `{"errors":[{"phrase":"6 sad squid snuggle softly"}]}`, provider.Unavailable, "squid"},
		{200, `{"data":{"gid":"7"}}`, provider.Protocol, "lacks"},
		{200, `{"gid":"7"}`, provider.Protocol, "data"},
		{200, `{"data":{"gid":"7","completed":"yes"}}`, provider.Protocol, "shape"},
		{400, `{"errors":[{"message":"bad header Bearer ` + fakeasana.Token + `"}]}`, provider.Invalid, "redacted"},
	} {
		var log bytes.Buffer
		_, err := answering(t, c.status, nil, c.body, &log).Item(context.Background(), "7")
		if !provider.Is(err, c.want) || !strings.Contains(strings.ToLower(fmt.Sprint(err)), strings.ToLower(c.says)) {
			t.Errorf("%d %s: %s, %v", c.status, c.body, provider.ReasonOf(err), err)
		}
		if strings.Contains(fmt.Sprint(err)+log.String(), fakeasana.Token[20:]) {
			t.Errorf("the token is shown: %v\n%s", err, log.String())
		}
	}
}

// A coming change of the API is logged once.
func TestDeprecationIsLogged(t *testing.T) {
	var log bytes.Buffer
	p := answering(t, 404, http.Header{"Asana-Change": {"name=string_ids,info=https://developers.asana.com/x,affected=true", "name=other;info=y"}}, `{"errors":[]}`, &log)
	for range 3 {
		_, _ = p.Item(context.Background(), "7")
	}
	if n := strings.Count(log.String(), "is going to change its API"); n != 2 {
		t.Errorf("%d warnings:\n%s", n, log.String())
	}
}
