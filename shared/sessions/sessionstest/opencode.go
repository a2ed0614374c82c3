package sessionstest

import (
	"encoding/json"
	"testing"

	"github.com/agit-suite/agit/shared/registry/sidefile"
)

const openCodeTables = `
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, title TEXT);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE account (id TEXT PRIMARY KEY, token TEXT);
`

// OpenCode is a database of opencode that is open, so that its log is not folded in.
type OpenCode struct {
	t    testing.TB
	File *sidefile.File
}

// NewOpenCode makes a database at path.
func NewOpenCode(t testing.TB, path string) OpenCode {
	t.Helper()
	file, err := sidefile.Open(t.Context(), path, sidefile.Schema{Version: 1, SQL: openCodeTables})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return OpenCode{t, file}
}

// Session adds a session.
func (o OpenCode) Session(id, parent, folder string) {
	o.run(`INSERT INTO session (id, parent_id, directory) VALUES (?, nullif(?, ''), ?)`, id, parent, folder)
}

// Message adds a message with its parts, changed at a time in milliseconds; or replaces it.
func (o OpenCode) Message(session, id string, changed int64, message Row, parts ...Row) {
	o.run(`INSERT OR REPLACE INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)`, id, session, changed, changed, text(message))
	for i, p := range parts {
		o.run(`INSERT OR REPLACE INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?, ?)`, id+string(rune('a'+i)), id, session, changed, changed, text(p))
	}
}

func (o OpenCode) run(statement string, args ...any) {
	o.t.Helper()
	if err := o.File.Change(o.t.Context(), func(tx *sidefile.Tx) error { return tx.Run(statement, args...) }); err != nil {
		o.t.Fatal(err)
	}
}

func text(r Row) string {
	out, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// Raw adds a message and a part as they are.
func (o OpenCode) Raw(session, id, message, part string) {
	o.run(`INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, 1, 1, ?)`, id, session, message)
	o.run(`INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, 1, 1, ?)`, id+"a", id, session, part)
}
