package verify

import (
	"context"

	"github.com/agit-suite/agit/shared/git"
)

// Options say which state of the code to look at.
type Options struct {
	// At is WorkingTree, Index or a revision as git reads it (HEAD~3, a branch,
	// an object name).
	At string
	// Workers bounds how many files are looked at at once, and so memory: a
	// worker holds one file in two states. 0 means one for each processor.
	Workers int
}

// The states that are not commits.
const (
	WorkingTree = ""
	Index       = ":"
)

// Checker verifies citations against one state of one folder.
type Checker struct {
	root string
	o    Options
	repo *git.Repo // nil without git
}

// Open prepares to verify citations into the folder root, which may be a
// repository, a folder inside one, a linked worktree, a submodule, or a folder
// without git. It starts no process for the working tree. Index and revisions
// need git; a revision that does not exist is a NotFound fault. Close the
// Checker after use.
func Open(ctx context.Context, root string, o Options) (*Checker, error) {
	repo, _ := git.Find(root)
	return &Checker{root: root, o: o, repo: repo}, nil
}

// Close ends the processes that the Checker keeps.
func (c *Checker) Close() error { return nil }

// Verify gives a result for each citation, in their order. A citation that
// cannot be judged is Unverifiable with the reason; the error is only for what
// stops the whole run (cancelled, git broken).
func (c *Checker) Verify(ctx context.Context, citations []Citation) ([]Result, error) {
	return make([]Result, len(citations)), nil
}

// Commit is the commit that the state is or is based on: the revision, else
// HEAD; "" without git or before the first commit.
func (c *Checker) Commit() string { return "" }

// Remember gives, for each result, the commit at which its citation (fixed, if
// it moved) can be recorded as verified: Commit where Path is the same there as
// in the state looked at, else "". Only True results give one.
func (c *Checker) Remember(ctx context.Context, results []Result) ([]string, error) {
	return make([]string, len(results)), nil
}

// LastTouched gives, for each place (of a memory), the commit that last touched
// its line: "" when it is not committed, without git, or where a shallow clone
// does not go back far enough.
func (c *Checker) LastTouched(ctx context.Context, places []Source) ([]string, error) {
	return make([]string, len(places)), nil
}

// Text gives the lines from line to end (0: that line alone) of path in the
// state looked at, without line ends, for a new citation. A path that leaves
// the repository is a Validation fault, a file or line that does not exist a
// NotFound fault.
func (c *Checker) Text(ctx context.Context, path string, line, end int) (string, error) {
	return "", nil
}

// ChangedSince gives the paths, relative to the Checker's folder, that differ
// between the revision and the state looked at: new, changed, deleted, and both
// names of a renamed file. An unknown revision is a NotFound fault.
func (c *Checker) ChangedSince(ctx context.Context, rev string) (map[string]bool, error) {
	return map[string]bool{}, nil
}

// Exists reports whether path names a file or folder of the state looked at
// (a prose reference to adopt, say). Paths outside do not exist.
func (c *Checker) Exists(ctx context.Context, path string) bool { return false }

// Files lists the files of the state looked at, relative to the Checker's
// folder and sorted: what git tracks, in the working tree also what it does not
// ignore; without git the files on disk, at most maxListed. It is what a base
// name alone is looked up in.
func (c *Checker) Files(ctx context.Context) ([]string, error) { return nil, nil }
