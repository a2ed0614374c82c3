package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/git"
)

// SettingsAt returns a repository's settings with the project's files of a commit: the branch itself decides how work that lands on it is
// judged, whatever lies in a folder. A file that the commit lacks, and that a checkout of the branch has uncommitted, counts too. It
// returns an error when a file is not readable as configuration or git fails.
func (s *Store) SettingsAt(ctx context.Context, g *git.Repo, r repo.Repo, ref, commit string) (Settings, error) {
	set := s.Settings(r)
	if s.Options.SettingsOf == nil || commit == "" {
		return set, nil
	}
	files := s.committed(g, commit)
	other, err := s.Options.SettingsOf(r, func(name string) ([]byte, error) {
		data, err := files.File(ctx, name)
		if errors.Is(err, git.ErrLeadsOut) {
			return nil, config.ErrOutside
		}
		if err != nil || data != nil {
			return data, err
		}
		return checkedOut(ctx, g, ref, name)
	})
	return set.Judging(other), err
}

// readCommit is a commit whose settings files are read.
type readCommit struct {
	from  string // the repository, and where else its objects are
	named string
	files *git.Committed
}

// committed returns a reader of a commit's settings files. One call after the other asks for those of the same commit, so it keeps the last.
func (s *Store) committed(g *git.Repo, commit string) *git.Committed {
	if !git.IsOID(commit) {
		return g.Committed(commit, SettingsFiles...)
	}
	from := strings.Join(append([]string{g.CommonDir, g.GitDir, g.WorkTree}, g.Alternates...), "\x00")
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.read.from != from || s.read.named != commit {
		s.read = readCommit{from, commit, g.Committed(commit, SettingsFiles...)}
	}
	return s.read.files
}

// Inclusion is what a new checkout of a repository gets beside the files of its commit, by the .worktreeinclude of commit.
func (s *Store) Inclusion(g *git.Repo, r repo.Repo, set Settings, commit string) checkout.Inclusion {
	i := checkout.Inclusion{Repo: g, Branch: set.DefaultBranch, Trees: FolderOf(r, set)}
	if commit != "" {
		i.Committed = s.committed(g, commit)
	}
	return i
}

// SettingsOn returns SettingsAt of the default branch; it leaves out files that it cannot read, with a notice.
func (s *Store) SettingsOn(ctx context.Context, g *git.Repo, r repo.Repo) (Settings, error) {
	set := s.Settings(r)
	ref, commit, err := checkout.DefaultBranch(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil {
		return set, err
	}
	set, err = s.SettingsAt(ctx, g, r, ref, commit)
	if err != nil && ctx.Err() == nil {
		s.Notice(fmt.Sprintf("the project's settings on branch %s are ignored: %v", set.DefaultBranch, err))
	}
	return set, ctx.Err()
}

// SettingsNow is SettingsOn, and the settings without the project's files where the repository cannot be opened.
func (s *Store) SettingsNow(ctx context.Context, r repo.Repo) (Settings, error) {
	g, err := r.Open()
	if err != nil {
		return s.Settings(r), nil //nolint:nilerr // what needs the repository reports it
	}
	return s.SettingsOn(ctx, g, r)
}

// checkedOut returns a project's file from a working tree that has the branch checked out without tracking the file.
func checkedOut(ctx context.Context, g *git.Repo, ref, name string) ([]byte, error) {
	if ref == "" {
		return nil, nil
	}
	list, err := g.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if t.Branch != ref || t.Bare || t.Prunable != "" {
			continue
		}
		root, err := os.OpenRoot(t.Path)
		if err != nil {
			continue
		}
		data, err := readIn(root, filepath.FromSlash(name))
		root.Close()
		if err == nil {
			return data, nil
		}
	}
	return nil, nil
}

func readIn(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = 1<<20 + 1
	data, err := io.ReadAll(io.LimitReader(f, most))
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// SettingsFiles are the files of a project that decide how its work is judged, and what worktrees get.
var SettingsFiles = []string{config.ProjectFileName, ".pm/config.json", checkout.IncludeFile}

// IsSettings reports whether a path is one of SettingsFiles, or the folder of one.
func IsSettings(name string) bool {
	return slices.ContainsFunc(SettingsFiles, func(f string) bool { return name == path.Dir(f) || strings.EqualFold(name, f) })
}

// ChangedSettings returns those of a repository's settings files that differ between two commits; with "" for the second it compares with
// the files of the working tree.
func ChangedSettings(ctx context.Context, g *git.Repo, from, to string) ([]string, error) {
	args := []string{"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty", from}
	if to != "" {
		args = append(args, to)
	}
	out, err := g.Output(ctx, git.Options{}, append(args, "--")...)
	if err != nil {
		return nil, git.Fault(err, "compare the settings with %.12s", from)
	}
	return slices.DeleteFunc(git.Records(out), func(name string) bool { return !IsSettings(name) }), nil
}
