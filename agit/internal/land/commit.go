package land

import (
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// commit writes the merge commit as the user.
func (m *merging) commit(ctx context.Context, tree string) (string, error) {
	message := strings.TrimSpace(m.o.Message)
	if message == "" {
		message = fmt.Sprintf("Merge branch '%s'", m.w.Branch)
		if m.w.Task != "" {
			message += "\n\n" + strings.TrimSpace(m.w.Task)
		}
	}
	args := []string{"commit-tree", tree, "-p", m.j.Old, "-p", m.tip, "-F", "-"}
	if signs(m.g) {
		args = append(args, "-S")
	}
	out, err := m.g.Output(ctx, git.Options{Stdin: strings.NewReader(message + "\n")}, args...)
	if err != nil {
		return "", identityFault(err)
	}
	return strings.TrimSpace(string(out)), nil
}

// signs reports whether the user has all commits signed; commit-tree does not
// look at that setting itself.
func signs(g *git.Repo) bool {
	if config, err := g.Config(); err == nil {
		if yes, set := config.Bool("commit.gpgsign"); set {
			return yes
		}
	}
	config, err := git.UserConfig()
	if err != nil {
		return false
	}
	yes, _ := config.Bool("commit.gpgsign")
	return yes
}

func identityFault(err error) error {
	f := git.Fault(err, "write the merge commit")
	for _, complaint := range []string{"tell me who you are", "identity unknown", "empty ident", "auto-detect email"} {
		if strings.Contains(err.Error(), complaint) || strings.Contains(stderrOf(err), complaint) {
			return f.WithHint("git does not know who you are: set user.name and user.email in its configuration")
		}
	}
	return f
}
