package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Limits of a recall.
const (
	DefaultLimit = 10
	MaxLimit     = 200
	MaxQuestion  = 16 << 10 // bytes; longer questions are refused
)

// Query is a question to recall memories by.
type Query struct {
	ProjectID     int64 // 0 is every project; the answer names the project of each memory
	Text          string
	Also          []string // Text in other words, up to four; all are searched, and the hits make one answer
	Type          string   // "" any
	Tags          []string // memories with any of these tags
	Items         []string // memories about any of these items
	MinImportance int
	Limit         int // DefaultLimit when 0
	Offset        int
	Titles        bool // without bodies, which counts no access
	Explain       bool // with the parts of each score
	All           bool // also the hits after relevance falls off

	meant   *meant  // vector of Text, when a model is configured
	without without // to measure the benefit of a part of the ranking
}

// Hit is a memory found.
type Hit struct {
	Memory
	Headline string  `json:"headline,omitempty"` // instead of the body
	Score    float64 `json:"score,omitempty"`    // 0 to about 1; comparable within one answer
	Weak     bool    `json:"weak,omitempty"`     // it matches little of the question
	Source   string  `json:"source,omitempty"`   // name of its project, when several were searched
	Parts    *Parts  `json:"explain,omitempty"`

	// Nearest is, for a weak hit of a question, its part closest to the question: Short shows only that.
	Nearest string `json:"nearest,omitempty"`

	// Before and After are the turns right before and after a turn of a conversation that is not weak.
	Before []string `json:"said_before,omitempty"`
	After  []string `json:"said_after,omitempty"`
}

