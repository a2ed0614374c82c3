package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Kept holds the index's path, and what it is made of.
type Kept struct {
	Path string
	Options
}

// For returns the index in the suite's folder agitHome, of the user whose folder is userHome. off are the names of clients and kinds that
// the configuration turns off (sources.off).
func For(agitHome, userHome string, getenv func(string) string, off []string) Kept {
	k := Kept{Path: filepath.Join(agitHome, FileName)}
	k.Home = sessions.Home{Dir: userHome, Getenv: getenv}
	k.Off = off
	if slices.Contains(off, SessionsKind) {
		for _, r := range sessions.Readers() {
			k.Off = append(k.Off, r.Client())
		}
	}
	return k
}

// SessionsKind is the kind by which sources.off turns all clients' sessions off.
const SessionsKind = sessions.AllClients

// Open opens the index and reads what is new, until ctx ends it or all is read.
func (k Kept) Open(ctx context.Context) (*Index, error) {
	return k.OpenWithin(ctx, 0)
}

// OpenWithin is Open, but reads for at most wait; 0 means until all is read. The next call reads the rest.
func (k Kept) OpenWithin(ctx context.Context, wait time.Duration) (*Index, error) {
	x, err := Open(ctx, k.Path)
	if err != nil {
		return nil, err
	}
	if wait != 0 {
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		ctx = limited
	}
	if err := x.Update(ctx, k.Options); err != nil && ctx.Err() == nil {
		_ = x.Close()
		return nil, err
	}
	return x, nil
}

// Nothing reports whether there is neither an index nor a client's file to make one of.
func (k Kept) Nothing() bool {
	if _, err := os.Stat(k.Path); err == nil {
		return false
	}
	for _, r := range sessions.Readers() {
		if !slices.Contains(k.Off, r.Client()) && len(r.Find(k.Home, func(string, error) {})) > 0 {
			return false
		}
	}
	return true
}

// State is how well the sessions of one client are read.
type State struct {
	Client  string
	Off     bool // by the configuration
	Files   int
	Bytes   int64
	Passed  int      // rows of unknown format among those that were read
	Trouble []string // files and folders that could not be read
}

// States returns the state of each client that has files here, or is turned off. It reads no sessions, and makes no index.
func (k Kept) States(ctx context.Context) (all []State, err error) {
	if k.Path == "" {
		return nil, nil
	}
	passed, trouble := map[string]int{}, map[string][]string{}
	if _, err := os.Stat(k.Path); err == nil {
		x, err := Open(ctx, k.Path)
		if err != nil {
			return nil, err
		}
		err = x.file.Each(ctx, func(scan func(...any) error) error {
			var client, path, problem string
			var rows int
			err := scan(&client, &path, &rows, &problem)
			passed[client] += rows
			if problem != "" {
				trouble[client] = append(trouble[client], path)
			}
			return err
		}, `SELECT client, path, passed, problem FROM files WHERE passed > 0 OR problem <> '' ORDER BY path`)
		if err = errors.Join(err, x.Close()); err != nil {
			return nil, err
		}
	}
	for _, r := range sessions.Readers() {
		s := State{Client: r.Client(), Off: slices.Contains(k.Off, r.Client()), Passed: passed[r.Client()], Trouble: trouble[r.Client()]}
		if !s.Off {
			for _, src := range r.Find(k.Home, func(path string, _ error) { s.Trouble = append(s.Trouble, path) }) {
				s.Files++
				s.Bytes += src.Size
			}
		}
		if s.Off || s.Files > 0 || len(s.Trouble) > 0 {
			all = append(all, s)
		}
	}
	return all, nil
}

// Count is how many sessions a client has in some projects; a lineage counts once.
type Count struct {
	Client   string         `json:"client"`
	Sessions int            `json:"sessions"`
	Last     timestamp.Time `json:"last_at"`
}

// Clients counts the sessions of each client in the projects since a time, the largest count first.
func (x *Index) Clients(ctx context.Context, projects []string, since time.Time) (all []Count, err error) {
	in, args := registry.In(projects)
	err = x.file.Each(ctx, func(scan func(...any) error) error {
		var c Count
		var at int64
		err := scan(&c.Client, &c.Sessions, &at)
		c.Last = timestamp.Of(time.UnixMilli(at))
		all = append(all, c)
		return err
	}, `SELECT s.client, count(DISTINCT s.lineage) AS n, max(e.at) FROM entries e JOIN transcripts s ON s.id = e.session
		JOIN places p ON p.id = e.place WHERE p.project IN (`+in+`) AND e.at >= ? GROUP BY s.client ORDER BY n DESC, s.client`, append(args, since.UnixMilli())...)
	return all, err
}
