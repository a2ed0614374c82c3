// Package web is the web page that `agit web` shows: a server on 127.0.0.1 with the
// page's files inside it, a JSON document for each view, and a stream that says when to
// ask again. It holds no SQL and decides nothing: it shows what agit/internal/view/overview
// answers, and what it changes goes through the functions that the commands call.
//
// Where to look: guard.go refuses what another web page or user could send, stream.go
// tells open pages of changes, first.go writes the page that is readable without
// JavaScript, tables.go says what each list shows, there and in the scripts, api.go answers the scripts, actions.go changes things, and static holds
// the scripts and styles. A Server is safe for concurrent use.
package web

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/idle"
	"github.com/agit-suite/agit/shared/loopback"
)

// Options say what a page shows, and where.
type Options struct {
	Port    int    // on 127.0.0.1; 0 takes any free one
	Project string // shown first; "" for all
	Actions bool   // it may change things
	Log     *slog.Logger
	// Listening is told the address with the token in its fragment, and one that can be
	// opened once and needs none.
	Listening func(address, once string)
}

// Server is one run of the page.
type Server struct {
	model   Model
	options Options
	token   string
	peers   loopback.Owner
	hub     *hub
	trim    idle.Trimmer
	running context.Context // of what changes something; it ends with the server
	acting  sync.WaitGroup  // what changes something now

	ping, writeLimit, linger time.Duration

	mu   sync.Mutex
	once string // opens the page without the token; "" when it was used
}

// New makes a server. Nothing is served yet.
func New(model Model, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{
		model: model, options: o, token: rand.Text(), once: rand.Text(), peers: loopback.Peers(), hub: newHub(), running: context.Background(),
		trim: idle.Trimmer{Quiet: model.Rest}, ping: ping, writeLimit: writeLimit, linger: linger,
	}
}

// Handler answers all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /static/", asset)
	mux.HandleFunc("GET /{$}", s.first)
	mux.HandleFunc("GET /{view}", s.first)
	mux.HandleFunc("GET /once/{secret}", s.openOnce)
	mux.HandleFunc("GET /api/events", s.withToken(s.events))
	mux.HandleFunc("GET /api/{view}", s.withToken(s.answer))
	mux.HandleFunc("POST /api/action", s.withToken(s.act))
	return guard(mux)
}

// Serve shows the page until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	idle.Tune()
	ln, err := loopback.Listen(ctx, s.options.Port)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.running = running
	srv := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 32 << 10, BaseContext: func(net.Listener) context.Context { return running }, ConnContext: s.peers.ConnContext,
		ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
	}
	if s.options.Listening != nil {
		base := "http://" + ln.Addr().String() + "/"
		s.options.Listening(base+"#t="+s.token, base+"once/"+s.once)
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		s.hub.whileWatched(running, s.linger, s.model.Run)
	})
	err = loopback.Run(ctx, srv, ln, func() {
		s.hub.close()
		cancel() // what changes something ends in order, while the server waits for it
	})
	cancel()
	watching.Wait()
	s.acting.Wait() // a landing that was cut off puts things in order first
	s.trim.Stop()
	return err
}
