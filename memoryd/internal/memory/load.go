package memory

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// entry is a memory as the ranking sees it.
type entry struct {
	id         int64
	project    int64
	kind       string
	thread     string
	title      string
	says       string    // the whole text; of a long one the beginning, in a thread the end
	speaker    string    // of a turn of a conversation
	turn       bool      // it is a turn of a conversation
	other      bool      // the question is about another speaker
	unfit      bool      // it lacks the kind of thing that the question asks for
	found      []float64 // weighted count of each group of the question in it
	length     float64
	importance int
	confidence float64
	updated    string
	held       []float64     // found, plus what a question right before it lends
	carried    float64       // share of the question in it and right before it
	yields     bool          // the next turn answers it
	near       [reach]*entry // its neighbours in the thread: those before it, the nearest first, then those after it
	base       float64
	score      float64
}

// ranker loads the entries to compare.
type ranker struct {
	tx      *registry.Tx
	asked   question
	entries map[int64]*entry
}

// endLooked is how many characters of the end of a long text are read.
const endLooked = 200

const entryColumns = `m.id, m.project_id, m.type, m.thread, m.title, m.importance, m.confidence, m.updated_at,
	SUBSTR(m.content, CASE WHEN m.thread <> '' AND LENGTH(m.content) > 2000 THEN -200 ELSE 1 END, 2000), t.length, t.terms`

// candidates returns the memories with most of the question in their own words. When even its rarest words are common, the text index
// orders them.
func (r *ranker) candidates(in scope, limit int) ([]*entry, error) {
	terms := r.asked.rarest()
	if len(terms) == 0 {
		return nil, nil
	}
	for _, term := range terms {
		if len(r.asked.held[term]) == postings {
			return r.ordered(in, terms, limit)
		}
	}
	var within []int64
	if len(in) > 0 {
		var list registry.Null[string]
		query, args := indexOf(r.tx).within(in, terms)
		err := r.tx.QueryRow(query, args...).Scan(&list)
		if err == nil {
			within, err = numbers(list.V)
		}
		if err != nil || len(within) == 0 {
			return nil, err
		}
	}
	return r.load(r.asked.choose(within, limit))
}

// ordered returns the best memories by the text index's own score.
func (r *ranker) ordered(in scope, terms []string, limit int) ([]*entry, error) {
	from, order, args := indexOf(r.tx).best(in, terms, limit)
	all, err := r.collect(`SELECT `+entryColumns+`
		FROM `+from+` CROSS JOIN memory_terms t CROSS JOIN memories m
		WHERE t.memory_id = f.id AND m.id = f.id AND (m.expires_at IS NULL OR m.expires_at > ?)`+order, append(args, r.tx.Stamp())...)
	if err != nil {
		return nil, fmt.Errorf("search the text index: %w", err)
	}
	return all, nil
}

// load reads some memories, without those that have expired.
func (r *ranker) load(ids []int64) ([]*entry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	marks, args := many(slices.Compact(ids))
	return r.collect(`SELECT `+entryColumns+` FROM memory_terms t CROSS JOIN memories m
		WHERE t.memory_id IN `+marks+` AND m.id = t.memory_id AND (m.expires_at IS NULL OR m.expires_at > ?)`, append(args, r.tx.Stamp())...)
}

func (r *ranker) collect(query string, args ...any) ([]*entry, error) {
	return registry.Collect(r.tx, func(row registry.Scanner) (*entry, error) {
		e := &entry{}
		var terms []byte
		if err := row.Scan(&e.id, &e.project, &e.kind, &e.thread, &e.title, &e.importance, &e.confidence, &e.updated, &e.says, &e.length, &terms); err != nil {
			return nil, err
		}
		if known := r.entries[e.id]; known != nil {
			return known, nil
		}
		if strings.HasPrefix(e.thread, episode) || strings.HasPrefix(e.thread, unnamed) && speaker(e.title, e.says) == "" {
			e.thread = "" // facts that are stored in a row are about many subjects
		}
		e.found = make([]float64, len(r.asked.groups))
		for ; len(terms) >= 5; terms = terms[5:] {
			for _, u := range r.asked.terms[binary.LittleEndian.Uint32(terms)] {
				e.found[u.group] += u.weight * float64(terms[4]) / 10
			}
		}
		e.held = e.found
		r.entries[e.id] = e
		return e, nil
	}, query, args...)
}

