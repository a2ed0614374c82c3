package history

import (
	"context"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Texts returns the texts of memories of the registry by their uid; without uids, those of the whole project. Archived and superseded
// memories are left out.
func (s *Store) Texts(ctx context.Context, uids ...string) (texts map[string]string, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		texts = map[string]string{}
		p, err := project.At(tx, s.Identity)
		if registry.NoRows(err) {
			return nil
		} else if err != nil {
			return err
		}
		if len(uids) == 0 {
			return collectTexts(tx, texts, `SELECT uid, content FROM memory_texts WHERE project_id = ?`, p.ID)
		}
		for _, uid := range uids {
			if err := collectTexts(tx, texts, `SELECT uid, content FROM memory_texts WHERE project_id = ? AND uid = ?`, p.ID, uid); err != nil {
				return err
			}
		}
		return nil
	})
	return texts, err
}

func collectTexts(tx *registry.Tx, texts map[string]string, query string, args ...any) error {
	for row, err := range tx.Rows(query, args...) {
		if err != nil {
			return err
		}
		var uid, content string
		if err := row.Scan(&uid, &content); err != nil {
			return err
		}
		texts[uid] = content
	}
	return nil
}
