package assignment

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// subjectLength is the longest first line of a commit message.
const subjectLength = 72

// commit commits the changed and untracked files of a worktree by their names: never files that git ignores, never another repository in
// it, and never a new file of passwords. The user's own hooks judge it.
func (s *Store) commit(ctx context.Context, at *state, w worktree.Worktree, message string) error {
	var paths, removed strings.Builder
	var nested, secrets, large []string
	for _, e := range at.changes {
		switch {
		case e.Kind == git.Ignored:
		case strings.HasSuffix(e.Path, "/"):
			nested = append(nested, e.Path)
		case e.Kind == git.Untracked && keepsSecrets(e.Path):
			secrets = append(secrets, e.Path)
		case (e.Kind == git.Untracked || e.Unstaged()) && tooLarge(filepath.Join(w.Path, filepath.FromSlash(e.Path))):
			large = append(large, e.Path)
		case e.Worktree == 'D':
			removed.WriteString(e.Path + "\x00")
		case e.Kind == git.Untracked || e.Unstaged(): // a file that is only staged may be in neither index nor folder
			paths.WriteString(e.Path + "\x00")
			if e.Worktree == 'R' {
				removed.WriteString(e.OldPath + "\x00")
			}
		}
	}
	if len(nested) > 0 {
		return worktree.Conflictf(w, "worktree %q holds %s of its own, which a commit would not keep: %s", w.Ref,
			text.Count(len(nested), "repository", "repositories"), text.Few(nested)).WithHint("move it out of the worktree, or make it a submodule")
	}
	if len(secrets) > 0 {
		return worktree.Conflictf(w, "worktree %q holds what programs keep passwords and keys in, and git does not ignore it: %s", w.Ref, text.Few(secrets)).
			WithHint("add it to .gitignore; if it belongs in the repository, `git add` it first")
	}
	if len(large) > 0 {
		return worktree.Conflictf(w, "worktree %q holds %s of more than %d MB, which would stay in the history for good: %s", w.Ref,
			text.Count(len(large), "file", "files"), largestFile>>20, text.Few(large)).
			WithHint("add it to .gitignore; if it belongs in the repository, `git add` it first, best through Git LFS")
	}
	if err := stage(ctx, at.tree, removed.String(), paths.String()); err != nil {
		return git.Fault(err, "stage the work of %q", w.Ref)
	}
	if _, err := at.tree.Output(ctx, git.Options{}, "diff", "--cached", "--quiet"); err == nil { // what was staged before is undone by now
		at.changes = nil
		return nil
	}
	through, done, err := s.behindWall(ctx, at, w)
	if err != nil {
		return err
	}
	defer done()
	if _, err := at.tree.Output(ctx, git.Options{Config: []string{"maintenance.auto=false"}, Through: through, Stdin: strings.NewReader(message + "\n")}, "commit", "--quiet", "--cleanup=whitespace", "--file=-"); err != nil {
		f := at.tree.CommitFault(ctx, err, "commit the work of %q", w.Ref)
		if f.Hint == "" { // no known fault of git: a hook refused the work, and the machine did not fail
			f.Message, f.Err, f.Hint = f.Error(), nil, "mend what git or its hook reports; nothing was lost"
		}
		return f
	}
	head, err := at.tree.Head(ctx)
	if err != nil {
		return err
	}
	at.head, at.changes = head, nil
	return nil
}

// stage puts files into the index, and takes removed ones out of it; both end each path with a NUL. git add does not take out what is below a
// folder that became a link, and adds files outside of a sparse checkout only with --sparse.
func stage(ctx context.Context, tree *git.Repo, removed, files string) error {
	if removed != "" {
		if _, err := tree.Output(ctx, git.Options{Stdin: strings.NewReader(removed)}, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	if files == "" {
		return nil
	}
	add := []string{"add", "--pathspec-from-file=-", "--pathspec-file-nul"}
	if v, err := git.CurrentVersion(ctx); err == nil && v.AtLeast(2, 34) {
		add = append(add, "--sparse")
	}
	_, err := tree.Output(ctx, git.Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}, Stdin: strings.NewReader(files)}, add...)
	return err
}

// largestFile is the largest file in bytes that is committed unless a person or an agent ran `git add` on it. Forges refuse pushes of
// larger ones: https://docs.github.com/en/repositories/working-with-files/managing-large-files/about-large-files-on-github
const largestFile = 100 << 20

// tooLarge reports whether a file has more than largestFile bytes. Holes of a sparse file count, because git would store them.
func tooLarge(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > largestFile
}

// behindWall returns the function that puts git's commit in a worktree behind the wall, nil without a wall. The caller calls done.
func (s *Store) behindWall(ctx context.Context, at *state, w worktree.Worktree) (through func(command, env []string) (put, changed []string, err error), done func(), err error) {
	made, err := s.Wall.Get(ctx)
	if err != nil || made == nil || !at.tree.Linked() {
		return nil, func() {}, err
	}
	room := wall.Room{Run: "commit-" + w.Ref, Dir: w.Path, Cache: made.Cache(strconv.FormatInt(w.RepoID, 10) + "-commits")}
	if room.Git, err = wall.GitOf(at.tree, w.Branch); err != nil {
		return nil, nil, err
	}
	put, done := made.Through(room)
	return func(command, env []string) (through, changed []string, err error) {
		env, _ = worker.Client{}.Environment(env, nil)
		return put(command, env)
	}, done, nil
}

// keepsSecrets reports whether a file, by its name, holds passwords or keys of one machine. It excludes files that teams commit on purpose
// (.env.example, .env.test, .npmrc).
func keepsSecrets(file string) bool {
	name := path.Base(file)
	return slices.Contains([]string{".env", ".netrc", ".pgpass", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}, name) ||
		strings.HasPrefix(name, ".env.") && strings.HasSuffix(name, ".local")
}

// message returns the message for a commit of the whole work: the task's name, the agent's summary, and the task's id.
func message(w worktree.Worktree, given, summary string) string {
	if given != "" {
		return given
	}
	said := cmp.Or(text.FirstLine(w.Task, subjectLength), text.FirstLine(summary, subjectLength), "Work on "+w.Branch)
	if summary != "" && summary != said {
		said += "\n\n" + summary
	}
	if w.TaskID != "" {
		said += "\n\nTask: " + w.TaskID
	}
	return said
}
