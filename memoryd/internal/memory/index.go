package memory

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
)

// indexVersion is the value of memories.indexed for a row indexed by this program; rows with an older one are indexed again.
const indexVersion = words.Version*100 + 1

// The weight of a term by its place, in tenths of a term in the content.
const (
	inName    = 15 // title and key
	inContent = 10
	inAround  = 5 // summary, tags and context
)

// document is the index entry of a memory.
type document struct {
	name, content string // terms of the two columns, separated by spaces
	scope         string
	weights       map[uint32]int // term number → tenths
	order         []uint32
	length        float64
	words         []string // as written, to match typing mistakes and beginnings
}

func (d *document) add(s string, weight int, into *strings.Builder) {
	for _, t := range words.Terms(s) {
		into.WriteString(t.Text)
		into.WriteByte(' ')
		n := number(t.Text)
		if _, known := d.weights[n]; !known {
			d.order = append(d.order, n)
			if !t.Whole {
				d.words = append(d.words, t.Raw)
			}
		}
		d.weights[n] += weight
		if !t.Whole {
			d.length += float64(weight) / 10
		}
	}
}

// number returns the hash by which memory_terms stores a term. Two of the few terms of a question and a memory collide once in ten million.
func number(term string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(term)) // never fails
	return h.Sum32()
}

func newDocument(m Memory) *document {
	d := &document{weights: map[uint32]int{}}
	var name, content strings.Builder
	d.add(m.Title, inName, &name)
	d.add(m.Key, inName, &name)
	for _, tag := range m.Tags {
		d.add(tag, inAround, &name)
	}
	d.add(m.Content, inContent, &content)
	d.add(m.Summary, inAround, &content)
	d.add(m.Context, inAround, &content)
	for _, ref := range m.Items {
		d.add(ref, inAround, &content)
	}
	if m.Thread != "" && !isUnnamed(m.Thread) {
		d.add(m.Thread, inAround, &content)
	}
	d.name, d.content = name.String(), content.String()
	own := []string{scopeProject(m.ProjectID), scopeType(m.Type), scopeImportance(m.Importance)}
	d.scope = strings.Join(slices.Concat(own, mapped(m.Tags, scopeTag), mapped(m.Items, scopeItem)), " ")
	return d
}

// The scope column holds one word for each property that filters may require.
func scopeProject(id int64) string { return fmt.Sprintf("P%d", id) }
func scopeType(t string) string    { return "T" + t }
func scopeImportance(n int) string { return fmt.Sprintf("I%d", n) }
func scopeItem(ref string) string  { return fmt.Sprintf("R%08x", number(text.Key(ref))) }
func scopeTag(tag string) string   { return fmt.Sprintf("G%08x", number(text.Key(tag))) }

// encoded returns the terms in the format of memory_terms: number and weight.
func (d *document) encoded() []byte {
	b := make([]byte, 0, 5*len(d.order))
	for _, n := range d.order {
		b = binary.LittleEndian.AppendUint32(b, n)
		b = append(b, byte(min(d.weights[n], 255)))
	}
	return b
}

// index puts a memory into the text index, or removes an archived or replaced one. It reads the memory within the transaction.
func index(tx *registry.Tx, id int64) error {
	if err := unindex(tx, id); err != nil {
		return err
	}
	m, err := ByRow(tx, id)
	if err != nil {
		return err
	}
	if m.ArchivedAt == nil && m.Superseded == "" {
		if err := tx.QueryRow(`SELECT thread FROM memories WHERE id = ?`, id).Scan(&m.Thread); err != nil {
			return err
		}
		if err := tx.Do(`DELETE FROM memory_sketches WHERE memory_id = ?`, id); err != nil {
			return err
		}
		if err := indexNew(tx, m); err != nil {
			return err
		}
	}
	return tx.Do(`UPDATE memories SET indexed = ? WHERE id = ?`, indexVersion, id)
}

