package command

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/term"
)

// explainTask prints why an item is ready, or is not.
func explainTask(ctx context.Context, o *tasksOptions, store *task.Store) error {
	e, err := store.Explain(ctx, o.Explain, o.Agent)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, e, func(s *term.Streams) error {
		verdict := "is ready"
		if !e.Ready {
			verdict = "is not ready"
		}
		if err := s.Line(e.ID, verdict); err != nil {
			return err
		}
		for _, r := range e.Reasons {
			if err := s.Line("because", r.Sentence); err != nil {
				return err
			}
		}
		for _, note := range e.Notes {
			if err := s.Line("note", note); err != nil {
				return err
			}
		}
		return nil
	})
}
