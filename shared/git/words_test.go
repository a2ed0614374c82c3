package git

import (
	"errors"
	"strings"
	"testing"
)

// The cause of a failed hook or signing program is its output; the cause of a failed git is git's own sentence.
func TestCauseOfHooks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stderr, want string }{
		"git's own":         {"warning: x\nerror: first\nfatal: second\nhint: do this\n", "first"},
		"a hook":            {"husky - running pre-commit\n[STARTED] lint\nx.js: 3:1 no-undef\n", "husky - running pre-commit; [STARTED] lint; x.js: 3:1 no-undef"},
		"a hook of one":     {"not today\n", "not today"},
		"a hook at the ref": {"main is protected: open a pull request\nfatal: ref updates aborted by hook\n", "main is protected: open a pull request; fatal: ref updates aborted by hook"},
		"a signer":          {"error: gpg failed to sign the data:\ngpg: signing failed: no pinentry\nfatal: failed to write commit object\n", "error: gpg failed to sign the data:; gpg: signing failed: no pinentry; fatal: failed to write commit object"},
		"many lines":        {strings.Repeat("first\n", 30) + strings.Repeat("line\n", mostWords), strings.TrimSuffix(strings.Repeat("line; ", mostWords), "; ")},
	} {
		if got := (&Error{Stderr: c.stderr, Err: errors.New("exit status 1")}).Cause(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
