package setup

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// Uncommitted returns the project's set-up files that worktrees lack, because no commit has them or a commit has other content than this
// run wrote. They are slash-separated, relative to the project's root. ignored are those that git is told to ignore. There are none outside
// a repository, and none among the user's own files.
func (s *Setup) Uncommitted(ctx context.Context, r Report) (files, ignored []string, err error) {
	var set, wrote []string
	for _, it := range r.Items {
		rel, err := filepath.Rel(s.Dir, it.File)
		if err != nil || !filepath.IsLocal(rel) || s.Options.Scope == User {
			continue
		}
		there := it.Done == Added || it.Done == Updated || it.Done == "" && it.State == Current || it.Done == Kept
		rel = filepath.ToSlash(rel)
		if there && !slices.Contains(set, rel) {
			set = append(set, rel)
		}
		if it.Done == Added || it.Done == Updated {
			wrote = append(wrote, rel)
		}
	}
	g, found := git.Find(s.Dir)
	if len(set) == 0 || found != nil || g.WorkTree == "" {
		return nil, nil, nil //nolint:nilerr // no repository commits nothing
	}
	args := append([]string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames", "--"}, set...)
	out, err := g.Output(ctx, git.Options{Dir: s.Dir, Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, args...)
	if err != nil {
		return nil, nil, git.Fault(err, "look which files of the set-up are committed")
	}
	for _, record := range git.Records(out) {
		if len(record) < 4 {
			continue
		}
		path := record[3:]
		switch state := record[:2]; {
		case state == "??" || state[0] == 'A' || slices.Contains(wrote, path):
			files = append(files, path)
			continue
		case state != "!!": // a person may edit committed files
			continue
		}
		for _, file := range set { // git reports an ignored folder instead of the files in it
			if file == path || strings.HasPrefix(file, strings.TrimSuffix(path, "/")+"/") {
				ignored = append(ignored, file)
			}
		}
	}
	return files, ignored, nil
}

// Removed returns the project's files that this run took the set-up out of and that the last commit still has with it, so that worktrees get
// it: slash-separated, relative to the project's root. There are none outside a repository.
func (s *Setup) Removed(ctx context.Context, r Report) (files []string, err error) {
	var set []string
	for _, it := range r.Items {
		rel, err := filepath.Rel(s.Dir, it.File)
		rel = filepath.ToSlash(rel)
		if err == nil && filepath.IsLocal(rel) && it.Done == Removed && !slices.Contains(set, rel) {
			set = append(set, rel)
		}
	}
	g, found := git.Find(s.Dir)
	if len(set) == 0 || found != nil || g.WorkTree == "" {
		return nil, nil //nolint:nilerr // no repository has committed anything
	}
	args := append([]string{"status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--"}, set...)
	out, err := g.Output(ctx, git.Options{Dir: s.Dir, Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, args...)
	if err != nil {
		return nil, git.Fault(err, "look which files of the set-up are committed")
	}
	for _, record := range git.Records(out) {
		if len(record) > 3 && record[0] != 'A' { // what is only staged no commit has
			files = append(files, record[3:])
		}
	}
	return files, nil
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
