package wall

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
)

// Wanted is the wall of a configuration, which is looked for once it is needed: most commands run nothing. A nil one is no wall. It is safe
// for concurrent use.
type Wanted struct {
	Settings Settings

	mu    sync.Mutex
	found *Wall
	done  bool
}

// Get returns the wall, nil for none; the error is that of Find. One that was not found is looked for again.
func (w *Wanted) Get(ctx context.Context) (*Wall, error) {
	if w == nil {
		return nil, nil //nolint:nilnil // no wall is wanted
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return w.found, nil
	}
	found, err := Find(ctx, w.Settings)
	if err == nil {
		w.found, w.done = found, true
	}
	return found, err
}

// Name is what tells the wall from others, "" for none. It does not look whether it can be had.
func (w *Wanted) Name() string {
	if w == nil {
		return ""
	}
	if s, err := Parse(w.Settings.Sandbox); err == nil && s.Kind == None {
		return ""
	}
	return strings.Join(w.Settings.Sandbox, " ")
}

// Cache is the folder that stands for the user's cache behind the wall, by a name for those who share it; "" without a wall.
func (w *Wall) Cache(name string) string {
	if w == nil {
		return ""
	}
	return filepath.Join(w.set.Data, "cache", "walls", name)
}

// Setting is the configuration that made the wall, empty without one.
func (w *Wall) Setting() []string {
	if w == nil {
		return []string{}
	}
	return w.set.Sandbox
}
