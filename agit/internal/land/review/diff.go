package review

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Diff is what a worktree changes since it left the default branch: its commits, and what is staged, unstaged and untracked
// there. Of one that landed it is what landed. Close ends it.
type Diff struct {
	Worktree worktree.Worktree
	Base     string // the commit it is compared with

	tree *git.Repo
	env  []string // where new objects go, since none may be written into the repository
	to   string   // the commit it landed as; "" for the folder
	temp string
}

// FileChange is one file of a Diff.
type FileChange struct {
	Path       string `json:"path"`
	OldPath    string `json:"old_path,omitempty"`
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"`
	Binary     bool   `json:"binary,omitempty"`
}

// Stat is how much a Diff changes.
type Stat struct {
	Worktree   string       `json:"worktree_id"`
	Branch     string       `json:"branch"`
	Base       string       `json:"base"`
	Landed     string       `json:"landed,omitempty"`
	Files      []FileChange `json:"files"`
	Insertions int          `json:"insertions"`
	Deletions  int          `json:"deletions"`
}

// Diff opens what a worktree changes, by whatever names it. It changes nothing in the repository, nor in any index.
func (s *Store) Diff(ctx context.Context, repoName, ref string) (d *Diff, err error) {
	var r repo.Repo
	var landed *land.Landing
	d = &Diff{}
	if err := s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if r, d.Worktree, err = s.Trees.Find(tx, repoName, ref, false); err == nil {
			landed, err = land.Last(tx, d.Worktree.ID)
		}
		return err
	}); err != nil {
		return nil, err
	}
	main, err := r.Open()
	if err != nil {
		return nil, err
	}
	w := d.Worktree
	switch {
	case w.Status.Live():
		if err = obstacle.Present(ctx, s.Trees, obstacle.Subject{Git: main, Repo: r, Worktree: w}, "compared"); err == nil {
			err = d.openFolder(ctx, main, s.Trees.Settings(r).DefaultBranch)
		}
	case landed != nil && landed.State == land.Landed && landed.Commit != "":
		d.tree, d.Base, d.to = main, landed.TargetCommit, landed.Commit
	default:
		err = worktree.Conflictf(w, "worktree %q was removed", w.Ref).WithHint("`agit cleanup --restore %s` brings it back", w.Ref)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// openFolder compares the folder of a worktree through a copy of its index, in which untracked files are announced.
func (d *Diff) openFolder(ctx context.Context, main *git.Repo, branch string) error {
	found, err := git.Find(d.Worktree.Path)
	if err != nil {
		return err
	}
	head, err := found.Head(ctx)
	if err != nil {
		return err
	}
	_, target, err := checkout.DefaultBranch(ctx, main, branch)
	if err != nil {
		return err
	}
	d.Base = d.Worktree.Base
	if target != "" && head.OID != "" {
		if base, err := found.Run(ctx, "merge-base", target, head.OID); err == nil && base != "" {
			d.Base = base
		}
	}
	if d.temp, err = os.MkdirTemp("", "agit-diff-"); err != nil {
		return fault.Operation(err, "make room for a copy of the index")
	}
	tree := *found
	tree.IndexFile = filepath.Join(d.temp, "index")
	d.tree = &tree
	if err := checkout.CopyIndexTo(found.GitDir, tree.IndexFile); err != nil {
		return err
	}
	objects := filepath.Join(d.temp, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return fault.Operation(err, "make room for a copy of the index")
	}
	d.env = []string{"GIT_OBJECT_DIRECTORY=" + objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(found.CommonDir, "objects")}
	untracked, err := d.tree.Output(ctx, git.Options{}, "ls-files", "--others", "--exclude-standard", "-z", "--", ":/")
	if err != nil {
		return git.Fault(err, "look for new files in %q", d.Worktree.Path)
	}
	var paths strings.Builder
	for _, path := range git.Records(untracked) {
		if !strings.HasSuffix(path, "/") { // a repository of its own
			paths.WriteString(path + "\x00")
		}
	}
	if paths.Len() == 0 {
		return nil
	}
	o := git.Options{Env: append([]string{"GIT_LITERAL_PATHSPECS=1"}, d.env...), Stdin: strings.NewReader(paths.String())}
	if _, err := d.tree.Output(ctx, o, "add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
		return git.Fault(err, "look for new files in %q", d.Worktree.Path)
	}
	return nil
}

// Close removes what was made to compare.
func (d *Diff) Close() {
	if d.temp != "" {
		_ = os.RemoveAll(d.temp)
	}
}

// args are those of a git diff with the options given, cut down to paths.
func (d *Diff) args(options, paths []string) []string {
	args := append([]string{"diff"}, options...)
	args = append(args, "--end-of-options", d.Base)
	if d.to != "" {
		args = append(args, d.to)
	}
	return append(append(args, "--"), paths...)
}

// Show prints the difference as the user's git would, with options of git diff such as --stat, through the user's pager where out
// is a terminal.
func (d *Diff) Show(in io.Reader, out, errs io.Writer, options, paths []string) error {
	if err := d.tree.Show(git.Options{Env: d.env}, in, out, errs, d.args(options, paths)...); err != nil {
		return git.Fault(err, "show what worktree %q changes", d.Worktree.Ref)
	}
	return nil
}

// Stat counts what is changed, file by file.
func (d *Diff) Stat(ctx context.Context, paths []string) (s Stat, err error) {
	s = Stat{Worktree: d.Worktree.Ref, Branch: d.Worktree.Branch, Base: d.Base, Landed: d.to, Files: []FileChange{}}
	out, err := d.tree.Output(ctx, git.Options{Env: d.env}, d.args([]string{"--numstat", "-z", "--find-renames", "--no-ext-diff", "--no-textconv"}, paths)...)
	if err != nil {
		return s, git.Fault(err, "measure what worktree %q changes", d.Worktree.Ref)
	}
	files, err := git.ParseNumstat(out)
	if err != nil {
		return s, fault.Operation(err, "measure what worktree %q changes", d.Worktree.Ref)
	}
	for _, f := range files {
		s.Files = append(s.Files, FileChange(f))
		s.Insertions, s.Deletions = s.Insertions+f.Insertions, s.Deletions+f.Deletions
	}
	return s, nil
}
