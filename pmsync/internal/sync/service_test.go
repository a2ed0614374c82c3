package sync_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakelinear"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/work"
)

// lasted is the duration of a pull or push.
var lasted = regexp.MustCompile(`"(duration_ms|staleness_seconds)": \d+`)

// The service for callers: which tracker is whose, what it answers without one, and every answer as a whole.
func TestService(t *testing.T) {
	t.Parallel()
	s := newSide(t, conformance.Linear())
	var all strings.Builder
	tell := func(question string, answer any, err error) {
		fmt.Fprintf(&all, "%s\n", question)
		if f := fault.From(err); f != nil {
			fmt.Fprintf(&all, "\t%s %s: %s; %s\n", f.Kind, f.Field, f.Message, f.Hint)
		}
		text, err := json.MarshalIndent(answer, "\t", "  ")
		s.must(err)
		fmt.Fprintf(&all, "\t%s\n", text)
	}
	configs := map[string]*config.Config{}
	for _, folder := range []string{"/linear", "/local", "/unnamed", "/unknown", "/keyless"} {
		cfg := config.Default()
		cfg.Providers.Linear.URL, cfg.Providers.Linear.APIKey = s.tracker.Server.URL, config.Secret(fakelinear.Key)
		cfg.Provider.Name, cfg.Provider.TeamID = strings.TrimPrefix(folder, "/"), fakelinear.TeamKey
		cfg.Provider.StateFor = []string{"in_progress=In Progress", "todo=Todo", "canceled=Canceled"}
		configs[folder] = cfg
	}
	configs["/unnamed"].Provider.Name = ""
	configs["/keyless"].Provider.Name, configs["/keyless"].Providers.Linear.APIKey = "linear", ""
	service := &sync.Service{DB: s.db, Config: func(_ context.Context, folder string) (*config.Config, error) {
		if cfg := configs[folder]; cfg != nil {
			return cfg, nil
		}
		return nil, fault.Validation("config", "no configuration in %s", folder)
	}}
	at := func(folder string) caller.Caller {
		return caller.Caller{Agent: "ann", Place: project.Place{At: &project.Identity{UID: "u-" + folder[1:], Name: folder[1:], Folder: folder}}}
	}
	of := func(folder string) sync.Request { return sync.Request{Caller: at(folder), Now: true} }
	first := s.world.Add(providertest.Spec{Title: "Login", Priority: 3})
	s.world.Comment(first, "said there")
	s.world.Attach(first, "page", "https://example.com/7", 0)

	for _, folder := range []string{"/local", "/unnamed", "/unknown", "/keyless", "/elsewhere"} {
		results, err := service.Sync(t.Context(), of(folder))
		tell("sync in "+folder, results, err)
		status, err := service.Status(t.Context(), at(folder), 3)
		tell("status in "+folder, status, err)
		online, err := service.Online(t.Context(), at(folder), status)
		tell("online in "+folder, online, err)
		name, err := service.TrackerOf(t.Context(), at(folder).Place)
		tell("tracker of "+folder, name, err)
	}
	status, err := service.Status(t.Context(), at("/linear"), 3)
	tell("status before the first pull", status, err)
	pushed, err := service.Push(t.Context(), of("/linear"))
	tell("push before the first pull", pushed, err)
	for _, types := range [][]string{{"Bogus"}, {"Tickets", "sprints"}, {"epic", "milestone", "subtask"}} {
		q := of("/linear")
		q.Types = types
		var told []sync.Progress
		q.Progress = func(p sync.Progress) { told = append(told, p) }
		pulled, err := service.Pull(t.Context(), q)
		tell(fmt.Sprintf("pull of %q", types), []any{pulled, told}, err)
	}
	q := of("/linear")
	q.Full = true
	pulled, err := service.Pull(t.Context(), q)
	tell("pull of all", pulled, err)
	status, err = service.Status(t.Context(), at("/linear"), 0)
	tell("status", status, err)
	online, err := service.Online(t.Context(), at("/linear"), status)
	tell("online", online, err)

	key := func() string {
		page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: at("/linear"), Everything: true})
		s.must(err)
		return page.Tickets[0].ID
	}()
	_, err = s.tickets.Create(t.Context(), at("/linear"), ticket.New{Key: "OWN-1", Title: "Kept here"})
	s.must(err)
	for _, c := range []struct {
		id   string
		most int
	}{{key, 5}, {key, 0}, {"OWN-1", 5}, {"NO-1", 5}} {
		words, err := service.Words(t.Context(), at("/linear"), c.id, c.most)
		tell(fmt.Sprintf("the last %d comments of %s", c.most, c.id), words, err)
	}
	for i := range 12 {
		s.tracker.Clock.Advance(time.Second)
		s.world.Comment(first, fmt.Sprint("comment ", i))
	}
	words, err := service.Words(t.Context(), at("/linear"), key, 12)
	tell("the last 12 comments", words.Comments, err)
	words, err = service.Words(t.Context(), at("/linear"), key, 2)
	tell("the last 2 comments", words.Comments, err)

	done := s.world.StatusOf(provider.Done)
	update := func(e ticket.Edit) {
		_, err := s.tickets.Update(t.Context(), at("/linear"), "id", key, e)
		s.must(err)
	}
	update(ticket.Edit{Status: &done, Priority: ptr(work.PriorityLow)})
	dry := of("/linear")
	dry.DryRun = true
	pushed, err = service.Push(t.Context(), dry)
	tell("a dry run", pushed, err)
	s.world.Edit(first, providertest.Edit{Status: ptr(s.world.StatusOf(provider.InProgress))})
	results, err := service.Sync(t.Context(), of("/linear"))
	tell("sync with a conflict", results, err)
	for _, every := range []bool{false, true} {
		list, err := service.Conflicts(t.Context(), at("/linear"), every)
		tell(fmt.Sprintf("conflicts, all of them %t", every), list, err)
	}
	resolved, err := service.Resolve(t.Context(), at("/linear"), key, "maybe")
	tell("resolve: maybe", resolved, err)
	resolved, err = service.Resolve(t.Context(), at("/linear"), key, sync.KeepRemote)
	tell("resolve: the tracker's", resolved, err)
	resolved, err = service.Resolve(t.Context(), at("/linear"), key, sync.KeepLocal)
	tell("resolve: otherwise", resolved, err)
	list, err := service.Conflicts(t.Context(), at("/linear"), false)
	tell("conflicts", list, err)
	update(ticket.Edit{Comment: "to be discarded"})
	s.world.Faults().Add(providertest.Fault{Kind: providertest.Expired, Times: 100, Match: func(_ *http.Request, body []byte) bool {
		return bytes.Contains(body, []byte("issue(id"))
	}})
	results, err = service.Sync(t.Context(), of("/linear"))
	tell("sync with credentials that expire between pull and push", results, err)
	s.world.Faults().Clear()
	settled, err := service.Discard(t.Context(), at("/linear"), key)
	tell("discard", settled, err)
	for _, id := range []string{"", key, "NO-1"} {
		settled, err := service.Retry(t.Context(), at("/linear"), id)
		tell("retry "+id, settled, err)
	}
	named := caller.Caller{Place: project.Place{Named: "linear"}}
	name, err := service.TrackerOf(t.Context(), named.Place)
	tell("tracker of a project by its name", name, err)
	pulled, err = service.Pull(t.Context(), sync.Request{Caller: named})
	tell("pull of a project by its name", pulled, err)
	status, err = service.Status(t.Context(), named, 1)
	tell("status of a project by its name", status, err)
	for _, c := range []caller.Caller{s.caller, {Place: project.Place{Named: "nothing"}}} {
		_, err = service.Pull(t.Context(), sync.Request{Caller: c})
		tell("pull of the project "+c.Place.Named, nil, err)
		_, err = service.Conflicts(t.Context(), c, true)
		tell("conflicts of the project "+c.Place.Named, nil, err)
	}
	configs["/linear"].Sync.PullItemTypes = []string{"nothing"}
	_, err = service.Pull(t.Context(), of("/linear"))
	tell("pull of the configured types", nil, err)
	configs["/linear"].Provider.CategoryOf = []string{"nothing"}
	_, err = service.Pull(t.Context(), of("/linear"))
	tell("pull with a meaning that cannot be read", nil, err)
	tell("states of it", sync.StateFor(configs["/linear"].Provider), nil)
	tell("states to go to", sync.StateFor(configs["/keyless"].Provider), nil)
	s.tracker.Server.Close()
	configs["/linear"].Provider.CategoryOf = nil
	_, err = service.Online(t.Context(), at("/linear"), status)
	if !provider.Is(err, provider.Offline) {
		t.Errorf("a tracker that is gone: %v", err)
	}
	text := steady(lasted.ReplaceAllString(all.String(), `"$1": …`), first)
	clitest.Golden(t, filepath.Join("testdata", "service.txt"), clitest.NewMasks(t).Apply(text))
}

// A configuration that cannot be read fails every call that needs it.
func TestServiceWithoutConfiguration(t *testing.T) {
	t.Parallel()
	s := newSide(t, conformance.Linear())
	broken := errors.New("no such file")
	service := &sync.Service{DB: s.db, Config: func(context.Context, string) (*config.Config, error) { return nil, broken }}
	here := caller.Caller{Place: project.Place{At: &project.Identity{UID: "x", Name: "x", Folder: "/x"}}}
	_, pull := service.Pull(t.Context(), sync.Request{Caller: here})
	_, push := service.Push(t.Context(), sync.Request{Caller: here})
	_, both := service.Sync(t.Context(), sync.Request{Caller: here})
	_, status := service.Status(t.Context(), here, 0)
	_, name := service.TrackerOf(t.Context(), here.Place)
	_, online := service.Online(t.Context(), here, sync.Status{})
	if errs := []error{pull, push, both, status, name, online}; slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, broken) }) {
		t.Errorf("%v", errs)
	}
}
