package azuredevops_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/azuredevops"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeazure"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// with begins the conformance's tracker with other options of the server or the
// client, and keeps the bodies of requests.
func with(t *testing.T, world fakeazure.Options, change func(*azuredevops.Options)) (*conformance.Tracker, *fakeazure.Server, *[]string) {
	t.Helper()
	h := conformance.AzureDevOps()
	h.World = func(clock *providertest.Clock, skew time.Duration) providertest.World {
		world.Clock, world.Skew = clock, skew
		return fakeazure.New(world)
	}
	h.Client = func(url, secret string, m provider.Mapping, tr transport.Options) (provider.Provider, error) {
		o := azuredevops.Options{URL: url, Organization: fakeazure.Organization, Project: fakeazure.Project, Token: secret, Mapping: m, Transport: tr}
		if change != nil {
			change(&o)
		}
		return azuredevops.New(o)
	}
	var sent []string
	h.Observe = func(_ *testing.T, e conformance.Exchange) {
		sent = append(sent, e.Request.Method+" "+e.Request.URL.Path+" "+string(e.RequestBody))
	}
	r := h.Begin(t)
	return r, r.World.(*fakeazure.Server), &sent
}

func ptr[T any](v T) *T { return &v }

// A query that would find too many rows fails as a whole: the ids are asked for in
// ranges.
func TestTooManyRows(t *testing.T) {
	for _, rows := range []int{1, 7, 50} {
		r, world, sent := with(t, fakeazure.Options{MaxRows: rows, Units: 1e6}, nil)
		for i := range 160 {
			world.Add(providertest.Spec{Title: fmt.Sprint(i)})
		}
		s := conformance.NewStore()
		r.MustPull(s)
		if len(s.Items) != 160 || s.Delivered != 160 {
			t.Errorf("%d rows: %d items came, %d in all", rows, len(s.Items), s.Delivered)
		}
		if rows == 50 && len(*sent) > 60 {
			t.Errorf("%d requests", len(*sent))
		}
	}
}

// An item that a query names and a batch lacks fails alone.
func TestHoles(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	var ids []string
	for i := range 5 {
		ids = append(ids, world.Add(providertest.Spec{Title: fmt.Sprint(i)}))
	}
	world.Hide(ids[2])
	s := conformance.NewStore()
	r.MustPull(s)
	if len(s.Items) != 4 || !provider.Is(s.Failed[ids[2]], provider.NotFound) || len(s.Failed) != 1 {
		t.Errorf("%d items, failed %v", len(s.Items), s.Failed)
	}
}

// A change that was made since the item was read is found by its revision.
func TestChangedMeanwhile(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t", Priority: 1})
	item := r.Item(id)
	world.Edit(id, providertest.Edit{Priority: ptr(3)})
	_, err := r.Provider.Update(context.Background(), item, provider.Change{Priority: ptr(4)})
	var e *provider.Error
	if !provider.Is(err, provider.Changed) {
		t.Fatalf("%v", err)
	}
	if !errors.As(err, &e) || e.Status != 412 || e.Code != "VS403351" {
		t.Errorf("status %d, code %q", e.Status, e.Code)
	}
	if now, _ := world.Look(id); now.Priority != 3 {
		t.Errorf("priority %d", now.Priority)
	}
}

