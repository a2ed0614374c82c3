package ticket

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Imported is the result of an import.
type Imported struct {
	Report
	Criteria int             `json:"criteria"` // acceptance criteria of the tickets after the import
	Tickets  []string        `json:"tickets"`
	BookedOn caller.BookedOn `json:"booked_on"`
}

// Import stores the tickets of a file: all, or none when one cannot be read.
// Importing a file again changes nothing.
func (s *Store) Import(ctx context.Context, c caller.Caller, data []byte, in Import) (done Imported, err error) {
	records, err := parseFile(data)
	if err != nil {
		return done, err
	}
	var told Report
	folded := map[string]string{}
	for status, category := range in.Categories {
		folded[fold(status)] = category
	}
	in.Categories = folded
	first, known := dayFirst(records)
	if !known {
		told.note("each date of the file could put the day or the month first; the month was taken")
	}
	byLevel(records)
	all, archived := make([]New, 0, len(records)), []New{}
	kept := records[:0:0]
	for _, r := range records {
		r.dayFirst = first
		n, err := r.ticket(in, &told)
		if err != nil {
			return done, err
		}
		n.Raw = importedAs(r.cameIn())
		if r.happened("archived") && State(n.Category) != work.StateDone && State(n.Category) != work.StateDropped {
			archived = append(archived, n)
			continue
		}
		all, kept = append(all, n), append(kept, r)
	}
	err = c.Write(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		told := Report{Notes: slices.Clone(told.Notes)}
		if err := notATrackers(tx, who.Project.ID, slices.Concat(all, archived)); err != nil {
			return err
		}
		here, err := localTitles(tx, who.Project.ID)
		if err != nil {
			return err
		}
		tickets := slices.Clone(all)
		byTitle(here, tickets, archived)
		found := newRegister(kept, tickets, here)
		if err := putAway(tx, who.Project.ID, archived, found, &told); err != nil {
			return err
		}
		for i := range tickets {
			found.resolve(&kept[i], &tickets[i], &told)
		}
		report, err := PutMany(tx, tickets, Put{ProjectID: who.Project.ID, AgentID: who.AgentID, Actor: fromFile, Parse: s.AutoParse, Patterns: s.Patterns,
			Keep: func(itemID int64, n *New) error { return keepWhatStands(tx, itemID, n, &told) },
			Same: func(itemID int64, n New) (bool, error) { return asExported(tx, itemID, n) }})
		if err != nil {
			return err
		}
		report.Notes = append(told.Notes, report.Notes...)
		done = Imported{Report: report, Tickets: report.IDs, BookedOn: who.BookedOn()}
		done.Criteria, err = registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM criteria c JOIN items i ON i.id = c.item_id WHERE i.project_id = ? AND c.gone_at IS NULL`, who.Project.ID))
		return err
	})
	return done, err
}

// titled is a local ticket.
type titled struct{ key, title string }

// localTitles returns a project's local tickets, the oldest first.
func localTitles(tx *registry.Tx, projectID int64) ([]titled, error) {
	return registry.Collect(tx, func(row registry.Scanner) (k titled, err error) { return k, row.Scan(&k.key, &k.title) },
		`SELECT i.ref, i.title FROM items i JOIN tickets t ON t.item_id = i.id WHERE i.project_id = ? AND t.provider = 'local' AND i.deleted_at IS NULL ORDER BY i.id`, projectID)
}

// putAway leaves out tickets that their tracker archived unfinished, and puts those that are here out of sight. Items that waited for
// them are unblocked.
func putAway(tx *registry.Tx, projectID int64, archived []New, found *register, told *Report) error {
	for _, n := range archived {
		told.note("%s is archived and was left out", titleOf(n))
		for _, called := range []string{n.Key, n.Title} {
			found.left[text.Key(called)] = true
		}
		if n.Key == "" {
			continue
		}
		delete(found.keys, text.Key(n.Key))
		remote, err := registry.One[string](tx.QueryRow(`SELECT t.remote_id FROM items i CROSS JOIN tickets t WHERE t.item_id = i.id AND i.project_id + 0 = ? AND i.ref_key = ?
			AND t.provider = 'local' AND i.deleted_at IS NULL`, projectID, text.Key(n.Key)))
		found, err := registry.Found(err)
		if found {
			_, _, err = Leave(tx, projectID, Local, remote, Archived)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepWhatStands keeps the parts of a ticket that were changed here since the last import or that the file lacks.
func keepWhatStands(tx *registry.Tx, itemID int64, n *New, told *Report) error {
	was, err := lastCameIn(tx, itemID)
	if err != nil || n.Provider != Local {
		return err
	}
	var now struct{ Imported map[string]string }
	if err := json.Unmarshal(n.Raw, &now); err != nil {
		return err
	}
	kept := stands(was, now.Imported)
	for part, said := range was { // parts that this file lacks keep the record of the last import
		if _, given := now.Imported[part]; !given {
			if now.Imported == nil {
				now.Imported = map[string]string{}
			}
			now.Imported[part] = said
		}
	}
	n.Raw = importedAs(now.Imported)
	if !slices.Contains(kept, "text") {
		if err := keepReplaced(tx, itemID, n, told); err != nil {
			return err
		}
	}
	return keepHere(tx, itemID, n, kept)
}

// keepReplaced notes a description that was edited here and that the file replaces, and keeps it in the item's history.
func keepReplaced(tx *registry.Tx, itemID int64, n *New, told *Report) error {
	edited, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM item_history WHERE item_id = ? AND field = 'text' AND actor <> ? AND id >
		(SELECT COALESCE(MAX(id), 0) FROM item_history WHERE item_id = ? AND field = 'description' AND actor = ?))`, itemID, fromFile, itemID, fromFile))
	if err != nil || !edited {
		return err
	}
	t, err := ByItem(tx, itemID)
	if err != nil || t.Description == "" || SameMarkdown(t.Description, n.Markdown()) {
		return err
	}
	told.note("%s was edited here since the last import; the description of the file took the place of %q", t.ID, text.Cut(t.Description, 2000))
	return work.Record(tx, itemID, work.Event{Actor: fromFile, Field: "description", Old: t.Description, New: n.Markdown()})
}

