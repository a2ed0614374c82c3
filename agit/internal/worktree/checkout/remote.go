package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// SeenRef is the ref in which git keeps the last commit that it saw a remote's branch at.
func SeenRef(remote, branch string) string { return "refs/remotes/" + remote + "/" + branch }

// Fetch asks a remote for one of its branches and returns the commit that it is at, with all of its objects here. limit bounds the
// wait. A remote that git does not know, and a branch that the remote does not have, is a Validation fault; one that cannot be
// reached, that refuses the login, or that does not answer in time is a Provider fault with git's words.
func Fetch(ctx context.Context, g *git.Repo, remote, branch string, limit time.Duration) (oid string, err error) {
	if err := Knows(g, remote); err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	end, err := fetchTurn(bounded, g)
	if err != nil {
		return "", late(ctx, err, remote, limit)
	}
	defer end()
	seen := SeenRef(remote, branch)
	err = fetch(bounded, g, "--", remote, "+refs/heads/"+branch+":"+seen)
	switch {
	case err != nil && strings.Contains(Stderr(err), "couldn't find remote ref"):
		return "", lacksBranch(bounded, g, remote, branch)
	case err != nil:
		return "", late(ctx, err, remote, limit)
	}
	oid, err = g.Resolve(ctx, seen)
	if err == nil && oid == "" {
		err = fault.Operation(nil, "git fetched branch %s of %s and did not keep it as %s", branch, remote, seen)
	}
	return oid, err
}

// lacksBranch is the fault for a remote without the branch. A default branch that the remote has under another name is named: pushing would
// make the old one again.
func lacksBranch(ctx context.Context, g *git.Repo, remote, branch string) error {
	f := fault.Validation("remote", "remote %q has no branch %q to land on", remote, branch)
	out, _ := g.Run(ctx, "ls-remote", "--symref", "--", remote, "HEAD") // an error leaves the name out
	head, _, _ := strings.Cut(out, "\t")
	if now, is := strings.CutPrefix(head, "ref: refs/heads/"); is {
		f.Message += fmt.Sprintf(", and its default branch is %q", now)
		return f.WithHint("%s; default_branch in the configuration names another", Renamed(g, remote))
	}
	return f.WithHint("`git push %s %s` makes it there; default_branch in the configuration names another", text.ShellWord(remote), text.ShellWord(branch))
}

// Renamed returns what follows a default branch that was renamed at a remote.
func Renamed(g *git.Repo, remote string) string {
	name, folder := text.ShellWord(remote), text.ShellWord(g.MainFolder())
	return fmt.Sprintf("`git -C %s fetch %s && git -C %[1]s remote set-head %[2]s -a && agit add %[1]s` follows a branch that was renamed there", folder, name)
}

// Knows refuses a remote that git does not know.
func Knows(g *git.Repo, remote string) error {
	config, err := g.Config()
	if err != nil {
		return err
	}
	if _, known := config.Get("remote." + remote + ".url"); known {
		return nil
	}
	return fault.Validation("remote", "the repository has no remote %q, where its work is to land", remote).
		WithHint("`git remote add %s URL` adds it; `remote = \"none\"` in the configuration lands on the branch here", text.ShellWord(remote))
}

// fetchTurn lets one process at a time fetch: git refuses a second one that writes the same ref.
func fetchTurn(ctx context.Context, g *git.Repo) (end func(), err error) {
	lock, err := LockFile(g, "fetch.lock")
	if err != nil {
		return nil, err
	}
	const pause = 10 * time.Millisecond
	if _, err := lock.TryLockContext(ctx, pause); err != nil {
		lock.Close()
		return nil, err
	}
	return func() { lock.Close() }, nil
}

// LockFile returns a lock of agit in a repository, in a file of that name.
func LockFile(g *git.Repo, name string) (*flock.Flock, error) {
	folder := filepath.Join(g.CommonDir, "agit")
	if err := durable.MkdirAll(folder, 0o755); err != nil {
		return nil, fault.Operation(err, "make the folder of agit in %q", g.CommonDir)
	}
	return flock.New(filepath.Join(folder, name), flock.SetPermissions(0o644)), nil // other users of the repository take it too
}

