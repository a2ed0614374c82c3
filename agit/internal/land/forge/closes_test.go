package forge

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
)

// TestAPullRequestClosesItsIssue: an issue of the same repository is named by its number alone, and anything that is not an issue is not
// named.
func TestAPullRequestClosesItsIssue(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/acme/app/issues/12":          "Closes #12\n",
		"https://github.com/Acme/App/issues/12":          "Closes #12\n",
		"https://github.com/acme/other/issues/7":         "Closes acme/other#7\n",
		"https://git.example.com/acme/app/issues/7":      "Closes acme/app#7\n",
		"https://github.com/acme/app/pull/12":            "",
		"https://github.com/acme/app/issues/new":         "",
		"https://github.com/acme/app/issues/12/comments": "",
		"https://linear.app/acme/issue/SEM-1":            "",
	} {
		body := subject{issues: []string{address}}.body(worktree.Worktree{}, "Log in", remote{Into: "github.com/acme/app"}, []string{"Add login"})
		_, after, named := strings.Cut(body, "\n\nCloses ")
		if named != (want != "") || named && "Closes "+after != want {
			t.Errorf("%s: %q, want %q", address, body, want)
		}
	}
}
