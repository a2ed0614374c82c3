// Package stores puts a run's folder of memories, code and history together, for
// the command line and the MCP server alike. It decides nothing about verdicts.
package stores

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

// Port is where `citecheck serve` listens over HTTP unless told otherwise.
const Port = 3850

// History says what a run does with the registry.
type History int

// The ways to use the registry.
const (
	Kept   History = iota // used when there is one; nothing makes it
	Unused                // not even looked for
	Needed                // made when there is none
)

// Options say which memories and which code.
type Options struct {
	From    string // the current folder
	Dir     string // folder of memories; "" finds it
	Root    string // what citations are relative to; "" finds it
	NoFiles bool   // a folder without memories will do: those of the registry are asked for
	History History
}

// Open puts a service together. Close its Lib after use.
func Open(ctx context.Context, env *cli.Env, o Options) (*check.Service, error) {
	if o.From == "" {
		o.From = env.Dir
	}
	if o.Dir == "" {
		dir, err := configured(ctx, env, o.From)
		if err != nil {
			return nil, err
		}
		o.Dir = dir
	}
	lib, err := library.Open(library.Options{From: o.From, Dir: o.Dir, Root: o.Root})
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
	s := &check.Service{Lib: lib, From: o.From}
	if err := open(ctx, env, o.History, s); err != nil {
		lib.Close()
		return nil, err
	}
	return s, nil
}

// configured is the folder that citecheck.dir names, "" when nobody set it. It
// comes with a clone, perhaps, so that it cannot lead out of the project.
func configured(ctx context.Context, env *cli.Env, from string) (string, error) {
	cfg, err := env.ConfigAt(ctx, from)
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

func open(ctx context.Context, env *cli.Env, use History, s *check.Service) error {
	if use == Unused || use == Kept && !Exists(ctx, env) {
		return nil
	}
	db, err := env.Registry(ctx)
	if err != nil {
		if use == Kept && ctx.Err() == nil {
			env.Streams.Warn("history is not kept: %v", err)
			return nil
		}
		return err
	}
	s.History, err = history.Open(db, s.Lib.Root)
	return err
}

// Exists reports whether there is a registry.
func Exists(ctx context.Context, env *cli.Env) bool {
	cfg, err := env.Config(ctx)
	if err != nil {
		return true // the opening tells what is wrong
	}
	_, err = os.Stat(cfg.Database.Path)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// Folder makes a path that a person gave absolute; "" stays "".
func Folder(env *cli.Env, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	path, err := env.Path(given)
	return filepath.Clean(path), err
}
