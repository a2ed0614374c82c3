package notes

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry/sidefile"
	"github.com/agit-suite/agit/shared/timestamp"
)

// engram reads the observations of engram about the project, which it knows by its name, or about the user.
func engram(ctx context.Context, p Place) ([]Note, error) {
	path := filepath.Join(p.Home.Env("ENGRAM_DATA_DIR", filepath.Join(p.Home.Dir, ".engram")), "engram.db")
	return rows(ctx, path, func(db *sidefile.File) string {
		changed := `created_at`
		if db.HasColumn(ctx, "observations", "updated_at") {
			changed = `coalesce(updated_at, created_at)`
		}
		query := `SELECT CAST(id AS TEXT), coalesce(type, ''), coalesce(title, ''), coalesce(content, ''), coalesce(CAST(` + changed + ` AS TEXT), '') FROM observations WHERE (lower(coalesce(project, '')) = ?`
		if db.HasColumn(ctx, "observations", "scope") {
			query += ` OR scope = 'personal'`
		}
		query += `)`
		if db.HasColumn(ctx, "observations", "deleted_at") {
			query += ` AND deleted_at IS NULL`
		}
		return query + ` ORDER BY id DESC LIMIT ?`
	}, strings.ToLower(filepath.Base(p.Folder)))
}

// claudeMem reads the observations of claude-mem about the project, which it knows by its folder's name.
func claudeMem(ctx context.Context, p Place) ([]Note, error) {
	path := filepath.Join(p.Home.Env("CLAUDE_MEM_DATA_DIR", filepath.Join(p.Home.Dir, ".claude-mem")), "claude-mem.db")
	return rows(ctx, path, func(db *sidefile.File) string {
		said := `coalesce(narrative, '') || char(10) || coalesce(facts, '')`
		if db.HasColumn(ctx, "observations", "text") {
			said = `coalesce(nullif(` + said + `, char(10)), text, '')`
		}
		return `SELECT CAST(id AS TEXT), coalesce(type, ''), coalesce(title, ''), ` + said + `, coalesce(CAST(created_at AS TEXT), '') FROM observations WHERE lower(coalesce(project, '')) = ? ORDER BY id DESC LIMIT ?`
	}, strings.ToLower(filepath.Base(p.Folder)))
}

// rows reads the notes of a database by a query for id, type, title, text and time.
func rows(ctx context.Context, path string, query func(*sidefile.File) string, project string) (all []Note, err error) {
	db, err := sidefile.Foreign(ctx, path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	err = db.Each(ctx, func(scan func(...any) error) error {
		n := Note{File: path}
		var at string
		if err := scan(&n.ID, &n.Type, &n.Title, &n.Text, &at); err != nil {
			return err
		}
		n.Title, n.At = oneLine(n.Title), timestamp.Of(when(at))
		if n.Text = clean(facts(n.Text)); len(n.Text) > MostBytes {
			n.Text = n.Text[:MostBytes]
		}
		if n.Text != "" {
			all = append(all, n)
		}
		return nil
	}, query(db), project, MostNotes)
	return all, err
}

// facts returns a text whose last line is a JSON list, with the list as lines.
func facts(text string) string {
	head, last, ok := strings.Cut(text, "\n[")
	var list []string
	if !ok || json.Unmarshal([]byte("["+last), &list) != nil {
		return text
	}
	for _, one := range list {
		head += "\n- " + one
	}
	return head
}

func when(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, "2006-01-02T15:04:05.000"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
