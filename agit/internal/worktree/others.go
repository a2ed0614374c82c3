package worktree

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Join returns the rows of a repository's worktrees, which must be all that have a folder, followed by the working trees that have no row:
// those that others made, and the main checkout. Their Ref is git's name of them. Rows whose folder others made get the marks of git's
// entry, and those that git moved its path. Join only reads files, and fails where git's list of worktrees cannot be read.
func Join(ctx context.Context, g *git.Repo, r repo.Repo, rows []Worktree) ([]Worktree, error) {
	trees, err := seen.All(ctx, g)
	if err != nil {
		return rows, err
	}
	at := make(map[string]int, len(rows))
	for i, w := range rows {
		at[filepath.Clean(w.Path)] = i
	}
	joined := slices.Clip(rows)
	for _, t := range trees {
		i, known := at[t.Path]
		if !known && !t.Prunable {
			i = slices.IndexFunc(rows, func(w Worktree) bool { return checkout.SameFolder(w.Path, t.Path) }) // under another path
			known = i >= 0
		}
		if !known && t.Branch != "" { // agit's own, moved by hand
			i = slices.IndexFunc(rows, func(w Worktree) bool { return w.Branch == t.Branch && checkout.Gone(w.Path) })
			known = i >= 0
		}
		switch {
		case !known:
			joined = append(joined, Worktree{Ref: t.Name, Listed: t.Name, RepoID: r.ID, ProjectID: r.ProjectID, Repo: r.Name, Path: t.Path, Branch: t.Branch,
				Head: t.Head, Status: Active, Maker: t.Maker, Marks: t.Marks})
		case !t.Prunable && t.MovedFrom == "" && rows[i].intent.op == "" && checkout.MadeFor(g, t.Name, rows[i].Path, rows[i].Ref) && t.Path != rows[i].Path && checkout.Gone(rows[i].Path): // by `git worktree move`
			joined[i].Path, joined[i].moved = t.Path, true
		case rows[i].Foreign() && rows[i].Path == t.Path:
			joined[i].Marks = t.Marks
		}
	}
	return joined, nil
}

// WithOthers is List for one repository of this machine or, for "", all of them. It adds the working trees that others made, as Join does,
// except the main checkout while it is on the default branch. It leaves out those of a repository that cannot be read.
func (s *Store) WithOthers(ctx context.Context, repoName string) (list []Worktree, err error) {
	rows, err := s.List(ctx, repoName, false)
	if err != nil {
		return nil, err
	}
	repos, err := s.Repos(ctx, repoName)
	if err != nil {
		return nil, err
	}
	list = rows
	for _, r := range repos {
		own := slices.DeleteFunc(slices.Clone(rows), func(w Worktree) bool { return w.RepoID != r.ID })
		home := s.Settings(r).DefaultBranch
		list = append(list, slices.DeleteFunc(others(ctx, r, own), func(w Worktree) bool { return w.Marks.Main && w.Branch == home })...)
	}
	return list, nil
}

// others returns the working trees of a repository that have no row; none where git cannot list them.
func others(ctx context.Context, r repo.Repo, rows []Worktree) []Worktree {
	return joined(ctx, r, rows)[len(rows):]
}

// joined is Join; the rows alone where git cannot list the working trees.
func joined(ctx context.Context, r repo.Repo, rows []Worktree) []Worktree {
	g, err := r.Open()
	if err != nil {
		return rows
	}
	all, err := Join(ctx, g, r, slices.Clone(rows))
	if err != nil {
		return rows
	}
	return all
}

// othersIn is others with the rows read in a transaction.
func othersIn(tx *registry.Tx, r repo.Repo) ([]Worktree, error) {
	rows, err := List(tx, Filter{RepoID: r.ID})
	if err != nil {
		return nil, err
	}
	return others(tx.Context(), r, rows), nil
}

// otherAt takes a name written as a path, and returns the working tree that the path lies in where that has no row, or the row has another
// place. It returns the zero one elsewhere. Of nested worktrees it takes the inner one.
func (n naming) otherAt(tx *registry.Tx) (Worktree, error) {
	at := n.ref
	if at != "." && at != ".." && !strings.ContainsAny(at, `/`+string(filepath.Separator)) || n.trash {
		return Worktree{}, nil
	}
	if !filepath.IsAbs(at) {
		if n.dir == "" {
			return Worktree{}, nil
		}
		at = filepath.Join(n.dir, at)
	}
	r, tree, err := repo.Around(tx, at)
	if err != nil || tree.WorkTree == "" || n.repoID != 0 && n.repoID != r.ID {
		return Worktree{}, nil //nolint:nilerr // it is a branch or an agent, if anything
	}
	rows, err := List(tx, Filter{RepoID: r.ID})
	if err != nil {
		return Worktree{}, err
	}
	all := joined(tx.Context(), r, rows)
	for i := range rows {
		all[i] = all[i].placed(tx.Context(), tree, tree.WorkTree)
	}
	i := slices.IndexFunc(all, func(w Worktree) bool { return (w.moved || !w.Row()) && checkout.SameFolder(w.Path, tree.WorkTree) })
	if i < 0 {
		return Worktree{}, nil
	}
	return all[i], nil
}

