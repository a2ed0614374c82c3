package record

import (
	"cmp"
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Commit is a commit that an agent made.
type Commit struct {
	By      By             `json:"-"`
	OID     string         `json:"commit"`
	Subject string         `json:"subject"`
	Body    string         `json:"body,omitempty"`
	At      timestamp.Time `json:"at"` // now when zero

	Scope    string  `json:"scope,omitempty"`
	BookedOn Booking `json:"booked_on"`
	// New means that the commit was not known before, and so counts.
	New bool `json:"new"`

	// Folder is the working tree in which it was made. When no agent is named, the agent of the only session open there is used.
	Folder string `json:"-"`
	// Amends is the commit that this one replaces.
	Amends string `json:"-"`
}

// clean prepares the message for storing: not too long, and without secrets.
func (c *Commit) clean() {
	c.Subject = text.FirstLine(strings.ToValidUTF8(c.Subject, "?"), maxSubject)
	c.Body = text.Cut(strings.ToValidUTF8(strings.TrimSpace(strings.ReplaceAll(c.Body, "\x00", "")), "?"), maxBody)
	c.Subject = redact.Clean(c.Subject)
	c.Body = redact.Clean(c.Body)
}

// The stored parts of a commit's message, in bytes: enough to find it again; git has the rest.
const (
	maxSubject = 500
	maxBody    = 8 << 10
)

func checkOID(oid string) (string, error) {
	oid, err := text.Name("commit", strings.TrimSpace(oid))
	if err == nil && strings.HasPrefix(oid, "-") {
		err = fault.Validation("commit", "commit %q begins with a dash", oid).WithHint("give the commit's hash")
	}
	if hex := strings.ToLower(oid); len(hex) >= shortestOID && strings.Trim(hex, "0123456789abcdef") == "" {
		oid = hex
	}
	return oid, err
}

// storedOID checks the name under which a commit is stored. A name that only a repository can resolve, such as HEAD~2, will mean another
// commit tomorrow and is refused.
func storedOID(given string) (string, error) {
	oid, err := checkOID(given)
	if err == nil && (oid == "HEAD" || oid == "@" || strings.ContainsAny(oid, "~^:") || strings.Contains(oid, "@{")) {
		err = fault.Validation("commit", "the repository here has no commit %q", oid).WithHint("give the commit's hash, or run this in its repository")
	}
	return oid, err
}

func needPlace(b By) error {
	if b.anywhere() {
		return fault.Validation("project", "no project is named").WithHint("name one by its id, its name, or an absolute path")
	}
	return nil
}

// Commit stores a commit and counts it once for its agent. A commit without an agent is stored for prior art.
func (s *Store) Commit(ctx context.Context, c Commit) (Commit, error) {
	oid, err := storedOID(c.OID)
	if err != nil {
		return c, err
	}
	c.OID = oid
	c.clean()
	if err := needPlace(c.By); err != nil {
		return c, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		by, err := c.whose(tx)
		if err != nil {
			return err
		}
		var to booked
		if by.Agent == "" {
			to.scope = by.Scope
			to.project, err = by.Place.Ensure(tx)
		} else {
			to, err = by.book(tx)
		}
		if err != nil {
			return err
		}
		c.Scope, c.BookedOn = to.scope, to.booking()
		c.New, err = c.apply(tx, to)
		return err
	})
	return c, err
}

// whose returns By. When no agent is named, it adds the only agent with a session open in the commit's folder.
func (c Commit) whose(tx *registry.Tx) (By, error) {
	by := c.By
	if by.Agent != "" || c.Folder == "" {
		return by, nil
	}
	names, err := registry.Collect(tx, registry.One[string], `SELECT DISTINCT a.name FROM sessions s JOIN agents a ON a.id = s.agent_id
		WHERE s.status = 'active' AND s.host = ? AND s.folder = ? AND a.removed_at IS NULL LIMIT 2`, registry.Host(), c.Folder)
	if len(names) == 1 {
		by.Agent = names[0]
	}
	return by, err
}

// apply stores the commit and reports whether it counts for the agent, because it was unknown. A known commit gets its missing message.
func (c Commit) apply(tx *registry.Tx, to booked) (counted bool, err error) {
	if c.Amends != "" {
		if done, err := c.amend(tx, to); done || err != nil {
			return false, err
		}
	}
	session, err := openSession(tx, to)
	if err != nil {
		return false, err
	}
	_, err = tx.Insert(`INSERT INTO commits (project_id, agent_id, session_id, scope, oid, subject, body, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (project_id, oid) DO NOTHING RETURNING id`,
		to.project.ID, registry.NullIfZero(to.agent.ID), session, to.scope, c.OID, c.Subject, c.Body, registry.FormatTime(cmp.Or(c.At.Time, tx.Now())))
	if err == nil && to.agent.ID == 0 {
		return false, nil
	}
	if err == nil {
		if err := to.tell(tx, event{kind: "commit", oid: c.OID, note: c.Subject}); err != nil {
			return false, err
		}
		_, err = to.add(tx, delta{commits: 1})
		return true, err
	}
	if !registry.NoRows(err) {
		return false, err
	}
	if c.Subject == "" {
		return false, nil
	}
	err = tx.Do(`UPDATE commits SET subject = ?, body = ? WHERE project_id = ? AND oid = ?`, c.Subject, c.Body, to.project.ID, c.OID)
	return false, err
}

// amend replaces the commit that this one amends, unless that was graded: then both count as work done.
func (c Commit) amend(tx *registry.Tx, to booked) (done bool, err error) {
	n, err := tx.Exec(`UPDATE commits SET oid = ?, subject = ?, body = ?, at = ? WHERE project_id = ? AND oid = ?
		AND NOT EXISTS (SELECT 1 FROM grades WHERE grades.project_id = commits.project_id AND grades.oid = commits.oid)
		AND NOT EXISTS (SELECT 1 FROM commits other WHERE other.project_id = commits.project_id AND other.oid = ?)`,
		c.OID, c.Subject, c.Body, registry.FormatTime(cmp.Or(c.At.Time, tx.Now())), to.project.ID, c.Amends, c.OID)
	return n > 0, err
}

// openSession returns the agent's open session in the project, if it has one. Only memoryd's session package writes sessions.
func openSession(tx *registry.Tx, to booked) (registry.Null[int64], error) {
	id, err := registry.One[int64](tx.QueryRow(`SELECT id FROM sessions WHERE project_id = ? AND agent_id = ? AND status = 'active'
		ORDER BY id DESC LIMIT 1`, to.project.ID, to.agent.ID))
	if registry.NoRows(err) {
		return registry.Null[int64]{}, nil
	}
	return registry.NullIfZero(id), err
}

// shortestOID is how many characters of a commit's hash may name it.
const shortestOID = 4

// knownOID completes a commit's hash from those stored for the project, when one begins with it; several matches are a Validation fault
// that names them.
func knownOID(tx *registry.Tx, projectID int64, given string) (string, error) {
	if len(given) < shortestOID || strings.Trim(given, "0123456789abcdef") != "" {
		return given, nil
	}
	found, err := registry.Collect(tx, registry.One[string],
		`SELECT oid FROM commits WHERE project_id = ? AND oid >= ? AND oid < ? ORDER BY oid LIMIT 6`, projectID, given, given+"g")
	switch {
	case err != nil:
		return given, err
	case len(found) == 0 || found[0] == given:
		return given, nil
	case len(found) == 1:
		return found[0], nil
	}
	return given, fault.Validation("commit", "several commits begin with %q", given).WithHint("give more of the hash: %s", strings.Join(found, ", "))
}
