package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Limits of a recall.
const (
	DefaultLimit = 10
	MaxLimit     = 200
	MaxQuestion  = 16 << 10 // bytes; longer questions are refused
)

// Query is what to recall.
type Query struct {
	ProjectID     int64 // 0 is every project; the answer says where each memory is from
	Text          string
	Type          string   // "" any
	Tags          []string // any of them
	Items         []string // about any of them
	MinImportance int
	Limit         int // DefaultLimit when 0
	Offset        int
	Titles        bool // without bodies, which counts no access
	Explain       bool // with the parts of each score

	without without // to measure what a part of the ranking adds
}

// Hit is a memory found.
type Hit struct {
	Memory
	Headline string  `json:"headline,omitempty"` // instead of the body
	Score    float64 `json:"score,omitempty"`    // 0 to about 1; comparable within one answer
	Weak     bool    `json:"weak,omitempty"`     // it shares little of the question
	Source   string  `json:"source,omitempty"`   // name of its project, when several were searched
	Parts    *Parts  `json:"explain,omitempty"`
}

// Answer is what was recalled.
type Answer struct {
	Memories []Hit `json:"memories"`
	// Weak says that nothing found shares enough of the question to answer it.
	Weak bool `json:"weak"`
	// Hidden counts archived memories, which were not searched and can be restored.
	Hidden int  `json:"hidden"`
	More   bool `json:"more,omitempty"` // another page follows

	Read    map[string][]string `json:"read_as,omitempty"` // words nobody wrote, and those taken for them
	Unknown []string            `json:"unknown,omitempty"` // words nobody wrote
}