// otherNamed finds the working trees without a row that a name means: by git's name of it, its branch, its folder, the agent at work in it,
// or its maker. It looks in the repository named, else in that of the current folder, else in all of this machine.
func (n naming) otherNamed(tx *registry.Tx) (found []Worktree, names []string, err error) {
	if n.trash {
		return nil, nil, nil
	}
	repos, err := n.where(tx)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range repos {
		all, err := othersIn(tx, r)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range all {
			if !w.Marks.Main {
				names = append(names, w.Ref)
			}
		}
		if found, err = n.amongOthers(tx, r, all); err != nil || len(found) > 0 {
			return found, names, err
		}
	}
	return nil, names, nil
}

// where returns the repositories of this machine to look in, the nearest first.
func (n naming) where(tx *registry.Tx) ([]repo.Repo, error) {
	if n.repoID != 0 {
		r, err := repo.ByID(tx, n.repoID)
		return []repo.Repo{r}, err
	}
	all, err := repo.All(tx)
	all = slices.DeleteFunc(all, func(r repo.Repo) bool { return r.Machine != "" })
	if n.dir == "" || err != nil {
		return all, err
	}
	here, err := repo.AtFolder(tx, n.dir)
	if err != nil {
		return all, nil //nolint:nilerr // the folder is in no repository
	}
	return append([]repo.Repo{here}, slices.DeleteFunc(all, func(r repo.Repo) bool { return r.ID == here.ID })...), nil
}

