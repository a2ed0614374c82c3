package conflict

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/ignore"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Announcement is files that an agent announced it will work on. It forbids nothing.
type Announcement struct {
	Agent     string         `json:"agent"`
	Pattern   string         `json:"pattern"`
	Why       string         `json:"why,omitempty"`
	ClaimedAt timestamp.Time `json:"claimed_at"`
	ExpiresAt timestamp.Time `json:"expires_at"`
	Overlaps  []string       `json:"overlaps,omitempty"` // announcements of others about some of the same files: "agent: pattern"
}

// covers reports whether the announcement is about the file.
func (c Announcement) covers(path string) bool {
	p, ok := ignore.Parse(c.Pattern)
	return ok && p.Match(path)
}

// Announce is a request to announce files.
type Announce struct {
	RepoID   int64
	AgentID  int64
	Patterns []string      // as in .gitignore, from the repository's root: see package ignore
	Why      string        // shown to others
	For      time.Duration // how long; 0 is DefaultAnnouncement, at most MaxAnnouncement
}

// How long announcements last, and how much can be announced in one call.
const (
	DefaultAnnouncement = 2 * time.Hour
	MaxAnnouncement     = 7 * 24 * time.Hour
	maxPatterns         = 200
	maxPattern          = 1024 // bytes
	maxWhy              = 4096
)

// Announce announces files; announcing them again renews it. It returns the
// agent's announcements just made, each with those of others it overlaps: they
// are advisory, so an overlap is reported, not refused.
func (s *Store) Announce(ctx context.Context, c Announce) ([]Announcement, error) {
	patterns, err := c.check()
	if err != nil {
		return nil, err
	}
	r, _, err := s.load(ctx, c.RepoID)
	if err != nil {
		return nil, err
	}
	var made, all []Announcement
	err = s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		if err := dropExpired(tx, c.RepoID); err != nil {
			return err
		}
		until := registry.FormatTime(tx.Now().Add(c.For))
		for _, p := range patterns {
			err := tx.Do(`INSERT INTO file_claims (repo_id, agent_id, pattern, why, claimed_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
				ON CONFLICT (repo_id, agent_id, pattern) DO UPDATE SET why = excluded.why, expires_at = excluded.expires_at`,
				c.RepoID, c.AgentID, p, c.Why, tx.Stamp(), until)
			if err != nil {
				return err
			}
		}
		own, err := announcements(tx, c.RepoID, `AND c.agent_id = ?`, c.AgentID)
		if err != nil {
			return err
		}
		made = made[:0]
		for _, a := range own {
			for _, p := range patterns {
				if a.Pattern == p {
					made = append(made, a)
				}
			}
		}
		all, err = announcements(tx, c.RepoID, `AND c.agent_id <> ?`, c.AgentID)
		tx.Changed(registry.TopicConflicts, r.ProjectID, r.Name)
		return err
	})
	if err != nil || len(all) == 0 {
		return made, err
	}
	files, err := trackedFiles(ctx, r)
	if err != nil {
		return nil, err
	}
	for i := range made {
		made[i].Overlaps = overlaps(made[i], all, files)
	}
	return made, nil
}

func (c *Announce) check() ([]string, error) {
	if c.For == 0 {
		c.For = DefaultAnnouncement
	}
	switch {
	case len(c.Patterns) == 0:
		return nil, fault.Validation("patterns", "no pattern is given").WithHint("name files as in .gitignore, for instance 'src/auth/**'")
	case len(c.Patterns) > maxPatterns:
		return nil, fault.Validation("patterns", "%d patterns are more than the %d that can be announced at once", len(c.Patterns), maxPatterns).WithHint("announce a folder instead of its files")
	case c.For < time.Second || c.For > MaxAnnouncement:
		return nil, fault.Validation("for", "files cannot be announced for %s", c.For).WithHint("use a time from 1s to %s", MaxAnnouncement)
	case len(c.Why) > maxWhy || strings.ContainsRune(c.Why, 0):
		return nil, fault.Validation("why", "the reason is longer than %d bytes or holds a NUL", maxWhy)
	}
	patterns := make([]string, len(c.Patterns))
	for i, text := range c.Patterns {
		p, err := cleanPattern(text)
		if err != nil {
			return nil, err
		}
		patterns[i] = redact.Stored(p)
	}
	c.Why = redact.Stored(c.Why)
	return patterns, nil
}