// A patch whose answer was lost is sent again under the same test, fails on what
// it did itself, and that is not an error.
func TestLostAnswerOfAPatch(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	for _, c := range []struct {
		change provider.Change
		field  string
	}{
		{provider.Change{Priority: ptr(4)}, "priority"},
		{provider.Change{Priority: ptr(0)}, "priority"},
		{provider.Change{Assignee: ptr(world.People()[1])}, "assignee"},
		{provider.Change{Assignee: ptr("")}, "assignee"},
		{provider.Change{AddLabels: []string{"b", "a"}, RemoveLabels: []string{"bug"}}, "labels"},
		{provider.Change{Status: &provider.Target{Name: "Active"}}, "status"},
	} {
		id := world.Add(providertest.Spec{Title: "t", Priority: 2, Labels: []string{"bug"}, Assignee: world.People()[0]})
		item := r.Item(id)
		world.Faults().Add(providertest.Fault{Kind: providertest.LostAnswer, Match: func(r *http.Request, _ []byte) bool { return r.Method == http.MethodPatch }})
		now, err := r.Provider.Update(context.Background(), item, c.change)
		if err != nil || now.Version != "2" {
			t.Errorf("%s: %+v, %v", c.field, now, err)
		}
		if n := world.Writes(id); n[c.field] != 1 || len(n) != 1 {
			t.Errorf("%s was written %v", c.field, n)
		}
	}
}

func TestPriorities(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	for _, p := range []int{1, 2, 3, 4, 0} {
		item, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{Priority: &p})
		if now, _ := world.Look(id); err != nil || item.Priority != p || now.Priority != p {
			t.Errorf("%d: %+v, %v", p, item, err)
		}
	}
	for _, p := range []int{-1, 5} {
		if _, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{Priority: &p}); !provider.Is(err, provider.Invalid) {
			t.Errorf("%d: %v", p, err)
		}
	}
}

// A state that no single step reaches is gone to step by step, each under its own
// revision.
func TestStepsBetween(t *testing.T) {
	r, world, sent := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	item := r.Item(id)
	*sent = nil
	item, err := r.Provider.Update(context.Background(), item, provider.Change{Status: &provider.Target{Category: provider.Done}, Priority: ptr(1)})
	if err != nil || item.Status.Name != "Closed" {
		t.Fatalf("%+v, %v", item, err)
	}
	var states []string
	for _, s := range *sent {
		if strings.HasPrefix(s, "PATCH") {
			if !strings.Contains(s, `"op":"test","path":"/rev"`) {
				t.Errorf("no test of the revision: %s", s)
			}
			var ops []struct {
				Path  string
				Value any
			}
			_ = json.Unmarshal([]byte(s[strings.Index(s, "["):]), &ops)
			for _, op := range ops {
				if op.Path == "/fields/System.State" {
					states = append(states, fmt.Sprint(op.Value))
				}
			}
		}
	}
	if !slices.Equal(states, []string{"Active", "Closed"}) || world.Writes(id)["priority"] != 1 {
		t.Errorf("through %q, writes %v", states, world.Writes(id))
	}
}

// Resolved counts as in progress only as far as our words go: it is not what is
// meant when there is a state of work in progress.
func TestResolvedIsNotMeant(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t", Status: "In Review"})
	item, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{Status: &provider.Target{Name: "Resolved"}})
	if err != nil || item.Status.Category != provider.InProgress || item.Status.Native != "Resolved" {
		t.Errorf("%+v, %v", item, err)
	}
	bare := r.Client(fakeazure.Token, time.Minute, provider.Mapping{})
	closed := world.Add(providertest.Spec{Title: "t", Status: "Closed"}) // from here: Active and Resolved
	if item, err = bare.Update(context.Background(), r.Item(closed), provider.Change{Status: &provider.Target{Category: provider.InProgress}}); err != nil || item.Status.Name != "Active" {
		t.Errorf("%+v, %v", item, err)
	}
}

// The state to go to is configured for the project, and types have states of their
// own: where a type lacks it, the only one that fits is taken.
func TestStateOfAnotherType(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	for wanted, name := range map[string]string{"Finished": "Closed", "closed": "Closed"} {
		p := r.Client(fakeazure.Token, time.Minute, provider.Mapping{State: map[provider.Category]string{provider.Done: wanted}})
		id := world.Add(providertest.Spec{Title: "t"})
		item, err := p.Update(context.Background(), r.Item(id), provider.Change{Status: &provider.Target{Category: provider.Done}})
		if err != nil || item.Status.Name != name {
			t.Errorf("%s: %+v, %v", wanted, item, err)
		}
	}
	for wanted, reason := range map[string]provider.Reason{"Doing": provider.Ambiguous, "Resolved": ""} {
		id := world.Add(providertest.Spec{Title: "t"})
		p := r.Client(fakeazure.Token, time.Minute, provider.Mapping{State: map[provider.Category]string{provider.InProgress: wanted}})
		item, err := p.Update(context.Background(), r.Item(id), provider.Change{Status: &provider.Target{Category: provider.InProgress}})
		if provider.ReasonOf(err) != reason || err == nil && item.Status.Name != wanted {
			t.Errorf("%s: %+v, %v", wanted, item, err)
		}
	}
}

