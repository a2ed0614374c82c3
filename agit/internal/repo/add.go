package repo

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Outcome is what adding a repository did.
type Outcome string

// The outcomes of Add.
const (
	Added     Outcome = "added"
	Unchanged Outcome = "unchanged" // it was registered already
	Updated   Outcome = "updated"   // its remote or default branch was other than registered
	Relinked  Outcome = "relinked"  // it is a registered one whose folder was moved here
)

// New is a repository to be added.
type New struct {
	Path string // the repository, a folder in it, or a worktree of it
	Name string // the folder's name when empty
}

// Addition is the result of adding a repository.
type Addition struct {
	Repo
	Outcome Outcome `json:"outcome"`
	OldPath string  `json:"old_path,omitempty"` // where a relinked one was
	// Apart is the project of the folder until now, if that is another: before its remote changed, or a relinked one was moved there.
	Apart *project.Project `json:"kept_apart,omitempty"`
}

// Add registers the repository that a path lies in: from a linked worktree or a
// sub-folder the main repository. Adding it again changes nothing. A registered
// repository whose folder is gone and that is recognised here is linked to its
// new place, with everything that belongs to it.
func (s *Store) Add(ctx context.Context, n New) (a Addition, err error) {
	found, err := inspect(ctx, n.Path)
	if err != nil {
		return a, err
	}
	if n.Name != "" {
		if n.Name, err = text.Name("name", n.Name); err != nil {
			return a, err
		}
	}
	missing, err := s.missing(ctx, found.mark)
	if err != nil {
		return a, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		if a, err = add(tx, found, n.Name, missing); err == nil && a.Outcome != Unchanged {
			tx.Changed(registry.TopicRepos, a.ProjectID, a.Name)
		}
		return err
	})
	if err == nil && a.Outcome != Unchanged {
		mark(found.commonDir, a.UID)
	}
	return a, err
}

// finding is what the disk holds about a repository.
type finding struct {
	identity                               project.Identity
	path, commonDir, remoteURL, mainBranch string
	mark                                   string   // uid that an earlier Add left
	trees                                  []string // where git has linked worktrees recorded
}

// withoutSecret drops the user, token and password that a URL may carry before its host: the registry keeps no secrets. The user of ssh
// stays, since it is not a secret.
func withoutSecret(remote string) string {
	scheme, rest, ok := strings.Cut(remote, "://")
	if !ok {
		return remote
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return remote
	}
	user, _, _ := strings.Cut(authority[:at], ":")
	if user += "@"; strings.HasPrefix(strings.ToLower(scheme), "http") {
		user = ""
	}
	return scheme + "://" + user + rest[at+1:]
}

func inspect(ctx context.Context, path string) (f finding, err error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return f, fault.Validation("path", "%q is not a path", path).WithHint("give the folder of a repository")
	}
	g, err := git.Find(path)
	if err != nil {
		return f, err
	}
	if above := g.Superproject(); above != nil && above.Linked() {
		return f, fault.Validation("path", "%q is in a submodule of worktree %q, and its commits go when that worktree does", path, above.WorkTree).
			WithHint("`agit add %s` registers the repository of the worktree; add a clone of the submodule elsewhere to give it worktrees of its own", text.ShellWord(above.MainFolder()))
	}
	if g, err = g.Main(); err != nil {
		return f, err
	}
	if g.Elsewhere {
		return f, fault.Validation("path", "the repository of %q has its git directory apart from its files, at %q, and the folder of the files is not known", path, g.GitDir).
			WithHint("`agit add FOLDER` with the folder of its files registers it")
	}
	if err := g.NoteFolder(); err != nil {
		return f, err
	}
	f.path, f.commonDir = g.Dir(), g.CommonDir
	if f.remoteURL, err = g.RemoteURL(); err != nil {
		return f, err
	}
	f.remoteURL = withoutSecret(f.remoteURL)
	if f.mainBranch, err = g.DefaultBranch(ctx); err != nil {
		return f, err
	}
	if f.identity, err = project.Identify(f.path); err != nil {
		return f, err
	}
	f.mark = project.Mark(g.CommonDir)
	trees, err := g.Worktrees(ctx)
	if err != nil {
		return f, err
	}
	for _, t := range trees[1:] {
		f.trees = append(f.trees, t.Path)
	}
	return f, nil
}

