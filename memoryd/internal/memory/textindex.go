package memory

import (
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// textIndex is where the terms of memories are looked up: SQLite's FTS5, or rows on a
// server. Both hold the same terms and score alike.
type textIndex interface {
	// put adds a memory that is not in the index; drop takes one out.
	put(tx *registry.Tx, id int64, d *document) error
	drop(tx *registry.Tx, id int64) error
	// holders is a query for each term that args name, the first of them NULL or a term, with
	// the ids of the first memories that hold it, joined by commas.
	holders(in scope, terms int) (query string)
	// documents is a query for each of some terms with the number of memories that hold it.
	documents(marks string) (query string)
	// within is a query for the ids, joined by commas, of the memories in scope that hold any
	// of some terms.
	within(in scope, terms []string) (query string, args []any)
	// best is what stands in FROM for the ids of the memories in scope that hold any of some
	// terms, the best by BM25 alone, and the order in which its rows are to come.
	best(in scope, terms []string, limit int) (from, order string, args []any)
}

// scope is what a memory must have to be looked at: one word of each list.
type scope [][]string

// indexOf is the text index of the registry that tx runs on.
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

// conditions writes a scope in FTS5's language.
func conditions(in scope) (all []string) {
	for _, words := range in {
		marked := make([]string, len(words))
		for i, word := range words {
			marked[i] = quoted(word)
		}
		all = append(all, "scope : ("+strings.Join(marked, " OR ")+")")
	}
	return all
}

// match is the question for FTS5 for any of some terms within a scope. Every word is
// quoted and consists of letters and digits alone.
func match(in scope, terms []string) string {
	marked := make([]string, len(terms))
	for i, term := range terms {
		marked[i] = quoted(term)
	}
	return strings.Join(append(conditions(in), "{name content} : ("+strings.Join(marked, " OR ")+")"), " AND ")
}

func quoted(term string) string { return `"` + strings.ReplaceAll(term, `"`, `""`) + `"` }