// Answer is the result of a recall.
type Answer struct {
	Memories []Hit `json:"memories"`
	// Weak means that no hit matches enough of the question to answer it.
	Weak bool `json:"weak"`
	// Hidden counts archived and replaced memories, which were not searched and can be restored.
	Hidden int     `json:"hidden"`
	More   bool    `json:"more,omitempty"`        // another page follows
	Unkept bool    `json:"-"`                     // the place has no memories at all
	Former *Former `json:"kept_before,omitempty"` // set when there is no answer here
	Left   int     `json:"left_out,omitempty"`    // found, but far less relevant than the best; All shows them

	// WordsAlone is why a configured model had no part in the answer, or only a part.
	WordsAlone string `json:"words_alone,omitempty"`

	Read    map[string][]string `json:"read_as,omitempty"` // unknown words, and the words taken for them
	Unknown []string            `json:"unknown,omitempty"` // unknown words
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
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	if err := q.checkAlso(); err != nil {
		return err
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

// Recall finds the memories that answer a question, the best first. Without a question it returns the most important ones, the latest
// changed first. It counts no access.
func Recall(tx *registry.Tx, q Query) (Answer, error) {
	if err := q.check(); err != nil {
		return Answer{Memories: []Hit{}}, err
	}
	k, err := look(tx, q.ProjectID)
	if err != nil {
		return Answer{Memories: []Hit{}}, err
	}
	return q.recall(tx, k)
}

func (q Query) recall(tx *registry.Tx, k kept) (Answer, error) {
	a := Answer{Memories: []Hit{}, Hidden: k.hidden}
	if q.ProjectID == Nothing {
		a.Weak = strings.TrimSpace(q.Text) != ""
		return a, nil
	}
	var scored []candidate
	var as question
	var err error
	asked := strings.TrimSpace(q.Text) != ""
	switch {
	case len(q.Also) > 0:
		scored, as, err = q.fuse(tx, k, &a)
	case asked:
		scored, as, err = q.search(tx, k, &a)
	default:
		scored, err = list(tx, q)
	}
	if err != nil {
		return a, err
	}
	a.Weak = asked && !slices.ContainsFunc(scored, func(c candidate) bool { return !c.weak })
	if asked && !q.All && q.Offset == 0 && len(q.Also) == 0 { // a reader of further pages wants the rest
		a.Left = len(scored)
		scored = ending(scored)
		a.Left -= len(scored)
	}
	scored = scored[min(q.Offset, len(scored)):]
	a.More = len(scored) > q.Limit
	a.Memories, err = q.hits(tx, as, scored[:min(q.Limit, len(scored))])
	return a, err
}

// search finds and ranks candidates, and returns the parsed question.
func (q Query) search(tx *registry.Tx, k kept, a *Answer) ([]candidate, question, error) {
	asked, err := ask(tx, q.Text, q.store(k), q.without.expansions)
	if err != nil {
		return nil, asked, err
	}
	if len(asked.typed) > 0 {
		a.Read = asked.typed
	}
	a.Unknown = asked.lost
	r := &ranker{tx: tx, asked: asked, entries: map[int64]*entry{}}
	found, err := r.candidates(q.scope(k), firstCandidates+q.Limit+q.Offset)
	if err != nil || len(found) == 0 && q.meant == nil {
		return nil, asked, err
	}
	var ranked []candidate
	if len(found) > 0 {
		if found, err = q.gather(r, found); err == nil {
			ranked = q.order(r, found)
		}
	}
	if err == nil && q.meant != nil {
		ranked, err = q.join(r, ranked)
	}
	if err != nil || q.Titles {
		return ranked, asked, err
	}
	return ranked, r.asked, r.around(ranked[:min(len(ranked), q.Offset+q.Limit)])
}

// kept is what a recall needs to know about all memories.
type kept struct {
	total     int64 // approximate number of memories to choose from; 0 when there are none
	alone     bool  // the registry has no memories of other projects
	hidden    int   // archived or replaced ones of the project
	unindexed bool  // some wait to be indexed
}

// look reads kept for a project, or for all (0).
func look(tx *registry.Tx, projectID int64) (k kept, err error) {
	hidden := `(SELECT COUNT(*) FROM memories WHERE archived_at IS NOT NULL)
		+ (SELECT COUNT(*) FROM memories WHERE superseded_by > 0 AND archived_at IS NULL)`
	alone := `? = 0`
	// The highest id also counts deleted memories, which affects the weights of all words alike.
	total := `COALESCE((SELECT MAX(id) FROM memories), 0)`
	args := []any{projectID, indexVersion}
	if projectID != 0 {
		alone = `(SELECT MIN(project_id) FROM memories) = ? AND (SELECT MAX(project_id) FROM memories) = ?`
		total = `CASE WHEN ` + alone + ` THEN ` + total + ` ELSE (SELECT COUNT(*) FROM (SELECT 1 FROM memories WHERE project_id = ? LIMIT ?) f) END`
		hidden = `(SELECT COUNT(*) FROM memories WHERE project_id = ? AND archived_at IS NOT NULL)
			+ (SELECT COUNT(CASE WHEN project_id = ? AND archived_at IS NULL THEN 1 END) FROM memories WHERE superseded_by > 0)`
		args = []any{projectID, projectID, projectID, mostCounted, projectID, projectID, indexVersion, projectID, projectID}
	}
	err = tx.QueryRow(`SELECT `+total+`, CASE WHEN `+alone+` THEN 1 ELSE 0 END,
		EXISTS (SELECT 1 FROM memories WHERE indexed IS NULL) OR EXISTS (SELECT 1 FROM memories WHERE indexed < ?), `+hidden, args...).
		Scan(&k.total, &k.alone, &k.unindexed, &k.hidden)
	return k, err
}

// mostCounted bounds how many memories of a project are counted: a larger number does not change the weights of words.
const mostCounted = 20_000

// store returns the part of the index in which the words of a question are looked up.
func (q Query) store(k kept) store {
	return store{total: k.total, scope: q.project(k)}
}

// project returns the index filter for the project; nil when no other project has memories, since the filter would only cost time.
func (q Query) project(k kept) scope {
	if k.alone {
		return nil
	}
	return scope{{scopeProject(q.ProjectID)}}
}

// unkept reports whether a project, or any (0), never had a memory.
func unkept(tx *registry.Tx, projectID int64) (bool, error) {
	switch projectID {
	case Nothing:
		return true, nil
	case 0:
		return registry.One[bool](tx.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM memories)`))
	}
	return registry.One[bool](tx.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM memories WHERE project_id = ?)`, projectID))
}

// scope returns the index filters of the query.
func (q Query) scope(k kept) scope {
	wanted := q.project(k)
	any := func(words []string) {
		if len(words) > 0 {
			wanted = append(wanted, words)
		}
	}
	if q.Type != "" {
		any([]string{scopeType(q.Type)})
	}
	if q.MinImportance > MinImportance {
		var levels []string
		for n := q.MinImportance; n <= MaxImportance; n++ {
			levels = append(levels, scopeImportance(n))
		}
		any(levels)
	}
	any(mapped(q.Tags, scopeTag))
	any(mapped(q.Items, scopeItem))
	return wanted
}

// list returns memories without a question.
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
		given := mapped(values, func(v string) any { return text.Key(v) })
		and(`EXISTS (SELECT 1 FROM `+table+` x WHERE x.memory_id = m.id AND x.`+column+` IN (?`+strings.Repeat(`, ?`, len(values)-1)+`))`, given...)
	}
	one("memory_tags", "tag", q.Tags)
	one("memory_items", "ref_key", q.Items)
	args = append(args, q.Limit+1+q.Offset)
	return registry.Collect(tx, func(row registry.Scanner) (candidate, error) {
		c := candidate{entry: &entry{}}
		return c, row.Scan(&c.id, &c.project)
	},
		`SELECT m.id, m.project_id FROM memories m WHERE `+strings.Join(where, " AND ")+` ORDER BY m.importance DESC, m.updated_at DESC, m.id DESC LIMIT ?`, args...)
}

