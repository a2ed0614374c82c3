package wall

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
)

// Wanted is the configured sandbox. It is looked for on first use, because most commands run nothing in it. A nil Wanted means no
// sandbox. It is safe for concurrent use.
type Wanted struct {
	Settings Settings

	mu    sync.Mutex
	found *Wall
	done  bool
}

// Get returns the sandbox, nil for none; errors are those of Find. After an error it is looked for again.
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

// Name returns a name that distinguishes the sandbox from others, "" for none. It does not check that the sandbox is available.
func (w *Wanted) Name() string {
	if w == nil {
		return ""
	}
	if s, err := Parse(w.Settings.Sandbox); err == nil && s.Kind == None {
		return ""
	}
	return strings.Join(w.Settings.Sandbox, " ")
}

// Cache returns the folder used as the user's cache in the sandbox, by a name for those who share it; "" without a sandbox.
func (w *Wall) Cache(name string) string {
	if w == nil {
		return ""
	}
	return filepath.Join(w.set.Data, "cache", "walls", name)
}

// Setting returns the configuration of the sandbox, empty without one.
func (w *Wall) Setting() []string {
	if w == nil {
		return []string{}
	}
	return w.set.Sandbox
}