func TestTags(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t", Labels: []string{"backend", "bug"}})
	for _, step := range []struct {
		add, remove []string
		want        []string
	}{
		{[]string{"Backend"}, nil, []string{"backend", "bug"}}, // in any case
		{[]string{"new"}, []string{"BUG"}, []string{"backend", "new"}},
		{nil, []string{"backend", "new"}, nil},
		{[]string{"one", "two"}, nil, []string{"one", "two"}},
	} {
		item, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{AddLabels: step.add, RemoveLabels: step.remove})
		if err != nil || !slices.Equal(item.Labels, step.want) {
			t.Errorf("+%q -%q: %v, %v", step.add, step.remove, item, err)
		}
	}
	if _, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{AddLabels: []string{"a; b"}}); !provider.Is(err, provider.Invalid) {
		t.Errorf("a tag that would be two: %v", err)
	}
}

func TestCriteriaTypesAndBin(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	world.Criteria(id, "<ul><li>It works</li></ul>")
	world.Retype(id, "Bug")
	item := r.Item("AB#" + id)
	if item.Criteria.Format != provider.HTML || !strings.Contains(item.Criteria.Text, "It works") || item.NativeType != "Bug" || item.Type != provider.TypeTicket {
		t.Errorf("%+v", item)
	}
	world.Retype(id, "Feature")
	if item = r.Item("#" + id); item.Type != provider.TypeEpic {
		t.Errorf("a feature is %s", item.Type)
	}
	world.Delete(id)
	if item = r.Item(id); item.Presence != provider.Deleted || item.Title != "t" {
		t.Errorf("what is in the bin: %+v", item)
	}
	suite := world.Add(providertest.Spec{Title: "of the service itself"})
	world.Retype(suite, "Test Suite")
	s := conformance.NewStore()
	r.MustPull(s)
	if _, ok := s.Items[suite]; ok || s.Gone[id].Where != provider.Deleted {
		t.Errorf("suite came: %t, gone %v", ok, s.Gone)
	}
}

func TestSprintsWithoutDates(t *testing.T) {
	r, _, _ := with(t, fakeazure.Options{}, func(o *azuredevops.Options) { o.Team = fakeazure.Project + " Team" })
	var got []string
	err := r.Provider.(provider.SprintLister).Sprints(context.Background(), func(s provider.Sprint) error {
		got = append(got, fmt.Sprint(s.Name, " ", s.State, " ", s.StartsAt != nil))
		return nil
	})
	if err != nil || strings.Join(got, "; ") != "Sprint 1 completed true; Sprint 2 active true; Sprint 3 planned true; Sprint 4 planned false" {
		t.Errorf("%q, %v", got, err)
	}
}

// A project may be configured by its id.
func TestProjectByID(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, func(o *azuredevops.Options) { o.Project = fakeazure.ProjectID })
	id := world.Add(providertest.Spec{Title: "t"})
	s := conformance.NewStore()
	r.MustPull(s)
	if s.Items[id].Presence != provider.Present || s.Items[id].Project != fakeazure.Project {
		t.Errorf("%+v", s.Items[id])
	}
	world.Move(id)
	if item := r.Item(id); item.Presence != provider.Moved {
		t.Errorf("moved is %s", item.Presence)
	}
}