func (q *Query) check() (err error) {
	switch {
	case len(q.Text) > MaxQuestion:
		return fault.Validation("query", "the question is %d bytes long, the limit is %d", len(q.Text), MaxQuestion).WithHint("ask in fewer words")
	case q.Limit < 0 || q.Limit > MaxLimit:
		return fault.Validation("limit", "limit %d is outside 1 to %d", q.Limit, MaxLimit).WithHint("page with an offset")
	case q.Offset < 0:
		return fault.Validation("offset", "offset %d is negative", q.Offset).WithHint("give 0 or more")
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Type != "" {
		if q.Type, err = checkType("memory_type", q.Type); err != nil {
			return err
		}
	}
	if q.MinImportance != 0 {
		if err := checkImportance("min_importance", q.MinImportance); err != nil {
			return err
		}
	}
	if q.Tags, err = checkTags(q.Tags); err != nil {
		return err
	}
	q.Items, err = checkItems(q.Items)
	return err
}

// Recall finds the memories that answer a question, the best first; without one
// the most important ones, the latest changed first. It counts no access.
func Recall(tx *registry.Tx, q Query) (Answer, error) {
	a := Answer{Memories: []Hit{}}
	if err := q.check(); err != nil {
		return a, err
	}
	var err error
	if a.Hidden, err = hidden(tx, q.ProjectID); err != nil {
		return a, err
	}
	var scored []candidate
	if strings.TrimSpace(q.Text) == "" {
		scored, err = list(tx, q)
	} else {
		scored, err = q.search(tx, &a)
	}
	if err != nil {
		return a, err
	}
	a.Weak = len(scored) == 0 && q.Text != "" || len(scored) > 0 && !slices.ContainsFunc(scored[:min(3, len(scored))], func(c candidate) bool { return !c.weak })
	scored = scored[min(q.Offset, len(scored)):]
	a.More = len(scored) > q.Limit
	for _, c := range scored[:min(q.Limit, len(scored))] {
		h, err := q.hit(tx, c)
		if err != nil {
			return a, err
		}
		a.Memories = append(a.Memories, h)
	}
	return a, nil
}

// search finds and ranks candidates.
func (q Query) search(tx *registry.Tx, a *Answer) ([]candidate, error) {
	asked, err := ask(tx, q.Text, q.without.expansions)
	if err != nil {
		return nil, err
	}
	if len(asked.typed) > 0 {
		a.Read = asked.typed
	}
	a.Unknown = asked.lost
	scope, err := q.scope(tx)
	if err != nil {
		return nil, err
	}
	match := asked.match(scope)
	if match == "" {
		return nil, nil
	}
	first, err := registry.Collect(tx, registry.One[int64],
		`SELECT rowid FROM memory_index WHERE memory_index MATCH ? ORDER BY rank LIMIT ?`, match, firstCandidates+q.Limit+q.Offset)
	if err != nil {
		return nil, fmt.Errorf("search the text index: %w", err)
	}
	return q.rank(tx, asked, first)
}

// scope is what the filters ask of the index.
func (q Query) scope(tx *registry.Tx) ([]string, error) {
	var scope []string
	any := func(words []string) {
		if len(words) > 0 {
			scope = append(scope, "scope : ("+strings.Join(words, " OR ")+")")
		}
	}
	if q.ProjectID != 0 {
		var others int64
		// Where all memories are one project's, to ask for it only costs time.
		err := tx.QueryRow(`SELECT (SELECT MAX(project_id) FROM memories) - (SELECT MIN(project_id) FROM memories)`).Scan(&others)
		if err != nil && tx.Context().Err() != nil {
			return nil, err
		}
		if err != nil || others != 0 {
			any([]string{quoted(scopeProject(q.ProjectID))})
		}
	}
	if q.Type != "" {
		any([]string{quoted(scopeType(q.Type))})
	}
	if q.MinImportance > MinImportance {
		var levels []string
		for n := q.MinImportance; n <= MaxImportance; n++ {
			levels = append(levels, quoted(scopeImportance(n)))
		}
		any(levels)
	}
	var tags, items []string
	for _, tag := range q.Tags {
		tags = append(tags, quoted(scopeTag(tag)))
	}
	for _, ref := range q.Items {
		items = append(items, quoted(scopeItem(ref)))
	}
	any(tags)
	any(items)
	return scope, nil
}

// list gives memories without a question.
func list(tx *registry.Tx, q Query) ([]candidate, error) {
	where := []string{`m.archived_at IS NULL`, `m.superseded_by IS NULL`, `(m.expires_at IS NULL OR m.expires_at > ?)`}
	args := []any{tx.Stamp()}
	and := func(condition string, values ...any) {
		where = append(where, condition)
		args = append(args, values...)
	}
	if q.ProjectID != 0 {
		and(`m.project_id = ?`, q.ProjectID)
	}
	if q.Type != "" {
		and(`m.type = ?`, q.Type)
	}
	if q.MinImportance > MinImportance {
		and(`m.importance >= ?`, q.MinImportance)
	}
	one := func(table, column string, values []string) {
		if len(values) == 0 {
			return
		}
		var given []any
		for _, v := range values {
			given = append(given, text.Key(v))
		}
		and(`EXISTS (SELECT 1 FROM `+table+` x WHERE x.memory_id = m.id AND x.`+column+` IN (?`+strings.Repeat(`, ?`, len(values)-1)+`))`, given...)
	}
	one("memory_tags", "tag", q.Tags)
	one("memory_items", "ref_key", q.Items)
	args = append(args, q.Limit+1+q.Offset)
	return registry.Collect(tx, func(row registry.Scanner) (c candidate, err error) { return c, row.Scan(&c.id) },
		`SELECT m.id FROM memories m WHERE `+strings.Join(where, " AND ")+` ORDER BY m.importance DESC, m.updated_at DESC, m.id DESC LIMIT ?`, args...)
}

// hit reads what is shown of a candidate.
func (q Query) hit(tx *registry.Tx, c candidate) (Hit, error) {
	m, err := ByRow(tx, c.id)
	if err != nil {
		return Hit{}, err
	}
	h := Hit{Memory: m, Score: rounded(c.score), Weak: c.weak}
	if q.Titles {
		h.Headline, h.Content, h.Summary, h.Context = m.headline(), "", "", ""
	}
	if q.Explain {
		h.Parts = &c.parts
	}
	if q.ProjectID == 0 {
		h.Source, err = registry.One[string](tx.QueryRow(`SELECT name FROM projects WHERE id = ?`, m.ProjectID))
	}
	return h, err
}

// Recall answers a question and counts the accesses to what it shows whole.
func (s *Store) Recall(ctx context.Context, q Query) (a Answer, err error) {
	all, err := s.RecallAll(ctx, []Query{q})
	if err != nil {
		return a, err
	}
	return all[0], nil
}

// RecallAll answers several questions on one snapshot.
func (s *Store) RecallAll(ctx context.Context, queries []Query) ([]Answer, error) {
	if _, err := s.Heal(ctx); err != nil && ctx.Err() != nil {
		return nil, err // a registry that cannot be written is still searched
	}
	var answers []Answer
	var used []int64
	err := s.DB.Read(ctx, func(tx *registry.Tx) error {
		answers, used = nil, nil
		for _, q := range queries {
			a, err := Recall(tx, q)
			if err != nil {
				return err
			}
			answers = append(answers, a)
			for _, h := range a.Memories {
				if !q.Titles {
					used = append(used, h.RowID)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// What was found is told even where nothing can be written.
	if err := s.accessed(ctx, used); err != nil {
		return answers, ctx.Err()
	}
	for i, a := range answers {
		for j := range a.Memories {
			if !queries[i].Titles {
				a.Memories[j].AccessCount++ // this one
			}
		}
	}
	return answers, nil
}

// age is how long ago a stored time was, in days.
func age(now time.Time, stored string) float64 {
	t, err := registry.ParseTime(stored)
	if err != nil {
		return 0
	}
	return max(now.Sub(t).Hours()/24, 0)
}
