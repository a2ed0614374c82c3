// Command faketracker serves a simulated tracker with some tickets, so that pmsync can be tried and tested without an account. It
// prints the environment variables that point pmsync to it, and runs until its standard input ends.
//
//	exec 9> >(faketracker linear > tracker.env)   # until file descriptor 9 is closed
//	. ./tracker.env
//
// Paths below /-/ simulate other people: GET /-/items lists the tickets, POST /-/edit?id=ID&title=…&status=… changes one.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakes"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// ages is a clock that goes back while the tracker is filled, so that its tickets have realistic, different ages.
type ages struct {
	transport.System
	back atomic.Int64 // nanoseconds
}

// Now implements transport.Clock.
func (a *ages) Now() time.Time { return a.System.Now().Add(-time.Duration(a.back.Load())) }

func main() {
	tickets := flag.Int("tickets", 5, "tickets that the tracker begins with")
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	flag.Parse()
	clock := &ages{}
	at := slices.IndexFunc(fakes.All, func(f fakes.Fake) bool { return string(f.Name) == strings.ReplaceAll(flag.Arg(0), "-", "_") })
	if at < 0 || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: faketracker [-tickets N] [-addr HOST:PORT] TRACKER, which is one of", provider.Names())
		os.Exit(2)
	}
	f := fakes.All[at]
	world := f.New(clock)
	fill(world, f.HTML, *tickets, func(i int) { clock.back.Store(int64(time.Duration(*tickets-i) * time.Minute)) })
	clock.back.Store(0)
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faketracker:", err)
		os.Exit(1)
	}
	url := "http://" + listener.Addr().String() + f.Path
	fmt.Printf("export AGIT_CFG_PROVIDER_NAME=%s\n", world.Name())
	for name, value := range f.Env {
		if value == fakes.Address {
			value = url
		}
		fmt.Printf("export AGIT_CFG_%s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	fmt.Printf("export FAKETRACKER_URL='http://%s'\n", listener.Addr())
	os.Stdout.Close()
	mux := http.NewServeMux()
	mux.Handle("/", world)
	mux.HandleFunc("GET /-/items", func(w http.ResponseWriter, _ *http.Request) { list(w, world) })
	mux.HandleFunc("POST /-/edit", func(w http.ResponseWriter, r *http.Request) { edit(w, r, world) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	_ = server.Serve(listener)
}

// fill creates the tickets of a small team and calls next before each.
func fill(w providertest.World, html bool, n int, next func(i int)) {
	next(0)
	first := w.Add(providertest.Spec{Title: "Log in with a password", Priority: 3,
		Body: criteria(html, "a person with the right password gets in", "a wrong password is refused without saying why")})
	if n > 1 {
		next(1)
		w.Add(providertest.Spec{Title: "Limit failed logins", Priority: 4, Blocks: []string{first}, Body: criteria(html, "after five failures the account waits a minute")})
	}
	for i := 2; i < n; i++ {
		next(i)
		w.Add(providertest.Spec{Title: fmt.Sprintf("Page %d of the handbook", i-1), Priority: 1 + i%3})
	}
}

// criteria returns a description with acceptance criteria in the tracker's text format.
func criteria(html bool, all ...string) string {
	if html {
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
	Parent   string   `json:"parent,omitempty"`
	Blocks   []string `json:"blocks,omitempty"`
}

func list(w http.ResponseWriter, world providertest.World) {
	all := []item{}
	for _, id := range world.IDs() {
		if s, ok := world.Look(id); ok {
			all = append(all, item{id, s.Title, s.Status, s.Assignee, s.Labels, world.Comments(id), s.Parent, s.Blocks})
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
