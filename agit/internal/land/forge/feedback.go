package forge

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Check is a check of a pull request that failed.
type Check struct {
	Name string
	Log  string // the end of what it printed, without secrets; "" where the forge keeps none
	Why  string // why there is no log
}

// Comment is a text that someone wrote on a pull request: a stranger's, unless Writer.
type Comment struct {
	ID     string // of the forge, unique on the pull request
	Author string
	As     string // what the forge calls the author: member, contributor
	Writer bool   // the author may write to the repository
	Path   string // of the file it is about; "" for the whole
	Line   int64  // in that file; 0 where it is not known
	Text   string
}

// results are the checks of a pull request's newest commit.
type results struct {
	running bool // some have not ended
	failed  []failedCheck
}

// failedCheck is a failed check, with what the forge's program needs to read its log.
type failedCheck struct {
	name string
	job  string // the forge's id of what ran; "" where it keeps no log
}

// Limits on what an agent gets from a forge, in bytes.
const (
	mostChecks  = 3
	logRead     = 64 << 10 // of a log's end, where secrets are looked for
	logEnd      = 2700
	commentText = 700
)

// Failed returns the checks that failed on the newest commit of a pull request, with the ends of their logs. It returns none while others
// still run, so that an agent gets all of them at once.
func (s *Store) Failed(ctx context.Context, p PullRequest) ([]Check, error) {
	program, err := s.programFor(ctx, p)
	if err != nil {
		return nil, err
	}
	all, err := program.checks(ctx, p.Number)
	if err != nil || all.running {
		return nil, err
	}
	var failed []Check
	for i, c := range all.failed {
		one := Check{Name: text.Visible(redact.Clean(c.name), maxTitle)}
		switch {
		case c.job == "":
			one.Why = "the forge keeps no log of it"
		case i >= mostChecks:
			one.Why = "left out, for length"
		default:
			log, err := program.log(ctx, c.job)
			if Limited(err) || ctx.Err() != nil {
				return nil, err
			}
			if err != nil {
				one.Why = "its log could not be read: " + fault.From(err).Message
			}
			one.Log = endOf(log)
		}
		failed = append(failed, one)
	}
	return failed, nil
}

// endOf returns the end of a log as text, without secrets and terminal control sequences.
func endOf(log []byte) string {
	s := strings.ToValidUTF8(string(log[max(0, len(log)-logRead):]), "")
	s = strings.ReplaceAll(redact.Clean(runlog.Plain(s)), "\r", "")
	return Tail(strings.TrimSpace(s), logEnd)
}

// Tail returns the end of a text of at most most bytes, in whole lines where it has any.
func Tail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[len(s)-most:]
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		s = rest
	}
	return strings.ToValidUTF8(s, "")
}

// Comments returns the comments on a pull request, the oldest first, without secrets and each of bounded length. It leaves out the forge's
// own records, and comments without text.
func (s *Store) Comments(ctx context.Context, p PullRequest) ([]Comment, error) {
	program, err := s.programFor(ctx, p)
	if err != nil {
		return nil, err
	}
	all, err := program.comments(ctx, p.Number)
	for i := range all {
		c := &all[i]
		c.Author, c.As, c.Path = text.Visible(redact.Clean(c.Author), maxTitle/4), text.Visible(c.As, maxTitle/4), text.Visible(redact.Clean(c.Path), maxTitle)
		c.Text = text.Cut(strings.TrimSpace(redact.Clean(runlog.Plain(c.Text))), commentText)
	}
	return slices.DeleteFunc(all, func(c Comment) bool { return c.Text == "" }), err
}

// programFor returns the program of the forge that a pull request is at.
func (s *Store) programFor(ctx context.Context, p PullRequest) (program, error) {
	r, _, to, err := s.at(ctx, p.Repo)
	if err != nil {
		return nil, err
	}
	return s.programOf(p.Forge, to, r.Path), nil
}

// at returns a repository by its name, with the remote that stands for it.
func (s *Store) at(ctx context.Context, repoName string) (r repo.Repo, g *git.Repo, to remote, err error) {
	if r, err = s.Trees.Repo(ctx, repoName); err == nil {
		g, err = r.Open()
	}
	if err == nil {
		to, err = remoteOf(g, "")
	}
	return r, g, to, err
}

