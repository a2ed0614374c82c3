package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// fill adds many sessions and memories to the world's project.
func (w *world) fill(sessions, memories int) {
	w.t.Helper()
	var p project.Project
	in := w.at("")
	w.write(func(tx *registry.Tx) (err error) {
		if p, err = in.Place.Ensure(tx); err != nil {
			return err
		}
		for i := range sessions {
			uid := registry.NewUID()
			_, err := tx.Exec(`INSERT INTO sessions (uid, ref, project_id, lane, status, summary, started_at, last_event_at, ended_at)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, uid, fmt.Sprintf("s-f%09d", i), p.ID, fmt.Sprint("agent:a", i%50),
				[]string{Completed, Completed, Completed, Interrupted}[i%4], "did something", tx.Stamp(), tx.Stamp(), tx.Stamp())
			if err != nil {
				return err
			}
		}
		return nil
	})
	chance := rand.New(rand.NewPCG(1, 2))
	usual := rand.NewZipf(chance, 1.2, 30, 20_000) // with the frequencies of words in prose
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(word(usual.Uint64()) + " ")
		}
		return b.String()
	}
	const batch = 2000
	for done := 0; done < memories; done += batch {
		w.write(func(tx *registry.Tx) error {
			for i := done; i < min(memories, done+batch); i++ {
				uid := registry.NewUID()
				_, err := tx.Exec(`INSERT INTO memories (uid, ref, project_id, type, key, key_key, content, content_hash, importance, used_at, created_at, updated_at)
					VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, uid, fmt.Sprintf("m-f%09d", i), p.ID, memory.Types()[i%5], fmt.Sprint("key-", i), fmt.Sprint("key-", i),
					text(25), uid, 1+i%4, tx.Stamp(), tx.Stamp(), tx.Stamp())
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if memories == 0 {
		return
	}
	if _, err := (&memory.Store{DB: w.DB}).Heal(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// word turns a number into a pronounceable word.
func word(n uint64) string {
	const syllables = "bacadafagahajakalamanapaquarasatavawaxazabebicoduf"
	var b strings.Builder
	for n += 400; n > 0; n /= 24 {
		at := n % 24 * 2
		b.WriteString(syllables[at : at+2])
	}
	return b.String()
}

// BenchmarkStart: session_start from a registry with 10,000 sessions and 100,000
// memories, beside a transaction that changes one row. Goal: 20 ms.
func BenchmarkStart(b *testing.B) {
	memories := 100_000
	if given := os.Getenv("BENCH_MEMORIES"); given != "" {
		memories, _ = strconv.Atoi(given)
	}
	w := newWorld(b)
	w.fill(10_000, memories)
	description := ""
	for _, n := range []uint64{12, 3, 80, 700, 45, 3000, 9, 260, 1, 12_000, 33, 5100, 18, 640, 2200, 7, 150, 19, 4, 950} {
		description += word(n) + " "
	}
	w.item("T-1", "make the "+word(800)+" of "+word(90)+" "+word(5)+"\n"+description)
	for name, item := range map[string]string{"ticket": "T-1", "none": ""} {
		b.Run(name, func(b *testing.B) {
			in := w.at("bench")
			in.Item = item
			benchtest.Beside(b, "bare-write", benchtest.Of(func() error { w.start(in); return nil }), benchtest.Of(func() error {
				w.write(func(tx *registry.Tx) error {
					_, err := tx.Exec(`UPDATE agents SET last_seen_at = ? WHERE id = 1`, tx.Stamp())
					return err
				})
				return nil
			}))
		})
	}
}

// The lookups of a start and of the lists use an index, however many rows there are.
func TestPlans(t *testing.T) {
	registrytest.OnlySQLite(t, "plans are another engine's")
	w := newWorld(t)
	w.fill(400, 0)
	w.write(func(tx *registry.Tx) error { _, err := tx.Exec(`ANALYZE`); return err })
	item := w.item("T-1", "x")
	var said []string
	err := w.DB.Read(t.Context(), func(tx *registry.Tx) error {
		for name, q := range map[string]struct {
			query string
			args  []any
		}{
			"lane":      {`SELECT ` + columns + joined + `WHERE s.project_id = ? AND s.lane = ? AND s.status = 'active'`, []any{1, "x"}},
			"client":    {`SELECT ` + columns + joined + `WHERE ` + ofClient + `AND s.status = 'active' AND s.project_id = ?`, []any{"x", 1}},
			"client's":  {`SELECT ` + columns + joined + `WHERE ` + ofClient + `AND s.status IN ('active', 'interrupted') ORDER BY s.id DESC LIMIT 1`, []any{"x"}},
			"judged":    {judgedBy, []any{"s-1"}},
			"silent":    {`SELECT ` + columns + joined + `WHERE s.status = 'active' AND s.last_event_at < ? ORDER BY s.last_event_at LIMIT ?`, []any{"2", 20}},
			"servers":   {`SELECT DISTINCT server FROM sessions WHERE status = 'active' AND server IS NOT NULL`, nil},
			"of server": {`SELECT ` + columns + joined + `WHERE s.status = 'active' AND s.server = ? AND s.last_event_at >= ? LIMIT ?`, []any{"x", "2", 20}},
			"on item":   {`SELECT ` + columns + joined + endedOnes + `AND s.item_id = ?` + newestFirst, []any{1, 1, item.ID}},
			"last":      {`SELECT ` + columns + joined + endedOnes + newestFirst, []any{1, 1}},
			"broken":    {`SELECT ` + columns + joined + untaken + `AND s.lane = ?` + newest, []any{1, "x"}},
			"folder's":  {`SELECT ` + columns + joined + untaken + idle + `AND s.host = ? AND s.folder = ?` + newest, []any{1, "h", "/f"}},
			"others":    {`SELECT ` + columns + joined + untaken + idle + newest, []any{1}},
			"list":      {`SELECT ` + columns + joined + `WHERE s.project_id = ? ORDER BY s.started_at DESC, s.id DESC LIMIT ? OFFSET ?`, []any{1, 20, 0}},
			"events":    {`SELECT ` + eventColumns + ` FROM session_events WHERE session_id = ? ORDER BY id DESC LIMIT ?`, []any{1, 50}},
			"conflicts": {`SELECT path FROM worktree_conflicts WHERE worktree_id = ?`, []any{1}},
			"blockers":  {`SELECT 1 FROM dependencies d WHERE d.target_id = ? AND d.relation = 'blocks'`, []any{work.Item{}.ID}},
		} {
			steps, err := registry.Collect(tx, func(row registry.Scanner) (string, error) {
				var id, parent, unused int
				var detail string
				err := row.Scan(&id, &parent, &unused, &detail)
				return detail, err
			}, `EXPLAIN QUERY PLAN `+q.query, q.args...)
			if err != nil {
				return err
			}
			for _, step := range steps {
				if strings.HasPrefix(step, "SCAN ") && !strings.Contains(step, "USING") || strings.Contains(step, "TEMP B-TREE FOR ORDER BY") {
					said = append(said, name+": "+step+" of "+strings.Join(steps, "; "))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range said {
		t.Error(s)
	}
}
