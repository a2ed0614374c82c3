package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// episode begins the thread of memories that nobody put into one: those that one
// agent stored in a row, no more than episodeGap apart, were about one thing.
const (
	episode    = "~"
	episodeGap = 15 * time.Minute
)

// Options bound what Put may do.
type Options struct {
	MaxPerType int // as Store.MaxPerType
}

// Put stores a memory, or updates the one of its type and key, which keeps what
// it said in its history and counts its accesses anew. The answer says which, and
// what the project knows already that is nearly the same.
func Put(tx *registry.Tx, n New, o Options) (Stored, error) {
	redacted, err := n.check()
	if err != nil {
		return Stored{}, err
	}
	if n.At.IsZero() {
		n.At = tx.Now()
	}
	near, err := similar(tx, n.ProjectID, 0, n.Content)
	if err != nil {
		return Stored{}, err
	}
	made := n.Key == ""
	if made {
		if n.Key, err = freeKey(tx, n); err != nil {
			return Stored{}, err
		}
	}
	id, err := registry.One[int64](tx.QueryRow(`SELECT id FROM memories WHERE project_id = ? AND type = ? AND key_key = ? AND `+live,
		n.ProjectID, n.Type, text.Key(n.Key)))
	switch {
	case err == nil:
		return put(tx, id, n, near, redacted)
	case !registry.NoRows(err):
		return Stored{}, err
	}
	if n.SkipSimilar && len(near) > 0 && near[0].Similarity >= sameFrom {
		known, err := Find(tx, n.ProjectID, near[0].ID, "")
		return Stored{Memory: known, Outcome: Known, Similar: near, Redacted: redacted}, err
	}
	displaced, err := makeRoom(tx, n.ProjectID, n.Type, o.MaxPerType)
	if err != nil {
		return Stored{}, err
	}
	if id, err = insert(tx, n, len(redacted)); err != nil {
		return Stored{}, err
	}
	if err := n.Related(tx, id); err != nil {
		return Stored{}, err
	}
	if n.Supersedes != "" {
		if err := supersede(tx, n, id); err != nil {
			return Stored{}, err
		}
	}
	if err := index(tx, id); err != nil {
		return Stored{}, err
	}
	tx.Changed(TopicMemories, n.ProjectID, "")
	m, err := ByRow(tx, id)
	return Stored{Memory: m, Outcome: Created, Similar: near, Redacted: redacted, Displaced: displaced}, err
}

// TopicMemories is where changes of memories are heard of.
const TopicMemories = "memories"

// put updates the memory of the same type and key.
func put(tx *registry.Tx, id int64, n New, near []Similar, redacted []string) (Stored, error) {
	near = slices.DeleteFunc(near, func(s Similar) bool { return text.Key(s.Key) == text.Key(n.Key) && s.Type == n.Type })
	before, err := ByRow(tx, id)
	if err != nil {
		return Stored{}, err
	}
	p := Patch{Content: &n.Content, AgentID: n.AgentID, Why: "stored again", AllowSecrets: true}
	if n.Importance != before.Importance {
		p.Importance = &n.Importance
	}
	if n.Title != "" {
		p.Title = &n.Title
	}
	if n.Summary != "" {
		p.Summary = &n.Summary
	}
	if n.Context != "" {
		p.Context = &n.Context
	}
	p.Confidence = n.Confidence
	if len(n.Tags) > 0 {
		p.Tags = &n.Tags
	}
	if len(n.Items) > 0 {
		p.Items = &n.Items
	}
	if len(n.Citations) > 0 {
		p.Citations = &n.Citations
	}
	p.ExpiresAt = n.ExpiresAt
	after, changed, err := apply(tx, before, p, len(redacted))
	if err != nil {
		return Stored{}, err
	}
	if n.Supersedes != "" {
		if err := supersede(tx, n, id); err != nil {
			return Stored{}, err
		}
	}
	s := Stored{Memory: after, Outcome: Unchanged, Similar: near, Redacted: redacted}
	if !changed {
		return s, nil
	}
	s.Outcome = Updated
	if before.Content != n.Content {
		if _, err := tx.Exec(`UPDATE memories SET used_count = 0, used_at = ? WHERE id = ?`, tx.Stamp(), id); err != nil {
			return Stored{}, err
		}
		s.AccessCount, s.LastAccessed = 0, tx.Now()
	}
	return s, nil
}

// freeKey makes a key of the first words that no other memory of the type has; a
// memory that says the same keeps its own.
func freeKey(tx *registry.Tx, n New) (string, error) {
	base := Slug(n.Content)
	if n.Title != "" {
		base = Slug(n.Title)
	}
	for i := 1; ; i++ {
		key := base
		if i > 1 {
			key = fmt.Sprintf("%s-%d", base, i)
		}
		hash, err := registry.One[string](tx.QueryRow(`SELECT content_hash FROM memories WHERE project_id = ? AND type = ? AND key_key = ? AND `+live,
			n.ProjectID, n.Type, text.Key(key)))
		switch {
		case registry.NoRows(err) || err == nil && hash == ContentHash(n.Content):
			return key, nil
		case err != nil:
			return "", err
		case i == 20: // the numbered ones are many: find a free one at once
			return base + "-" + registry.ShortID(6), nil
		}
	}
}

