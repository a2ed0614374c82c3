package instruct

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Touched are the files that a change wrote or removed, by their old and new names.
type Touched struct{ files map[string]bool }

// Since returns the files that differ between a revision and the working tree below root; for "" those that the pending commit changes.
// index is the index file of that commit where git names another one than the repository's, as it does for the hooks of a partial commit.
func Since(ctx context.Context, root, rev, index string) (Touched, error) {
	t := Touched{map[string]bool{}}
	repo, err := git.Find(root)
	if err != nil {
		return t, err
	}
	repo.IndexFile = index
	args := []string{"diff", "-z", "--name-only", "--no-renames", "--relative", "--no-ext-diff", "--ignore-submodules=all"}
	if rev == "" {
		args = append(args, "--cached", "--")
	} else {
		commit, err := repo.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
		if err != nil {
			return t, fault.NotFound("revision", rev).WithHint("fetch it, or name another one")
		}
		args = append(args, commit, "--")
	}
	out, err := repo.Output(ctx, git.Options{Dir: root}, args...)
	if err != nil {
		return t, git.Fault(err, "list what changed")
	}
	for _, f := range git.Records(out) {
		t.files[f] = true
	}
	return t, nil
}

// Empty reports whether nothing changed.
func (t Touched) Empty() bool { return len(t.files) == 0 }

// Concerns reports whether the change may have made a statement false: it wrote the file of the statement, or removed the stated path.
func (t Touched) Concerns(f Finding) bool {
	if t.files[f.File] || t.files[f.from] {
		return true
	}
	for name := range t.files {
		if f.family != "" && toolOfFile(name) == f.family {
			return true
		}
		if f.from != "" && strings.HasPrefix(name, f.from+"/") {
			return true
		}
	}
	return false
}
