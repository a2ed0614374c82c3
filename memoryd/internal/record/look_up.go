package record

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/timestamp"
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
		c.At = timestamp.Of(time.Unix(seconds, 0).UTC())
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

// LastCommit is the commit just made in the working tree that dir lies in, for a
// post-commit hook. ok is false where there is none, and in the middle of a rebase,
// whose commits are copies.
func LastCommit(ctx context.Context, dir string) (c Commit, ok bool) {
	repo, err := git.Find(dir)
	if err != nil {
		return c, false
	}
	for _, doing := range []string{"rebase-merge", "rebase-apply"} {
		if _, err := os.Stat(filepath.Join(repo.GitDir, doing)); err == nil {
			return c, false
		}
	}
	if c, ok = LookUp(ctx, dir, "HEAD"); ok {
		c.Folder, c.Amends = repo.WorkTree, amended(repo, c.OID)
	}
	return c, ok
}

// reflogTail is how much of the end of a reflog holds its last line.
const reflogTail = 4 << 10

// amended is the commit that oid has just taken the place of, "" when it amends
// none. The reflog's last line says it (gitformat: OLD NEW WHO, a tab, what).
func amended(repo *git.Repo, oid string) string {
	file, err := os.Open(filepath.Join(repo.GitDir, "logs", "HEAD"))
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > reflogTail {
		_, _ = file.Seek(-reflogTail, io.SeekEnd)
	}
	tail, err := io.ReadAll(io.LimitReader(file, reflogTail))
	if err != nil {
		return ""
	}
	last := strings.TrimRight(string(tail), "\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	who, what, _ := strings.Cut(last, "\t")
	oids := strings.SplitN(who, " ", 3)
	if len(oids) == 3 && oids[1] == oid && git.IsOID(oids[0]) && strings.HasPrefix(what, "commit (amend)") {
		return oids[0]
	}
	return ""
}
