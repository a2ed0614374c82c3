// Command faketracker serves a tracker that behaves as the real one does, with some
// tickets, so that pmsync can be tried and tested without an account. It prints the
// environment that points pmsync at it, and runs until its standard input ends.
//
//	exec 9> >(faketracker linear > tracker.env)   # until file descriptor 9 is closed
//	. ./tracker.env
//
// What other people do there is asked for below /-/: GET /-/items lists the tickets,
// POST /-/edit?id=ID&title=…&status=… changes one.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeasana"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeazure"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakejira"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakelinear"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// tracker is one of the fakes: its world, the path it is served under, and what
// points pmsync at it.
type tracker struct {
	world providertest.World
	path  string
	env   map[string]string
}

// ages is a clock that goes back while the tracker is filled, so that its tickets are
// of different ages, as they are where people work.
type ages struct {
	transport.System
	back atomic.Int64 // nanoseconds
}

// Now implements transport.Clock.
func (a *ages) Now() time.Time { return a.System.Now().Add(-time.Duration(a.back.Load())) }

func trackerNamed(name string, clock *ages) (t tracker, ok bool) {
	switch provider.Name(name) {
	case provider.Linear:
		return tracker{fakelinear.New(fakelinear.Options{Clock: clock}), "", map[string]string{
			"PROVIDERS_LINEAR_URL": "URL", "PROVIDERS_LINEAR_API_KEY": fakelinear.Key, "PROVIDER_TEAM_ID": fakelinear.TeamKey,
			"PROVIDER_STATE_FOR": "in_progress=In Progress\ntodo=Todo\ncanceled=Canceled"}}, true
	case provider.Jira:
		return tracker{fakejira.New(fakejira.Options{Clock: clock}), "", map[string]string{
			"PROVIDERS_JIRA_URL": "URL", "PROVIDERS_JIRA_EMAIL": fakejira.Email, "PROVIDERS_JIRA_API_TOKEN": fakejira.Token, "PROVIDER_PROJECT_KEY": fakejira.Key,
			"PROVIDER_STATE_FOR": "in_progress=In Progress", "PROVIDER_CATEGORY_OF": "Won't Do=canceled"}}, true
	case provider.Asana:
		return tracker{fakeasana.New(fakeasana.Options{Clock: clock}), fakeasana.Path, map[string]string{
			"PROVIDERS_ASANA_URL": "URL", "PROVIDERS_ASANA_ACCESS_TOKEN": fakeasana.Token, "PROVIDER_PROJECT_ID": fakeasana.Project, "PROVIDER_PRIORITY_FIELD": fakeasana.PriorityField,
			"PROVIDER_CATEGORY_OF": "To do=todo\nDoing=in_progress\nIn review=in_progress\nDone=done\nWon't do=canceled", "PROVIDER_STATE_FOR": "todo=To do\nin_progress=Doing",
			"PROVIDER_PRIORITY_OF": "Low=1\nMedium=2\nHigh=3\nUrgent=4"}}, true
	case provider.AzureDevOps:
		return tracker{fakeazure.New(fakeazure.Options{Clock: clock}), "", map[string]string{
			"PROVIDERS_AZURE_DEVOPS_URL": "URL", "PROVIDERS_AZURE_DEVOPS_ORGANIZATION": fakeazure.Organization, "PROVIDERS_AZURE_DEVOPS_PAT": fakeazure.Token,
			"PROVIDER_PROJECT": fakeazure.Project, "PROVIDER_STATE_FOR": "in_progress=Active"}}, true
	}
	return t, false
}

func main() {
	tickets := flag.Int("tickets", 5, "tickets that the tracker begins with")
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	flag.Parse()
	clock := &ages{}
	t, ok := trackerNamed(strings.ReplaceAll(flag.Arg(0), "-", "_"), clock)
	if !ok || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: faketracker [-tickets N] [-addr HOST:PORT] linear|jira|asana|azure_devops")
		os.Exit(2)
	}
	fill(t.world, *tickets, func(i int) { clock.back.Store(int64(time.Duration(*tickets-i) * time.Minute)) })
	clock.back.Store(0)
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faketracker:", err)
		os.Exit(1)
	}
	url := "http://" + listener.Addr().String() + t.path
	fmt.Printf("export AGIT_CFG_PROVIDER_NAME=%s\n", t.world.Name())
	for name, value := range t.env {
		if value == "URL" {
			value = url
		}
		fmt.Printf("export AGIT_CFG_%s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	fmt.Printf("export FAKETRACKER_URL='http://%s'\n", listener.Addr())
	os.Stdout.Close()
	mux := http.NewServeMux()
	mux.Handle("/", t.world)
	mux.HandleFunc("GET /-/items", func(w http.ResponseWriter, _ *http.Request) { list(w, t.world) })
	mux.HandleFunc("POST /-/edit", func(w http.ResponseWriter, r *http.Request) { edit(w, r, t.world) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	_ = server.Serve(listener)
}

// fill makes tickets as a small team has them, after it has told which one comes.
func fill(w providertest.World, n int, next func(i int)) {
	next(0)
	first := w.Add(providertest.Spec{Title: "Log in with a password", Priority: 3,
		Body: criteria(w, "a person with the right password gets in", "a wrong password is refused without saying why")})
	if n > 1 {
		next(1)
		w.Add(providertest.Spec{Title: "Limit failed logins", Priority: 4, Blocks: []string{first}, Body: criteria(w, "after five failures the account waits a minute")})
	}
	for i := 2; i < n; i++ {
		next(i)
		w.Add(providertest.Spec{Title: fmt.Sprintf("Page %d of the handbook", i-1), Priority: 1 + i%3})
	}
}

// criteria is a description with acceptance criteria, as the tracker keeps texts.
func criteria(w providertest.World, all ...string) string {
	if w.Name() == provider.AzureDevOps {
		return "<p>Acceptance criteria:</p><ul><li>" + strings.Join(all, "</li><li>") + "</li></ul>"
	}
	return "Acceptance criteria:\n\n- " + strings.Join(all, "\n- ")
}

// item is a ticket as /-/items lists it.
type item struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Status   string   `json:"status"`
	Assignee string   `json:"assignee,omitempty"`
	Labels   []string `json:"labels,omitempty"`
	Comments []string `json:"comments,omitempty"`
}

func list(w http.ResponseWriter, world providertest.World) {
	all := []item{}
	for _, id := range world.IDs() {
		if s, ok := world.Look(id); ok {
			all = append(all, item{id, s.Title, s.Status, s.Assignee, s.Labels, world.Comments(id)})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all)
}

func edit(w http.ResponseWriter, r *http.Request, world providertest.World) {
	id, e := r.FormValue("id"), providertest.Edit{}
	if _, ok := world.Look(id); !ok {
		http.Error(w, "there is no such ticket", http.StatusNotFound)
		return
	}
	for name, field := range map[string]**string{"title": &e.Title, "status": &e.Status, "assignee": &e.Assignee} {
		if value := r.FormValue(name); value != "" {
			*field = &value
		}
	}
	world.Edit(id, e)
}
