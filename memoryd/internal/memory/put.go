package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// The prefix of a thread of memories that were noted together without a session or label as its name, so that its words are not searched.
const (
	episode = "~" // of older programs, for everything that an agent stored in a row; it is ignored
	unnamed = "@" // of a Conversation
)

// isUnnamed reports whether a thread has a generated name.
func isUnnamed(thread string) bool {
	return strings.HasPrefix(thread, episode) || strings.HasPrefix(thread, unnamed)
}

// Put stores a memory, or updates the one with its type and key; that one keeps its former text in its history, and its access count starts
// anew. The result shows which happened, and lists similar memories of the project. maxPerType is as Store.MaxPerType.
func Put(tx *registry.Tx, n New, maxPerType int) (Stored, error) {
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
	var id int64 // of the memory of the same type and key
	if n.Key == "" {
		n.Key, id, err = freeKey(tx, n)
	} else {
		id, err = registry.One[int64](tx.QueryRow(`SELECT id FROM memories WHERE project_id = ? AND type = ? AND key_key = ? AND `+live,
			n.ProjectID, n.Type, text.Key(n.Key)))
		err = orNone(err)
	}
	if err != nil {
		return Stored{}, err
	}
	if id != 0 {
		return put(tx, id, n, near, redacted)
	}
	if n.SkipSimilar && len(near) > 0 && near[0].same {
		known, err := Find(tx, n.ProjectID, near[0].ID, "")
		return Stored{Memory: known, Outcome: Known, Similar: near, Redacted: redacted}, err
	}
	displaced, err := makeRoom(tx, n.ProjectID, n.Type, maxPerType)
	if err != nil {
		return Stored{}, err
	}
	thread, err := threadOf(tx, &n)
	if err != nil {
		return Stored{}, err
	}
	if id, err = insert(tx, n, thread, len(redacted)); err != nil {
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
	m, err := fresh(tx, id, len(n.Tags)+len(n.Items)+len(n.Citations)+len(n.Named) == 0)
	if err != nil {
		return Stored{}, err
	}
	document := m
	document.Thread = thread
	if err := indexNew(tx, document); err != nil {
		return Stored{}, err
	}
	tx.Changed(TopicMemories, n.ProjectID, "")
	return Stored{Memory: m, Outcome: Created, Similar: near, Redacted: redacted, Displaced: displaced}, err
}

// TopicMemories is the topic on which changes of memories are announced.
const TopicMemories = "memories"

// put updates the memory with the same type and key.
func put(tx *registry.Tx, id int64, n New, near []Similar, redacted []string) (Stored, error) {
	near = slices.DeleteFunc(near, func(s Similar) bool { return text.Key(s.Key) == text.Key(n.Key) && s.Type == n.Type })
	before, err := ByRow(tx, id)
	if err != nil {
		return Stored{}, err
	}
	p := Patch{
		Content: &n.Content, Title: given(&n.Title, n.Title != ""), Summary: given(&n.Summary, n.Summary != ""),
		Context: given(&n.Context, n.Context != ""), Tags: given(&n.Tags, len(n.Tags) > 0),
		Items: given(&n.Items, len(n.Items) > 0), Citations: given(&n.Citations, len(n.Citations) > 0),
		Confidence: n.Confidence, Named: n.Named, ExpiresAt: n.ExpiresAt, AgentID: n.AgentID, Why: "stored again", AllowSecrets: true,
	}
	// A store that no one requested under this key does not lower the importance.
	if n.Importance != 0 && (!n.SkipSimilar || n.Importance > before.Importance) {
		p.Importance = &n.Importance
	}
	if p.ExpiresAt == nil && before.expired(tx.Now()) {
		p.ExpiresAt = &timestamp.Time{} // it holds again
	}
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
		if err := tx.Do(`UPDATE memories SET used_count = 0, used_at = ? WHERE id = ?`, tx.Stamp(), id); err != nil {
			return Stored{}, err
		}
		s.AccessCount, s.LastAccessed = 0, timestamp.Of(tx.Now())
	}
	return s, nil
}

// given returns a field of a patch, nil where it is not given.
func given[T any](value *T, is bool) *T {
	if is {
		return value
	}
	return nil
}