// fromFile is the actor of what an import changes.
const fromFile = "import"

// asExported reports whether a ticket of a file equals an export of the one here.
func asExported(tx *registry.Tx, itemID int64, n New) (bool, error) {
	t, err := ByItem(tx, itemID)
	if err != nil {
		return false, err
	}
	e := Export{Ticket: t}
	if err := e.load(tx); err != nil {
		return false, err
	}
	data, err := json.Marshal(e)
	if err != nil {
		return false, err
	}
	records, err := parseJSON(data)
	if err != nil {
		return false, err
	}
	here, err := records[0].ticket(Import{}, &Report{})
	newRegister(nil, nil, nil).resolve(&records[0], &here, &Report{})
	if err != nil || here.clean() != nil { // such as a status that only its file can explain
		return false, nil
	}
	here.RemoteID = n.RemoteID
	if here.Epic.Key == n.Epic.Key { // CSV leaves out its title and the former keys
		here.Epic = n.Epic
	}
	if n.FormerKeys == nil {
		here.FormerKeys = nil
	}
	if here.hash() != n.hash() {
		return false, nil
	}
	err = tx.Do(`UPDATE tickets SET provider_data = ? WHERE item_id = ? AND provider = 'local'`, registry.NullIfZero(n.kept()), itemID)
	return true, err
}

// byTitle sets for tickets without an id the keys of the local tickets with the same title, so that a file without ids is also imported
// only once. A ticket that the file names by its key is not taken.
func byTitle(here []titled, all, archived []New) {
	named := map[string]bool{}
	for _, n := range slices.Concat(all, archived) {
		named[text.Key(n.Key)] = true
	}
	keys := map[string][]string{}
	for _, k := range here {
		if !named[text.Key(k.key)] {
			keys[k.title] = append(keys[k.title], k.key)
		}
	}
	for i := range all {
		title := line(all[i].Title, maxTitle)
		if same := keys[title]; all[i].Key == "" && all[i].RemoteID == "" && len(same) > 0 {
			all[i].Key, keys[title] = same[0], same[1:]
		}
	}
}

