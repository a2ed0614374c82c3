package ticket

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// facets are the parts of a ticket that a file may hold, with their fields. A second import writes only the parts that differ from the last
// import.
var facets = map[string][]string{
	"title": {"title"}, "text": {"description", "body_format"}, "criteria": {"criteria"},
	"status": {"status", "category", "completed", "canceled", "reason"}, "priority": {"priority", "priority_label"},
	"assignee": {"assignee", "assignee_name", "assignee_email"}, "labels": {"labels"},
	"place": {"parent", "parent_key", "level", "epic", "epic_name", "milestone"}, "links": {"blocks", "blocked_by", "related_to"},
	"sprint": {"sprint", "sprint_number"}, "due": {"due"}, "estimate": {"estimate", "estimate_unit"}, "url": {"url"}, "type": {"type"},
	"created": {"created"}, "updated": {"updated"},
}

// cameIn returns a hash of each part that the file has a column or member for, "" for an empty part.
func (r record) cameIn() map[string]string {
	said := map[string]string{}
	for facet, fields := range facets {
		given, values := false, []string{}
		for _, field := range fields {
			if !r.has[field] {
				continue
			}
			given = true
			for _, value := range r.fields[field] {
				values = append(values, field+"\x00"+strings.TrimSpace(value))
			}
		}
		switch {
		case given && len(values) == 0:
			said[facet] = ""
		case given:
			sum := fnv.New32a()
			_, _ = sum.Write([]byte(strings.Join(values, "\x01"))) // never fails
			said[facet] = fmt.Sprintf("%08x", sum.Sum32())
		}
	}
	return said
}

// stands returns the parts of a ticket that an import leaves as they are here: those that the file lacks, or holds as it last did. Without
// a record of the last import (was is nil), parts that are empty in the file stand too.
func stands(was, now map[string]string) (kept []string) {
	for facet := range facets {
		said, given := now[facet]
		last, known := was[facet]
		if !given || known && last == said || was == nil && said == "" {
			kept = append(kept, facet)
		}
	}
	slices.Sort(kept)
	return kept
}

// lastCameIn returns the part hashes of a ticket's last import, nil when they are not known.
func lastCameIn(tx *registry.Tx, itemID int64) (map[string]string, error) {
	data, err := oneIfAny[registry.Null[string]](tx.QueryRow(`SELECT provider_data FROM tickets WHERE item_id = ? AND provider = 'local'`, itemID))
	var said struct{ Imported map[string]string }
	if err != nil || json.Unmarshal([]byte(data.V), &said) != nil {
		return nil, err
	}
	return said.Imported, nil
}

// importedAs encodes part hashes for lastCameIn.
func importedAs(said map[string]string) json.RawMessage {
	data, _ := json.Marshal(map[string]any{"imported": said}) // never fails
	return data
}

// keepHere replaces the named parts of an imported ticket by their values here.
func keepHere(tx *registry.Tx, itemID int64, n *New, kept []string) error {
	t, err := ByItem(tx, itemID)
	if err != nil {
		return err
	}
	b, err := bodiesOf(tx, itemID)
	if err != nil {
		return err
	}
	for _, facet := range kept {
		switch facet {
		case "title":
			n.Title = t.Title
		case "text":
			n.Body = b.Text
		case "criteria":
			n.Criteria = Text{Format: b.Format, Text: b.criteria}
		case "status":
			n.Status, n.Category = t.Status, t.StatusCategory
		case "priority":
			n.Priority, n.PriorityLabel = t.item.Priority, t.PriorityLabel
		case "assignee":
			n.Assignee, n.AssigneeName = t.Assignee, t.AssigneeName
		case "labels":
			n.Labels = t.Labels
		case "place":
			n.stay.place = true
		case "links":
			n.stay.links = true
		case "sprint":
			n.Sprint = Ref{ID: t.SprintID, Name: t.Sprint}
		case "due":
			n.DueDate = t.DueDate
		case "estimate":
			n.Estimate, n.EstimateUnit = t.Estimate, t.EstimateUnit
		case "url":
			n.URL = t.URL
		case "type":
			n.Type = t.Type
			if n.ProviderType, err = registry.One[string](tx.QueryRow(`SELECT provider_type FROM tickets WHERE item_id = ?`, itemID)); err != nil {
				return err
			}
		case "updated":
			n.UpdatedAt = t.UpdatedAt.Time
		}
	}
	return nil
}
