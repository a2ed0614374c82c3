package memory

import (
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

// Query is what to recall.
type Query struct {
	ProjectID     int64 // 0 is every project; the answer says where each memory is from
	Text          string
	Also          []string // Text in other words, up to four; all are asked and what they find is one answer
	Type          string   // "" any
	Tags          []string // any of them
	Items         []string // about any of them
	MinImportance int
	Limit         int // DefaultLimit when 0
	Offset        int
	Titles        bool // without bodies, which counts no access
	Explain       bool // with the parts of each score
	All           bool // also what follows where relevance falls off

	meant   *meant  // what Text means, where a model is asked
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

	// Of a weak hit of a question, the part nearest to it: Short tells that alone.
	Nearest string `json:"nearest,omitempty"`

	// What was said right before and after a turn of a conversation that is not weak.
	Before []string `json:"said_before,omitempty"`
	After  []string `json:"said_after,omitempty"`
}

// Answer is what was recalled.
type Answer struct {
	Memories []Hit `json:"memories"`
	// Weak says that nothing found shares enough of the question to answer it.
	Weak bool `json:"weak"`
	// Hidden counts archived and replaced memories, which were not searched and can be restored.
	Hidden int     `json:"hidden"`
	More   bool    `json:"more,omitempty"`        // another page follows
	Unkept bool    `json:"-"`                     // nothing is kept for the place at all
	Former *Former `json:"kept_before,omitempty"` // where nothing here answers
	Left   int     `json:"left_out,omitempty"`    // found, but far less relevant than the best: All shows them

	// WordsAlone tells why a model that is configured had no part in the answer, or not its whole part.
	WordsAlone string `json:"words_alone,omitempty"`

	Read    map[string][]string `json:"read_as,omitempty"` // words no one wrote, and those taken for them
	Unknown []string            `json:"unknown,omitempty"` // words no one wrote
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

// Recall finds the memories that answer a question, the best first; without one
// the most important ones, the latest changed first. It counts no access.
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
	if asked && !q.All && q.Offset == 0 && len(q.Also) == 0 { // who pages on wants the rest
		a.Left = len(scored)
		scored = ending(scored)
		a.Left -= len(scored)
	}
	scored = scored[min(q.Offset, len(scored)):]
	a.More = len(scored) > q.Limit
	a.Memories, err = q.hits(tx, as, scored[:min(q.Limit, len(scored))])
	return a, err
}

// search finds and ranks candidates, and returns how it reads the question.
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
		ranked, err = q.rank(r, found)
	}
	if err == nil && q.meant != nil {
		ranked, err = q.join(r, ranked)
	}
	if err != nil || q.Titles {
		return ranked, asked, err
	}
	return ranked, r.asked, r.around(ranked[:min(len(ranked), q.Offset+q.Limit)])
}

// kept is what a recall has to know of all memories.
type kept struct {
	total     int64 // memories to choose from, about; 0 when there are none
	alone     bool  // all memories are those asked
	hidden    int   // of the project asked: archived or replaced
	unindexed bool  // some wait to be indexed
}

// look reads what is kept of a project, or of all (0).
func look(tx *registry.Tx, projectID int64) (k kept, err error) {
	hidden := `(SELECT COUNT(*) FROM memories WHERE archived_at IS NOT NULL)
		+ (SELECT COUNT(*) FROM memories WHERE superseded_by > 0 AND archived_at IS NULL)`
	alone := `? = 0`
	// The highest id counts those that are gone too, which weighs all words alike.
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

// mostCounted bounds how many memories of a project are counted: more weigh no word otherwise.
const mostCounted = 20_000

// store is what the words of a question are looked up in.
func (q Query) store(k kept) store {
	return store{total: k.total, scope: q.project(k)}
}

// project is what the filter for the project asks of the index; nothing where no other project has memories, since to ask
// for it would only cost time.
func (q Query) project(k kept) scope {
	if k.alone {
		return nil
	}
	return scope{{scopeProject(q.ProjectID)}}
}

// unkept reports whether no memory was ever kept of a project, or of any (0).
func unkept(tx *registry.Tx, projectID int64) (bool, error) {
	switch projectID {
	case Nothing:
		return true, nil
	case 0:
		return registry.One[bool](tx.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM memories)`))
	}
	return registry.One[bool](tx.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM memories WHERE project_id = ?)`, projectID))
}

// scope is what the filters ask of the index.
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
	var tags, items []string
	for _, tag := range q.Tags {
		tags = append(tags, scopeTag(tag))
	}
	for _, ref := range q.Items {
		items = append(items, scopeItem(ref))
	}
	any(tags)
	any(items)
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
		var given []any
		for _, v := range values {
			given = append(given, text.Key(v))
		}
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

// hits reads what is shown of candidates for the question asked.
func (q Query) hits(tx *registry.Tx, asked question, list []candidate) ([]Hit, error) {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	all, err := ByRows(tx, ids)
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
	Place *project.Place // whose memories are read; nil is what each Query says
	Agent string         // whose sign of life this is; "" when no one is named
}

// Former is what is kept of a folder under the project that it was before its remote
// was added or changed.
type Former struct {
	Project  string `json:"project"` // id
	Name     string `json:"name"`
	Memories int    `json:"memories"`
}

// former is that of the reader's folder, nil where there is none.
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

// Nothing is the project of a place that nothing is kept for: what is asked of it
// finds nothing.
const Nothing = -1

// find is the project to read, Nothing where none is kept for a folder. A project
// that was named has to exist.
func (r Reader) find(tx *registry.Tx) (int64, error) {
	p, err := r.Place.Find(tx)
	if fault.Is(err, fault.KindNotFound) && r.Place.At != nil {
		return Nothing, nil
	}
	return p.ID, err
}

// RecallAll answers several questions on one snapshot, and counts the accesses to
// what it shows whole and does not call weak. What has to be written (accesses, the
// reader's sign of life) is one transaction.
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
	// What was found is told even where nothing can be written.
	if err := s.accessed(ctx, by.Agent, used, projects); err != nil {
		return answers, ctx.Err()
	}
	for i, a := range answers {
		for j := range a.Memories {
			if h := &a.Memories[j]; !queries[i].Titles && !h.Weak {
				h.AccessCount++ // this one
			}
		}
	}
	return answers, nil
}

// age is how long ago a stored time was, in days.
func age(now time.Time, stored string) float64 {
	t, err := timestamp.Parse(stored)
	if err != nil {
		return 0
	}
	return max(now.Sub(t.Time).Hours()/24, 0)
}
