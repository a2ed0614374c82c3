package memory

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Patch is the changes of an update; nil leaves a field as it is.
type Patch struct {
	Content    *string
	Title      *string
	Summary    *string
	Context    *string
	Importance *int
	Confidence *float64
	Tags       *[]string // replaces all of them
	Items      *[]string // replaces all of them
	Citations  *[]Citation
	Named      []Citation      // places that Content names, as Named finds them
	ExpiresAt  *timestamp.Time // the zero time means never

	AgentID      int64
	Why          string // kept in the history
	AllowSecrets bool
}

func (p Patch) empty() bool {
	return p.Content == nil && p.Title == nil && p.Summary == nil && p.Context == nil && p.Importance == nil && p.Confidence == nil &&
		p.Tags == nil && p.Items == nil && p.Citations == nil && p.ExpiresAt == nil
}

// Update changes a memory, keeping its former version. The outcome is Updated, or Unchanged when the patch changes nothing.
func Update(tx *registry.Tx, m Memory, p Patch) (Stored, error) {
	if p.empty() {
		return Stored{}, fault.Validation("content", "nothing is given to change").
			WithHint("give new content, title, summary, context, importance, confidence, tags, related items, citations or an expiry")
	}
	redacted, err := p.check()
	if err != nil {
		return Stored{}, err
	}
	after, changed, err := apply(tx, m, p, len(redacted))
	if err != nil {
		return Stored{}, err
	}
	s := Stored{Memory: after, Outcome: Unchanged, Redacted: redacted}
	if changed {
		s.Outcome = Updated
	}
	if p.Content != nil {
		s.Similar, err = similar(tx, m.ProjectID, m.RowID, after.Content)
	}
	return s, err
}

func (p *Patch) check() (redacted []string, err error) {
	texts := []*string{}
	for _, f := range []struct {
		name  string
		into  **string
		limit int
	}{{"content", &p.Content, MaxContent}, {"title", &p.Title, MaxTitle}, {"summary", &p.Summary, MaxSummary}, {"context", &p.Context, MaxContext}} {
		if *f.into == nil {
			continue
		}
		s, err := limited(f.name, **f.into, f.limit)
		if err != nil {
			return nil, err
		}
		if f.name == "content" && s == "" {
			return nil, fault.Validation("content", "the new content is empty").WithHint("say what is to be remembered, or leave it out")
		}
		if f.name == "title" {
			s = oneLine(s)
		}
		*f.into = &s
		texts = append(texts, &s)
	}
	if p.Why, err = limited("why", p.Why, MaxSummary); err != nil {
		return nil, err
	}
	texts = append(texts, &p.Why)
	if p.Importance != nil {
		if err := checkImportance("importance", *p.Importance); err != nil {
			return nil, err
		}
	}
	if p.Confidence != nil {
		if err := checkConfidence(*p.Confidence); err != nil {
			return nil, err
		}
	}
	if p.Tags != nil {
		tags, err := checkTags(*p.Tags)
		if err != nil {
			return nil, err
		}
		p.Tags = &tags
	}
	if p.Items != nil {
		items, err := checkItems(*p.Items)
		if err != nil {
			return nil, err
		}
		p.Items = &items
	}
	if p.Citations != nil {
		list, err := checkCitations(*p.Citations)
		if err != nil {
			return nil, err
		}
		for i := range list {
			texts = append(texts, &list[i].Path, &list[i].Snippet)
		}
		p.Citations = &list
	}
	if p.AllowSecrets {
		return nil, nil
	}
	return takeOut(texts), nil
}

