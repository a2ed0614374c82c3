package memory

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
)

// Bounds of the memories that a session begins with.
const (
	relevantLimit = 12
	relevantWords = 2 << 10 // bytes of an item's text that are searched for words
	relevantFrom  = 0.3     // share of an item's rare words, by weight, from which a memory is about it
	rareWords     = 8       // rarest words of an item's text by which memories are searched
	longWords     = 16      // longest words of the text that are looked up: counting a common word is slow
	rareRows      = 1500    // memories that may contain these words: a start must be fast
	longestBody   = 600     // bytes; longer bodies are fetched by id
)

// Relevant returns the memories that a session on an item should begin with: those about the item, those of the session that it resumes,
// those that share its words, and the most important ones. Each has its whole body; Fit chooses among them.
func Relevant(tx *registry.Tx, w Wanted) (all []Brief, err error) {
	w.Limit = cmp.Or(w.Limit, relevantLimit)
	var ids []int64
	why := map[int64]string{}
	sources := []struct {
		why   string
		find  func(*registry.Tx, Wanted) ([]int64, error)
		found []int64
	}{{"item", aboutItem, nil}, {"session", ofSession, nil}, {"words", sharingWords, nil}, {"important", important, nil}}
	finds := make([]func() error, len(sources))
	for i := range sources {
		finds[i] = func() (err error) { sources[i].found, err = sources[i].find(tx, w); return err }
	}
	if err := tx.Together(finds...); err != nil {
		return nil, err
	}
	for _, source := range sources {
		for _, id := range source.found {
			if why[id] == "" {
				why[id] = source.why
				ids = append(ids, id)
			}
		}
	}
	memories, err := ByRows(tx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		m, known := memories[id]
		if !known || m.expired(tx.Now()) {
			continue
		}
		b := m.Brief()
		b.Why, b.Content = why[id], m.Content
		all = append(all, b)
	}
	return all, nil
}

// Fit takes as many relevant memories as the limit and the budget allow: it fills the budget with titles first, then with the bodies of the
// first. more is how many were left out.
func Fit(all []Brief, w Wanted) (found []Brief, more int) {
	found = []Brief{}
	room, most := w.Budget, cmp.Or(w.Limit, relevantLimit)
	bodies := make([]string, 0, len(all))
	for _, b := range all {
		body := b.Content
		b.Content = ""
		cost := size(b)
		if len(found) == most || cost > room {
			more++
			continue
		}
		room -= cost
		found, bodies = append(found, b), append(bodies, body)
	}
	for i := range found {
		if bodies[i] == found[i].Title || len(bodies[i]) > longestBody {
			continue
		}
		whole := found[i]
		whole.Content = bodies[i]
		if cost := size(whole) - size(found[i]); cost <= room {
			room -= cost
			found[i] = whole
		}
	}
	return found, more
}

// size returns the bytes of a brief in a list, with its comma.
func size(b Brief) int {
	encoded, err := json.Marshal(b)
	if err != nil {
		return 0
	}
	return len(encoded) + 1
}

func aboutItem(tx *registry.Tx, w Wanted) ([]int64, error) {
	if w.ItemID == 0 {
		return nil, nil
	}
	return registry.Collect(tx, registry.One[int64], `SELECT m.id FROM memory_items mi CROSS JOIN memories m
		WHERE m.id = mi.memory_id AND mi.ref_key = (SELECT ref_key FROM items WHERE id = ?) AND m.project_id = ? AND m.archived_at IS NULL AND m.superseded_by IS NULL
		ORDER BY m.importance DESC, m.updated_at DESC, m.id DESC LIMIT 50`, w.ItemID, w.ProjectID)
}

func ofSession(tx *registry.Tx, w Wanted) ([]int64, error) {
	if w.SessionID == 0 {
		return nil, nil
	}
	return registry.Collect(tx, registry.One[int64], `SELECT id FROM memories WHERE source_session = ? AND `+live+`
		ORDER BY importance DESC, id DESC LIMIT 20`, w.SessionID)
}

func sharingWords(tx *registry.Tx, w Wanted) (ids []int64, err error) {
	asked := essential(words.Terms(text.Cut(strings.ToValidUTF8(w.Text, ""), relevantWords)))
	slices.SortStableFunc(asked, func(a, b askedWord) int { return len(b.Raw) - len(a.Raw) })
	asked = asked[:min(len(asked), longWords)]
	docs, err := held(tx, asked, store{})
	if err != nil || !slices.ContainsFunc(asked, func(t askedWord) bool { return docs[t.Text] > 0 }) {
		return nil, err // no project has any of the words, as for most short texts
	}
	q := Query{ProjectID: w.ProjectID, Limit: relevantLimit, Explain: true}
	q.without.expansions = true
	k, err := look(tx, q.ProjectID)
	if err != nil {
		return nil, err
	}
	if !k.alone {
		if docs, err = held(tx, asked, q.store(k)); err != nil {
			return nil, err
		}
	}
	if q.Text = rarest(asked, docs); q.Text == "" {
		return nil, nil
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	a, err := q.recall(tx, k)
	if err != nil {
		return nil, err
	}
	for _, h := range a.Memories {
		if h.Parts.Coverage >= relevantFrom {
			ids = append(ids, h.RowID)
		}
	}
	return ids, nil
}

// held returns how many memories of a store contain each of some words.
func held(tx *registry.Tx, asked []askedWord, in store) (map[string]int, error) {
	a := newAsker(tx, in)
	return a.docs, a.count(mapped(asked, func(t askedWord) string { return t.Text }))
}

// rarest returns the most distinctive words of a text, those in the fewest memories, as many as are cheap to search for.
func rarest(asked []askedWord, docs map[string]int) string {
	known := slices.DeleteFunc(slices.Clone(asked), func(t askedWord) bool { return docs[t.Text] == 0 })
	slices.SortStableFunc(known, func(a, b askedWord) int { return docs[a.Text] - docs[b.Text] })
	var chosen []string
	rows := 0
	for _, t := range known[:min(len(known), rareWords)] {
		if rows += docs[t.Text]; rows > rareRows && len(chosen) > 0 {
			break
		}
		chosen = append(chosen, t.Raw)
	}
	return strings.Join(chosen, " ")
}

func important(tx *registry.Tx, w Wanted) ([]int64, error) {
	return registry.Collect(tx, registry.One[int64], `SELECT id FROM memories WHERE project_id = ? AND importance >= ? AND `+live+`
		ORDER BY importance DESC, updated_at DESC, id DESC LIMIT ?`, w.ProjectID, max(w.Least, MinImportance), 2*w.Limit)
}
