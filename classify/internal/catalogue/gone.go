package catalogue

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// List returns the profiles that a filter selects, without those whose folder no longer exists on this machine. left is how many of those it
// passed over before the limit was reached.
func (c *Catalogue) List(ctx context.Context, f profile.Filter) (all []profile.Entry, left int, err error) {
	return lasting(ctx, c, f.Limit, func(limit int) ([]profile.Entry, error) {
		f.Limit = limit
		return c.Profiles.List(ctx, f)
	}, func(e profile.Entry) (string, string) { return e.Project, e.Path })
}

// lasting returns the first found items, at most limit (all when 0), whose folders may still exist, and how many it left out among them.
func lasting[T any](ctx context.Context, c *Catalogue, limit int, find func(limit int) ([]T, error), of func(T) (uid, path string)) (kept []T, left int, err error) {
	for ask := limit; ; ask = limit + left {
		all, err := find(ask)
		if err != nil {
			return nil, 0, err
		}
		kept = slices.DeleteFunc(slices.Clone(all), func(item T) bool {
			uid, path := of(item)
			return c.gone(ctx, uid, path)
		})
		left = len(all) - len(kept)
		if limit == 0 || len(kept) >= limit || len(all) < ask {
			return kept, left, nil
		}
	}
}

// gone reports whether the folder of a profile was on this machine and no longer exists. A folder of another machine is never gone.
func (c *Catalogue) gone(ctx context.Context, uid, path string) bool {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	was := false
	err := c.DB.Read(ctx, func(tx *registry.Tx) error {
		folders, err := project.FoldersOf(tx, `(SELECT id FROM projects WHERE uid = ?)`, uid)
		was = slices.ContainsFunc(folders, func(folder string) bool {
			return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
		})
		return err
	})
	return err == nil && was
}
