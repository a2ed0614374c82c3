package overview

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/decay"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Shelf holds the memories of a project with their verdicts. All are counted; the first ones that pass the filter are listed.
type Shelf struct {
	Count    int            `json:"count"` // the number that pass the filter
	Memories []Memory       `json:"memories"`
	States   map[string]int `json:"states"` // without archived memories
	Types    []string       `json:"types"`  // of all memories, by name
	// Threshold is the decay score above which a memory is archived.
	Threshold float64 `json:"threshold"`
	// Verdicts counts citations by their last verdict; "unchecked" ones have none.
	Verdicts map[string]int `json:"verdicts"`
}

// Memory is one memory of the agents.
type Memory struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Importance int             `json:"importance"` // 1 to 5; 5 never decays
	State      string          `json:"state"`      // valid, stale, unreadable or unverified, by citecheck's last check
	Confidence float64         `json:"confidence"` // 0 to 1
	Citations  int             `json:"citations"`
	Broken     int             `json:"broken"` // citations that are not valid
	Decay      float64         `json:"decay"`  // one decimal
	Uses       int             `json:"uses"`
	UsedAt     timestamp.Time  `json:"used_at"`
	ExpiresAt  *timestamp.Time `json:"expires_at,omitempty"`
	Archived   string          `json:"archived,omitempty"` // why it is archived
}

const shelfSelection = `SELECT m.ref, m.type, CASE WHEN m.title <> '' THEN m.title ELSE m.content END, m.importance,
	CASE WHEN t.content_hash = x.content_hash THEN COALESCE(t.state, 'unverified') ELSE 'unverified' END, COALESCE(t.confidence, m.confidence),
	m.used_count, m.used_at, m.expires_at, m.archived_at, m.archived_why, m.uid
	FROM memory_shelf m LEFT JOIN memory_texts x ON x.id = m.id
	LEFT JOIN memory_trust t ON t.project_id = m.project_id AND t.memory_uid = m.uid WHERE `

type shelved struct {
	Memory
	uid string
}

func shelve(tx *registry.Tx) func(registry.Scanner) (shelved, error) {
	return func(row registry.Scanner) (m shelved, err error) {
		var expires, archived, why string
		if err = row.Scan(&m.ID, &m.Type, &m.Title, &m.Importance, &m.State, &m.Confidence, &m.Uses, &m.UsedAt, &expires, &archived, &why, &m.uid); err != nil {
			return m, err
		}
		m.Title, _, _ = strings.Cut(clip(m.Title), "\n")
		if archived != "" {
			if m.Archived = why; why == "" {
				m.Archived = "archived"
			}
		}
		m.Decay = math.Round(10*decay.Score(tx.Now().Sub(m.UsedAt.Time), m.Importance, m.Uses)) / 10
		m.ExpiresAt, err = optional(expires)
		return m, err
	}
}

// States of a Filter in addition to citecheck's: close to the archive, and archived.
const (
	memoryFading   = "fading"
	memoryArchived = "archived"
)

// Memories returns the memories of a project, "" for all, that pass a filter, with the verdicts on their citations. Archived memories
// are returned only when the filter's State asks for them.
func (p *Pages) Memories(ctx context.Context, projectID string, f Filter) (Shelf, error) {
	shelf := Shelf{Threshold: p.DecayThreshold, Verdicts: map[string]int{}}
	err := p.DB.Read(ctx, func(tx *registry.Tx) error {
		where, args, err := scope(tx, projectID, `m.project_id`)
		if err != nil {
			return err
		}
		found, err := registry.Collect(tx, shelve(tx), shelfSelection+where+` ORDER BY m.id`, args...)
		if err != nil {
			return err
		}
		at := make(map[string]int, len(found))
		for i, m := range found {
			shelf.Memories = append(shelf.Memories, m.Memory)
			at[m.uid] = i
		}
		where, args, err = scope(tx, projectID, `c.project_id`)
		if err != nil {
			return err
		}
		return shelf.count(tx, at, where, args)
	})
	shelf.choose(f)
	return shelf, err
}

// choose counts all memories and keeps the first ones that pass the filter.
func (s *Shelf) choose(f Filter) {
	types := map[string]bool{}
	s.States = map[string]int{}
	found := f.finder()
	chosen := []Memory{}
	for _, m := range s.Memories {
		types[m.Type] = true
		if m.Archived == "" {
			s.States[m.State]++
		}
		if s.inState(m, f.State) && (f.Type == "" || f.Type == m.Type) && found(m.ID, m.Title, m.Type) {
			chosen = append(chosen, m)
		}
	}
	faded := func(a, b Memory) int { return cmp.Compare(b.Decay, a.Decay) }
	slices.SortStableFunc(chosen, func(a, b Memory) int {
		switch f.Order {
		case "decay":
			return faded(a, b)
		case "used":
			return b.UsedAt.Compare(a.UsedAt.Time)
		case "importance":
			return cmp.Or(cmp.Compare(b.Importance, a.Importance), faded(a, b))
		}
		return cmp.Or(cmp.Compare(b.Broken, a.Broken), faded(a, b))
	})
	s.Types = slices.AppendSeq([]string{}, maps.Keys(types))
	slices.Sort(s.Types)
	s.Count, s.Memories = len(chosen), chosen[:min(len(chosen), f.limit())]
}

