package memory

import (
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// textIndex looks up the terms of memories: SQLite's FTS5, or rows on a server. Both contain the same terms and score alike.
type textIndex interface {
	// put adds a memory that is not in the index; drop removes one.
	put(tx *registry.Tx, id int64, d *document) error
	drop(tx *registry.Tx, id int64) error
	// holders returns the query with, for each term in args (the first of them NULL or a term), the ids of the first memories that contain
	// it, joined by commas.
	holders(in scope, terms int) (query string)
	// documents returns the query with, for each of some terms, the number of memories that contain it.
	documents(marks string) (query string)
	// within returns the query with the ids, joined by commas, of the memories in scope that contain any of some terms.
	within(in scope, terms []string) (query string, args []any)
	// best returns the FROM clause for the ids of the memories in scope that contain any of some terms, the best by BM25 alone, and the
	// ORDER BY clause for its rows.
	best(in scope, terms []string, limit int) (from, order string, args []any)
}

// scope lists what a memory must have: one word of each list.
type scope [][]string

// indexOf returns the text index of tx's registry.
func indexOf(tx *registry.Tx) textIndex {
	if tx.OnServer() {
		return termRows{}
	}
	return fts5{}
}

// fts5 is SQLite's full-text index.
type fts5 struct{}

func (fts5) put(tx *registry.Tx, id int64, d *document) error {
	return tx.Do(`INSERT INTO memory_index (rowid, name, content, scope) VALUES (?, ?, ?, ?)`, id, d.name, d.content, d.scope)
}

func (fts5) drop(tx *registry.Tx, id int64) error {
	return tx.Do(`DELETE FROM memory_index WHERE rowid = ?`, id)
}

func (fts5) holders(in scope, terms int) string {
	within := ""
	for _, condition := range conditions(in) {
		within += strings.ReplaceAll(condition, "'", "''") + " AND "
	}
	return `SELECT v.column1, (SELECT group_concat(f.rowid) FROM (SELECT rowid FROM memory_index
			WHERE memory_index MATCH '` + within + `{name content} : "' || replace(v.column1, '"', '""') || '"' LIMIT ` + mostPostings + `) f)
		FROM (VALUES (?)` + strings.Repeat(`, (?)`, terms-1) + `) v WHERE v.column1 IS NOT NULL`
}

func (fts5) documents(marks string) string {
	return `SELECT term, doc FROM memory_vocabulary WHERE term IN ` + marks
}

func (fts5) within(in scope, terms []string) (string, []any) {
	return `SELECT group_concat(f.rowid) FROM (SELECT rowid FROM memory_index WHERE memory_index MATCH ?) f`, []any{match(in, terms)}
}

func (fts5) best(in scope, terms []string, limit int) (from, order string, args []any) {
	return `(SELECT rowid AS id FROM memory_index WHERE memory_index MATCH ? ORDER BY rank LIMIT ?) f`, ``, []any{match(in, terms), limit}
}

// conditions writes a scope in FTS5's query language.
func conditions(in scope) []string {
	return mapped(in, func(words []string) string { return "scope : " + anyOf(words) })
}

// match returns the FTS5 query for any of some terms within a scope. Every word is quoted and consists only of letters and digits.
func match(in scope, terms []string) string {
	return strings.Join(append(conditions(in), "{name content} : "+anyOf(terms)), " AND ")
}

func anyOf(words []string) string { return "(" + strings.Join(mapped(words, quoted), " OR ") + ")" }

func quoted(term string) string { return `"` + strings.ReplaceAll(term, `"`, `""`) + `"` }

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