// A good answer may ask to slow down: the next request waits, and none is refused.
func TestSlowedDown(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{Units: 40}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	before := r.Clock.Now()
	for range 400 {
		r.Item(id)
	}
	if passed := r.Clock.Now().Sub(before); passed < 2*time.Minute {
		t.Errorf("400 requests took %s", passed)
	}
	if n := r.Provider.(*azuredevops.Client).Stats().Retries; n != 0 {
		t.Errorf("%d requests were refused", n)
	}
}

// An item that a query shows late is read by the overlap.
func TestLaggingQueries(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{Lag: 30 * time.Second}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	r.Clock.Advance(time.Hour)
	s := conformance.NewStore()
	r.MustPull(s)
	for i := range 10 {
		title := fmt.Sprint("edit ", i)
		world.Edit(id, providertest.Edit{Title: &title})
		r.Clock.Advance(5 * time.Second)
		r.MustPull(s)
		r.Clock.Advance(time.Minute)
		r.MustPull(s)
		if s.Items[id].Title != title {
			t.Errorf("title %q, not %q", s.Items[id].Title, title)
		}
	}
}

// A team's items in the recycle bin are reported when their number changes, and not each time.
func TestBinIsToldWhenItChanges(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	one, two := world.Add(providertest.Spec{Title: "one"}), world.Add(providertest.Spec{Title: "two"})
	s := conformance.NewStore()
	r.MustPull(s)
	for _, step := range []struct {
		do   func()
		gone int
	}{{func() {}, 0}, {func() { world.Delete(one) }, 1}, {func() {}, 0}, {func() { world.Delete(two) }, 2}, {func() { world.Restore(one) }, 1}} {
		step.do()
		r.Clock.Advance(time.Hour)
		clear(s.Gone)
		r.MustPull(s)
		if len(s.Gone) != step.gone {
			t.Errorf("%d are gone, not %d: %v", len(s.Gone), step.gone, s.Gone)
		}
	}
	if s.Items[one].Title != "one" || s.Delivered != 1 {
		t.Errorf("what was restored did not come: %d", s.Delivered)
	}
}

