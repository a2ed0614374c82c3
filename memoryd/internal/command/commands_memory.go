package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// bindType adds --type, which chooses between memories of one key.
func bindType(cmd *cobra.Command, into *string, what string) {
	cmd.Flags().StringVarP(into, "type", "t", "", what)
	completeTypes(cmd)
}

func completeTypes(cmd *cobra.Command) {
	cli.CompleteFlag(cmd, "type", cli.Words(memory.Types()...))
}

// completeKeys offers the keys of the current folder's project.
func completeKeys(env *cli.Env) cli.Completer {
	return cli.CompleteFirst(env, func(ctx context.Context, db *registry.DB, _ string) ([]string, error) {
		place, err := project.Locate("", env.Dir)
		if err != nil {
			return nil, err
		}
		store := memory.Store{DB: db}
		return store.Keys(ctx, place)
	})
}

// find returns the project of a command that changes or reads memories; a project without any is a NotFound fault.
func (w *where) find(ctx context.Context, st *stores.Stores) (p project.Project, err error) {
	place, err := w.place()
	if err != nil {
		return p, err
	}
	return registry.Read(ctx, st.DB, place.Find)
}

// openTarget opens the stores, and returns the memory of the project with a key.
func (w *where) openTarget(ctx context.Context, key, kind string) (st *stores.Stores, t memory.Target, err error) {
	if st, err = open(ctx, w.env); err != nil {
		return nil, t, err
	}
	p, err := w.find(ctx, st)
	return st, memory.Target{ProjectID: p.ID, Key: key, Type: kind, Agent: w.agent()}, err
}

// findOrNone is find for commands that accept a folder without memories: ok is then false.
func (w *where) findOrNone(ctx context.Context, st *stores.Stores) (p project.Project, ok bool, err error) {
	p, err = w.find(ctx, st)
	if w.Project == "" && fault.Is(err, fault.KindNotFound) {
		return p, false, nil
	}
	return p, err == nil, err
}