// freeKey makes a key from the first words that no other memory of the type has. A memory with the same text keeps its own key, and its row
// is returned.
func freeKey(tx *registry.Tx, n New) (key string, id int64, err error) {
	base := Slug(n.Content)
	if n.Title != "" {
		base = Slug(n.Title)
	}
	for i := 1; ; i++ {
		key := base
		if i > 1 {
			key = fmt.Sprintf("%s-%d", base, i)
		}
		var hash string
		err := tx.QueryRow(`SELECT id, content_hash FROM memories WHERE project_id = ? AND type = ? AND key_key = ? AND `+live,
			n.ProjectID, n.Type, text.Key(key)).Scan(&id, &hash)
		switch {
		case registry.NoRows(err):
			return key, 0, nil
		case err != nil:
			return "", 0, err
		case hash == ContentHash(n.Content):
			return key, id, nil
		case i == 20: // many numbered keys exist: find a free one at once
			return base + "-" + registry.ShortID(6), 0, nil
		}
	}
}

func insert(tx *registry.Tx, n New, thread string, redactions int) (int64, error) {
	confidence := 1.0
	if n.Confidence != nil {
		confidence = *n.Confidence
	}
	at := registry.FormatTime(n.At)
	importance := cmp.Or(n.Importance, DefaultImportance)
	for {
		ref := registry.NewID("m-")
		id, err := tx.Insert(`INSERT INTO memories (uid, ref, project_id, type, key, key_key, title, content, summary, context, thread, content_hash,
			importance, confidence, used_at, expires_at, source_session, source_agent, redactions, indexed, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
			registry.NewUID(), ref, n.ProjectID, n.Type, n.Key, text.Key(n.Key), n.Title, n.Content, n.Summary, n.Context, thread, ContentHash(n.Content),
			importance, confidence, at, storedTime(n.ExpiresAt), registry.NullIfZero(n.SessionID), registry.NullIfZero(n.AgentID), redactions, indexVersion, at, at)
		if !registry.NoRows(err) {
			return id, err
		}
	}
}

// threadOf returns the thread of a memory: the given one, its session, or the conversation it was noted in.
func threadOf(tx *registry.Tx, n *New) (string, error) {
	switch {
	case n.Thread != "":
		return strings.TrimLeft(n.Thread, episode+unnamed), nil
	case n.SessionID != 0:
		return registry.One[string](tx.QueryRow(`SELECT ref FROM sessions WHERE id = ?`, n.SessionID))
	case n.Conversation != "":
		return unnamed + n.Conversation, nil
	}
	return "", nil
}

// Related writes the rows that belong to a new memory.
func (n New) Related(tx *registry.Tx, id int64) error {
	if err := addTags(tx, id, n.Tags); err != nil {
		return err
	}
	if err := addItems(tx, id, n.ProjectID, n.Items); err != nil {
		return err
	}
	return addCitations(tx, id, withNamed(n.Citations, n.Named))
}

func addTags(tx *registry.Tx, id int64, tags []string) error {
	return insertEach(tx, `INSERT INTO memory_tags (memory_id, tag) VALUES`, tags, func(tag string) []any { return []any{id, tag} })
}

// addItems adds the items of a memory. A name with no item in the registry, or several, is kept as it is: tickets may arrive later than
// memories about them.
func addItems(tx *registry.Tx, id, projectID int64, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	items, err := itemsOf(tx, projectID, refs)
	if err != nil {
		return err
	}
	return insertEach(tx, `INSERT INTO memory_items (memory_id, ref, ref_key, item_id) VALUES`, refs, func(ref string) []any {
		return []any{id, ref, text.Key(ref), registry.NullIfZero(items[text.Key(ref)])}
	})
}

// itemsOf returns the items with the given names, those of the same project first; none for a name that no item has, or several.
func itemsOf(tx *registry.Tx, projectID int64, refs []string) (map[string]int64, error) {
	own, all := map[string][]int64{}, map[string][]int64{}
	marks, args := many(folded(refs))
	_, err := registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var id, project int64
		var key string
		err = row.Scan(&id, &project, &key)
		all[key] = append(all[key], id)
		if project == projectID {
			own[key] = append(own[key], id)
		}
		return none, err
	}, `SELECT id, project_id, ref_key FROM items WHERE ref_key IN `+marks+` AND deleted_at IS NULL ORDER BY id LIMIT 1000`, args...)
	found := map[string]int64{}
	for key := range all {
		for _, few := range [][]int64{own[key], all[key]} {
			if len(few) == 1 {
				found[key] = few[0]
				break
			}
		}
	}
	return found, err
}
