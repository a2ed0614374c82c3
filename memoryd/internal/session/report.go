package session

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// report sends pmsync the results of a session for its ticket: verified and failed criteria, and a status. When pmsync refuses one, that is
// a warning: the session ends all the same. place is the project's folder.
func (s *Store) report(ctx context.Context, x Session, in End, place string) (warnings []string) {
	tell := func(what string, args ...string) {
		where := []string{"--project=" + x.Project}
		if x.Agent != "" {
			where = append(where, "--agent="+x.Agent)
		}
		err := s.runSibling(ctx, sibling.Call{Program: "pmsync", Args: append(append(args[:2:2], where...), args[2:]...), Dir: place})
		if f := fault.From(err); f != nil {
			warnings = append(warnings, fmt.Sprintf("%s was not stored: %s", what, brief(f.Error(), 300)))
		}
	}
	for status, list := range map[string][]string{"verified": in.Verified, "failed": in.Failed} {
		for _, id := range list {
			tell("criterion "+id, "ac", "verify", "--session="+x.ID, "--", id, status)
		}
	}
	if in.Status != "" && x.Item == "" {
		return append(warnings, fmt.Sprintf("status %q was not stored: the session worked on no ticket", in.Status))
	}
	if in.Status != "" {
		tell("status "+in.Status, "ticket", "status", "--", x.Item, in.Status)
	}
	return warnings
}

// runSibling runs a program of the suite and discards its answer.
func (s *Store) runSibling(ctx context.Context, c sibling.Call) error {
	if s.Run == nil {
		return fault.Operation(nil, "%s cannot be run from here", c.Program)
	}
	return s.Run(ctx, c, nil)
}
