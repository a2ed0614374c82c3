// Package web is the page of `agit web`: a server on 127.0.0.1 with embedded files, a JSON document for each view, and a stream that
// announces changes. It holds no SQL and decides nothing: it shows the answers of agit/internal/view/overview, and makes changes
// through the functions of the commands. A Server is safe for concurrent use.
//
// guard.go refuses requests of other pages and users, stream.go announces changes, first.go writes the page without JavaScript,
// tables.go defines the columns of each list for the page and the scripts, api.go answers the scripts, actions.go makes changes, main.go is the program, and
// static holds the scripts and styles.
package web

import (
	"cmp"
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

// Options are the settings of a page.
type Options struct {
	Port    int    // on 127.0.0.1; 0 means any free port
	Project string // shown first; "" for all
	Actions bool   // the page may make changes
	Log     *slog.Logger
	// Listening is called with the URL that has the token in its fragment, and with a one-time URL that needs no token.
	Listening func(address, once string)
}

// Server serves the page.
type Server struct {
	model   Model
	options Options
	token   string
	peers   loopback.Owner
	hub     *hub
	trim    idle.Trimmer
	running context.Context // context of changes; it ends with the server
	acting  sync.WaitGroup  // changes in progress

	ping, writeLimit, linger time.Duration

	mu   sync.Mutex
	once string // opens the page without the token; "" after its use
}

// New returns a server, which does not listen yet.
func New(model Model, o Options) *Server {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
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

// Serve serves the page until ctx ends.
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
		cancel() // changes end in order while the server waits for them
	})
	cancel()
	watching.Wait()
	s.acting.Wait() // an interrupted landing cleans up first
	s.trim.Stop()
	return err
}
