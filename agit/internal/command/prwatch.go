package command

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/pull"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/term"
)

// watchPRs follows the pull requests of a repository's finished work until it is interrupted, or once.
func watchPRs(ctx context.Context, o *prOptions, s *stores.Stores, by string) error {
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	options := pull.Options{Repo: r, By: by, Attempts: s.Config.Work.Attempts}
	for pause := s.Pulls.Interval; ; {
		events, limited, err := s.Pulls.Follow(ctx, options)
		for _, e := range events {
			if printed := printPull(ctx, o, e); printed != nil {
				return printed
			}
		}
		if err != nil || o.Once {
			return err
		}
		pause = s.Pulls.Pause(pause, limited)
		options.Lately = true
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// printPull prints what happened to a pull request: a line, or a document for programs.
func printPull(ctx context.Context, o *prOptions, e pull.Event) error {
	return o.env.Printer().Document(ctx, e, func(st *term.Streams) error {
		return st.Line(e.Pull.Name, e.What, e.Pull.Stands(), e.Why)
	})
}
