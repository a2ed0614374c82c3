// Package repo keeps the repositories that agit knows: adding, finding, listing
// and removing them. It alone writes `repos`. It reads repositories and never
// changes one, save for a small mark in the git directory by which a folder
// that was moved is recognised; no folder is ever deleted here.
//
// A Store is safe for concurrent use; functions that take a *registry.Tx belong
// to its transaction.
package repo

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Repo is one registered repository.
type Repo struct {
	ID            int64          `json:"-"`
	UID           string         `json:"id"`
	ProjectID     int64          `json:"-"`
	Name          string         `json:"name"`
	Host          string         `json:"-"`
	Machine       string         `json:"machine,omitempty"` // Host, where that is not this one
	Path          string         `json:"path"`              // the main working tree, or the bare repository
	CommonDir     string         `json:"-"`
	RemoteURL     string         `json:"remote_url"`
	DefaultBranch string         `json:"default_branch"`
	CreatedAt     timestamp.Time `json:"created_at"`
}

// Store answers and changes repositories in one registry.
type Store struct {
	DB *registry.DB
	// DefaultBranch returns the default branch of a repository on this host as it is configured; nil where the registered one holds.
	DefaultBranch func(Repo) string
}

const columns = `repos.id, repos.uid, repos.project_id, repos.name, repos.host, repos.path, repos.common_dir,
	COALESCE(repos.remote_url, ''), repos.default_branch, repos.created_at`

func scan(row registry.Scanner, more ...any) (r Repo, err error) {
	err = row.Scan(append([]any{&r.ID, &r.UID, &r.ProjectID, &r.Name, &r.Host, &r.Path, &r.CommonDir,
		&r.RemoteURL, &r.DefaultBranch, &r.CreatedAt}, more...)...)
	if r.Host != registry.Host() {
		r.Machine = r.Host
	}
	return r, err
}

func scanOne(row registry.Scanner) (Repo, error) { return scan(row) }

// Find returns the repository of a name or id, compared without case, or the one
// that an absolute path lies in. A name is
// this host's before another's; one that only several other hosts have is a
// Validation fault. The NotFound fault names the nearest one.
func Find(tx *registry.Tx, nameOrID string) (Repo, error) {
	if filepath.IsAbs(nameOrID) {
		return AtFolder(tx, nameOrID)
	}
	key := text.Key(nameOrID)
	found, err := registry.Collect(tx, scanOne, `SELECT `+columns+` FROM repos WHERE (name_key = ? OR uid = ?) AND removed_at IS NULL
		ORDER BY CASE WHEN uid = ? THEN 0 WHEN host = ? THEN 1 ELSE 2 END, id LIMIT 20`, key, key, key, registry.Host())
	switch {
	case err != nil:
		return Repo{}, err
	case len(found) == 1, len(found) > 1 && (found[0].UID == key || found[0].Machine == ""):
		return found[0], nil
	case len(found) > 1:
		return Repo{}, fault.Validation("repo", "%d other machines have a repository %q", len(found), nameOrID).
			WithHint("give one of the ids %s", strings.Join(text.Each(found, func(r Repo) string { return fmt.Sprintf("%s (on %s)", r.UID, r.Host) }), ", "))
	}
	names, err := registry.Collect(tx, registry.One[string], `SELECT name FROM repos WHERE removed_at IS NULL ORDER BY name_key, id`)
	if err != nil {
		return Repo{}, err
	}
	f := fault.NotFound("repo", nameOrID)
	for _, other := range []struct{ query, hint string }{
		{`SELECT ref FROM items WHERE ref_key = ? AND kind = 'task' AND deleted_at IS NULL LIMIT 1`, "it is a task: `agit tasks show %s`"},
		{`SELECT name FROM agents WHERE name_key = ? ORDER BY status, id LIMIT 1`, "it is an agent: `agit diff %s` shows what it changes, `agit repos` lists the repositories"},
		{`SELECT ref FROM worktrees WHERE ? IN (ref, branch) AND status NOT IN ('completed', 'trashed') ORDER BY id DESC LIMIT 1`, "it is a worktree: `agit diff %s` shows what it changes, `agit repos` lists the repositories"},
	} {
		name, err := registry.One[string](tx.QueryRow(other.query, key))
		if err == nil {
			return Repo{}, f.WithHint(other.hint, text.ShellWord(name))
		}
		if !registry.NoRows(err) {
			return Repo{}, err
		}
	}
	switch near := text.Nearest(nameOrID, names); {
	case near != "":
		return Repo{}, f.WithHint("did you mean %q?", near)
	case len(names) == 0:
		return Repo{}, f.WithHint("no repository is registered yet: `agit add PATH`")
	}
	return Repo{}, f.WithHint("`agit repos` lists the registered ones")
}

// ByID returns the repository with a row id, also one that was removed.
func ByID(tx *registry.Tx, id int64) (Repo, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM repos WHERE id = ?`, id))
}

// OfWorktree returns the repository of the worktree with an id, also one that was removed.
func OfWorktree(tx *registry.Tx, ref string) (Repo, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM repos WHERE id = (SELECT repo_id FROM worktrees WHERE ref = ?)`, ref))
}

// All returns every registered repository by name.
func All(tx *registry.Tx) ([]Repo, error) {
	return registry.Collect(tx, scanOne, `SELECT `+columns+` FROM repos WHERE removed_at IS NULL ORDER BY name_key, id`)
}