// neighbours loads the memories noted right before and after each of some memories in its thread, in two statements: one for their ids, one
// for their texts.
func (r *ranker) neighbours(of []*entry) error {
	var ids []int64
	for _, e := range of {
		if e.thread != "" {
			ids = append(ids, e.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	marks, args := many(ids)
	around := map[int64][]int64{}
	beside := func(which, order string, most int) string {
		near := `(SELECT x.id FROM memories x WHERE x.project_id = c.project_id AND x.thread = c.thread AND x.thread <> '' AND x.id ` + which + ` c.id
			AND x.archived_at IS NULL AND x.superseded_by IS NULL ORDER BY x.id` + order + ` LIMIT ` + strconv.Itoa(most) + `)`
		if r.tx.OnServer() { // which would look for each memory whether it is among those near each of the others
			return `SELECT c.id, n.id FROM memories c CROSS JOIN LATERAL ` + near + ` n WHERE c.id IN ` + marks
		}
		return `SELECT c.id, n.id FROM memories c CROSS JOIN memories n WHERE c.id IN ` + marks + ` AND n.id IN ` + near
	}
	var missing []int64
	_, err := registry.Collect(r.tx, func(row registry.Scanner) (struct{}, error) {
		var id, next int64
		err := row.Scan(&id, &next)
		around[id] = append(around[id], next)
		if r.entries[next] == nil {
			missing = append(missing, next)
		}
		return struct{}{}, err
	}, beside("<", " DESC", reachBefore)+` UNION ALL `+beside(">", "", reachAfter+1), append(args, args...)...)
	if err != nil {
		return err
	}
	if _, err := r.load(missing); err != nil {
		return err
	}
	for _, e := range of {
		r.link(append(around[e.id], e.id))
	}
	return nil
}

// link connects memories of one thread to their neighbours, as far as both are loaded.
func (r *ranker) link(ids []int64) {
	slices.Sort(ids)
	run := make([]*entry, 0, len(ids))
	for _, id := range ids {
		if e := r.entries[id]; e != nil && e.thread != "" {
			run = append(run, e)
		}
	}
	if !isTalk(run) {
		return
	}
	for at, n := range run {
		for i := range n.near {
			j := at - 1 - i
			if i >= reachBefore {
				j = at + 1 + i - reachBefore
			}
			if j >= 0 && j < len(run) {
				n.near[i] = run[j]
			}
		}
	}
}

// isTalk reports whether a thread is a conversation: it has a name, or a person speaks twice in it. Facts may begin with a word and a colon
// too.
func isTalk(run []*entry) bool {
	spoke := map[string]bool{}
	for _, e := range run {
		who := speaker(e.title, e.says)
		if !strings.HasPrefix(e.thread, unnamed) || spoke[who] {
			return true
		}
		spoke[who] = true
	}
	return false
}

// admitted keeps the neighbours that pass the filters, which the index has only applied to the candidates themselves.
func (q Query) admitted(tx *registry.Tx, list []*entry) ([]*entry, error) {
	list = slices.DeleteFunc(list, func(e *entry) bool {
		return e.importance < q.MinImportance || q.Type != "" && e.kind != q.Type
	})
	for _, f := range []struct {
		table, column string
		wanted        []string
	}{{"memory_tags", "tag", q.Tags}, {"memory_items", "ref_key", q.Items}} {
		if len(f.wanted) == 0 || len(list) == 0 {
			continue
		}
		marks, args := many(mapped(list, func(e *entry) int64 { return e.id }))
		names, wanted := many(folded(f.wanted))
		with, err := registry.Collect(tx, registry.One[int64],
			`SELECT memory_id FROM `+f.table+` WHERE memory_id IN `+marks+` AND `+f.column+` IN `+names, append(args, wanted...)...)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(e *entry) bool { return !slices.Contains(with, e.id) })
	}
	return list, nil
}
