package forge

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/fault"
)

// Spawn makes a worktree that continues on the branch of an open pull request, given by the forge's number. A worktree that has the branch
// already is returned instead. notice receives the pull request's title, and where commits would not reach it.
func (s *Store) Spawn(ctx context.Context, spawns *spawn.Store, r spawn.Request, number int64, notice func(string)) (w worktree.Worktree, err error) {
	if r.Branch != "" {
		return w, fault.Validation("branch", "a branch and a pull request were both given").WithHint("leave out one of them: a pull request has its own branch")
	}
	pull, err := s.Bring(ctx, r.Repo, number)
	if err != nil {
		return w, err
	}
	if w = pull.There; w.Ref != "" {
		w.Reused, w.Note = true, fmt.Sprintf("pull request #%d has this worktree already; none was made", number)
		return w, nil
	}
	notice(fmt.Sprintf("pull request #%d: %s", number, pull.Title))
	r.Branch = pull.Remote
	if pull.Foreign {
		notice("its branch is in another repository: `agit pr` would open another pull request for the commits made here")
	}
	if w, err = spawns.Spawn(ctx, r); err == nil && !pull.Foreign {
		err = s.Follows(ctx, w, pull)
	}
	return w, err
}
