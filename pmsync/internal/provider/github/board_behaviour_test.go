package github_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/github"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakegithub"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// TestAChangeOnTheBoardAlone comes with the next pull, though the issue's own time stays,
// also where the project has several pages, and every page of it is looked through once an
// hour.
func TestAChangeOnTheBoardAlone(t *testing.T) {
	t.Parallel()
	r := conformance.GitHubBoard().Begin(t)
	var ids []string
	for n := range 230 {
		ids = append(ids, r.World.Add(providertest.Spec{Title: fmt.Sprint("issue ", n), Status: "Todo"}))
		r.Clock.Advance(3 * time.Second)
	}
	s := conformance.NewStore()
	r.MustPull(s)
	r.Clock.Advance(10 * time.Minute)
	r.MustPull(s)
	before := r.World.Requests()
	r.MustPull(s)
	if n := r.World.Requests() - before; n != 2 {
		t.Errorf("%d requests where nothing changed in a project of three pages", n)
	}
	r.Clock.Advance(10 * time.Minute)
	status := "In Progress"
	r.World.Edit(ids[229], providertest.Edit{Status: &status})
	r.MustPull(s)
	if got := s.Items[ids[229]].Status.Name; got != status || s.Delivered != 1 {
		t.Errorf("it is %q, and %d items came", got, s.Delivered)
	}
}

// TestAnIssueOutsideTheProject is put into it by what only the project has, and an issue
// that is made is in it at once.
func TestAnIssueOutsideTheProject(t *testing.T) {
	t.Parallel()
	r := conformance.GitHubBoard().Begin(t)
	id := r.World.Add(providertest.Spec{Title: "one", Status: "Todo"})
	r.World.(*fakegithub.Server).LeaveBoard(id)
	if item := r.Item(id); item.Status.Name != "Open" || item.Priority != 0 {
		t.Errorf("outside it is %+v", item.Status)
	}
	points := 5.0
	now, err := r.Provider.Update(t.Context(), r.Item(id), provider.Change{Estimate: &points, Status: &provider.Target{Category: provider.Done}})
	if err != nil || now.Estimate == nil || *now.Estimate != 5 || now.Status.Name != "Done" {
		t.Errorf("%+v, %v", now, err)
	}
	made, err := r.Provider.(provider.Creator).Create(t.Context(), provider.NewItem{Key: "k", Title: "two"})
	if err != nil || !r.World.(*fakegithub.Server).OnBoard(made.RemoteID) {
		t.Errorf("%+v is not in the project: %v", made, err)
	}
}

// TestNoSuchProject: the connection is refused with the name and what the token needs.
func TestNoSuchProject(t *testing.T) {
	t.Parallel()
	h := conformance.GitHubBoard()
	for _, board := range []string{"octo/9", "nobody/1"} {
		h.Client = func(url, secret string, m provider.Mapping, o transport.Options) (provider.Provider, error) {
			return github.New(github.Options{URL: url, Token: secret, Repo: fakegithub.Repo, Board: board, Mapping: m, Transport: o})
		}
		_, err := h.Begin(t).Provider.TestConnection(t.Context())
		if !provider.Is(err, provider.Invalid) || !strings.Contains(err.Error(), "does not show a project "+board) {
			t.Errorf("%v", err)
		}
	}
}

// TestNamedFieldsOfTheProject: another field may hold the status, and a project may lack
// what an update is about.
func TestNamedFieldsOfTheProject(t *testing.T) {
	t.Parallel()
	h := conformance.GitHubBoard()
	h.Client = func(url, secret string, m provider.Mapping, o transport.Options) (provider.Provider, error) {
		return github.New(github.Options{URL: url, Token: secret, Repo: fakegithub.Repo, Board: fakegithub.Board, StatusField: "Priority", PriorityField: "No such field", Mapping: m, Transport: o})
	}
	r := h.Begin(t)
	id := r.World.Add(providertest.Spec{Title: "one", Priority: 4})
	item := r.Item(id)
	if item.Status.Name != "Urgent" || item.Priority != 0 {
		t.Errorf("%+v", item)
	}
	states, err := r.Provider.Statuses(t.Context())
	if err != nil || len(states) != 6 { // four options that mean to do, and GitHub's own two for the ends
		t.Errorf("%+v, %v", states, err)
	}
}
