package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/sessions"
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