// cleanPattern returns a pattern in the form that is stored: without a leading "./".
func cleanPattern(text string) (string, error) {
	if len(text) > maxPattern || strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0 || strings.ToValidUTF8(text, "") != text {
		return "", fault.Validation("patterns", "%.80q is not a pattern: it is too long or holds control characters", text)
	}
	for strings.HasPrefix(text, "./") {
		text = text[1:] // "./a" is a in the root only
	}
	p, ok := ignore.Parse(text)
	if !ok || p.Negated || strings.HasPrefix(text, "../") {
		return "", fault.Validation("patterns", "%q is not a pattern of files to announce", text).WithHint("name files as in .gitignore, without a leading '!' or '..'")
	}
	return text, nil
}

// overlaps lists the announcements of others that cover a file this one also covers: a tracked file, or one that either of them names
// outright.
func overlaps(mine Announcement, others []Announcement, files []string) []string {
	var found []string
	p, _ := ignore.Parse(mine.Pattern)
	covered := slices.DeleteFunc(slices.Clone(files), func(file string) bool { return !p.Match(file) })
	if path, ok := p.Literal(); ok {
		covered = append(covered, path)
	}
	for _, other := range others {
		q, ok := ignore.Parse(other.Pattern)
		if !ok {
			continue
		}
		path, literal := q.Literal()
		if other.Pattern == mine.Pattern || literal && p.Match(path) || slices.ContainsFunc(covered, q.Match) {
			found = append(found, other.Agent+": "+other.Pattern)
		}
	}
	return found
}

// Withdraw ends the agent's announcements of the given patterns, or all of them when
// none is given, and returns how many it ended.
func (s *Store) Withdraw(ctx context.Context, repoID, agentID int64, patterns []string) (n int, err error) {
	r, _, err := s.load(ctx, repoID)
	if err != nil {
		return 0, err
	}
	for i, text := range patterns {
		if patterns[i], err = cleanPattern(text); err != nil {
			return 0, err
		}
	}
	err = s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		n = 0
		if err := dropExpired(tx, repoID); err != nil {
			return err
		}
		end := func(query string, args ...any) error {
			ended, err := tx.Exec(query, args...)
			n += int(ended)
			return err
		}
		if len(patterns) == 0 {
			err = end(`DELETE FROM file_claims WHERE repo_id = ? AND agent_id = ?`, repoID, agentID)
		}
		for _, p := range patterns {
			if err == nil {
				err = end(`DELETE FROM file_claims WHERE repo_id = ? AND agent_id = ? AND pattern = ?`, repoID, agentID, p)
			}
		}
		if n > 0 {
			tx.Changed(registry.TopicConflicts, r.ProjectID, r.Name)
		}
		return err
	})
	return n, err
}

// WithdrawAgent ends all announcements of an agent in every repository, in the caller's
// transaction: for its removal.
func WithdrawAgent(tx *registry.Tx, agentID int64) error {
	return tx.Do(`DELETE FROM file_claims WHERE agent_id = ?`, agentID)
}

// Announcements lists the active announcements of a repository, oldest first.
func (s *Store) Announcements(ctx context.Context, repoID int64) ([]Announcement, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Announcement, error) { return announcements(tx, repoID, "") })
}

// announcements reads active announcements; the registry's clock decides which those are.
func announcements(tx *registry.Tx, repoID int64, more string, args ...any) ([]Announcement, error) {
	return registry.Collect(tx, func(row registry.Scanner) (c Announcement, err error) {
		err = row.Scan(&c.Agent, &c.Pattern, &c.Why, &c.ClaimedAt, &c.ExpiresAt)
		return c, err
	}, `SELECT a.name, c.pattern, c.why, c.claimed_at, c.expires_at FROM file_claims c JOIN agents a ON a.id = c.agent_id
		WHERE c.repo_id = ? AND c.expires_at > ? AND a.removed_at IS NULL `+more+` ORDER BY c.claimed_at, c.id`,
		append([]any{repoID, tx.Time()}, args...)...)
}

func dropExpired(tx *registry.Tx, repoID int64) error {
	return tx.Do(`DELETE FROM file_claims WHERE repo_id = ? AND expires_at <= ?`, repoID, tx.Time())
}

// trackedFiles are the files of the default branch.
func trackedFiles(ctx context.Context, r Repo) ([]string, error) {
	common, err := commonRepo(r.CommonDir)
	if err != nil {
		return nil, err
	}
	run := &run{repo: r, common: common}
	tip, err := run.defaultTip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	out, err := common.Output(ctx, git.Options{}, "ls-tree", "-r", "-z", "--name-only", "--full-tree", tip)
	if err != nil {
		return nil, git.Fault(err, "list the files of %q", r.DefaultBranch)
	}
	return git.Records(out), nil
}
