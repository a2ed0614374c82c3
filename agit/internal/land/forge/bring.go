package forge

import (
	"context"
	"fmt"
	"strconv"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
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

	said answer
	kind Kind
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
	b = Brought{Title: text.Visible(of.Title, maxTitle), Foreign: of.Foreign, said: said, kind: kind, PullRequest: PullRequest{Repo: r.Name, Branch: of.Branch,
		Forge: kind, Number: said.Number, URL: said.URL, Target: said.Target, State: said.State, Draft: said.Draft}}
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
	if b.There, err = s.holder(ctx, r.ID, b.Branch); err != nil || b.There.Ref != "" {
		return b, err
	}
	b.Remote = remoteName + "/" + b.Branch
	if _, err := g.Run(ctx, "fetch", "--quiet", "--no-tags", "--", remoteName, "+"+spec+":refs/remotes/"+b.Remote); err != nil {
		return b, fault.Provider(err, "fetch pull request #%d from %s", number, remoteName).WithHint("try again when the remote can be reached")
	}
	return b, nil
}

// holder returns the worktree of a repository that has a branch; the zero one when no worktree has.
func (s *Store) holder(ctx context.Context, repoID int64, branch string) (found worktree.Worktree, err error) {
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := worktree.List(tx, worktree.Filter{RepoID: repoID})
		for _, w := range all {
			if w.Branch == branch {
				found = w
			}
		}
		return err
	})
	return found, err
}

// Follows notes that a worktree belongs to a pull request that was brought, so that `agit pr` follows it.
func (s *Store) Follows(ctx context.Context, w worktree.Worktree, b Brought) error {
	_, err := s.keep(ctx, w, b.kind, b.said, nil)
	return err
}
