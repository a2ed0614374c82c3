package record

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
)

// lookUpTime is how long a repository may take to tell of one commit.
const lookUpTime = 2 * time.Second

// LookUp asks the repository that dir lies in for a commit, by any name git has
// for it. ok is false when there is no repository, or no such commit: what was
// given is then kept as it is.
func LookUp(ctx context.Context, dir, revision string) (c Commit, ok bool) {
	revision, err := checkOID(revision)
	if err != nil || dir == "" {
		return c, false
	}
	repo, err := git.Find(dir)
	if err != nil {
		return c, false
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	out, err := repo.Output(ctx, git.Options{Dir: dir}, "log", "-1", "--no-show-signature", "--no-color", "--encoding=UTF-8",
		"--format=%H%x00%ct%x00%s%x00%b", "--end-of-options", revision, "--")
	fields := strings.SplitN(string(out), "\x00", 4)
	if err != nil || len(fields) != 4 {
		return c, false
	}
	c = Commit{OID: fields[0], Subject: fields[2], Body: strings.TrimSpace(fields[3])}
	if seconds, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
		c.At = time.Unix(seconds, 0).UTC()
	}
	return c, true
}

// LookUp completes the commit of a grading from the repository that dir lies in;
// false when that does not know it.
func (g *Grading) LookUp(ctx context.Context, dir string) bool {
	c, ok := LookUp(ctx, dir, g.Commit)
	if ok {
		g.Commit, g.Subject, g.Body = c.OID, c.Subject, c.Body
	}
	return ok
}

// FullOID is the whole hash of a commit where the repository that dir lies in
// knows it, else what was given.
func FullOID(ctx context.Context, dir, revision string) string {
	if c, ok := LookUp(ctx, dir, revision); ok {
		return c.OID
	}
	return revision
}

// Uncommitted names the changes that are not committed in the working tree that
// dir lies in, as git status tells them; none where there is no working tree.
func Uncommitted(ctx context.Context, dir string) []string {
	names := []string{}
	repo, err := git.Find(dir)
	if err != nil || repo.Bare {
		return names
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	out, err := repo.Output(ctx, git.Options{Dir: dir}, git.StatusArgs("--untracked-files=normal", "--ignore-submodules=dirty")...)
	if err != nil {
		return names
	}
	entries, err := git.ParseStatus(out)
	if err != nil {
		return names
	}
	for _, e := range entries {
		names = append(names, e.Path)
	}
	return names
}
