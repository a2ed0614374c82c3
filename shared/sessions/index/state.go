package index

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/agit-suite/agit/shared/sessions"
)

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