// amongOthers returns those that the name means. It tries the ways to name one in order, and stops at the first that finds any.
func (n naming) amongOthers(tx *registry.Tx, r repo.Repo, all []Worktree) ([]Worktree, error) {
	if len(all) == 0 {
		return nil, nil
	}
	agents, err := AgentsAt(tx, r.ID)
	if err != nil {
		return nil, err
	}
	key := text.Key(n.ref)
	words := strings.TrimSuffix(key, "-") + "-"
	for _, fits := range []func(Worktree) bool{
		func(w Worktree) bool { return text.Key(w.Ref) == key },
		func(w Worktree) bool { return w.Branch != "" && (w.Branch == n.ref || "refs/heads/"+w.Branch == n.ref) },
		func(w Worktree) bool { return text.Key(filepath.Base(w.Path)) == key },
		func(w Worktree) bool {
			return slices.ContainsFunc(agents[w.Path], func(name string) bool { return text.Key(name) == key })
		},
		func(w Worktree) bool { return !w.Marks.Main && text.Key(string(w.Maker)) == key },
		func(w Worktree) bool { return len(key) >= shortest && strings.HasPrefix(text.Key(w.Ref), words) },
	} {
		if found := slices.DeleteFunc(slices.Clone(all), func(w Worktree) bool { return !fits(w) }); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// AgentsAt returns the names of the agents whose clients are at work in the working trees of a repository, by the trees' paths.
func AgentsAt(tx *registry.Tx, repoID int64) (map[string][]string, error) {
	at := map[string][]string{}
	return at, registry.Each(tx, func(row registry.Scanner) error {
		var folder, name string
		err := row.Scan(&folder, &name)
		at[folder] = append(at[folder], name)
		return err
	}, `SELECT folder, agent FROM session_places WHERE repo_id = ? AND host = ? ORDER BY said_at DESC`, repoID, registry.Host())
}

// AgentIn names the agent at work in a worktree: its own agent, else the one whose client is in it, else its maker with the name of the
// worktree, as "claude-code-fix"; "" for a worktree made with git that no client is in.
func (s *Store) AgentIn(ctx context.Context, repoName, ref string) (string, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (string, error) {
		r, w, err := s.Find(tx, repoName, ref, false)
		if err != nil || w.Agent != "" {
			return w.Agent, err
		}
		at, err := AgentsAt(tx, r.ID)
		switch {
		case err == nil && len(at[w.Path]) > 0:
			return at[w.Path][0], nil
		case err == nil && w.Maker != "" && w.Maker != seen.Git:
			return string(w.Maker) + "-" + cmp.Or(w.Listed, filepath.Base(w.Path)), nil
		}
		return "", err
	})
}

// register writes a row for a working tree that others made, so that operations can work on it.
func (s *Store) register(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (made Worktree, err error) {
	switch {
	case w.Marks.Main:
		return w, fault.Conflict("worktree", w.Ref, "%q is the main checkout of repository %q, which agit neither lands nor removes", w.Path, r.Name).
			WithHint("commit and merge there with git; `agit spawn %s` makes a worktree for other work", text.ShellWord(r.Name))
	case w.Marks.Prunable:
		return w, fault.Conflict("worktree", w.Ref, "the folder of worktree %q is gone from %q", w.Ref, w.Path).
			WithHint("if it was moved, run `git worktree repair` with its new path")
	case w.Marks.MovedFrom != "":
		if err := checkout.Connect(g, checkout.EntryOf(w.Path), w.Path); err != nil {
			return w, err
		}
	}
	set := s.Settings(r)
	if w.Base, err = LeftAt(ctx, g, set, w.Head); err != nil {
		return w, err
	}
	w.Ref = ""
	err = s.Adopt(ctx, r, set, w, func(_ *registry.Tx, row Worktree) error { made, made.fresh = row, true; return nil })
	return made, err
}

// LeftAt returns the commit where another one left the default branch; the commit itself where the two have no common commit.
func LeftAt(ctx context.Context, g *git.Repo, set Settings, commit string) (string, error) {
	_, target, err := checkout.DefaultBranch(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil || target == "" || commit == "" {
		return commit, err
	}
	if base, err := g.Run(ctx, "merge-base", target, commit); err == nil && base != "" {
		return base, nil
	}
	return commit, ctx.Err()
}

// followBranch notes which branch a worktree that others made has checked out, because clients rename branches, and people switch. While
// git is in the middle of an operation there, or HEAD is detached, the noted branch stays.
func (s *Store) followBranch(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (Worktree, error) {
	if !w.Foreign() || w.Operation() != "" || !w.Status.Live() {
		return w, nil
	}
	tree, err := checkout.Open(g, w.Path)
	if err != nil {
		return w, nil //nolint:nilerr // the caller that needs the folder reports what is wrong with it
	}
	head, err := tree.Head(ctx)
	if err != nil || head.Ref == "" || head.Branch() == w.Branch || checkout.Underway(tree.GitDir) != "" {
		return w, err
	}
	return s.onBranch(ctx, r, w, head.Branch())
}

// onBranch notes which branch a worktree has checked out now.
func (s *Store) onBranch(ctx context.Context, r repo.Repo, w Worktree, branch string) (Worktree, error) {
	w.Branch = branch
	return w, s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		tx.Changed(registry.TopicWorktrees, r.ProjectID, w.Ref)
		return tx.Do(`UPDATE worktrees SET branch = ?, updated_at = ? WHERE id = ?`, branch, tx.Time(), w.ID)
	})
}

// Branched makes a branch at the commit of a worktree with a detached HEAD, as Codex makes them, since only branches land. It returns other
// worktrees as they are. It touches no file and no index.
func (s *Store) Branched(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (Worktree, error) {
	if w.Branch != "" {
		return w, nil
	}
	tree, err := checkout.Open(g, w.Path)
	if err != nil {
		return w, err
	}
	head, err := tree.Head(ctx)
	if err != nil {
		return w, err
	}
	if head.OID == "" {
		return w, Conflictf(w, "worktree %q has no commit", w.Ref).WithHint("make one on %q first", w.Path)
	}
	name := s.Settings(r).BranchPrefix + strings.TrimPrefix(string(w.Maker)+"-", "git-") + strings.TrimPrefix(w.Ref, "w-")
	ref := "refs/heads/" + name
	if err := checkout.UpdateRefs(ctx, g, git.Options{}, s.Notice, []string{ref}, "-m", "agit: made for a worktree without a branch", ref, head.OID, git.ZeroOID(head.OID)); err != nil {
		return w, git.Fault(err, "make branch %q", name)
	}
	if _, err := tree.Run(ctx, "symbolic-ref", "-m", "agit: moving from "+head.OID+" to "+name, "HEAD", ref); err != nil {
		return w, git.Fault(err, "check out branch %q in %q", name, w.Path)
	}
	s.Notice("worktree " + w.Ref + " was on no branch: agit made " + name + " at its commit and checked it out")
	w.detached = head.OID
	return s.onBranch(ctx, r, w, name)
}

// unbranch takes back what Branched did, unless a commit was made on the branch since, or HEAD left it.
func (s *Store) unbranch(ctx context.Context, w Worktree) error {
	tree, err := git.Find(w.Path)
	if err != nil {
		return err
	}
	if head, err := tree.Head(ctx); err != nil || head != (git.Head{Ref: w.BranchRef(), OID: w.detached}) {
		return err
	}
	if _, err := tree.Run(ctx, "update-ref", "--no-deref", "-m", "agit: moving from "+w.Branch+" to "+w.detached, "HEAD", w.detached, w.detached); err != nil {
		return git.Fault(err, "check out no branch in %q again", w.Path)
	}
	if err := checkout.UpdateRefs(ctx, tree, git.Options{}, s.Notice, []string{w.BranchRef()}, "-d", w.BranchRef(), w.detached); err != nil {
		return git.Fault(err, "take back branch %q", w.Branch)
	}
	s.Notice("agit took " + w.Branch + " back: " + w.Path + " is on no branch again")
	return nil
}