// fetch runs git fetch for the refspecs at the end of args and for nothing else. It is repeated when a push from this clone, a commit in a
// worktree, or a command of the user's wrote one of the refs meanwhile.
func fetch(ctx context.Context, g *git.Repo, args ...string) error {
	const most, pause = 20, 50 * time.Millisecond
	args = append([]string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--no-recurse-submodules", "--refmap="}, args...)
	for n := 1; ; n++ {
		_, err := g.Run(ctx, args...)
		if err == nil || n == most || !lockedOut(Stderr(err)) && !tooNew(Stderr(err)) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// lockedOut reports whether git left a ref alone since another process held its lock, or had moved it.
func lockedOut(words string) bool {
	_, why, locked := strings.Cut(words, "cannot lock ref ")
	return locked && (strings.Contains(why, " but expected ") || strings.Contains(why, ".lock': File exists"))
}

// tooNew reports whether git missed the commit of a branch or a worktree here. A fetch lists the objects once, before it reads all
// refs: one that was committed in between looks missing to it.
func tooNew(words string) bool {
	_, name, missing := strings.Cut(words, "bad object ")
	return missing && (strings.HasPrefix(name, "worktrees/") || strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "HEAD"))
}

// late is the fault for a remote that did not answer as it should.
func late(ctx context.Context, err error, remote string, limit time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Provider(err, "remote %q did not answer within %s", remote, limit).
			WithHint("try again when it can be reached; remote_timeout in the configuration allows longer")
	}
	return fault.Provider(err, "remote %q cannot be used: %s", remote, words(err, nil)).
		WithHint("check that `git fetch %s` works there", text.ShellWord(remote))
}

// Refused means that a remote refused a push: because of a protected branch, a hook, or no right to write.
type Refused struct{ Words string }

// Error returns the words of the remote.
func (r *Refused) Error() string { return r.Words }

// Closed reports whether the remote takes no push to the branch at all, as a protected one of GitHub, GitLab, Gitea, Bitbucket or Azure DevOps and one
// that is checked out there. Another commit does not change that, where a hook's refusal may be about what is pushed.
func (r *Refused) Closed() bool {
	return holdsAny(strings.ToLower(r.Words), "protected branch", "not allowed to push", "through pull requests", "through a pull request", "tf402455", "branch is currently checked out")
}

// ErrUnsure means that a push ended without an answer, so that it is not known whether the remote has the commit.
var ErrUnsure = errors.New("the remote was not heard of after the push")

// longer is how many times the limit of an answer a push may take: hooks of the remote may test it.
const longer = 10

// Push moves a branch of a remote from one commit to another, which must descend from it. The server compares, and moves the branch only if
// it is still at the first commit. Push returns false when the branch was elsewhere; nothing was pushed then. The error is a *Refused with
// the remote's words, or wraps ErrUnsure where it is not known whether the remote has the commit, or is a Provider fault, and then nothing
// was pushed. limit bounds the wait for an answer; the push itself may take ten times as long.
func Push(ctx context.Context, g *git.Repo, remote, branch, from, to string, limit time.Duration) (done bool, err error) {
	if ok, err := IsAncestor(ctx, g, from, to); err != nil || !ok {
		return false, errors.Join(err, fault.Operation(nil, "commit %.12s is not built on %.12s, and is not pushed", to, from))
	}
	bounded, cancel := context.WithTimeout(ctx, longer*limit)
	defer cancel()
	began := time.Now()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		done, held, err := pushOnce(ctx, bounded, g, remote, branch, from, to, limit)
		if held == "" || err != nil {
			return done, err
		}
		// Another push held the branch when this one came, but did not move it.
		if time.Since(began) > limit {
			return false, &Refused{held}
		}
		select {
		case <-bounded.Done():
			return false, late(ctx, bounded.Err(), remote, longer*limit)
		case <-time.After(pause):
		}
	}
}

