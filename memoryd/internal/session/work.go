package session

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
)

// Commit is one made during a session.
type Commit struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
}

// Work is what git saw between a session's start and its end.
type Work struct {
	Files   []string `json:"files_modified"`
	Commits []Commit `json:"commits_made"`
}

// Limits of the stored work of a session, and of the time for git.
const (
	maxFiles   = 1000
	maxCommits = 500
	gitTime    = 10 * time.Second
)

// seen is the work found in a working tree.
type seen struct {
	Work
	head string
}

// look asks git for the work of a session since it began, in its agent's worktree for its item, else in its folder: commits that HEAD has
// gained, the files that these changed, and uncommitted files written since. ok is false when there is nothing to look at: no repository, another machine, a missing folder.
func (x Session) look(ctx context.Context) (w seen, ok bool) {
	if x.row.place == "" || x.row.host != registry.Host() {
		return w, false
	}
	repo, err := git.Find(x.row.place)
	if err != nil || repo.WorkTree == "" {
		return w, false
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return w, false
	}
	ctx, stop := context.WithTimeout(ctx, gitTime)
	defer stop()
	files := x.committed(ctx, repo, head.OID, &w)
	if out, err := repo.Output(ctx, git.Options{}, git.StatusArgs()...); err == nil {
		entries, _ := git.ParseStatus(out)
		for _, e := range entries {
			if e.Kind != git.Ignored && writtenSince(filepath.Join(repo.WorkTree, filepath.FromSlash(e.Path)), x.StartedAt.Time) {
				files[e.Path] = true
			}
		}
	}
	w.list(files)
	return w, true
}

// lookAt is look for a session whose folder is gone because its work landed: folder is in the same repository, and tip is the commit at
// which the session ended.
func (x Session) lookAt(ctx context.Context, folder, tip string) (w seen, ok bool) {
	repo, err := git.Find(folder)
	if err != nil || !git.IsOID(tip) || x.row.host != registry.Host() {
		return w, false
	}
	ctx, stop := context.WithTimeout(ctx, gitTime)
	defer stop()
	w.list(x.committed(ctx, repo, tip, &w))
	return w, true
}

// committed notes the commits that head has and the session's start did not have, and returns the files that they changed.
func (x Session) committed(ctx context.Context, repo *git.Repo, head string, w *seen) map[string]bool {
	w.head = head
	w.Files, w.Commits = []string{}, []Commit{}
	files := map[string]bool{}
	var names []string
	switch {
	case w.head == "" || w.head == x.row.start:
	case x.row.place != x.row.folder: // the start is a commit of another branch, and the worktree may be older than the session
		since := "--since=" + x.StartedAt.UTC().Format(time.RFC3339)
		w.Commits = commitsSince(ctx, repo, x.row.start, w.head, since)
		out, _ := repo.Output(ctx, git.Options{}, logSince(x.row.start, w.head, since, "--format=", "--name-only", "--no-ext-diff")...)
		names = git.Records(out)
	default:
		w.Commits = commitsSince(ctx, repo, x.row.start, w.head)
		names = changedSince(ctx, repo, x.row.start, w.head)
	}
	for _, name := range names {
		files[name] = true
	}
	return files
}

// list stores the names of files in order, up to the limit.
func (w *seen) list(files map[string]bool) {
	w.Files = slices.AppendSeq(w.Files, maps.Keys(files))
	slices.Sort(w.Files)
	w.Files = w.Files[:min(len(w.Files), maxFiles)]
}

// logSince returns the arguments of git log, in records, for the commits of head that start does not have.
func logSince(start, head string, options ...string) []string {
	args := append([]string{"log", "-z", "--max-count=500", head}, options...)
	if start != "" {
		args = append(args, "^"+start)
	}
	return append(args, "--")
}

// commitsSince lists the commits of head that start does not have, the oldest first.
func commitsSince(ctx context.Context, repo *git.Repo, start, head string, options ...string) []Commit {
	made := []Commit{}
	out, err := repo.Output(ctx, git.Options{}, logSince(start, head, append(options, "--reverse", "--format=%H %s")...)...)
	if err != nil {
		return made // the start is gone, after a rewrite and a prune
	}
	for _, record := range git.Records(out) {
		oid, subject, _ := strings.Cut(record, " ")
		if git.IsOID(oid) {
			made = append(made, Commit{oid, strings.ToValidUTF8(subject, "\uFFFD")})
		}
	}
	return made[:min(len(made), maxCommits)]
}

// changedSince lists the files that differ between two commits; without a start, all files of head.
func changedSince(ctx context.Context, repo *git.Repo, start, head string) []string {
	args := []string{"diff", "--name-only", "-z", "--no-ext-diff", start, head, "--"}
	if start == "" {
		args = []string{"ls-tree", "-r", "-z", "--name-only", head}
	}
	out, err := repo.Output(ctx, git.Options{}, args...)
	if err != nil {
		return nil
	}
	return git.Records(out)
}

// slack is how far the clock of file times may be behind.
const slack = 20 * time.Millisecond

// writtenSince reports whether a file was written since t. A missing file counts as removed since then when its folder was changed since.
func writtenSince(path string, t time.Time) bool {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Lstat(filepath.Dir(path))
		if errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return err == nil && !info.ModTime().Before(t.Add(-slack))
}

// store stores the work; rows that are stored already stay.
func (w seen) store(tx *registry.Tx, session int64) error {
	if err := tx.Do(`UPDATE sessions SET end_oid = ? WHERE id = ?`, registry.NullIfZero(w.head), session); err != nil {
		return err
	}
	keep := func(kind string, position int, value, note string) error {
		return tx.Do(`INSERT INTO session_files (session_id, kind, position, value, note) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			session, kind, position, strings.ToValidUTF8(value, "\uFFFD"), note)
	}
	for i, name := range w.Files {
		if err := keep("file", i, name, ""); err != nil {
			return err
		}
	}
	for i, c := range w.Commits {
		subject := redact.Clean(c.Subject)
		if err := keep("commit", i, c.ID, subject); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the work that was stored with a session.
func kept(tx *registry.Tx, session int64) (w Work, err error) {
	w.Files, err = registry.Collect(tx, registry.One[string], `SELECT value FROM session_files WHERE session_id = ? AND kind = 'file' ORDER BY value`, session)
	if err != nil {
		return w, err
	}
	w.Commits, err = registry.Collect(tx, func(row registry.Scanner) (c Commit, err error) { return c, row.Scan(&c.ID, &c.Subject) },
		`SELECT value, note FROM session_files WHERE session_id = ? AND kind = 'commit' ORDER BY position`, session)
	return w, err
}

// trackWork stores the work that git saw of a session closed without its agent. On failure the session stays as it is.
func (s *Store) trackWork(ctx context.Context, x Session) {
	if x.row.end != "" {
		return
	}
	if w, ok := x.look(ctx); ok {
		_ = s.DB.Write(ctx, registry.Scope{Project: x.row.project}, func(tx *registry.Tx) error {
			if err := w.store(tx, x.row.id); err != nil || x.Summary != "" {
				return err
			}
			return tx.Do(`UPDATE sessions SET summary = ? WHERE id = ? AND summary IS NULL`,
				registry.NullIfZero(summarise(x, nil, w.Work, x.LastEvent.Time)), x.row.id)
		})
	}
}
