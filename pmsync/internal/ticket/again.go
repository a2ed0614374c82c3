package ticket

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// facet is a part of a ticket that a file may hold: its fields there, and how an import leaves it as it is here.
type facet struct {
	fields []string
	keep   func(n *New, t Ticket, b bodies)
}

// facets are those of a ticket. A second import writes only the parts that differ from the last import.
var facets = map[string]facet{
	"title":    {[]string{"title"}, func(n *New, t Ticket, _ bodies) { n.Title = t.Title }},
	"text":     {[]string{"description", "body_format"}, func(n *New, _ Ticket, b bodies) { n.Body = b.Text }},
	"criteria": {[]string{"criteria"}, func(n *New, _ Ticket, b bodies) { n.Criteria = Text{Format: b.Format, Text: b.criteria} }},
	"status": {[]string{"status", "category", "completed", "canceled", "reason"}, func(n *New, t Ticket, _ bodies) {
		n.Status, n.Category = t.Status, t.StatusCategory
	}},
	"priority": {[]string{"priority", "priority_label"}, func(n *New, t Ticket, _ bodies) { n.Priority, n.PriorityLabel = t.item.Priority, t.PriorityLabel }},
	"assignee": {[]string{"assignee", "assignee_name", "assignee_email"}, func(n *New, t Ticket, _ bodies) {
		n.Assignee, n.AssigneeName = t.Assignee, t.AssigneeName
	}},
	"labels":   {[]string{"labels"}, func(n *New, t Ticket, _ bodies) { n.Labels = t.Labels }},
	"place":    {[]string{"parent", "parent_key", "level", "epic", "epic_name", "milestone"}, func(n *New, _ Ticket, _ bodies) { n.stay.place = true }},
	"links":    {[]string{"blocks", "blocked_by", "related_to"}, func(n *New, _ Ticket, _ bodies) { n.stay.links = true }},
	"sprint":   {[]string{"sprint", "sprint_number"}, func(n *New, t Ticket, _ bodies) { n.Sprint = Ref{ID: t.SprintID, Name: t.Sprint} }},
	"due":      {[]string{"due"}, func(n *New, t Ticket, _ bodies) { n.DueDate = t.DueDate }},
	"estimate": {[]string{"estimate", "estimate_unit"}, func(n *New, t Ticket, _ bodies) { n.Estimate, n.EstimateUnit = t.Estimate, t.EstimateUnit }},
	"url":      {[]string{"url"}, func(n *New, t Ticket, _ bodies) { n.URL = t.URL }},
	"type":     {[]string{"type"}, func(n *New, t Ticket, _ bodies) { n.Type = t.Type }},
	"created":  {[]string{"created"}, func(*New, Ticket, bodies) {}}, // a ticket here keeps the time at which it was made
	"updated":  {[]string{"updated"}, func(n *New, t Ticket, _ bodies) { n.UpdatedAt = t.UpdatedAt.Time }},
}

// cameIn returns a hash of each part that the file has a column or member for, "" for an empty part.
func (r record) cameIn() map[string]string {
	said := map[string]string{}
	for name, facet := range facets {
		given, values := false, []string{}
		for _, field := range facet.fields {
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
			said[name] = ""
		case given:
			sum := fnv.New32a()
			_, _ = sum.Write([]byte(strings.Join(values, "\x01"))) // never fails
			said[name] = fmt.Sprintf("%08x", sum.Sum32())
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
		facets[facet].keep(n, t, b)
	}
	if slices.Contains(kept, "type") {
		n.ProviderType, err = ProviderType(tx, itemID)
	}
	return err
}
