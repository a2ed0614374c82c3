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
