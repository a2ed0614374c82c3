package record

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/timestamp"
)

// lookUpTime is how long looking up one commit in a repository may take.
const lookUpTime = 2 * time.Second

// LookUp looks up a commit in the repository that contains dir, by any name that git accepts. ok is false when there is no repository or no
// such commit: the given name is then stored as it is.
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

// LookUp completes the commit of a grading from the repository that contains dir. A commit that this does not have is a
// warning of the result.
func (g *Grading) LookUp(ctx context.Context, dir string) {
	c, ok := LookUp(ctx, dir, g.Commit)
	if ok {
		g.Commit, g.Subject, g.Body = c.OID, c.Subject, c.Body
	} else {
		g.warnings = []string{fmt.Sprintf("the repository here does not know commit %q; it is kept as written", g.Commit)}
	}
}

// FullOID returns the full hash of a commit when the repository that contains dir has it, else the given name.
func FullOID(ctx context.Context, dir, revision string) string {
	if c, ok := LookUp(ctx, dir, revision); ok {
		return c.OID
	}
	return revision
}

// Uncommitted lists the uncommitted changes in the working tree that contains dir, as git status does; none without a working tree.
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

// LastCommit returns the commit just made in the working tree that contains dir, for a post-commit hook. ok is false when there is none,
// and during a rebase, whose commits are copies.
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

// reflogTail is how many bytes at the end of a reflog surely contain its last line.
const reflogTail = 4 << 10

// amended returns the commit that oid has just replaced, "" when it amends none. It reads the reflog's last line (gitformat: OLD NEW WHO, a
// tab, what).
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
