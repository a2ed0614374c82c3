// Package transfer writes all of memoryd's records as lines of JSON, and reads them back: sessions with their events, memories with their
// history, agents' records. Importing adds missing rows and changes nothing; importing twice is the same as importing once. A row whose
// name has other content here is left out, and reported.
//
// It knows only which tables are memoryd's and which of their columns hold prose. Safe for concurrent use.
package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Format is the version of the lines; a reader refuses a newer one.
const Format = 1

// Tables are the exported tables: memoryd's, and the projects and agents that they refer to.
func Tables() []string {
	return []string{
		"projects", "project_folders", "agents", "agent_capabilities",
		"sessions", "session_files", "session_events",
		"agent_scores", "score_events", "commits", "grades", "retrospectives", "activities",
		"memories", "memory_tags", "memory_items", "memory_history", "memory_citations", "memory_sketches",
	}
}

// head is the first line.
type head struct {
	Export   string `json:"export"` // "memoryd"
	Format   int    `json:"format"`
	Schema   int    `json:"schema"`
	Exported string `json:"exported_at"`
}

const program = "memoryd"

// Export writes the records of a project, or of all when it is 0, and returns the number of rows.
func Export(ctx context.Context, db *registry.DB, project int64, w io.Writer) (rows int, err error) {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err = db.Read(ctx, func(tx *registry.Tx) error {
		if err := encoder.Encode(head{program, Format, registry.SchemaVersion, tx.Stamp()}); err != nil {
			return err
		}
		return tx.Dump(Tables(), project, func(r registry.DumpedRow) error {
			rows++
			return encoder.Encode(r)
		})
	})
	if err != nil {
		return rows, err
	}
	return rows, out.Flush()
}

// Limits of an import, so that a wrong file leads to an error message.
const (
	maxLine = 4 << 20 // bytes
	maxRows = 5_000_000
)

// Imported is the result of an import.
type Imported struct {
	Rows    int                   `json:"rows"`
	Added   int                   `json:"added"`
	Skipped int                   `json:"skipped"`  // existed already
	LeftOut int                   `json:"left_out"` // their name has other content here, or they depend on such a row
	Tables  []registry.MergeCount `json:"tables"`
	// Redacted are the kinds of the secrets removed from the file's texts, one entry for each secret.
	Redacted []string `json:"redacted,omitempty"`
	// Unlinked are sessions whose task or ticket is not in the registry: they are stored without it.
	Unlinked []string `json:"unlinked,omitempty"`
	// Elsewhere are the projects, by id and name, that no folder of this machine is: without a remote a project is known by its folder.
	Elsewhere []string `json:"elsewhere,omitempty"`
}

// Import adds the rows of an export. A file that is not an export, or is cut off in the middle of a line, changes nothing. Secrets are
// removed first, unless they are allowed.
func Import(ctx context.Context, db *registry.DB, r io.Reader, allowSecrets bool) (Imported, error) {
	rows, err := read(r)
	if err != nil {
		return Imported{}, err
	}
	var redacted []string
	if !allowSecrets {
		for _, row := range rows {
			redacted = append(redacted, takeOut(row)...)
		}
	}
	unlinked, err := unlinked(ctx, db, rows)
	if err != nil {
		return Imported{}, err
	}
	counts, err := db.Load(ctx, Tables(), rows)
	done := Imported{Rows: len(rows), Tables: counts, Redacted: redacted, Unlinked: unlinked}
	if counts == nil {
		done.Tables = []registry.MergeCount{}
	}
	for _, c := range counts {
		done.Added += c.Added
		done.Skipped += c.Skipped
		done.LeftOut += c.LeftOut
	}
	if err == nil {
		done.Elsewhere, err = elsewhere(ctx, db, rows)
	}
	return done, err
}

// elsewhere returns the projects among imported rows that are known by a folder, and that by none of this machine.
func elsewhere(ctx context.Context, db *registry.DB, rows []registry.DumpedRow) ([]string, error) {
	return registry.Read(ctx, db, func(tx *registry.Tx) (projects []string, err error) {
		for _, row := range rows {
			if row.Table != "projects" {
				continue
			}
			there, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM projects WHERE uid = ? AND remote IS NULL AND deleted_at IS NULL
				AND NOT EXISTS (SELECT 1 FROM project_folders WHERE project_id = projects.id AND host = ?))`, row.Row["uid"], registry.Host()))
			if err != nil {
				return nil, err
			}
			if there {
				projects = append(projects, fmt.Sprintf("%v (%q)", row.Row["uid"], row.Row["name"]))
			}
		}
		return projects, nil
	})
}

// unlinked returns the sessions among rows whose item is not in the registry.
func unlinked(ctx context.Context, db *registry.DB, rows []registry.DumpedRow) (sessions []string, err error) {
	items := map[any]string{} // uids by their number in the file
	for _, row := range rows {
		if row.Stub {
			items[row.Row["id"]], _ = row.Row["uid"].(string)
		}
	}
	err = db.Read(ctx, func(tx *registry.Tx) error {
		sessions = nil
		there := map[string]bool{}
		for _, uid := range items {
			n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM items WHERE uid = ?`, uid))
			if err != nil {
				return err
			}
			there[uid] = n > 0
		}
		for _, row := range rows {
			if item := row.Row["item_id"]; row.Table == "sessions" && item != nil && !there[items[item]] {
				ref, _ := row.Row["ref"].(string)
				sessions = append(sessions, ref)
			}
		}
		return nil
	})
	return sessions, err
}

