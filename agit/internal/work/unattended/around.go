package unattended

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// neighbour is another worktree of the repository.
type neighbour struct {
	path, branch string
	atWork       bool // someone worked there during the run
}

// neighbours returns the other worktrees with a folder. since is when the run began.
func (t *on) neighbours(ctx context.Context, since string) ([]neighbour, error) {
	return registry.Read(ctx, t.DB, func(tx *registry.Tx) ([]neighbour, error) {
		return registry.Collect(tx, func(row registry.Scanner) (n neighbour, err error) {
			return n, row.Scan(&n.path, &n.branch, &n.atWork)
		}, `SELECT p.path, p.branch,
			CASE WHEN EXISTS (SELECT 1 FROM attempts a WHERE a.worktree_id = p.id AND (a.ended_at IS NULL OR a.ended_at >= ?))
			  OR EXISTS (SELECT 1 FROM agents g WHERE g.id = p.agent_id AND g.last_seen_at >= ?) THEN 1 ELSE 0 END
			FROM worktree_places p JOIN worktrees w ON w.id = p.id WHERE w.repo_id = ? AND p.id <> ? AND p.host = ?`,
			since, since, t.w.RepoID, t.w.ID, registry.Host())
	})
}

// taken returns the branches of worktrees that landed or were removed, and of those that something is being done with. agit deletes these
// branches, and may delete during the run that of a worktree which landed just before it, or whose beginning was cut off.
func (t *on) taken(ctx context.Context) ([]string, error) {
	return registry.Read(ctx, t.DB, func(tx *registry.Tx) ([]string, error) {
		return registry.Collect(tx, registry.One[string], `SELECT branch FROM worktrees WHERE repo_id = ? AND (finished_at IS NOT NULL OR intent <> '' OR status IN (?, ?))`,
			t.w.RepoID, worktree.Creating, worktree.Removing)
	})
}

// surroundings are what a run could change outside its worktree, as it was before.
type surroundings struct {
	worker.Around
	taken []string // branches that agit deletes, of rows that may be gone after the run
}

// lookBefore reads the surroundings. The branches that agit deletes are read on both sides, since another agit goes on meanwhile.
func (t *on) lookBefore(ctx context.Context, g *git.Repo) (s surroundings, err error) {
	before, err := t.taken(ctx)
	if err != nil {
		return s, err
	}
	if s.Around, err = t.lookAround(ctx, g); err != nil {
		return s, err
	}
	after, err := t.taken(ctx)
	s.taken = append(before, after...)
	return s, err
}

// lookAround reads what the run could change outside its worktree.
func (t *on) lookAround(ctx context.Context, g *git.Repo) (worker.Around, error) {
	list, err := t.neighbours(ctx, "")
	if err != nil {
		return worker.Around{}, err
	}
	return worker.LookAround(ctx, g, t.w.Path, text.Each(list, func(n neighbour) string { return n.path }))
}

// trespass returns what the run changed outside its worktree; head is the worktree's commit before, tip the one after.
func (t *on) trespass(ctx context.Context, g *git.Repo, before surroundings, since, head, tip string) (worker.Trespass, error) {
	now, err := t.lookAround(ctx, g)
	if err != nil {
		return worker.Trespass{}, err
	}
	list, err := t.neighbours(ctx, since)
	if err != nil {
		return worker.Trespass{}, err
	}
	taken, err := t.taken(ctx)
	if err != nil {
		return worker.Trespass{}, err
	}
	own := ownCommits(ctx, g, head, tip)
	has := func(commit string) bool { return hasAny(ctx, g, own, commit) }
	settled := func(name, from, to string) bool {
		return movedByAgit(ctx, g, name, from) || !has(to) && atRemote(ctx, g, to)
	}
	return now.Since(before.Around, t.w.Branch, excused(list, append(taken, before.taken...)), settled, has), nil
}

// excused returns the branches and folders that others may change: those of worktrees where someone worked during the run, and the branches
// that agit deletes.
func excused(list []neighbour, taken []string) map[string]bool {
	may := map[string]bool{}
	for _, n := range list {
		if n.atWork {
			may[n.branch], may[n.path] = true, true
		}
	}
	for _, branch := range taken {
		may[branch] = true
	}
	return may
}

// mostOwn bounds how many of a run's commits are looked for elsewhere.
const mostOwn = "200"

// ownCommits returns the commits that a run made on its branch.
func ownCommits(ctx context.Context, g *git.Repo, head, tip string) []string {
	if head == tip || head == "" || tip == "" {
		return nil
	}
	out, err := g.Run(ctx, "rev-list", "--first-parent", "--no-merges", "--max-count="+mostOwn, tip, "^"+head, "--")
	if err != nil {
		return nil
	}
	return strings.Fields(out)
}

func hasAny(ctx context.Context, g *git.Repo, own []string, commit string) bool {
	if len(own) == 0 {
		return false
	}
	oldest := own[len(own)-1]
	_, err := g.Run(ctx, "merge-base", "--is-ancestor", oldest, commit)
	return err == nil
}

// movedByAgit reports whether a branch was moved only by landings and updates since it was at the commit from.
func movedByAgit(ctx context.Context, g *git.Repo, name, from string) bool {
	out, err := g.Output(ctx, git.Options{}, "log", "--walk-reflogs", "--format=%H %gs", "refs/heads/"+name, "--")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(out)) {
		oid, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if oid == from {
			return true
		}
		if !strings.HasPrefix(what, "agit merge ") && !strings.HasPrefix(what, "agit update") {
			return false
		}
	}
	return false
}

// atRemote reports whether a remote has a commit, so that the branch was only brought up to it.
func atRemote(ctx context.Context, g *git.Repo, commit string) bool {
	out, err := g.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "--contains", commit, "refs/remotes")
	return err == nil && out != ""
}

// landMode returns how to finish the work of a run: a person looks at it when there is a doubt.
func (t *on) landMode(r result) string {
	if r.doubt != "" || t.number > 0 { // and a person chooses one of several tries
		return worktree.LandReview
	}
	return t.crew.o.Land
}