// notATrackers refuses to import over a ticket that a tracker keeps: the file is older than the tracker's state.
func notATrackers(tx *registry.Tx, projectID int64, all []New) error {
	var keys []string
	for _, n := range all {
		if n.Key != "" {
			keys = append(keys, text.Key(n.Key))
		}
	}
	for part := range slices.Chunk(keys, batch) {
		marks, in := registry.In(part)
		var key, provider string
		found, err := registry.Found(tx.QueryRow(`SELECT i.ref, t.provider FROM items i CROSS JOIN tickets t
			WHERE t.item_id = i.id AND i.project_id + 0 = ? AND i.deleted_at IS NULL AND t.provider <> 'local' AND i.ref_key IN (`+marks+`) LIMIT 1`, append([]any{projectID}, in...)...).Scan(&key, &provider))
		if err != nil {
			return err
		}
		if found {
			return fault.Conflict("ticket", key, "%s is kept by %s, and an import does not change tickets of a tracker; nothing was imported", key, provider).
				WithHint("`pmsync ticket update %s` changes it, or leave it out of the file", text.ShellWord(key))
		}
	}
	return nil
}

// Exported returns tickets in the form that an import reads.
func (s *Store) Exported(ctx context.Context, f Filter) ([]Export, error) {
	page, err := s.List(ctx, f)
	if err != nil {
		return nil, err
	}
	all := make([]Export, len(page.Tickets))
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		for i, t := range page.Tickets {
			all[i] = Export{Ticket: t, Blocks: []string{}, BlockedBy: []string{}, FormerKeys: []string{}}
			if err := all[i].load(tx); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

// Export is a ticket as an export writes it and an import reads it.
type Export struct {
	Ticket
	BodyFormat string   `json:"body_format,omitempty"`
	Criteria   string   `json:"acceptance_criteria,omitempty"` // of the tracker's own field
	Blocks     []string `json:"blocks"`
	BlockedBy  []string `json:"blocked_by"`
	RelatedTo  []string `json:"related_to,omitempty"`
	FormerKeys []string `json:"former_keys,omitempty"`
}

// load adds the parts that a list leaves out.
func (e *Export) load(tx *registry.Tx) error {
	b, err := bodiesOf(tx, e.item.ID)
	if err != nil {
		return err
	}
	e.Description, e.Criteria = b.Text.Text, b.criteria
	if e.Description != "" {
		e.BodyFormat = b.Format
	}
	refs := func(query string) ([]string, error) {
		args := slices.Repeat([]any{e.item.ID}, strings.Count(query, "?"))
		list, err := registry.Collect(tx, registry.One[string], query, args...)
		return append([]string{}, list...), err
	}
	if e.Blocks, err = refs(`SELECT t.ref FROM dependencies d JOIN items t ON t.id = d.target_id WHERE d.source_id = ? AND d.relation = 'blocks' AND t.kind = 'ticket' AND t.deleted_at IS NULL ORDER BY d.id`); err != nil {
		return err
	}
	if e.BlockedBy, err = refs(`SELECT s.ref FROM dependencies d JOIN items s ON s.id = d.source_id WHERE d.target_id = ? AND d.relation = 'blocks' AND s.kind = 'ticket' AND s.deleted_at IS NULL ORDER BY d.id`); err != nil {
		return err
	}
	if e.RelatedTo, err = refs(`SELECT o.ref FROM (SELECT target_id AS id FROM dependencies WHERE source_id = ? AND relation = 'related_to'
		UNION SELECT source_id FROM dependencies WHERE target_id = ? AND relation = 'related_to') r CROSS JOIN items o WHERE o.id = r.id AND o.kind = 'ticket' AND o.deleted_at IS NULL ORDER BY o.id`); err != nil {
		return err
	}
	e.FormerKeys, err = refs(`SELECT key FROM ticket_keys WHERE item_id = ? ORDER BY until`)
	return err
}
