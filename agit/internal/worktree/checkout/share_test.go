package checkout

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Each host pushes its branches under its own name, once for each commit, takes back those that it no longer has, and gets those of others.
func TestShare(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	share := func(host string, branches ...string) {
		t.Helper()
		g := p.here.Repo()
		if host == "laptop" {
			g = p.other.Repo()
		}
		if err := Share(t.Context(), g, "origin", host, branches, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	want := func(refs ...string) {
		t.Helper()
		if got := p.bare.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/agit"); got != strings.Join(refs, "\n") {
			t.Errorf("the remote has\n%s\nnot\n%s", got, strings.Join(refs, "\n"))
		}
	}
	p.here.Git("branch", "fix")
	share("desk", "fix", "gone")
	want("refs/agit/desk/fix " + p.to)
	p.other.Git("branch", "fix")
	share("laptop", "fix")
	want("refs/agit/desk/fix "+p.to, "refs/agit/laptop/fix "+p.from)
	if got := p.other.Git("rev-parse", "refs/remotes/agit-hosts/desk/fix"); got != p.to {
		t.Errorf("the laptop sees the desk at %s", got)
	}
	p.here.Git("branch", "--force", "fix", p.from) // rewritten
	share("desk", "fix")
	want("refs/agit/desk/fix "+p.from, "refs/agit/laptop/fix "+p.from)
	share("desk")
	want("refs/agit/laptop/fix " + p.from)
	share("laptop", "fix")
	if got := p.other.Git("for-each-ref", "--format=%(refname)", "refs/remotes/agit-hosts/desk"); got != "" {
		t.Errorf("the laptop still sees %s", got)
	}
}

// A branch that did not move is not pushed again.
func TestShareWhatMoved(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	for i, want := range []int{1, 1} {
		if err := Share(t.Context(), p.here.Repo(), "origin", "desk", []string{"main"}, time.Minute); err != nil {
			t.Fatal(err)
		}
		specs, err := toShare(t.Context(), p.here.Repo(), "desk", []string{"main"})
		if i == 0 && len(specs) != want || i == 1 && len(specs) != 0 || err != nil { // a push is known once it was fetched
			t.Errorf("after %d: %q, %v", i+1, specs, err)
		}
	}
}

func TestShareIsRefused(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	share := func(remote string) error {
		return Share(t.Context(), p.here.Repo(), remote, "desk", []string{"main"}, time.Minute)
	}
	if err := share("elsewhere"); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a remote that git does not know: %v", err)
	}
	p.bare.Hook("pre-receive", "echo no drafts here >&2\nexit 1")
	refused := &Refused{}
	if err := share("origin"); !errors.As(err, &refused) || !strings.Contains(refused.Words, "no drafts here") {
		t.Errorf("a hook that refuses: %v", err)
	}
}

// A host's name becomes a part of a ref that git takes.
func TestSharedRef(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	for host, want := range map[string]string{
		"laptop": "laptop", "a.example.com": "a.example.com", "a b/c:d": "a-b-c-d", "a..b": "a--b", ".x": "host-x-", "x.lock": "host-x.lock-", "x.": "host-x-", "grün": "gr-n", "a@{1}": "a--1}",
	} {
		ref := SharedRef(host, "fix")
		if ref != "refs/agit/"+want+"/fix" || SharedBy(host) != "agit-hosts/"+want+"/" {
			t.Errorf("%q: %s, %s", host, ref, SharedBy(host))
		}
		p.here.Git("check-ref-format", ref)
	}
}

func TestLockedOut(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		"error: cannot lock ref 'refs/remotes/origin/main': is at f80f but expected 2711":                                true,
		"error: cannot lock ref 'refs/x': Unable to create '/app/.git/refs/x.lock': File exists.\n\nAnother git process": true,
		"error: cannot lock ref 'refs/x': Unable to create '/app/.git/refs/x.lock': Permission denied":                   false,
		"error: cannot lock ref 'refs/x/y': 'refs/x' exists":                                                             false,
		"fatal: it is at a but expected b":                                                                               false,
		"":                                                                                                               false,
	} {
		if got := lockedOut(words); got != want {
			t.Errorf("%q: %t", words, got)
		}
	}
}

// TestFetchOfALockedRef: a lock that stays is reported in git's words.
func TestFetchOfALockedRef(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	p.other.Git("fetch", "--quiet", "origin")
	p.here.Git("push", "--quiet", "origin", p.to+":refs/heads/main")
	p.other.Write(".git/refs/remotes/origin/main.lock", "")
	_, err := Fetch(t.Context(), p.other.Repo(), "origin", "main", time.Minute)
	if !fault.Is(err, fault.KindProvider) || !strings.Contains(err.Error(), "main.lock': File exists") {
		t.Errorf("%v", err)
	}
	p.other.Remove(".git/refs/remotes/origin/main.lock")
	if oid, err := Fetch(t.Context(), p.other.Repo(), "origin", "main", time.Minute); err != nil || oid != p.to {
		t.Errorf("%s, %v", oid, err)
	}
}

func TestTooNew(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		"fatal: bad object worktrees/part-0-1/HEAD":                true,
		"fatal: bad object refs/heads/part":                        true,
		"fatal: bad object HEAD\nfatal: the remote end hung up":    true,
		"fatal: bad object refs/stash":                             false,
		"fatal: bad object 1111111111111111111111111111111111111c": false,
		"": false,
	} {
		if got := tooNew(words); got != want {
			t.Errorf("%q: %t", words, got)
		}
	}
}