func insert(tx *registry.Tx, n New, redactions int) (int64, error) {
	thread, err := threadOf(tx, &n)
	if err != nil {
		return 0, err
	}
	confidence := 1.0
	if n.Confidence != nil {
		confidence = *n.Confidence
	}
	at := registry.FormatTime(n.At)
	for {
		ref := registry.NewID("m-")
		if thread == episode {
			thread += ref
		}
		id, err := tx.Insert(`INSERT INTO memories (uid, ref, project_id, type, key, key_key, title, content, summary, context, thread, content_hash,
			importance, confidence, used_at, expires_at, source_session, source_agent, redactions, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
			registry.NewUID(), ref, n.ProjectID, n.Type, n.Key, text.Key(n.Key), n.Title, n.Content, n.Summary, n.Context, thread, ContentHash(n.Content),
			n.Importance, confidence, at, storedTime(n.ExpiresAt), registry.NullIfZero(n.SessionID), registry.NullIfZero(n.AgentID), redactions, at, at)
		if !registry.NoRows(err) {
			return id, err
		}
	}
}

// threadOf says what a memory belongs to: the thread it is given, its session, or
// what the same agent has just been storing. episode alone starts a new one.
func threadOf(tx *registry.Tx, n *New) (string, error) {
	if n.Thread != "" {
		return strings.TrimLeft(n.Thread, episode), nil
	}
	if n.SessionID != 0 {
		return registry.One[string](tx.QueryRow(`SELECT ref FROM sessions WHERE id = ?`, n.SessionID))
	}
	var last, at string
	var agent, session registry.Null[int64]
	err := tx.QueryRow(`SELECT thread, created_at, source_agent, source_session FROM memories WHERE project_id = ? ORDER BY id DESC LIMIT 1`, n.ProjectID).
		Scan(&last, &at, &agent, &session)
	if registry.NoRows(err) {
		return episode, nil
	}
	if err != nil {
		return "", err
	}
	then, err := registry.ParseTime(at)
	if err != nil {
		return "", err
	}
	if gap := n.At.Sub(then); agent.V == n.AgentID && !session.Valid && gap >= 0 && gap <= episodeGap && strings.HasPrefix(last, episode) {
		return last, nil
	}
	return episode, nil
}

// Related writes what hangs on a new memory.
func (n New) Related(tx *registry.Tx, id int64) error {
	if err := setTags(tx, id, n.Tags); err != nil {
		return err
	}
	if err := setItems(tx, id, n.ProjectID, n.Items); err != nil {
		return err
	}
	return setCitations(tx, id, n.Citations)
}

func setTags(tx *registry.Tx, id int64, tags []string) error {
	if _, err := tx.Exec(`DELETE FROM memory_tags WHERE memory_id = ?`, id); err != nil {
		return err
	}
	for _, tag := range tags {
		if _, err := tx.Exec(`INSERT INTO memory_tags (memory_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, tag); err != nil {
			return err
		}
	}
	return nil
}

// setItems says what a memory is about. A name that the registry has no item of,
// or several, is kept as it is: tickets arrive later than what is known of them.
func setItems(tx *registry.Tx, id, projectID int64, refs []string) error {
	if _, err := tx.Exec(`DELETE FROM memory_items WHERE memory_id = ?`, id); err != nil {
		return err
	}
	for _, ref := range refs {
		item, err := itemOf(tx, projectID, ref)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO memory_items (memory_id, ref, ref_key, item_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			id, ref, text.Key(ref), registry.NullIfZero(item)); err != nil {
			return err
		}
	}
	return nil
}

// itemOf is the item of a name, one of the same project first; 0 for none or
// several.
func itemOf(tx *registry.Tx, projectID int64, ref string) (int64, error) {
	type found struct{ id, project int64 }
	all, err := registry.Collect(tx, func(row registry.Scanner) (f found, err error) { return f, row.Scan(&f.id, &f.project) },
		`SELECT id, project_id FROM items WHERE ref_key = ? AND deleted_at IS NULL ORDER BY id LIMIT 50`, text.Key(ref))
	if err != nil {
		return 0, err
	}
	own := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.project != projectID })
	for _, few := range [][]found{own, all} {
		if len(few) == 1 {
			return few[0].id, nil
		}
	}
	return 0, nil
}

// Put stores a memory in its caller's transaction, within the Store's limits.
func (s *Store) Put(tx *registry.Tx, n New) (Stored, error) {
	return Put(tx, n, Options{MaxPerType: s.MaxPerType})
}