// inState reports whether a memory is in a state of a Filter.
func (s *Shelf) inState(m Memory, state string) bool {
	if archived := m.Archived != ""; archived || state == memoryArchived {
		return archived && state == memoryArchived
	}
	return state == "" || state == m.State || state == memoryFading && m.Importance < 5 && m.Decay > fading*s.Threshold
}

// fading is the fraction of the archive threshold above which a memory is about to be lost.
const fading = 0.8

// count adds the verdicts on the citations. A citation that is not valid is broken.
func (s *Shelf) count(tx *registry.Tx, at map[string]int, where string, args []any) error {
	cited, checked := map[string]int{}, map[string]int{}
	for row, err := range tx.Rows(`SELECT t.uid, '', COUNT(*) FROM memory_sources c JOIN memory_texts t ON t.id = c.memory_id WHERE `+where+` GROUP BY t.uid
		UNION ALL SELECT c.memory_uid, c.verdict, COUNT(*) FROM citation_verdicts c WHERE `+where+` GROUP BY c.memory_uid, c.verdict`, slices.Concat(args, args)...) {
		if err != nil {
			return err
		}
		var uid, verdict string
		var n int
		if err := row.Scan(&uid, &verdict, &n); err != nil {
			return err
		}
		i, known := at[uid]
		switch {
		case !known:
		case verdict == "":
			cited[uid] = n
		default:
			checked[uid] += n
			if s.Verdicts[verdict] += n; verdict != "valid" {
				s.Memories[i].Broken += n
			}
		}
	}
	for uid, i := range at {
		s.Memories[i].Citations = max(cited[uid], checked[uid])
		if left := cited[uid] - checked[uid]; left > 0 {
			s.Verdicts[unchecked] += left
		}
	}
	return nil
}

// MemoryDetail is a memory in full.
type MemoryDetail struct {
	Memory
	Content string     `json:"content"`
	Agent   string     `json:"agent,omitempty"` // the agent that it belongs to
	Cited   []Citation `json:"cited"`
}

// Citation is a place in the code that a memory refers to.
type Citation struct {
	Path    string          `json:"path"`
	Line    int             `json:"line"`
	Verdict string          `json:"verdict"` // "unchecked" when it was never checked
	Found   string          `json:"found,omitempty"`
	At      *timestamp.Time `json:"at,omitempty"`
}

// Memory returns one memory by its id; an unknown id is a NotFoundError.
func (p *Pages) Memory(ctx context.Context, id string) (d MemoryDetail, err error) {
	d.Cited = []Citation{}
	err = p.DB.Read(ctx, func(tx *registry.Tx) error {
		found, err := registry.Collect(tx, shelve(tx), shelfSelection+`m.ref = ?`, id)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fault.NotFound("memory", id)
		}
		d.Memory = found[0].Memory
		if err := tx.QueryRow(`SELECT content, agent FROM memory_shelf WHERE ref = ?`, id).Scan(&d.Content, &d.Agent); err != nil {
			return err
		}
		d.Cited, err = citations(tx, found[0].uid)
		for _, c := range d.Cited {
			if d.Citations++; c.Verdict != "valid" && c.Verdict != unchecked {
				d.Broken++
			}
		}
		return err
	})
	return d, err
}

const unchecked = "unchecked"

func citations(tx *registry.Tx, uid string) ([]Citation, error) {
	return registry.Collect(tx, func(row registry.Scanner) (c Citation, err error) {
		var at, path registry.Null[string]
		var line registry.Null[int]
		if err = row.Scan(&c.Path, &c.Line, &c.Verdict, &path, &line, &at); err != nil || !at.Valid {
			return c, err
		}
		if path.Valid && c.Verdict != "valid" {
			c.Found = path.V + ":" + strconv.Itoa(line.V)
		}
		c.At, err = optional(at.V)
		return c, err
	}, `SELECT s.path, s.line, COALESCE(v.verdict, '`+unchecked+`'), v.found_path, v.found_line, v.at
		FROM memory_sources s JOIN memory_texts t ON t.id = s.memory_id
		LEFT JOIN citation_verdicts v ON v.memory_uid = t.uid AND v.project_id = t.project_id AND v.path = s.path AND v.line = s.line
		WHERE t.uid = ? ORDER BY s.position`, uid)
}
