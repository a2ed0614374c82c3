package land

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// commit writes the merge commit as the user.
func (m *merging) commit(ctx context.Context, tree string) (string, error) {
	message := strings.TrimSpace(m.o.Message)
	if message == "" {
		message = fmt.Sprintf("Merge branch '%s'", m.w.Branch)
		if m.local {
			message += fmt.Sprintf(" into %s", m.target)
		}
		if m.w.Task != "" {
			message += "\n\n" + strings.TrimSpace(m.w.Task)
		}
	}
	return m.commitTree(ctx, git.Options{}, tree, message+"\n", m.j.Old, m.tip)
}

// commitTree writes a commit, signed where the user has all commits signed.
func (m *merging) commitTree(ctx context.Context, o git.Options, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	args = append(args, "-F", "-")
	if !m.dry && signs(ctx, m.g) {
		args = append(args, "-S")
	}
	o.Env = append(slices.Clone(o.Env), m.objects.Env...)
	o.Stdin = strings.NewReader(message)
	out, err := m.g.Output(ctx, o, args...)
	if err != nil {
		return "", m.g.CommitFault(ctx, err, "write the merge commit")
	}
	return strings.TrimSpace(string(out)), nil
}

// signs reports whether the user has all commits signed; commit-tree does not read that setting itself. It asks git, because only git knows
// all the places where the setting may be.
func signs(ctx context.Context, g *git.Repo) bool {
	said, err := g.Run(ctx, "config", "--type=bool", "--get", "commit.gpgsign")
	return err == nil && said == "true"
}