// pushOnce is one try of Push. held is the reason why the remote's branch could not be moved although it still is at from.
func pushOnce(ctx, bounded context.Context, g *git.Repo, remote, branch, from, to string, limit time.Duration) (done bool, held string, err error) {
	ref := "refs/heads/" + branch
	out, err := g.Output(bounded, git.Options{}, "push", "--porcelain", "--no-follow-tags", "--force-with-lease="+ref+":"+from, "--", remote, to+":"+ref)
	if err == nil {
		return true, "", nil
	}
	// git may fail after the remote has the commit, and may be cut off while the remote still works: so ask the remote.
	asking := context.WithoutCancel(ctx)
	now, failed := Fetch(asking, g, remote, branch, limit)
	if failed == nil && now != from {
		done, err = IsAncestor(asking, g, to, now)
		return done, "", err
	}
	refusal := rejection(string(out), ref)
	switch {
	case refusal.stale && failed == nil:
		return false, refusal.why, nil
	case refusal.stale:
		return false, "", nil
	case refusal.why != "":
		return false, "", &Refused{words(err, &refusal)}
	case failed != nil && neverBegan(Stderr(err)):
		return false, "", late(ctx, err, remote, limit)
	case failed != nil:
		return false, "", fmt.Errorf("%w: %w", ErrUnsure, failed)
	case bounded.Err() != nil:
		return false, "", fmt.Errorf("%w: %w", ErrUnsure, late(ctx, bounded.Err(), remote, longer*limit))
	case cutOff(Stderr(err)):
		return false, "", fmt.Errorf("%w: %s", ErrUnsure, words(err, nil))
	case !strings.Contains(Stderr(err), "fatal: "):
		return false, "", &Refused{words(err, nil)} // a hook before the push
	}
	return false, "", fault.Provider(err, "remote %q does not take the push: %s", remote, words(err, nil)).
		WithHint("check that `git push --dry-run %s HEAD:%s` works there", text.ShellWord(remote), text.ShellWord(ref))
}

// neverBegan reports whether git's complaint means that it sent nothing: it reached no server, or could not log in.
func neverBegan(complaint string) bool {
	return !cutOff(complaint) && holdsAny(complaint, "Could not read from remote repository", "unable to access", "Authentication failed", "could not read Username",
		"could not read Password", "does not appear to be a git repository", "' not found")
}

// cutOff reports whether git's complaint means that the connection ended in the middle.
func cutOff(complaint string) bool {
	return holdsAny(complaint, "hung up unexpectedly", "RPC failed", "unexpected disconnect", "early EOF")
}

func holdsAny(text string, signs ...string) bool {
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}

// rejected is the reason that git push --porcelain prints for a ref that was not pushed.
type rejected struct {
	why   string // in the words of the remote, or of git
	stale bool   // the branch was elsewhere, or another push held it
}

// rejection reads what `git push --porcelain` printed of a ref: a line "!", from:to and "[remote rejected] (why)", with tabs between.
func rejection(out, ref string) (r rejected) {
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		if len(parts) != 3 || parts[0] != "!" || !strings.HasSuffix(parts[1], ":"+ref) {
			continue
		}
		kind, why, _ := strings.Cut(parts[2], " (")
		r.why = cmp.Or(strings.TrimSuffix(why, ")"), parts[2])
		r.stale = kind == "[rejected]" ||
			holdsAny(why, "failed to update ref", "failed to lock", "cannot lock ref", "incorrect old value", "fetch first", "reference already exists")
	}
	return r
}

// mostWords is the most that is repeated of a server's words, in bytes.
const mostWords = 2000

// words returns the words of a remote about a failed push or fetch, without advice, secrets and control characters.
func words(err error, refusal *rejected) string {
	var lines []string
	for line := range strings.Lines(Stderr(err)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "remote: ") {
			lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "remote: ")))
		}
	}
	if failed, is := errors.AsType[*git.Error](err); refusal != nil {
		lines = append([]string{refusal.why}, lines...)
	} else if is {
		lines = append(lines, failed.Cause())
	} else {
		lines = append(lines, err.Error())
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return text.Visible(redact.Clean(strings.Join(lines, "; ")), mostWords)
}

// Stderr returns what a git that failed wrote to its standard error; "" for any other error.
func Stderr(err error) string {
	if failed, is := errors.AsType[*git.Error](err); is {
		return failed.Stderr
	}
	return ""
}
