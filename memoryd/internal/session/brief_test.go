package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/registry"
)

// The answer of a start keeps to its budget, however much there is to report; omitted entries are counted.
func TestStartKeepsToItsBudget(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("ein \"längerer\" Satz <mit> allem & jedem\t", 200)
	w.item("T-1", "Titel "+long[:150]+"\n"+long)
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO criteria (uid, ref, item_id, position, text, changed_at, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
			SELECT 'u-' || n.i, 'ac-' || n.i, items.id, n.i, 'criterion ' || n.i || ' ' || items.description, ?, ? FROM items, n`, tx.Stamp(), tx.Stamp())
		return err
	})
	in := w.at("ann")
	in.Item = "T-1"
	first := w.start(in)
	for i := range 60 {
		w.note(first.ID, Decision, "high", fmt.Sprintf("decision %d on %x: %s", i, rand.Int64(), long))
	}
	w.silent(first.ID, 30*3600*1e9)
	in.ResumeLast = true
	for _, budget := range []int{MinBudget, 2000, 3000, 0, 6000, 10_000, MaxBudget} {
		in.Budget = budget
		d := w.start(in)
		var answer bytes.Buffer
		encoder := json.NewEncoder(&answer)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(d); err != nil {
			t.Fatal(err)
		}
		encoded := bytes.TrimSpace(answer.Bytes())
		if budget == 0 {
			budget = DefaultBudget
		}
		if len(encoded) > budget {
			t.Errorf("an answer of %d bytes, the budget is %d:\n%s", len(encoded), budget, encoded)
		}
		if d.Item == nil || d.Item.ID != "T-1" || d.ID == "" || d.Before == nil || d.LeftOut["acceptance_criteria"] == 0 && len(d.Criteria) < 80 {
			t.Errorf("budget %d: %s", budget, encoded)
		}
		if budget >= DefaultBudget && (len(d.Memory) == 0 || len(d.Criteria) == 0 || len(d.Before.Events) == 0 || len(encoded) < budget/2) {
			t.Errorf("budget %d is not used (%d bytes, %d memories, %d criteria): %s", budget, len(encoded), len(d.Memory), len(d.Criteria), encoded)
		}
	}
}

// Criteria are counted from 1, as pmsync does in SEM-1#1.
func TestCriteriaCountFromOne(t *testing.T) {
	w := newWorld(t)
	w.item("T-1", "A ticket")
	w.write(func(tx *registry.Tx) error {
		return tx.Do(`INSERT INTO criteria (uid, ref, item_id, position, text, changed_at, created_at)
			SELECT 'u-1', 'ac-1', id, 0, 'The link expires', ?, ? FROM items`, tx.Stamp(), tx.Stamp())
	})
	in := w.at("ann")
	in.Item = "T-1"
	d := w.start(in)
	if len(d.Criteria) != 1 || d.Criteria[0].Position != 1 || !strings.Contains(d.Text(), "[pending] 1. The link expires") {
		t.Errorf("%+v\n%s", d.Criteria, d.Text())
	}
}

// The picked items take as many bytes as their JSON has, with the commas, and no more than allowed; the first that does not fit ends the
// list.
func TestPick(t *testing.T) {
	short := func(s string) string { return strings.TrimSuffix(s, "…") }
	for _, c := range []struct {
		most, taken, room int
	}{{3, 0, 100}, {4, 1, 96}, {8, 1, 96}, {9, 2, 91}, {12, 2, 91}, {13, 3, 87}, {50, 3, 87}} {
		room := 100
		got := pick([]string{"a…", "bb", "c"}, c.most, &room, short)
		if len(got) != c.taken || room != c.room {
			t.Errorf("%d bytes: %q, room for %d; want %d of them, room for %d", c.most, got, room, c.taken, c.room)
		}
	}
	room := 100
	if got := pick([]string{"long", "s"}, 4, &room, short); len(got) != 0 || room != 100 {
		t.Errorf("%q after one without room, room for %d", got, room)
	}
}

func TestFitText(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"short", 7, "short"}, {"short", 6, ""}, {long, 39, ""}, {long, 102, long},
		{long, 40, long[:35] + "…"}, {strings.Repeat("\n", 50), 60, strings.Repeat("\n", 27) + "…"},
	} {
		if got := fitText(c.text, c.most); got != c.want {
			t.Errorf("%q in %d bytes: %q (%d), want %q", c.text, c.most, got, size(got), c.want)
		}
	}
	if got := cut("four", 4) + cut("fours", 4); got != "fourfour…" {
		t.Errorf("cut to %q", got)
	}
}

func FuzzFitText(f *testing.F) {
	f.Add("plain", 3)
	f.Add(strings.Repeat("<é\"\x01\u2028", 50), 60)
	f.Fuzz(func(t *testing.T, s string, most int) {
		if !utf8.ValidString(s) || most < 0 {
			t.Skip()
		}
		if got := fitText(s, most); got != "" && (size(got) > most+len("…") || !utf8.ValidString(got)) {
			t.Errorf("%q takes %d bytes, at most %d", got, size(got), most)
		}
	})
}

// A session that continues, as after a client compacted its conversation, begins with its own notes: the most important ones, in order,
// within the budget.
func TestASessionGoesOnWithItsNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.start(w.at("ann"))
	if len(d.Noted) != 0 {
		t.Errorf("a new session begins with %v", d.Noted)
	}
	w.note(d.ID, Decision, "high", "We shard by tenant")
	for i := range 80 {
		w.note(d.ID, Progress, "low", fmt.Sprintf("Looked at file number %d of the importer and found nothing", i))
	}
	w.note(d.ID, Blocker, "high", "Disk full on ci-3")
	again := w.start(w.at("ann"))
	if again.ID != d.ID || again.New {
		t.Fatalf("another session: %+v", again)
	}
	var said []string
	for _, e := range again.Noted {
		said = append(said, e.Content)
	}
	if len(said) < 3 || said[0] != "We shard by tenant" || said[len(said)-1] != "Disk full on ci-3" || again.LeftOut["noted"] != 82-len(said) {
		t.Errorf("it goes on with %q, left out %v", said, again.LeftOut)
	}
	if size(again) > DefaultBudget {
		t.Errorf("%d bytes", size(again))
	}
	if told := again.Text(); !strings.Contains(told, "We shard by tenant") || !strings.Contains(told, "Disk full on ci-3") {
		t.Errorf("the text tells nothing of it:\n%s", told)
	}
}
