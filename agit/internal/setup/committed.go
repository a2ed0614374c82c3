package setup

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// Uncommitted returns the project's set-up files that worktrees lack, because no commit has them, or because the last one has them without
// what is set up. They are slash-separated, relative to the project's root. ignored are those that git is told to ignore and
// .worktreeinclude does not name. Beside a bare repository they are all uncommitted. There are none outside a repository, and none among the
// user's own files.
func (s *Setup) Uncommitted(ctx context.Context, r Report) (files, ignored []string, err error) {
	if s.Options.Scope == User {
		return nil, nil, nil
	}
	changed := func(it Item) bool { return it.Done == Added || it.Done == Updated }
	set := s.inProject(r, func(it Item) bool {
		return changed(it) || it.Done == "" && it.State == Current || it.Done == Kept
	})
	if g, err := git.Find(s.Dir); err == nil && g.WorkTree == "" {
		return set, nil, nil
	}
	wrote := s.inProject(r, changed)
	records, err := s.status(ctx, set, "--untracked-files=all", "--ignored=matching")
	for _, record := range records {
		path := record[3:]
		switch state := record[:2]; {
		case state == "??" || state[0] == 'A' || slices.Contains(wrote, path):
			files = append(files, path)
			continue
		case state != "!!": // a person may edit committed files
			committed, err := s.committed(ctx, path)
			if err != nil {
				return nil, nil, err
			}
			if s.anyIn(r, path, func(it Item) bool {
				state, _ := it.stateIn(s, committed)
				return it.State == Current && (state == Missing || state == Stale)
			}) {
				files = append(files, path)
			}
			continue
		}
		for _, file := range set { // git reports an ignored folder instead of the files in it
			if file == path || strings.HasPrefix(file, strings.TrimSuffix(path, "/")+"/") {
				ignored = append(ignored, file)
			}
		}
	}
	if err == nil && len(ignored) > 0 {
		ignored, err = s.notIncluded(ctx, ignored)
	}
	return files, ignored, err
}

// includeFile names, in gitignore syntax, the ignored files that are copied into a new worktree (checkout.IncludeFile).
const includeFile = ".worktreeinclude"

// notIncluded returns those of some ignored files that .worktreeinclude does not name.
func (s *Setup) notIncluded(ctx context.Context, ignored []string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(s.Dir, includeFile)); err != nil {
		return ignored, nil //nolint:nilerr // without one none is named
	}
	g, err := git.Find(s.Dir)
	if err != nil {
		return nil, err
	}
	out, err := g.Output(ctx, git.Options{Dir: s.Dir, Env: []string{"GIT_LITERAL_PATHSPECS=1"}},
		slices.Concat([]string{"ls-files", "-z", "--others", "--ignored", "--exclude-from=" + includeFile, "--"}, ignored)...)
	if err != nil {
		return nil, git.Fault(err, "read %s", includeFile)
	}
	named := git.Records(out)
	return slices.DeleteFunc(ignored, func(file string) bool { return slices.Contains(named, file) }), nil
}

// Removed returns the project's files that the set-up was taken out of and that the last commit still has with it, so that worktrees get
// it: slash-separated, relative to the project's root. There are none outside a repository.
func (s *Setup) Removed(ctx context.Context, r Report) (files []string, err error) {
	took := s.inProject(r, func(it Item) bool { return it.Done == Removed })
	records, err := s.status(ctx, s.inProject(r, func(it Item) bool { return it.Done == Removed || it.State == Missing }), "--untracked-files=no")
	for _, record := range records {
		path := record[3:]
		if record[0] == 'A' { // what is only staged no commit has
			continue
		}
		had := slices.Contains(took, path)
		if !had {
			committed, err := s.committed(ctx, path)
			if err != nil {
				return nil, err
			}
			had = s.anyIn(r, path, func(it Item) bool {
				state, ours := it.stateIn(s, committed)
				return it.State == Missing && ours && (state == Current || state == Stale)
			})
		}
		if had {
			files = append(files, path)
		}
	}
	return files, err
}

// committed returns a file as the last commit has it, "" where that has none, as in the middle of a merge.
func (s *Setup) committed(ctx context.Context, path string) (string, error) {
	g, err := git.Find(s.Dir)
	if err != nil {
		return "", err
	}
	text, err := g.Output(ctx, git.Options{Dir: s.Dir}, "cat-file", "blob", "HEAD:./"+path)
	if err != nil && git.ExitCode(err) != 128 { // 128: the commit has no such file
		return "", git.Fault(err, "read %q as it is committed", path)
	}
	return string(text), nil
}

// anyIn reports whether any item of a file of the project is of some kind.
func (s *Setup) anyIn(r Report, path string, some func(Item) bool) bool {
	return slices.Contains(s.inProject(r, some), path)
}

// stateIn returns the state that an item would have if its file had another text, and whether it would be as setup writes it.
func (it *Item) stateIn(s *Setup, text string) (state State, ours bool) {
	f := &file{path: it.File, place: it.File, before: text, text: text, exists: true}
	state, _ = it.part.look(s, f)
	return state, it.part.ours(s, f, it.id())
}

// inProject returns the files of some items that are in the project: slash-separated, relative to its root.
func (s *Setup) inProject(r Report, some func(Item) bool) (files []string) {
	for _, it := range r.Items {
		rel, err := filepath.Rel(s.Dir, it.File)
		rel = filepath.ToSlash(rel)
		if err == nil && filepath.IsLocal(rel) && some(it) && !slices.Contains(files, rel) {
			files = append(files, rel)
		}
	}
	return files
}

// status returns git's records about files: two letters, a space and a path. There are none outside a repository.
func (s *Setup) status(ctx context.Context, files []string, options ...string) ([]string, error) {
	g, found := git.Find(s.Dir)
	if len(files) == 0 || found != nil || g.WorkTree == "" {
		return nil, nil //nolint:nilerr // no repository has committed anything
	}
	args := slices.Concat([]string{"status", "--porcelain=v1", "-z", "--no-renames"}, options, []string{"--"}, files)
	out, err := g.Output(ctx, git.Options{Dir: s.Dir, Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, args...)
	if err != nil {
		return nil, git.Fault(err, "look which files of the set-up are committed")
	}
	return slices.DeleteFunc(git.Records(out), func(record string) bool { return len(record) < 4 }), nil
}

// Tops returns the top-level files and folders that contain the files: a short form of a long list that a person recognizes.
func Tops(files []string) (tops []string) {
	for _, file := range files {
		if folder, _, below := strings.Cut(file, "/"); below {
			file = folder + "/"
		}
		if !slices.Contains(tops, file) {
			tops = append(tops, file)
		}
	}
	return tops
}

// Commit commits only the given set-up files, as the user; other staged changes stay staged. It returns the commit.
func (s *Setup) Commit(ctx context.Context, files []string, message string) (string, error) {
	g, err := git.Find(s.Dir)
	if err != nil {
		return "", err
	}
	o := git.Options{Dir: s.Dir, Env: []string{"GIT_LITERAL_PATHSPECS=1"}}
	if _, err := g.Output(ctx, o, append([]string{"add", "--"}, files...)...); err != nil {
		return "", git.Fault(err, "stage the set-up")
	}
	if _, err := g.Output(ctx, o, append([]string{"commit", "--quiet", "--only", "--message", message, "--"}, files...)...); err != nil {
		return "", g.CommitFault(ctx, err, "commit the set-up")
	}
	head, err := g.Output(ctx, o, "rev-parse", "--short", "HEAD")
	return strings.TrimSpace(string(head)), err
}