func read(r io.Reader) ([]registry.DumpedRow, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var rows []registry.DumpedRow
	headed := false
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if !headed {
			if err := readHead(line); err != nil {
				return nil, err
			}
			headed = true
			continue
		}
		row, err := readRow(line)
		if err != nil {
			return nil, fault.Validation("file", "line %d is not a row of an export: %v", n, err).WithHint("give a whole file that memoryd export wrote")
		}
		if len(rows) == maxRows {
			return nil, fault.Validation("file", "the file holds more than %d rows", maxRows).WithHint("export one project at a time")
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, fault.Validation("file", "a line is longer than %d MB", maxLine>>20).WithHint("give a file that memoryd export wrote")
		}
		return nil, fault.Operation(err, "read the export")
	}
	if !headed {
		return nil, fault.Validation("file", "the file is empty").WithHint("give a file that memoryd export wrote")
	}
	return rows, nil
}

func readHead(line []byte) error {
	var h head
	if err := json.Unmarshal(line, &h); err != nil || h.Export != program {
		return fault.Validation("file", "the file is not an export of memoryd").
			WithHint("give a file that memoryd export wrote; memoryd remember - takes plain memories")
	}
	if h.Format > Format || h.Schema > registry.SchemaVersion {
		return fault.Validation("file", "the export is of a newer memoryd (format %d, schema %d)", h.Format, h.Schema).WithHint("upgrade this program; nothing was changed")
	}
	return nil
}

// readRow keeps integers exact: a float would lose the last digits of a large one.
func readRow(line []byte) (r registry.DumpedRow, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, err
	}
	for column, value := range r.Row {
		switch v := value.(type) {
		case json.Number:
			if whole, err := v.Int64(); err == nil {
				r.Row[column] = whole
			} else if r.Row[column], err = v.Float64(); err != nil {
				return r, err
			}
		case string, nil:
		default:
			return r, errors.New("column " + column + " holds neither text nor number")
		}
	}
	return r, nil
}

// prose are the columns of each table with texts that a person or agent wrote.
var prose = map[string][]string{
	"sessions":         {"item", "outcome_notes", "summary"},
	"session_files":    {"note"},
	"score_events":     {"note"},
	"session_events":   {"content", "context"},
	"commits":          {"subject", "body"},
	"retrospectives":   {"task", "agent_note", "user_note"},
	"activities":       {"task", "actions", "outcome", "decisions"},
	"memories":         {"key", "title", "content", "summary", "context", "thread", "archived_why"},
	"memory_history":   {"title", "content", "summary", "why"},
	"memory_citations": {"path", "snippet"},
	"memory_tags":      {"tag"},
	"memory_items":     {"ref"},
}

// takeOut removes the secrets from a row and updates the columns derived from its texts. A row without secrets stays as it is.
func takeOut(r registry.DumpedRow) (kinds []string) {
	for _, column := range prose[r.Table] {
		said, ok := r.Row[column].(string)
		if !ok {
			continue
		}
		look := redact.Text
		if r.Table == "session_events" && column == "context" {
			look = inObject
		}
		clean, found := look(said)
		if found == nil {
			continue
		}
		r.Row[column] = clean
		kinds = append(kinds, found...)
		switch {
		case r.Table == "memories" && column == "key":
			r.Row["key_key"] = text.Key(clean)
		case r.Table == "memories" && column == "content":
			r.Row["content_hash"] = memory.ContentHash(clean)
		}
	}
	if had, counted := r.Row["redactions"].(int64); counted {
		r.Row["redactions"] = had + int64(len(kinds))
	}
	return kinds
}

// inObject redacts the texts in a JSON object, so that it stays valid.
func inObject(s string) (clean string, kinds []string) {
	var object map[string]any
	if json.Unmarshal([]byte(s), &object) != nil {
		return redact.Text(s)
	}
	inside, kinds := redact.Value(object)
	encoded, err := json.Marshal(inside)
	if kinds == nil || err != nil {
		return s, nil
	}
	return string(encoded), kinds
}
