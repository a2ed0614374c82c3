package forge

import (
	"context"
	"fmt"
	"strconv"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// source is where the commits of a pull request come from.
type source struct {
	Title   string
	Branch  string // its name in the repository that has it
	Foreign bool   // the repository is not the remote, but a stranger's fork
	Ref     string // what the repository that it is for keeps of it; "" where the forge has none
}

// Brought is a pull request whose commits were fetched.
type Brought struct {
	PullRequest
	Title   string
	Foreign bool // its branch is in another repository than the remote
	// Remote is the branch that the fetch wrote, as origin/login; a worktree made from it has Branch.
	Remote string
	// There is the worktree that has the branch already; its Ref is "" when no worktree has.
	There worktree.Worktree
}

// Bring reads an open pull request from a repository's forge and fetches its commits: into the remote's branch, or into REMOTE/pr/NUMBER
// where the branch is in another repository. It changes nothing else. A merged or closed pull request is a Conflict fault.
func (s *Store) Bring(ctx context.Context, repoName string, number int64) (b Brought, err error) {
	if number < 1 {
		return b, fault.Validation("pr", "the number of a pull request is at least 1").WithHint("give it as the forge shows it: --pr 12")
	}
	r, g, from, err := s.at(ctx, repoName)
	if err != nil {
		return b, err
	}
	kind, err := kindOf(from.Host, s.Kind)
	if err != nil {
		return b, err
	}
	said, of, err := s.programOf(kind, from, r.Path).source(ctx, number)
	if err != nil {
		return b, err
	}
	said.Repo, said.Branch, said.Forge = r.Name, of.Branch, kind
	b = Brought{PullRequest: said, Title: text.Visible(of.Title, maxTitle), Foreign: of.Foreign}
	if said.State != Open {
		return b, fault.Conflict("pull request", strconv.FormatInt(number, 10), "pull request #%d is %s", number, said.State).
			WithHint("`agit spawn %s --branch NAME` goes on with a branch that exists", text.ShellWord(r.Name))
	}
	spec, remoteName := "refs/heads/"+of.Branch, from.Name
	if of.Foreign {
		if spec, b.Branch = of.Ref, fmt.Sprintf("pr/%d", number); spec == "" {
			return b, fault.Validation("pr", "pull request #%d is from a fork, whose commits %s does not provide", number, from.Host).
				WithHint("`git remote add NAME URL` for the fork, `git fetch NAME`, then `agit spawn --branch NAME/%s`", text.ShellWord(of.Branch))
		}
		if from.Into != from.Host+"/"+from.Path {
			remoteName = upstream
		}
	}
	if !git.ValidBranch(b.Branch) {
		return b, fault.Provider(nil, "the branch of pull request #%d has a name that git does not allow", number)
	}
	trees, err := s.Trees.List(ctx, r.UID, false)
	if err != nil {
		return b, err
	}
	for _, w := range trees {
		if w.Branch == b.Branch {
			b.There = w
		}
	}
	if b.There.Ref != "" {
		return b, nil
	}
	b.Remote = remoteName + "/" + b.Branch
	if _, err := g.Run(ctx, "fetch", "--quiet", "--no-tags", "--", remoteName, "+"+spec+":refs/remotes/"+b.Remote); err != nil {
		return b, fault.Provider(err, "fetch pull request #%d from %s", number, remoteName).WithHint("try again when the remote can be reached")
	}
	return b, nil
}

// Follows notes that a worktree belongs to a pull request that was brought, so that `agit pr` follows it.
func (s *Store) Follows(ctx context.Context, w worktree.Worktree, b Brought) error {
	_, err := s.keep(ctx, w, b.PullRequest, nil)
	return err
}

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
