package command

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// agentOf is the agent that a command acts for: the one named, else AGIT_AGENT.
func agentOf(env *cli.Env, named string) string { return cmp.Or(named, env.Getenv("AGIT_AGENT")) }

// repoNamed returns the repository a command is about: the one named, else
// AGIT_REPO's, else the one the current folder lies in, which "." names too.
func repoNamed(ctx context.Context, env *cli.Env, db *registry.DB, name string) (repo.Repo, error) {
	return registry.Read(ctx, db, func(tx *registry.Tx) (repo.Repo, error) { return repoNamedIn(tx, env, name) })
}

// withPath returns what names a repository: a folder with its whole path, a name or id as it is.
func withPath(env *cli.Env, name string) string {
	if name == "." || name == ".." || strings.ContainsRune(filepath.ToSlash(name), '/') {
		if path, err := env.Path(name); err == nil {
			return path
		}
	}
	return name
}

// isHere reports whether a name of withPath's means the repository of the current folder, which may be gone.
func isHere(env *cli.Env, name string) bool { return name == "" || name == "." || name == env.Dir }

// repoNamedIn is repoNamed inside a transaction of the caller's.
func repoNamedIn(tx *registry.Tx, env *cli.Env, name string) (repo.Repo, error) {
	if name = withPath(env, cmp.Or(name, env.Getenv("AGIT_REPO"))); !isHere(env, name) {
		r, err := repo.Find(tx, name)
		return r, addHint(env, name, err)
	}
	r, err := repo.AtFolder(tx, env.Dir)
	if fault.Is(err, fault.KindNotFound) {
		err = unregistered(tx, env.Dir, err)
	}
	return r, err
}

// unregistered returns the error that no repository is named and that the folder lies in none that is registered.
func unregistered(tx *registry.Tx, folder string, missing error) error {
	g, err := git.Find(folder)
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return err
	}
	if err != nil {
		return fault.Validation("repo", "no repository is named, and %q is not in one", folder).WithHint("name one of `agit repos`, or change to its folder")
	}
	f := fault.From(missing)
	if _, moved := repo.MovedTo(tx, g); moved {
		return fault.Validation("repo", "%s", f.Message).WithHint("%s", f.Hint)
	}
	if g.Superproject() != nil {
		return fault.Validation("repo", "%s", f.Message).WithHint("%s; or name one of `agit repos`", f.Hint)
	}
	return fault.Validation("repo", "the repository of %q is not registered yet", folder).
		WithHint("`agit add .` registers it; or name one of `agit repos`")
}

// hereOrAll returns the repository of a command that may also cover all of them: the named one, else the one that the current folder lies
// in; "" with all, or when the folder lies in none.
func hereOrAll(ctx context.Context, env *cli.Env, db *registry.DB, name string, all bool) (string, error) {
	if all && name != "" {
		return "", fault.Validation("all", "a repository and --all were both given").WithHint("leave out one of them")
	}
	name = withPath(env, name)
	if all || !isHere(env, name) {
		return name, nil
	}
	r, err := repoNamed(ctx, env, db, name)
	if name != "" {
		return r.Name, err
	}
	if f := fault.From(err); fault.Is(err, fault.KindValidation) { // in none of the registered: all of them
		if _, none := git.Find(env.Dir); none == nil {
			env.Streams.Warn("%s", allFollow(f, anyRepo(ctx, db)))
		} else if repo.InTrash(env.Dir) {
			env.Streams.Warn("%s; all repositories follow; %s", f.Message, f.Hint)
		}
		return "", nil
	}
	return r.Name, err
}

// anyRepo reports whether a repository is registered; also when that cannot be read, which the command reports.
func anyRepo(ctx context.Context, db *registry.DB) bool {
	all, err := registry.Read(ctx, db, repo.All)
	return err != nil || len(all) > 0
}

// allFollow is the warning with which a command about all repositories begins in one that is not registered. some is whether there are
// others.
func allFollow(f *fault.Fault, some bool) string {
	if !some {
		return f.Message + ", and no other is: `agit add .` registers it"
	}
	return f.Message + ": " + f.Hint + "; all registered repositories follow"
}

// addHint adds to the error how to register the repository that a caller named and stands in.
func addHint(env *cli.Env, name string, err error) error {
	if !fault.Is(err, fault.KindNotFound) {
		return err
	}
	here, missing := git.Find(env.Dir)
	if missing != nil || text.Key(filepath.Base(here.MainFolder())) != text.Key(name) {
		return err
	}
	named := *fault.From(err)
	named.Hint = "`agit add " + text.ShellWord(here.MainFolder()) + "` registers it"
	return &named
}

// inQuotes adds to the fault about a repository that does not exist what to type where its name was meant as part of a text.
func inQuotes(err error, line, repo, text string) error {
	if !fault.Is(err, fault.KindNotFound) || fault.From(err).EntityType != "repo" || repo == "" || text == "" {
		return err
	}
	said := *fault.From(err)
	said.Hint = fmt.Sprintf("words that belong together go in quotes: `%s`; ", line) + said.Hint
	return &said
}

// repoName is repoNamed for commands that only pass the name on: a name that is
// given is looked up where it is used.
func repoName(ctx context.Context, env *cli.Env, db *registry.DB, name string) (string, error) {
	if name = withPath(env, cmp.Or(name, env.Getenv("AGIT_REPO"))); !isHere(env, name) {
		return name, nil
	}
	r, err := repoNamed(ctx, env, db, name)
	return r.Name, err
}

// repoNames completes a repository.
func repoNames(env *cli.Env) cli.Completer { return cli.CompleteFirst(env, listRepoNames) }

var listRepoNames = listed(repo.All, func(r repo.Repo) string {
	if r.Machine != "" {
		return ""
	}
	return r.Name + "\t" + r.Path
})

var listAgentNames = listed(agent.List, func(a agent.Agent) string { return a.Name + "\t" + a.Status })

// listed lists what completes a word: a value for each row, "" for none.
func listed[T any](rows func(*registry.Tx) ([]T, error), value func(T) string) func(context.Context, *registry.DB, string) ([]string, error) {
	return func(ctx context.Context, db *registry.DB, _ string) (values []string, err error) {
		all, err := registry.Read(ctx, db, rows)
		for _, row := range all {
			if v := value(row); v != "" {
				values = append(values, v)
			}
		}
		return values, err
	}
}

// tellElsewhere names the repository of a worktree that a command acts on from the folder of another repository.
func tellElsewhere(ctx context.Context, env *cli.Env, s *stores.Stores, w worktree.Worktree) {
	if _, none := git.Find(env.Dir); none != nil {
		return
	}
	_ = s.DB.Read(ctx, func(tx *registry.Tx) error {
		if here, err := repo.AtFolder(tx, env.Dir); err == nil && here.ID == w.RepoID {
			return nil
		}
		r, err := repo.ByID(tx, w.RepoID)
		if err == nil {
			env.Streams.Notice("%s is of repository %q (%s), not of the one you are in", w.Ref, r.Name, r.Path)
		}
		return err
	})
}