// AtFolder returns the registered repository that a folder lies in; a NotFound
// fault when the folder is in none. A submodule that is not registered itself
// belongs to the repository around it.
func AtFolder(tx *registry.Tx, folder string) (Repo, error) {
	r, _, err := Around(tx, folder)
	return r, err
}

// InTrash reports whether a folder is in the trash: the shell stands in a worktree that was moved there.
func InTrash(folder string) bool { return strings.Contains(filepath.ToSlash(folder), "/agit/trash/") }

// Around is AtFolder that also returns the working tree of that repository
// which the folder lies in.
func Around(tx *registry.Tx, folder string) (Repo, *git.Repo, error) {
	g, err := git.Find(folder)
	if err != nil {
		if InTrash(folder) {
			return Repo{}, nil, fault.Validation("repo", "the worktree of this folder landed or was removed, and is in the trash: %q", folder).
				WithHint("change to another folder: `agit cd` with the name of a repository or worktree leads there")
		}
		return Repo{}, nil, err
	}
	for tree := g; tree != nil; tree = tree.Superproject() {
		if r, err := byCommonDir(tx, tree.CommonDir); !registry.NoRows(err) {
			return r, tree, err
		}
	}
	return Repo{}, nil, unregistered(tx, folder, g)
}

// unregistered returns how to register the repository that a folder lies in. For a submodule, that is the repository around it, where tasks
// and worktrees are. A registered one that was moved needs the same command.
func unregistered(tx *registry.Tx, folder string, g *git.Repo) error {
	f := fault.NotFound("repo", folder)
	if r, ok := MovedTo(tx, g); ok {
		if r.Machine != "" {
			return r.elsewhere(g.MainFolder())
		}
		f.Message = fmt.Sprintf("repository %q is no longer at %q: it is the one of %q", r.Name, r.Path, folder)
		return f.WithHint("`agit add %s` notes the new place", text.ShellWord(g.MainFolder()))
	}
	f.Message = fmt.Sprintf("the repository of %q is not registered yet", folder)
	for above := g.Superproject(); above != nil; above = g.Superproject() {
		g = above
		f.Message = fmt.Sprintf("%q is in a submodule of %q, which is not registered yet", folder, g.MainFolder())
	}
	return f.WithHint("`agit add %s` registers it", text.ShellWord(g.MainFolder()))
}

func byCommonDir(tx *registry.Tx, dir string) (Repo, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM repos WHERE host = ? AND common_dir = ? AND removed_at IS NULL`, registry.Host(), dir))
}

// Get returns the repository of a name or id.
func (s *Store) Get(ctx context.Context, nameOrID string) (Repo, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Repo, error) { return Find(tx, nameOrID) })
}

// Here refuses a repository of another machine: its folders are not on this one.
func (r Repo) Here() error {
	if r.Host == registry.Host() {
		return nil
	}
	return fault.Operation(nil, "repository %q is on machine %q, this is %q", r.Name, r.Host, registry.Host()).About("repo", r.Name).
		WithHint("%s", cmp.Or(r.Renamed(), "run agit there, or register a clone of it on this machine"))
}

// Renamed returns what to do about a repository of another machine that is on this one, by its folder and mark: this machine had the other
// name when it was registered. It returns "" for every other one.
func (r Repo) Renamed() string {
	if r.Host == registry.Host() || project.Mark(r.CommonDir) != r.UID {
		return ""
	}
	return fmt.Sprintf("if %q was the name of this machine, `export %s=%s` keeps that name", r.Host, registry.HostVariable, text.ShellWord(r.Host))
}

// elsewhere is the fault of a repository in a folder that is registered for the former name of this machine.
func (r Repo) elsewhere(folder string) error {
	return fault.NotFound("repo", folder).Saying("repository %q in %q is registered for machine %q, and this is %q", r.Name, folder, r.Host, registry.Host()).
		WithHint("%s; else `agit add %s --name NAME` registers it here as another one", r.Renamed(), text.ShellWord(folder))
}

// Open returns the repository on disk. When its folder is gone the fault explains what to do about a repository that was moved.
func (r Repo) Open() (*git.Repo, error) {
	if err := r.Here(); err != nil {
		return nil, err
	}
	if g, err := git.Find(r.Path); err == nil && !g.Linked() && g.CommonDir == r.CommonDir {
		return g, nil // not by its git directory, which may lie apart from the files
	}
	g, err := git.Find(r.CommonDir)
	if err == nil && g.CommonDir == r.CommonDir && !g.Elsewhere {
		return g, nil
	}
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return nil, err
	}
	if _, err := os.Lstat(r.Path); err == nil {
		return nil, fault.Operation(nil, "repository %q has lost its git directory %q, or the files by which git recognises one (HEAD, objects, refs)", r.Name, r.CommonDir).
			About("repo", r.Name).WithHint("put the missing files back; if it was moved, `agit add NEWPATH` links it again")
	}
	return nil, fault.Operation(nil, "the folder of repository %q is no longer at %q", r.Name, r.Path).About("repo", r.Name).
		WithHint("if it was moved, `agit add NEWPATH` links it again; if it was deleted, `agit repos --remove %s` takes it off the lists", text.ShellWord(r.Name))
}
