package memory

import (
	"cmp"
	"slices"
	"strconv"
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

// postings bounds how many index entries are read for one word of a question, and how many candidates are taken: its rarest words choose
// the candidates, all its words rank them.
const postings = 2_000

// mostPostings is postings as a limit in a statement.
const mostPostings = "2000"

// list reads the memories with each of some terms, and their number. Each term is looked up once, without scoring, which would take longer
// than all the rest. For a term in more than postings memories only the first are read, and the number is approximate.
func (a *asker) list(terms []string) error {
	fresh := unseen(a.held, terms)
	if len(fresh) == 0 {
		return nil
	}
	_, args := many(fresh)
	clear(args[len(fresh):]) // NULL matches nothing
	_, err := registry.Collect(a.tx, func(row registry.Scanner) (none struct{}, err error) {
		var term string
		var ids registry.Null[string]
		if err := row.Scan(&term, &ids); err != nil {
			return none, err
		}
		held, err := numbers(ids.V)
		a.held[term], a.docs[term] = held, len(held)
		if len(held) == postings {
			a.docs[term] = max(postings, int(postings*a.total/float64(max(held[postings-1], 1))))
		}
		return none, err
	}, indexOf(a.tx).holders(a.scope, len(args)), args...)
	return err
}

// unseen returns the terms that are not among those seen, each once, and adds them.
func unseen[V any](seen map[string]V, terms []string) (fresh []string) {
	for _, term := range terms {
		if _, known := seen[term]; !known {
			var none V
			seen[term] = none
			fresh = append(fresh, term)
		}
	}
	return fresh
}

// numbers parses ids that are joined by commas.
func numbers(s string) ([]int64, error) {
	if s == "" {
		return nil, nil
	}
	list := make([]int64, 0, strings.Count(s, ",")+1)
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// rarest returns the terms that choose candidates: the rarest first, as many as occur in postings memories together, but at least two.
func (q question) rarest() (terms []string) {
	var all []weighed
	for _, g := range q.groups {
		all = append(all, g.terms...)
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return a.docs - b.docs })
	sum := 0
	for i, w := range all {
		if sum += w.docs; sum > postings && i >= 2 {
			break
		}
		if !slices.Contains(terms, w.term) {
			terms = append(terms, w.term)
		}
	}
	return terms
}

// choose returns the memories with most of the question by weight: limit of them, plus up to as many that tie with the last. within, unless
// nil, limits the choice.
func (q question) choose(within []int64, limit int) []int64 {
	type sum struct {
		id    int64
		total float64
		of    int // the last group counted, from 1
	}
	var sums []sum
	at := map[int64]int{}
	var allowed map[int64]bool
	if within != nil {
		allowed = make(map[int64]bool, len(within))
		for _, id := range within {
			allowed[id] = true
		}
	}
	for _, term := range q.rarest() {
		for _, id := range q.held[term] {
			if _, known := at[id]; !known && (within == nil || allowed[id]) {
				at[id] = len(sums)
				sums = append(sums, sum{id: id})
			}
		}
	}
	for i, g := range q.groups {
		terms := slices.Clone(g.terms)
		slices.SortStableFunc(terms, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
		for _, w := range terms { // of a group, the heaviest term in a memory counts
			for _, id := range q.held[w.term] {
				if n, known := at[id]; known && sums[n].of != i+1 {
					sums[n].total, sums[n].of = sums[n].total+w.weight*g.weight, i+1
				}
			}
		}
	}
	slices.SortFunc(sums, func(a, b sum) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.id, a.id)) })
	end := min(len(sums), limit)
	for end < min(len(sums), 2*limit) && sums[end].total == sums[limit-1].total {
		end++
	}
	return mapped(sums[:end], func(s sum) int64 { return s.id })
}