// answering is a server that gives one answer to everything.
func answering(t *testing.T, status int, header http.Header, body string, log io.Writer) provider.Provider {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	p, err := azuredevops.New(azuredevops.Options{URL: s.URL, Organization: "o", Token: fakeazure.Token, Transport: transport.Options{
		Clock: providertest.NewClock(providertest.Start), Attempts: 2, Patience: time.Second,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRefusals(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte(":" + fakeazure.Token))
	html := http.Header{"Content-Type": {"text/html"}}
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		want   provider.Reason
		says   string
	}{
		{203, html, "<html>Sign In</html>", provider.Unauthorized, "has expired"},
		{200, html, "<html>Sign In</html>", provider.Protocol, "instead of JSON"},
		{302, http.Header{"Location": {"https://spsprodcus1.vssps.visualstudio.com/_signin?realm=dev.azure.com"}}, "", provider.Unauthorized, "has expired"},
		{401, nil, "", provider.Unauthorized, "config set providers.azure_devops.pat"},
		{403, nil, `{"message":"TF50309: no permission","typeKey":"X"}`, provider.Forbidden, "no permission"},
		{404, nil, `{"message":"TF401232: Work item 7 does not exist"}`, provider.NotFound, "TF401232"},
		{400, nil, `{"message":"TF401320: Rule Error for field State.","typeKey":"RuleValidationException"}`, provider.Invalid, "Rule Error"},
		{412, nil, `{"message":"VS403351: Test Operation for path /rev failed."}`, provider.Changed, "changed meanwhile"},
		{429, http.Header{"Retry-After": {"30"}}, `{"message":"TF400733: canceled"}`, provider.RateLimited, "until"},
		{503, http.Header{"Retry-After": {"30"}}, `{"message":"TF400733: canceled"}`, provider.RateLimited, "until"},
		{200, nil, `{"id":7,"rev":1}`, provider.Protocol, "lacks"},
		{200, nil, `{"id":"x"}`, provider.Protocol, "shape"},
		{200, nil, "\ufeff{}", provider.Protocol, "lacks"},
		{400, nil, `{"message":"bad header Basic ` + basic + ` ` + fakeazure.Token + `"}`, provider.Invalid, "redacted"},
	} {
		var log bytes.Buffer
		_, err := answering(t, c.status, c.header, c.body, &log).Item(context.Background(), "7")
		if !provider.Is(err, c.want) || !strings.Contains(strings.ToLower(fmt.Sprint(err)), strings.ToLower(c.says)) {
			t.Errorf("%d %s: %s, %v", c.status, c.body, provider.ReasonOf(err), err)
		}
		for _, secret := range []string{fakeazure.Token[20:], basic[20:]} {
			if strings.Contains(fmt.Sprint(err)+log.String(), secret) {
				t.Errorf("the token is shown: %v\n%s", err, log.String())
			}
		}
	}
}

// A token for work items alone may not read projects.
func TestTokenForWorkItemsAlone(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	refused := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/"+fakeazure.Organization+"/_apis/projects") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		world.ServeHTTP(w, q)
	})
	r.Server.Config.Handler = refused
	a, err := r.Provider.TestConnection(context.Background())
	if err != nil || a.ID == "" || a.Project != fakeazure.Project {
		t.Errorf("%+v, %v", a, err)
	}
	if err := r.Provider.(provider.SprintLister).Sprints(context.Background(), func(provider.Sprint) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := r.Client("wrong-wrong-wrong", time.Minute, provider.Mapping{}).TestConnection(context.Background()); !provider.Is(err, provider.Unauthorized) {
		t.Errorf("with a wrong token: %v", err)
	}
}

// The fields of a type are fetched again after a while, not each time.
func TestTypesAreKept(t *testing.T) {
	r, world, sent := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	reads := func() (n int) {
		for _, s := range *sent {
			if strings.Contains(s, "/workitemtypes ") {
				n++
			}
		}
		return n
	}
	for range 3 {
		for _, c := range []provider.Category{provider.Done, provider.Todo} {
			if _, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{Status: &provider.Target{Category: c}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := reads(); n != 1 {
		t.Errorf("types were read %d times", n)
	}
	r.Clock.Advance(10 * time.Minute)
	if _, err := r.Provider.Transitions(context.Background(), r.Item(id)); err != nil || reads() != 2 {
		t.Errorf("types were read %d times, %v", reads(), err)
	}
}

func TestTotal(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	for i := range 7 {
		world.Add(providertest.Spec{Title: fmt.Sprint(i)})
	}
	total := 0
	err := r.Provider.Pull(context.Background(), provider.Pull{}, func(p provider.Page) error {
		total = max(total, p.Total)
		return nil
	})
	if err != nil || total != 7 {
		t.Errorf("total %d, %v", total, err)
	}
}

// Public projects are shown to anyone, so that an answer alone proves nothing.
func TestAnonymous(t *testing.T) {
	p := answering(t, 200, http.Header{"X-Vss-Userdata": {"aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:Anonymous"}}, `{"count":0,"value":[]}`, io.Discard)
	if _, err := p.TestConnection(context.Background()); !provider.Is(err, provider.Unauthorized) {
		t.Errorf("%v", err)
	}
}

func TestIDs(t *testing.T) {
	r, world, _ := with(t, fakeazure.Options{}, nil)
	id := world.Add(providertest.Spec{Title: "t"})
	for _, text := range []string{id, "#" + id, "AB#" + id, "ab#" + id, " " + id + " "} {
		if item, err := r.Provider.Item(context.Background(), text); err != nil || item.RemoteID != id {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "x", "../7", id + "?a=b", "-1", "SEM-7", strconv.Itoa(1 << 40)} {
		if _, err := r.Provider.Item(context.Background(), text); !provider.Is(err, provider.NotFound) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
