package transfer

import (
	"encoding/json"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// proseOf returns the columns of a table with texts that a person or agent wrote.
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
