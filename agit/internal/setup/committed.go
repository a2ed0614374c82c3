package setup

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// Uncommitted returns the files of what is set up for the project that no commit has, or
// not as this run wrote them, slash-separated under its root: a worktree lacks them. ignored are those of them that git is told to ignore. Outside a
// repository, and for the user's own files, there are none.
func (s *Setup) Uncommitted(ctx context.Context, r Report) (files, ignored []string, err error) {
	var set, wrote []string
	for _, it := range r.Items {
		rel, err := filepath.Rel(s.Dir, it.File)
		if err != nil || !filepath.IsLocal(rel) || s.Options.Scope == User {
			continue
		}
		there := it.Done == Added || it.Done == Updated || it.Done == "" && it.State == Current || it.Done == Kept
		if rel = filepath.ToSlash(rel); there && !slices.Contains(set, rel) {
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
		case state != "!!": // a person edits what is committed
			continue
		}
		for _, file := range set { // an ignored folder stands for what is in it
			if file == path || strings.HasPrefix(file, strings.TrimSuffix(path, "/")+"/") {
				ignored = append(ignored, file)
			}
		}
	}
	return files, ignored, nil
}

// Tops are the files and folders in the root that files lie in: what a person
// recognizes of a long list.
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

// Commit commits files of the set-up alone, as the user: what else is staged stays
// staged. It returns the commit.
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