// hits loads the memories of candidates, with the parts that are shown.
func (q Query) hits(tx *registry.Tx, asked question, list []candidate) ([]Hit, error) {
	all, err := ByRows(tx, mapped(list, func(c candidate) int64 { return c.id }))
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(list))
	for _, c := range list {
		m, known := all[c.id]
		if !known {
			continue
		}
		h := Hit{Memory: m, Score: rounded(c.score), Weak: c.weak}
		if q.Titles {
			h.Headline, h.Content, h.Summary, h.Context = m.headline(), "", "", ""
		}
		if q.Explain {
			h.Parts = &c.parts
		}
		if !q.Titles && c.weak {
			h.Nearest = asked.nearest(m.Content, longestNearest)
		}
		if !q.Titles && !c.weak {
			h.Before, h.After = c.passage()
		}
		if q.ProjectID == 0 {
			h.Source = m.ProjectName
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// Reader is who reads, and where.
type Reader struct {
	Place *project.Place // whose memories are read; nil leaves that to each Query
	Agent string         // whose sign of life this is; "" when no one is named
}

// Former is the project that a folder belonged to before its remote was added or changed, with the memories kept under it.
type Former struct {
	Project  string `json:"project"` // id
	Name     string `json:"name"`
	Memories int    `json:"memories"`
}

// former returns the former project of the reader's folder, nil when there is none.
func (r Reader) former(tx *registry.Tx) (*Former, error) {
	if r.Place == nil || r.Place.At == nil {
		return nil, nil
	}
	was, ok, err := project.Former(tx, *r.Place.At)
	if err != nil || !ok {
		return nil, err
	}
	f := &Former{Project: was.UID, Name: was.Name}
	f.Memories, err = registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM memories WHERE project_id = ? AND `+live, was.ID))
	if err != nil || f.Memories == 0 {
		return nil, err
	}
	return f, nil
}

// Nothing is the project id of a place without memories: a search in it finds nothing.
const Nothing = -1

// find returns the project to read, Nothing when a folder has none. A project given by name must exist.
func (r Reader) find(tx *registry.Tx) (int64, error) {
	p, err := r.Place.Find(tx)
	if fault.Is(err, fault.KindNotFound) && r.Place.At != nil {
		return Nothing, nil
	}
	return p.ID, err
}

// RecallAll answers several questions from one snapshot, and counts accesses to the memories that it shows completely and that are not
// weak. All writes (accesses, the reader's sign of life) are one transaction.
func (s *Store) RecallAll(ctx context.Context, by Reader, queries []Query) ([]Answer, error) {
	meanings, alone := s.meanings(ctx, queries)
	var answers []Answer
	var used, projects []int64
	unindexed := false
	read := func(tx *registry.Tx) error {
		answers, used, projects, unindexed = nil, nil, nil, false
		looked := map[int64]kept{}
		project := int64(0)
		if by.Place != nil {
			var err error
			if project, err = by.find(tx); err != nil {
				return err
			}
		}
		for i, q := range queries {
			if by.Place != nil {
				q.ProjectID = project
			}
			q.meant = meanings[i]
			if err := q.check(); err != nil {
				return err
			}
			k, known := looked[q.ProjectID]
			if !known {
				var err error
				if k, err = look(tx, q.ProjectID); err != nil {
					return err
				}
				looked[q.ProjectID] = k
			}
			unindexed = unindexed || k.unindexed
			a, err := q.recall(tx, k)
			if err != nil {
				return err
			}
			if a.Weak || len(a.Memories) == 0 {
				if a.Former, err = by.former(tx); err != nil {
					return err
				}
			}
			if len(a.Memories) == 0 {
				if a.Unkept, err = unkept(tx, q.ProjectID); err != nil {
					return err
				}
			}
			a.WordsAlone = alone
			answers = append(answers, a)
			for _, h := range a.Memories {
				if !q.Titles && !h.Weak {
					used = append(used, h.RowID)
					if !slices.Contains(projects, h.ProjectID) {
						projects = append(projects, h.ProjectID)
					}
				}
			}
		}
		return nil
	}
	err := s.DB.Read(ctx, read)
	if err == nil && unindexed {
		// A registry that cannot be written is still searched.
		if _, failure := s.Heal(ctx); failure != nil && ctx.Err() != nil {
			return nil, failure
		} else if failure == nil {
			err = s.DB.Read(ctx, read)
		}
	}
	if err != nil {
		return nil, err
	}
	// The hits are returned even when nothing can be written.
	if err := s.accessed(ctx, by.Agent, used, projects); err != nil {
		return answers, ctx.Err()
	}
	for i, a := range answers {
		for j := range a.Memories {
			if h := &a.Memories[j]; !queries[i].Titles && !h.Weak {
				h.AccessCount++ // this access
			}
		}
	}
	return answers, nil
}

// age returns the age of a stored time, in days.
func age(now time.Time, stored string) float64 {
	t, err := timestamp.Parse(stored)
	if err != nil {
		return 0
	}
	return max(now.Sub(t.Time).Hours()/24, 0)
}
