// Package stores opens citecheck's stores over one folder of memories, the code they cite and the registry, for the command line and the
// MCP server alike. It decides nothing about verdicts.
package stores

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

// Port is where `citecheck serve` listens over HTTP by default.
const Port = 3850

// History is how a run uses the registry.
type History int

// The ways to use the registry.
const (
	Kept   History = iota // used when it exists, never created
	Unused                // not even looked for
	Needed                // created when missing
)

// Options locate the memories and the code.
type Options struct {
	From    string // the current folder
	Dir     string // folder of memories; "" finds it
	Root    string // what citations are relative to; "" finds it
	NoFiles bool   // a project without a folder of memories is accepted, for those of the registry
	History History
	Begin   *library.First // without a folder of memories, one is created with this memory
}

// Stores are the stores for the memories of one folder.
type Stores struct {
	Library *library.Library // the folder of memories, and of the code they cite
	History *history.Store   // nil: history is not kept
	Checks  *check.Service
}

// Close closes the folder.
func (s *Stores) Close() error { return s.Library.Close() }

// Open opens the stores. Close them after use.
func Open(ctx context.Context, env *cli.Env, o Options) (*Stores, error) {
	o.From = cmp.Or(o.From, env.Dir)
	if o.Dir == "" {
		dir, err := configured(ctx, env, o.From)
		if err != nil {
			return nil, err
		}
		o.Dir = dir
	}
	lib, err := library.Open(library.Options{From: o.From, Dir: o.Dir, Root: o.Root})
	if o.Begin != nil && o.Dir == "" && (fault.Is(err, fault.KindNotFound) || err == nil && holdsNothing(lib)) {
		if err == nil {
			_ = lib.Close()
		}
		if err := library.Begin(o.From, *o.Begin); err != nil {
			return nil, err
		}
		lib, err = library.Open(library.Options{From: o.From, Root: o.Root})
	}
	if err != nil {
		if !o.NoFiles || o.Dir != "" || !fault.Is(err, fault.KindNotFound) {
			return nil, err
		}
		root := o.Root
		if root == "" {
			root = library.RootOf(o.From)
		}
		lib = library.Bare(root)
	}
	kept, err := openHistory(ctx, env, o.History, lib.Root)
	if err != nil {
		lib.Close()
		return nil, err
	}
	return &Stores{lib, kept, &check.Service{Lib: lib, History: kept, From: o.From}}, nil
}

// holdsNothing reports whether a folder of memories is empty.
func holdsNothing(lib *library.Library) bool {
	entries, err := lib.Entries()
	return err == nil && len(entries) == 0
}

// configured returns the folder of the setting citecheck.dir, "" when it is not set. The setting may come with a clone, so the folder must
// lie inside the project.
func configured(ctx context.Context, env *cli.Env, from string) (string, error) {
	cfg, err := env.ConfigNow(ctx, from)
	if err != nil || cfg.Citecheck.Dir == "" {
		return "", err
	}
	root := library.RootOf(from)
	if !filepath.IsLocal(cfg.Citecheck.Dir) {
		return "", fault.Validation("citecheck.dir", "%q leaves the project", cfg.Citecheck.Dir).WithHint("give a folder inside %q, or --dir", root)
	}
	dir := filepath.Join(root, cfg.Citecheck.Dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
			return "", fault.Validation("citecheck.dir", "%q leads out of the project", cfg.Citecheck.Dir).WithHint("give a folder inside %q, or --dir", root)
		}
	}
	return dir, nil
}

// openHistory opens the history of the citations below root, nil when none is kept.
func openHistory(ctx context.Context, env *cli.Env, use History, root string) (*history.Store, error) {
	if use == Unused || use == Kept && !Exists(ctx, env) {
		return nil, nil
	}
	db, err := env.Registry(ctx)
	if err != nil {
		if use == Kept && ctx.Err() == nil {
			env.Streams.Warn("history is not kept: %v", err)
			return nil, nil
		}
		return nil, err
	}
	return history.Open(db, root)
}

// Exists reports whether the registry exists.
func Exists(ctx context.Context, env *cli.Env) bool {
	cfg, err := env.Config(ctx)
	if err != nil {
		return true // opening it returns the error
	}
	exists, err := cfg.Database.Exists()
	return exists || err != nil
}

// Folder makes a path that a person gave absolute; "" stays "".
func Folder(env *cli.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	path, err := env.Path(given)
	return filepath.Clean(path), err
}

// MemoryFolders returns the folders in which clients keep memories of the repository at root, by client, without those that the user turned
// off.
func MemoryFolders(ctx context.Context, env *cli.Env, root string) map[string]string {
	const client = "claude-code"
	cfg, err := env.ConfigNow(ctx, root)
	if err != nil || slices.Contains(cfg.Sources.Off, client) || slices.Contains(cfg.Sources.Off, "memories") {
		return nil
	}
	config := cmp.Or(env.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(env.UserHome, ".claude"))
	return map[string]string{client: instruct.MemoryFolder(config, instruct.MainFolder(root))}
}
