package memory

import (
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// termRows is a text index in plain rows: one for each term of a memory with its weight, one for each word that filters may require, one
// for the length of each memory.
type termRows struct{}

// The weights of an occurrence, as configured for FTS5 in sqlite/0004_memory.sql.
const (
	weightInName    = 1.5
	weightInContent = 1.0
)

func (termRows) put(tx *registry.Tx, id int64, d *document) error {
	length := 0
	weights, order := map[string]float64{}, []string{}
	for _, column := range []struct {
		text   string
		weight float64
	}{{d.name, weightInName}, {d.content, weightInContent}} {
		for term := range strings.FieldsSeq(column.text) {
			if _, known := weights[term]; !known {
				order = append(order, term)
			}
			weights[term] += column.weight
			length++
		}
	}
	words := strings.Fields(d.scope)
	if err := tx.Do(`INSERT INTO memory_index (memory_id, length) VALUES (?, ?)`, id, length+len(words)); err != nil {
		return err
	}
	if err := insertEach(tx, `INSERT INTO memory_postings (term, memory_id, weight) VALUES`, order, func(term string) []any {
		return []any{term, id, weights[term]}
	}); err != nil {
		return err
	}
	return insertEach(tx, `INSERT INTO memory_scopes (word, memory_id) VALUES`, words, func(word string) []any { return []any{word, id} })
}

func (termRows) drop(tx *registry.Tx, id int64) error {
	return tx.Do(`DELETE FROM memory_index WHERE memory_id = ?`, id) // the other rows are deleted with it
}

// conditions returns the SQL for a scope of the postings p. Its words are made of letters and digits by this package, so they are written
// into the statement.
func (termRows) conditions(in scope) (sql string) {
	for _, words := range in {
		sql += ` AND EXISTS (SELECT 1 FROM memory_scopes s WHERE s.memory_id = p.memory_id AND s.word IN ('` + strings.Join(words, `', '`) + `'))`
	}
	return sql
}

func (t termRows) holders(in scope, terms int) string {
	return `SELECT v.term, (SELECT string_agg(CAST(f.memory_id AS TEXT), ',' ORDER BY f.memory_id) FROM (SELECT p.memory_id FROM memory_postings p
			WHERE p.term = v.term` + t.conditions(in) + ` ORDER BY p.memory_id LIMIT ` + mostPostings + `) f)
		FROM (VALUES (?)` + strings.Repeat(`, (?)`, terms-1) + `) v (term) WHERE v.term IS NOT NULL`
}

func (termRows) documents(marks string) string {
	return `SELECT term, COUNT(*) FROM memory_postings WHERE term IN ` + marks + ` GROUP BY term`
}

func (t termRows) within(in scope, terms []string) (string, []any) {
	marks, args := many(terms)
	return `SELECT string_agg(CAST(f.memory_id AS TEXT), ',' ORDER BY f.memory_id) FROM
		(SELECT DISTINCT p.memory_id FROM memory_postings p WHERE p.term IN ` + marks + t.conditions(in) + `) f`, args
}

// best computes BM25 as FTS5 does (https://sqlite.org/fts5.html#the_bm25_function): k1 is 1.2, b 0.75, and a term in half of the memories
// has almost no weight.
func (t termRows) best(in scope, terms []string, limit int) (from, order string, args []any) {
	values := make([]string, len(terms))
	for i, term := range terms {
		values[i] = `(CAST(? AS TEXT), ?)`
		args = append(args, term, i)
	}
	return `(SELECT s.id, ROW_NUMBER() OVER (ORDER BY s.score DESC, s.id) AS place FROM (
		SELECT p.memory_id AS id, SUM(q.idf * p.weight * 2.2 / (p.weight + 1.2 * (0.25 + 0.75 * x.length / q.average)) ORDER BY q.place) AS score
		FROM (SELECT d.term, d.place, n.average,
				CASE WHEN d.docs * 2 >= n.total THEN 0.000001 ELSE LN((n.total - d.docs + 0.5) / (d.docs + 0.5)) END AS idf
			FROM (SELECT v.term, CAST(v.place AS INTEGER) AS place, CAST((SELECT COUNT(*) FROM memory_postings h WHERE h.term = v.term) AS DOUBLE PRECISION) AS docs
				FROM (VALUES ` + strings.Join(values, ", ") + `) v (term, place)) d
			CROSS JOIN (SELECT CAST(COUNT(*) AS DOUBLE PRECISION) AS total, CAST(AVG(length) AS DOUBLE PRECISION) AS average FROM memory_index) n) q
		JOIN memory_postings p ON p.term = q.term
		JOIN memory_index x ON x.memory_id = p.memory_id
		WHERE 1 = 1` + t.conditions(in) + ` GROUP BY p.memory_id) s ORDER BY s.score DESC, s.id LIMIT ?) f`, ` ORDER BY f.place`, append(args, limit)
}