// The kinds of things of a pull request that are handed to an agent.
const (
	HandedChecks   = "checks"
	HandedConflict = "conflict"
	HandedComment  = "comment"
	HandedMerge    = "merge"   // handed to the forge, which merges that commit by itself
	HandedGaveUp   = "gave up" // nothing more is handed over until someone begins the task anew
)

// Handed is one thing of a pull request that was handed to its agent.
type Handed struct {
	Kind    string
	Subject string // the pushed commit for checks and a conflict, the id of a comment
	Head    string // the commit that the forge had
}

// HandedOf returns what was handed to the agent of a pull request, the oldest first.
func HandedOf(tx *registry.Tx, pullID int64) ([]Handed, error) {
	return registry.Collect(tx, func(row registry.Scanner) (h Handed, err error) {
		return h, row.Scan(&h.Kind, &h.Subject, &h.Head)
	}, `SELECT kind, subject, head_oid FROM pull_handed WHERE pull_id = ? ORDER BY id`, pullID)
}

// Hand notes that something is handed to the agent of a pull request; fresh is false when it was handed over before.
func (s *Store) Hand(tx *registry.Tx, p PullRequest, h Handed) (fresh bool, err error) {
	n, err := tx.Exec(`INSERT INTO pull_handed (pull_id, kind, subject, head_oid, handed_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (pull_id, kind, subject) DO NOTHING`,
		p.ID, h.Kind, h.Subject, h.Head, tx.Stamp())
	return n > 0, err
}

// Rounds counts how often failed checks or a conflict were handed to the agent of a pull request, since it last gave up.
func Rounds(handed []Handed) (n int) {
	for _, h := range handed {
		switch h.Kind {
		case HandedChecks, HandedConflict:
			n++
		case HandedGaveUp:
			n = 0
		}
	}
	return n
}

// AutoMerge lets the forge merge a pull request by itself, at the commit head, once its rules are met; asked is false when AutoMerge did
// that for head before. It returns a Provider fault when the forge or the repository does not allow it.
func (s *Store) AutoMerge(ctx context.Context, w worktree.Worktree, p PullRequest, head string) (asked bool, err error) {
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		handed, err := HandedOf(tx, p.ID)
		asked = slices.ContainsFunc(handed, func(h Handed) bool { return h.Kind == HandedMerge && h.Subject == head })
		return err
	})
	if err != nil || asked {
		return false, err
	}
	program, err := s.programFor(ctx, p)
	if err != nil {
		return false, err
	}
	if err := program.merges(ctx, p.Number, head); err != nil {
		return false, err
	}
	return true, s.Trees.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		_, err := s.Hand(tx, p, Handed{Kind: HandedMerge, Subject: head, Head: head})
		return err
	})
}

// Fetch fetches the base and the branch of a pull request from the remote.
func (s *Store) Fetch(ctx context.Context, p PullRequest) error {
	_, g, from, err := s.at(ctx, p.Repo)
	if err != nil {
		return err
	}
	if _, err := g.Run(ctx, "fetch", "--quiet", "--no-tags", "--", from.Name, p.Target, p.Branch); err != nil {
		return fault.Provider(err, "fetch %s and %s from %s", p.Target, p.Branch, from.Name).WithHint("try again when the remote can be reached")
	}
	return nil
}

// Base returns git's names of the base of a pull request and of its branch (own), both as last seen at the remote.
func (s *Store) Base(ctx context.Context, p PullRequest) (base, own string, err error) {
	_, _, from, err := s.at(ctx, p.Repo)
	return from.Name + "/" + p.Target, from.Name + "/" + p.Branch, err
}

// LastIn returns the last pull request of a worktree; ok is false when it has none.
func LastIn(tx *registry.Tx, w worktree.Worktree) (p PullRequest, ok bool, err error) {
	p, err = last(tx, w.ID)
	ok, err = registry.Found(err)
	return p, ok, err
}
