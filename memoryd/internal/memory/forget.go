package memory

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Why a memory was archived.
const (
	whyForgotten = "forgotten"
	whyDecayed   = "decayed"
	whyExpired   = "expired"
	whyFull      = "no room: the type's limit was reached"
)

// archive hides a memory; restore brings it back.
func archive(tx *registry.Tx, m Memory, why string) error {
	if err := tx.Do(`UPDATE memories SET archived_at = ?, archived_why = ? WHERE id = ?`, tx.Stamp(), why, m.RowID); err != nil {
		return err
	}
	tx.Changed(TopicMemories, m.ProjectID, "")
	return index(tx, m.RowID)
}

// Forget archives a memory: it is no longer recalled, and Restore brings it back.
func Forget(tx *registry.Tx, m Memory, why string) (Memory, error) {
	why = cmp.Or(why, whyForgotten)
	clean, _ := redact.Text(why)
	if err := archive(tx, m, text.Cut(oneLine(clean), MaxTitle)); err != nil {
		return m, err
	}
	return ByRow(tx, m.RowID)
}

// Purge deletes a memory with its history for good.
func Purge(tx *registry.Tx, m Memory) error {
	if err := unindex(tx, m.RowID); err != nil {
		return err
	}
	for _, statement := range []string{
		`UPDATE memories SET superseded_by = NULL, archived_at = COALESCE(archived_at, updated_at), archived_why = 'its successor was deleted' WHERE superseded_by = ?`,
		`DELETE FROM memories WHERE id = ?`,
	} {
		if err := tx.Do(statement, m.RowID); err != nil {
			return err
		}
	}
	tx.Changed(TopicMemories, m.ProjectID, "")
	return nil
}

// Restore brings an archived, replaced or expired memory back. When another memory has its key by now, that is a Conflict fault.
func Restore(tx *registry.Tx, m Memory) (Memory, error) {
	if m.ArchivedAt == nil && m.Superseded == "" && !m.expired(tx.Now()) {
		return m, fault.Conflict("memory", m.ID, "memory %q is not archived", m.Key).WithHint("nothing is to be restored")
	}
	taken, err := registry.Collect(tx, registry.One[string], `SELECT ref FROM memories WHERE project_id = ? AND type = ? AND key_key = ? AND id <> ? AND `+live,
		m.ProjectID, m.Type, text.Key(m.Key), m.RowID)
	if err != nil {
		return m, err
	}
	if len(taken) > 0 {
		return m, fault.Conflict("memory", m.ID, "the key %q belongs to %s now", m.Key, taken[0]).
			WithHint("both are kept: read the archived one by its id %s", m.ID)
	}
	if err := tx.Do(`UPDATE memories SET archived_at = NULL, archived_why = '', superseded_by = NULL, used_at = ?,
		expires_at = CASE WHEN expires_at <= ? THEN NULL ELSE expires_at END WHERE id = ?`, tx.Stamp(), tx.Stamp(), m.RowID); err != nil {
		return m, err
	}
	if err := index(tx, m.RowID); err != nil {
		return m, err
	}
	tx.Changed(TopicMemories, m.ProjectID, "")
	return ByRow(tx, m.RowID)
}

// supersede hides the memory that a new one replaces.
func supersede(tx *registry.Tx, n New, id int64) error {
	old, err := Find(tx, n.ProjectID, n.Supersedes, "")
	if err != nil {
		if f := fault.From(err); f.Kind == fault.KindNotFound || f.Kind == fault.KindValidation {
			f.Field = "supersedes"
			return f
		}
		return err
	}
	if old.RowID == id {
		return fault.Validation("supersedes", "a memory cannot replace itself").WithHint("store it under its key to update it")
	}
	if err := tx.Do(`UPDATE memories SET superseded_by = ? WHERE id = ?`, id, old.RowID); err != nil {
		return err
	}
	return index(tx, old.RowID)
}

// makeRoom archives the memories closest to decay, so that one more of a type fits. A project above its limit is reduced step by step: two
// are archived for each new one.
func makeRoom(tx *registry.Tx, projectID int64, kind string, most int) ([]Brief, error) {
	if most <= 0 {
		return nil, nil
	}
	count, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM memories WHERE project_id = ? AND type = ? AND `+live, projectID, kind))
	if err != nil || count < most {
		return nil, err
	}
	all, err := registry.Collect(tx, scan, `SELECT `+columns+tables+`WHERE m.project_id = ? AND m.type = ? AND m.archived_at IS NULL
		AND m.superseded_by IS NULL AND m.importance < ?`, projectID, kind, MaxImportance)
	if err != nil {
		return nil, err
	}
	sortByDecay(all, tx.Now())
	if len(all) == 0 {
		return nil, fault.Conflict("memory", kind, "the project keeps %d memories of type %s, its limit is %d, and all are of importance %d, which are never archived", count, kind, most, MaxImportance).
			WithHint("raise memory.max_items_per_type, or lower the importance of one that matters less")
	}
	var out []Brief
	for _, m := range all[:min(len(all), count-most+1, 2)] {
		if err := archive(tx, m, whyFull); err != nil {
			return nil, err
		}
		out = append(out, m.Brief())
	}
	return out, nil
}

// Forgotten is the result of Forget.
type Forgotten struct {
	Memory
	Forgotten bool `json:"forgotten"`
	Purged    bool `json:"purged"`
}

// Forget archives the memory that an id or key names; purge deletes it, even when it was archived before.
func (s *Store) Forget(ctx context.Context, t Target, why string, purge bool) (done Forgotten, err error) {
	err = s.DB.Write(ctx, registry.Scope{Project: t.ProjectID}, func(tx *registry.Tx) error {
		m, err := t.find(tx, purge)
		if err != nil {
			return err
		}
		if _, err := t.by(tx); err != nil {
			return err
		}
		done = Forgotten{Memory: m, Forgotten: true, Purged: purge}
		if purge {
			return Purge(tx, m)
		}
		done.Memory, err = Forget(tx, m, why)
		return err
	})
	return done, err
}

// Restore brings back the memory that an id or key names.
func (s *Store) Restore(ctx context.Context, t Target) (Memory, error) {
	return registry.Write(ctx, s.DB, registry.Scope{Project: t.ProjectID}, func(tx *registry.Tx) (m Memory, err error) {
		m, err = FindHidden(tx, t.ProjectID, t.Key, t.Type)
		if fault.Is(err, fault.KindNotFound) {
			m, err = Find(tx, t.ProjectID, t.Key, t.Type) // Restore refuses it by name
		}
		if err != nil {
			return m, err
		}
		if _, err := t.by(tx); err != nil {
			return m, err
		}
		return Restore(tx, m)
	})
}
