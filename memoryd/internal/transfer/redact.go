package transfer

import (
	"encoding/json"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// proseOf returns the columns of a table with texts that a person or agent wrote.
func proseOf(table string) []string {
	switch table {
	case "sessions":
		return []string{"item", "outcome_notes", "summary"}
	case "session_files", "score_events":
		return []string{"note"}
	case "session_events":
		return []string{"content", "context"}
	case "commits":
		return []string{"subject", "body"}
	case "retrospectives":
		return []string{"task", "agent_note", "user_note"}
	case "activities":
		return []string{"task", "actions", "outcome", "decisions"}
	case "memories":
		return []string{"key", "title", "content", "summary", "context", "thread", "archived_why"}
	case "memory_history":
		return []string{"title", "content", "summary", "why"}
	case "memory_citations":
		return []string{"path", "snippet"}
	case "memory_tags":
		return []string{"tag"}
	case "memory_items":
		return []string{"ref"}
	}
	return nil
}

// takeOut removes the secrets from a row and updates the columns derived from its texts. A row without secrets stays as it is.
func takeOut(r registry.DumpedRow) (kinds []string) {
	for _, column := range proseOf(r.Table) {
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