// apply writes a checked patch. changed is false when the patch changes nothing; then nothing is written.
func apply(tx *registry.Tx, m Memory, p Patch, redactions int) (after Memory, changed bool, err error) {
	after = m
	set(&after.Content, p.Content)
	set(&after.Title, p.Title)
	set(&after.Summary, p.Summary)
	set(&after.Context, p.Context)
	set(&after.Importance, p.Importance)
	set(&after.Confidence, p.Confidence)
	if p.ExpiresAt != nil {
		after.ExpiresAt = p.ExpiresAt
		if p.ExpiresAt.IsZero() {
			after.ExpiresAt = nil
		}
	}
	switch {
	case p.Citations != nil:
		list := withNamed(*p.Citations, p.Named)
		p.Citations = &list
	case m.Content != after.Content:
		list := renamed(m, after.Content, p.Named)
		p.Citations = &list
	}
	said := m.Title != after.Title || m.Content != after.Content || m.Summary != after.Summary ||
		m.Importance != after.Importance || m.Confidence != after.Confidence
	tags := p.Tags != nil && !slices.Equal(*p.Tags, m.Tags)
	items := p.Items != nil && !sameNames(*p.Items, m.Items)
	cited := p.Citations != nil && !sameCitations(*p.Citations, m.Citations)
	expiry := storedTime(m.ExpiresAt) != storedTime(after.ExpiresAt)
	if !said && !tags && !items && !cited && !expiry && m.Context == after.Context {
		return m, false, nil
	}
	if said {
		if err := remember(tx, m, p); err != nil {
			return m, false, err
		}
		after.Version++
	}
	for _, part := range []struct {
		changed bool
		clear   string
		fill    func() error
	}{
		{tags, `DELETE FROM memory_tags WHERE memory_id = ?`, func() error { return addTags(tx, m.RowID, *p.Tags) }},
		{items, `DELETE FROM memory_items WHERE memory_id = ?`, func() error { return addItems(tx, m.RowID, m.ProjectID, *p.Items) }},
		{cited, `DELETE FROM memory_citations WHERE memory_id = ?`, func() error { return addCitations(tx, m.RowID, *p.Citations) }},
	} {
		if !part.changed {
			continue
		}
		if err := tx.Do(part.clear, m.RowID); err != nil {
			return m, false, err
		}
		if err := part.fill(); err != nil {
			return m, false, err
		}
	}
	if err := tx.Do(`UPDATE memories SET title = ?, content = ?, summary = ?, context = ?, content_hash = ?, importance = ?, confidence = ?,
		version = ?, expires_at = ?, redactions = redactions + ?, updated_at = ? WHERE id = ?`,
		after.Title, after.Content, after.Summary, after.Context, ContentHash(after.Content), after.Importance, after.Confidence,
		after.Version, storedTime(after.ExpiresAt), redactions, tx.Stamp(), m.RowID); err != nil {
		return m, false, err
	}
	if err := index(tx, m.RowID); err != nil {
		return m, false, err
	}
	tx.Changed(TopicMemories, m.ProjectID, "")
	after, err = ByRow(tx, m.RowID)
	return after, true, err
}

func set[T any](into *T, given *T) {
	if given != nil {
		*into = *given
	}
}

// remember stores the current version of a memory before a change.
func remember(tx *registry.Tx, m Memory, p Patch) error {
	return tx.Do(`INSERT INTO memory_history (memory_id, version, title, content, summary, importance, confidence, changed_at, changed_by, why)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, m.RowID, m.Version, m.Title, m.Content, m.Summary, m.Importance, m.Confidence,
		tx.Stamp(), registry.NullIfZero(p.AgentID), p.Why)
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(folded(a))), slices.Sorted(slices.Values(folded(b))))
}

func sameCitations(a, b []Citation) bool {
	return slices.EqualFunc(a, b, func(x, y Citation) bool {
		return x.Path == y.Path && x.Line == y.Line && x.Snippet == y.Snippet && x.Commit == y.Commit
	})
}

// Version is a former version of a memory.
type Version struct {
	Version    int            `json:"version"`
	Title      string         `json:"title,omitempty"`
	Content    string         `json:"content"`
	Summary    string         `json:"summary,omitempty"`
	Importance int            `json:"importance"`
	Confidence float64        `json:"confidence"`
	ChangedAt  timestamp.Time `json:"changed_at"` // when it was replaced
	ChangedBy  string         `json:"changed_by,omitempty"`
	Why        string         `json:"why,omitempty"`
}

// History returns the former versions of a memory, the oldest first.
func History(tx *registry.Tx, rowID int64) ([]Version, error) {
	return registry.Collect(tx, func(row registry.Scanner) (v Version, err error) {
		var by registry.Null[string]
		if err := row.Scan(&v.Version, &v.Title, &v.Content, &v.Summary, &v.Importance, &v.Confidence, &v.ChangedAt, &by, &v.Why); err != nil {
			return v, err
		}
		v.ChangedBy = by.V
		return v, nil
	}, `SELECT h.version, h.title, h.content, h.summary, h.importance, h.confidence, h.changed_at, a.name, h.why
		FROM memory_history h LEFT JOIN agents a ON a.id = h.changed_by WHERE h.memory_id = ? ORDER BY h.version`, rowID)
}

// Restored is the outcome of restoring a memory without changing it.
const Restored = "restored"

// Change restores a memory on request, and applies the patch.
func (s *Store) Change(ctx context.Context, t Target, p Patch, restore bool) (stored Stored, err error) {
	if !restore {
		return s.Update(ctx, t, p)
	}
	back, err := s.Restore(ctx, t)
	if err != nil || p.empty() {
		return Stored{Memory: back, Outcome: Restored}, err
	}
	t.Key, t.Type = back.ID, ""
	return s.Update(ctx, t, p)
}

// Update changes the memory that an id or key names.
func (s *Store) Update(ctx context.Context, t Target, p Patch) (Stored, error) {
	return registry.Write(ctx, s.DB, registry.Scope{Project: t.ProjectID}, func(tx *registry.Tx) (stored Stored, _ error) {
		m, err := t.find(tx, false)
		if err != nil {
			return stored, err
		}
		p := p // fn may run twice
		if p.AgentID, err = t.by(tx); err != nil {
			return stored, err
		}
		return Update(tx, m, p)
	})
}