func add(tx *registry.Tx, f finding, name string, missing map[int64]bool) (Addition, error) {
	known, err := byCommonDir(tx, f.commonDir)
	if err == nil {
		return refresh(tx, known, f, name)
	}
	if !registry.NoRows(err) {
		return Addition{}, err
	}
	moved, ok, err := recognise(tx, f, missing)
	if err != nil {
		return Addition{}, err
	}
	if ok {
		return relink(tx, moved, f)
	}
	if name == "" {
		if name, err = text.Name("name", NameOf(f.path)); err != nil {
			return Addition{}, fault.Validation("name", "the folder's name cannot be the repository's: %v", err).
				WithHint("choose one with --name NAME")
		}
	}
	if err := free(tx, name, missing); err != nil {
		return Addition{}, err
	}
	p, err := project.Ensure(tx, f.identity)
	if err != nil {
		return Addition{}, err
	}
	if r, err := revive(tx, f, name, p.ID); !registry.NoRows(err) {
		return Addition{Repo: r, Outcome: Added}, err
	}
	r, err := scan(tx.QueryRow(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, remote_url, default_branch, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING `+bare(columns),
		registry.NewUID(), p.ID, name, text.Key(name), registry.Host(), f.path, f.commonDir,
		registry.NullIfZero(f.remoteURL), f.mainBranch, tx.Stamp(), tx.Stamp()))
	return Addition{Repo: r, Outcome: Added}, err
}

// apart are names of git directories that people give a folder of worktrees; the project's name is that of the folder.
var apart = []string{".git", ".bare"}

// FolderOf returns the folder that people call the repository, by its main working tree or bare git directory.
func FolderOf(path string) string {
	if slices.Contains(apart, filepath.Base(path)) {
		return filepath.Dir(path)
	}
	return path
}

// NameOf returns the name of a repository at a path when the user chose none.
func NameOf(path string) string { return strings.TrimSuffix(filepath.Base(FolderOf(path)), ".git") }

// bare drops the table from column names, as RETURNING wants them.
func bare(columns string) string { return strings.ReplaceAll(columns, "repos.", "") }

// refresh brings what is registered of a known repository up to date.
func refresh(tx *registry.Tx, r Repo, f finding, name string) (Addition, error) {
	if name != "" && text.Key(name) != text.Key(r.Name) {
		return Addition{}, fault.Conflict("repo", r.Name, "%q is already registered as %q", f.path, r.Name).
			WithHint("use that name")
	}
	if r.Path == f.path && r.RemoteURL == f.remoteURL && r.DefaultBranch == f.mainBranch {
		return Addition{Repo: r, Outcome: Unchanged}, nil
	}
	return update(tx, r, f, Updated)
}

// relink records the new place of a repository that was moved. Its project stays: without a remote the new folder would have another
// identity.
func relink(tx *registry.Tx, r Repo, f finding) (Addition, error) {
	apart, err := project.At(tx, f.identity)
	kept, err := registry.Found(err)
	if err != nil {
		return Addition{}, err
	}
	a, err := update(tx, r, f, Relinked)
	if err == nil && r.Path != f.path {
		err = project.Left(tx, a.ProjectID, r.Path)
	}
	a.OldPath = r.Path
	if kept && apart.ID != a.ProjectID {
		a.Apart = &apart
	}
	return a, err
}

func update(tx *registry.Tx, r Repo, f finding, outcome Outcome) (Addition, error) {
	if err := tx.In(r.ProjectID); err != nil {
		return Addition{}, err
	}
	var former *project.Project
	if f.identity.Remote != "" {
		p, err := project.Ensure(tx, f.identity)
		if err != nil {
			return Addition{}, err
		}
		r.ProjectID, former = p.ID, p.Former
	} else if err := project.Follow(tx, r.ProjectID, f.identity.Folder); err != nil {
		return Addition{}, err
	}
	r, err := scan(tx.QueryRow(`UPDATE repos SET project_id = ?, path = ?, common_dir = ?, remote_url = ?, default_branch = ?, updated_at = ?
		WHERE id = ? RETURNING `+bare(columns),
		r.ProjectID, f.path, f.commonDir, registry.NullIfZero(f.remoteURL), f.mainBranch, tx.Stamp(), r.ID))
	return Addition{Repo: r, Outcome: outcome, Apart: former}, err
}

// revive reuses the row of a repository that was removed, so that its trash can still be restored; ErrNoRows when no such row exists.
func revive(tx *registry.Tx, f finding, name string, projectID int64) (Repo, error) {
	return scan(tx.QueryRow(`UPDATE repos SET removed_at = NULL, project_id = ?, name = ?, name_key = ?, path = ?, remote_url = ?,
		default_branch = ?, updated_at = ?
		WHERE id = (SELECT MAX(id) FROM repos WHERE host = ? AND common_dir = ? AND removed_at IS NOT NULL) RETURNING `+bare(columns),
		projectID, name, text.Key(name), f.path, registry.NullIfZero(f.remoteURL), f.mainBranch, tx.Stamp(), registry.Host(), f.commonDir))
}

// free refuses a name that is taken on this host and suggests one that is not.
func free(tx *registry.Tx, name string, missing map[int64]bool) error {
	taken, err := scan(tx.QueryRow(`SELECT `+columns+` FROM repos WHERE name_key = ? AND host = ? AND removed_at IS NULL`, text.Key(name), registry.Host()))
	if found, err := registry.Found(err); !found {
		return err
	}
	other := ""
	for n := 2; other == ""; n++ {
		candidate := fmt.Sprintf("%s-%d", name, n)
		id, err := registry.One[int64](tx.QueryRow(`SELECT COUNT(*) FROM repos WHERE name_key = ? AND host = ? AND removed_at IS NULL`, text.Key(candidate), registry.Host()))
		if err != nil {
			return err
		}
		if id == 0 {
			other = candidate
		}
	}
	f := fault.Conflict("repo", taken.Name, "the name %q is taken by the repository at %q", taken.Name, taken.Path)
	f.Field = "name"
	if missing[taken.ID] {
		return f.WithHint("that folder is gone and this one was not recognised as it; choose another name, for instance --name %q; `agit repos --remove %s` takes one that was deleted off the lists", other, text.ShellWord(taken.Name))
	}
	return f.WithHint("choose another name, for instance --name %q", other)
}