// indexNew puts a memory that is not in the text index into it.
func indexNew(tx *registry.Tx, m Memory) error {
	d := newDocument(m)
	if err := indexOf(tx).put(tx, m.RowID, d); err != nil {
		return err
	}
	if err := tx.Do(`INSERT INTO memory_terms (memory_id, length, terms) VALUES (?, ?, ?)`, m.RowID, d.length, d.encoded()); err != nil {
		return err
	}
	if err := learn(tx, d.words); err != nil {
		return err
	}
	// The keys by which near duplicates are found.
	return insertEach(tx, `INSERT INTO memory_sketches (memory_id, sketch) VALUES`, sketchesOf(m.Content), func(mark string) []any {
		return []any{m.RowID, mark}
	})
}

func unindex(tx *registry.Tx, id int64) error {
	if err := indexOf(tx).drop(tx, id); err != nil {
		return err
	}
	if err := tx.Do(`DELETE FROM memory_terms WHERE memory_id = ?`, id); err != nil {
		return err
	}
	return dropVector(tx, id)
}

// Words that may be mistyped: shorter ones have too many neighbours, longer ones are usually generated names.
const (
	leastTyped = 4
	mostTyped  = 16
)

// learn makes words findable by their beginnings, and in spite of one or two typing mistakes.
func learn(tx *registry.Tx, list []string) error {
	if len(list) == 0 {
		return nil
	}
	marks, args := many(list)
	known, err := registry.Collect(tx, registry.One[string], `SELECT word FROM memory_words WHERE rest IN `+marks+` AND rest = word`, args...)
	if err != nil {
		return err
	}
	seen := make(map[string]bool, len(known))
	for _, word := range known {
		seen[word] = true
	}
	var rows [][]any
	for _, word := range list {
		if seen[word] {
			continue
		}
		seen[word] = true
		rows = append(rows, []any{word, word})
		for _, rest := range rests(word) {
			rows = append(rows, []any{rest, word})
		}
	}
	return insertRows(tx, `INSERT INTO memory_words (rest, word) VALUES`, rows)
}

// rests returns a word without each of its letters in turn; nothing for a word that no person types.
func rests(word string) []string {
	runes := []rune(word)
	if len(runes) < leastTyped || len(runes) > mostTyped || strings.ContainsAny(word, "0123456789") {
		return nil
	}
	out := make([]string, 0, len(runes))
	for i := range runes {
		if i > 0 && runes[i] == runes[i-1] {
			continue
		}
		out = append(out, string(runes[:i])+string(runes[i+1:]))
	}
	return out
}

// healBatch is how many memories one transaction indexes again, so that other
// writers need not wait long.
const healBatch = 500

// Heal indexes the rows that are not in the text index in this program's version: rows that came by a merge, or from an older program. It
// returns their number.
func (s *Store) Heal(ctx context.Context) (healed int, err error) {
	for {
		n := 0
		missing := false
		if err := s.DB.Read(ctx, func(tx *registry.Tx) (err error) { missing, err = unindexed(tx); return err }); err != nil || !missing {
			return healed, err
		}
		err := s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
			ids, err := registry.Collect(tx, registry.One[int64],
				`SELECT id FROM memories WHERE indexed IS NULL OR indexed < ? ORDER BY id LIMIT ?`, indexVersion, healBatch)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := index(tx, id); err != nil {
					return err
				}
			}
			n = len(ids)
			return nil
		})
		healed += n
		if err != nil || n < healBatch {
			return healed, err
		}
	}
}

// unindexed reports whether any memory waits to be indexed, by two lookups in an index.
func unindexed(tx *registry.Tx) (bool, error) {
	for _, query := range []string{`SELECT 1 FROM memories WHERE indexed IS NULL LIMIT 1`, fmt.Sprintf(`SELECT 1 FROM memories WHERE indexed < %d LIMIT 1`, indexVersion)} {
		var one int
		err := tx.QueryRow(query).Scan(&one)
		if err == nil {
			return true, nil
		}
		if !registry.NoRows(err) {
			return false, err
		}
	}
	return false, nil
}
