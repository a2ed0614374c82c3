package checkout

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Lines of `git push --porcelain` as git 2.39 to 2.52 print them.
func TestRejection(t *testing.T) {
	t.Parallel()
	const ref = "refs/heads/main"
	for out, want := range map[string]rejected{
		"!\tabc:refs/heads/main\t[remote rejected] (protected branch hook declined)\nDone\n": {why: "protected branch hook declined"},
		"!\tabc:refs/heads/main\t[remote rejected] (pre-receive hook declined)\r\n":          {why: "pre-receive hook declined"},
		"!\tabc:refs/heads/main\t[rejected] (stale info)\n":                                  {why: "stale info", stale: true},
		"!\tabc:refs/heads/main\t[rejected] (fetch first)\n":                                 {why: "fetch first", stale: true},
		"!\tabc:refs/heads/main\t[remote rejected] (failed to update ref)\n":                 {why: "failed to update ref", stale: true},
		"!\tabc:refs/heads/main\t[remote rejected] (incorrect old value provided)\n":         {why: "incorrect old value provided", stale: true},
		"!\tabc:refs/heads/main\t[remote rejected] (cannot lock ref 'refs/heads/main')\n":    {why: "cannot lock ref 'refs/heads/main'", stale: true},
		"!\tabc:refs/heads/main\t[remote failure]\n":                                         {why: "[remote failure]"},
		"!\tabc:refs/heads/other\t[rejected] (stale info)\n":                                 {},
		" \tabc:refs/heads/main\t1..2\n":                                                     {},
		"!\tabc:refs/heads/main\n":                                                           {},
		"":                                                                                   {},
	} {
		if got := rejection(out, ref); got != want {
			t.Errorf("%q: %+v, want %+v", out, got, want)
		}
	}
}

func FuzzRejection(f *testing.F) {
	f.Add("!\tabc:refs/heads/main\t[remote rejected] (hook declined)\n")
	f.Fuzz(func(t *testing.T, out string) {
		r := rejection(out, "refs/heads/main")
		if r.stale && r.why == "" || strings.ContainsAny(r.why, "\n") || len(r.why) > len(out) {
			t.Errorf("%q: %+v", out, r)
		}
		if r != (rejected{}) && !strings.Contains(out, ":refs/heads/main\t") {
			t.Errorf("%q is of another branch", out)
		}
	})
}

// Whether a push without an answer may have happened is read from git's complaint.
func TestComplaintsOfAPush(t *testing.T) {
	t.Parallel()
	for complaint, want := range map[string]struct{ never, cut bool }{
		"fatal: '/gone' does not appear to be a git repository\nfatal: Could not read from remote repository.\n":       {never: true},
		"fatal: unable to access 'https://h/app/': Could not resolve host: h\n":                                        {never: true},
		"fatal: Authentication failed for 'https://h/app/'\n":                                                          {never: true},
		"fatal: could not read Username for 'https://h': terminal prompts disabled\n":                                  {never: true},
		"fatal: repository 'https://h/app/' not found\n":                                                               {never: true},
		"fatal: the remote end hung up unexpectedly\nfatal: Could not read from remote repository.\n":                  {cut: true},
		"error: RPC failed; curl 56 Recv failure: Connection reset by peer\n":                                          {cut: true},
		"send-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly\n": {cut: true},
		"fatal: early EOF\n": {cut: true},
		"error: failed to push some refs to 'https://h/app/'\n":                         {},
		"remote: the name of the branch is reserved\nerror: failed to push some refs\n": {},
		"": {},
	} {
		if never, cut := neverBegan(complaint), cutOff(complaint); never != want.never || cut != want.cut {
			t.Errorf("%q: never began %v, cut off %v; want %+v", complaint, never, cut, want)
		}
	}
}

// The words of a failed git are found in any error that holds its own.
func TestStderr(t *testing.T) {
	t.Parallel()
	if got := Stderr(fmt.Errorf("x: %w", &git.Error{Stderr: "no"})); got != "no" || Stderr(errors.New("y")) != "" {
		t.Errorf("%q", got)
	}
}

// The words of a remote come without its marks, secrets and control characters, and are bounded.
func TestWordsOfARemote(t *testing.T) {
	t.Parallel()
	failed := func(stderr string) error { return &git.Error{Stderr: stderr, Err: errors.New("exit status 1")} }
	if got := words(failed("remote: error: GH006: Protected branch.\nremote: \nremote:   One review is missing\x1b[31m\nTo h\n"), &rejected{why: "hook declined"}); got != `hook declined; error: GH006: Protected branch.; One review is missing` {
		t.Errorf("%q", got)
	}
	if got := words(failed("remote: token ghp_abcdefghijklmnopqrstuvwxyz0123456789 is not allowed\n"), &rejected{why: "declined"}); strings.Contains(got, "ghp_abc") {
		t.Errorf("%q holds a secret", got)
	}
	if got := words(failed("remote: "+strings.Repeat("x", 5*mostWords)), &rejected{}); len(got) > mostWords+len("…") {
		t.Errorf("%d bytes are repeated", len(got))
	}
	if got := words(errors.New("a cause"), nil); got != "a cause" {
		t.Errorf("%q", got)
	}
	if err := late(t.Context(), errors.New("a cause"), "origin", time.Second); !fault.Is(err, fault.KindProvider) || !strings.Contains(err.Error(), "a cause") {
		t.Error(err)
	}
}
