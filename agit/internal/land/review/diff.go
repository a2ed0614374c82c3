package review

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Diff is the changes of a worktree since it left the default branch: its commits, and the staged, unstaged and untracked changes there.
// For work that waits for a review it is what was shown, which is what lands; for work that landed it is what landed. Close ends it.
type Diff struct {
	Worktree worktree.Worktree
	Base     string // the commit that it is compared with
	Shown    string // the commit that waits for a review, "" where none does

	tree *git.Repo
	env  []string // where new objects go, since none may be written into the repository
	to   string   // the commit that is compared with Base; "" for the folder
	of   string   // the same, of a branch that no worktree has
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
	Shown      string       `json:"shown,omitempty"` // the commit that waits for a review
	Files      []FileChange `json:"files"`
	Insertions int          `json:"insertions"`
	Deletions  int          `json:"deletions"`
	// Later are files that were changed since the work was shown, which do not land with it.
	Later []FileChange `json:"later,omitempty"`
	// Uses are the last scan's findings between this worktree and others: code that git merges, and that may break.
	Uses []conflict.Use `json:"uses,omitempty"`
}

// Part selects the changes of a worktree that a Diff is about.
type Part int

// The parts. Changes made after work was shown for review do not land with it.
const (
	Whole Part = iota // the changes that land: those shown where work waits, else all
	Later             // the changes since it was shown
)

// Diff opens the changes of the worktree that ref names in any way. It changes nothing in the repository, nor in any index.
func (s *Store) Diff(ctx context.Context, repoName, ref string, part Part) (d *Diff, err error) {
	var r repo.Repo
	var landed *land.Landing
	d = &Diff{}
	if err := s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if r, d.Worktree, err = s.Trees.Find(tx, repoName, ref, false); err != nil {
			return err
		}
		if d.Shown, err = shownOf(tx, d.Worktree.ID); err == nil {
			landed, err = land.Last(tx, d.Worktree.ID)
		}
		return err
	}); err != nil {
		if part == Whole && fault.Is(err, fault.KindNotFound) {
			if branch, failed := s.branchDiff(ctx, repoName, ref); failed != nil || branch != nil {
				return branch, failed
			}
		}
		return nil, err
	}
	main, err := r.Open()
	if err != nil {
		return nil, err
	}
	w := d.Worktree
	switch {
	case part == Later && (d.Shown == "" || !w.Status.Live()):
		err = notShown(w)
	case w.Status.Live() && d.Shown != "" && part == Whole:
		d.tree, d.to = main, d.Shown
		d.Base, err = s.left(ctx, r, w, main, d.Shown)
	case w.Status.Live():
		if err = obstacle.Present(ctx, s.Trees, obstacle.Subject{Git: main, Repo: r, Worktree: w}, "compared"); err == nil {
			err = d.openFolder(ctx, s, r, main)
		}
	case landed != nil && landed.State == land.Landed && landed.Commit != "":
		d.tree, d.Base, d.to = main, landed.TargetCommit, landed.Commit
	default:
		err = worktree.Conflictf(w, "worktree %q was removed", w.Ref).WithHint("`agit undo %s` brings it back", w.Ref)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// branchDiff returns the Diff of a branch that no worktree has, such as one of a remote; nil when no branch has the name.
func (s *Store) branchDiff(ctx context.Context, repoName, ref string) (*Diff, error) {
	r, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (repo.Repo, error) {
		if repoName != "" {
			return repo.Find(tx, repoName)
		}
		return repo.AtFolder(tx, s.Trees.Options.Dir)
	})
	if err != nil {
		return nil, nil //nolint:nilerr // the folder is in no repository: no worktree has the name, which the caller reports
	}
	g, err := r.Open()
	if err != nil {
		return nil, err
	}
	name, oid, err := checkout.FindBranch(ctx, g, ref)
	if err != nil || oid == "" {
		return nil, err
	}
	d := &Diff{Worktree: worktree.Worktree{Ref: name, Listed: name, Branch: name, RepoID: r.ID, Repo: r.Name, Status: worktree.Active}, tree: g, to: oid}
	d.Base, err = worktree.LeftAt(ctx, g, s.Trees.Settings(r), oid)
	d.of = oid
	return d, err
}

// shownOf returns the commit of a worktree that waits for a review, "" for none.
func shownOf(tx *registry.Tx, worktreeID int64) (string, error) {
	v, ok, err := Last(tx, worktreeID)
	if err != nil || !ok || v.State != Waiting {
		return "", err
	}
	return v.Tip, nil
}

// left returns the commit where a commit of a worktree left the default branch.
func (s *Store) left(ctx context.Context, r repo.Repo, w worktree.Worktree, g *git.Repo, commit string) (string, error) {
	set := s.Trees.Settings(r)
	_, target, err := checkout.DefaultBranch(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil {
		return "", err
	}
	if target != "" && commit != "" {
		if base, err := g.Run(ctx, "merge-base", target, commit); err == nil && base != "" {
			return base, nil
		}
	}
	return w.Base, nil
}

// openFolder compares the folder of a worktree through a copy of its index, in which untracked files are announced: with the commit shown
// for review, else with the commit where it left the default branch.
func (d *Diff) openFolder(ctx context.Context, s *Store, r repo.Repo, main *git.Repo) error {
	found, err := d.Worktree.Tree(main)
	if err != nil {
		return err
	}
	head, err := found.Head(ctx)
	if err != nil {
		return err
	}
	if d.Base = d.Shown; d.Base == "" {
		if d.Base, err = s.left(ctx, r, d.Worktree, main, head.OID); err != nil {
			return err
		}
	}
	if d.Base == "" {
		return worktree.Conflictf(d.Worktree, "repository %q has no commit yet, so there is nothing to compare with", r.Name).WithHint("make a first commit")
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

// Close removes the temporary files of the comparison.
func (d *Diff) Close() {
	if d.temp != "" {
		_ = os.RemoveAll(d.temp)
	}
}

// args returns the arguments of a git diff with the options given, limited to paths.
func (d *Diff) args(options, paths []string) []string {
	args := append([]string{"diff", "--ignore-submodules=dirty"}, options...)
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

// Empty reports whether nothing is changed.
func (d *Diff) Empty(ctx context.Context, paths []string) (bool, error) {
	out, err := d.tree.Output(ctx, git.Options{Env: d.env}, d.args([]string{"--name-only", "--no-ext-diff"}, paths)...)
	if err != nil {
		return false, git.Fault(err, "show what worktree %q changes", d.Worktree.Ref)
	}
	return len(out) == 0, nil
}

// Stat counts the changes, file by file.
func (d *Diff) Stat(ctx context.Context, paths []string) (s Stat, err error) {
	s = Stat{Worktree: d.Worktree.Ref, Branch: d.Worktree.Branch, Base: d.Base, Shown: d.Shown, Files: []FileChange{}}
	if d.Shown == "" && d.of == "" {
		s.Landed = d.to
	}
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

// Since returns the files of a worktree that were changed since its work was shown for review; none when nothing waits. It returns an error
// when the folder is not readable.
func (s *Store) Since(ctx context.Context, d *Diff) ([]FileChange, error) {
	if d.Shown == "" {
		return nil, nil
	}
	later, err := s.Diff(ctx, d.Worktree.Repo, d.Worktree.Ref, Later)
	if err != nil {
		return nil, err
	}
	defer later.Close()
	stat, err := later.Stat(ctx, nil)
	return stat.Files, err
}
