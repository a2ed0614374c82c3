package sync_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// TestSimulation edits both sides at random, deletes and restores tickets there and makes some from here, while requests fail in every way,
// for longer than any retry, and syncs are cut off. Then all faults end, refused changes are sent once more, and the test compares: both
// sides are equal, every comment and every new ticket exists there once, no change is lost except to a declared conflict, and no field was
// written that no one changed here. AGIT_SIM_SEEDS is the number of runs.
func TestSimulation(t *testing.T) {
	steps, seeds := 120, uint64(1)
	if testing.Short() {
		steps = 40
	}
	if n, err := strconv.ParseUint(os.Getenv("AGIT_SIM_SEEDS"), 10, 64); err == nil {
		seeds = n
	}
	if n, err := strconv.Atoi(os.Getenv("AGIT_SIM_STEPS")); err == nil {
		steps = n
	}
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("AGIT_SIM_SEED"), 10, 64); err == nil {
		seed = n
	}
	for last := seed + seeds; seed < last; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			everyTracker(t, func(t *testing.T, s *side) {
				w := &simulation{side: s, rng: rand.New(rand.NewPCG(seed, 7)), touched: map[string]map[string]bool{}, said: map[string]string{}, gone: map[string]bool{}}
				for range 5 {
					w.add()
				}
				w.sync(false)
				for range steps {
					w.step()
				}
				w.settle()
				w.compare()
			})
		})
	}
}

type simulation struct {
	*side
	rng     *rand.Rand
	n       int
	ids     []string
	touched map[string]map[string]bool // fields changed here, by remote id
	said    map[string]string          // comments made here, by their text
	gone    map[string]bool            // deleted there and not yet restored
	made    []string                   // titles of tickets to be made there
	storm   int                        // syncs during which the tracker always fails
	failed  int
}

func pick[T any](w *simulation, all []T) T { return all[w.rng.IntN(len(all))] }

func (w *simulation) add() {
	w.n++
	w.ids = append(w.ids, w.world.Add(providertest.Spec{Title: fmt.Sprintf("ticket %d", w.n), Priority: w.rng.IntN(5)}))
}

func (w *simulation) category() string {
	return w.world.StatusOf(pick(w, []provider.Category{provider.Todo, provider.InProgress, provider.Done}))
}

func (w *simulation) step() {
	w.tracker.Clock.Advance(time.Duration(w.rng.IntN(90)) * time.Second)
	switch w.rng.IntN(14) {
	case 0:
		if len(w.ids) < 20 {
			w.add()
		}
	case 12:
		w.hide()
	case 13:
		w.make()
	case 1, 2, 3, 4:
		w.there()
	case 5, 6, 7, 8:
		w.here()
	default:
		w.sync(true)
	}
}

// hide deletes a ticket there, or restores one, where the tracker supports both.
func (w *simulation) hide() {
	id := pick(w, w.ids)
	switch {
	case w.gone[id]:
		w.world.Restore(id)
		delete(w.gone, id)
	case w.world.Name() != provider.Jira && w.world.Name() != provider.GitHub && w.world.Delete(id):
		w.gone[id] = true
	}
}

// make queues the creation of a ticket there.
func (w *simulation) make() {
	if len(w.made) == 5 {
		return
	}
	w.n++
	title := fmt.Sprintf("made here %d", w.n)
	w.made = append(w.made, title)
	_, err := w.tickets.Create(w.Context(), w.caller, ticket.New{Title: title, Remote: true})
	w.must(err)
}

// there makes an edit at the tracker, by someone else.
func (w *simulation) there() {
	id := pick(w, w.ids)
	if w.gone[id] {
		return
	}
	e := providertest.Edit{}
	switch w.rng.IntN(5) {
	case 0:
		w.n++
		e.Title = ptr(fmt.Sprintf("title %d", w.n))
	case 1:
		e.Status = ptr(w.category())
	case 2:
		e.Assignee = ptr(pick(w, w.world.People()))
	case 3:
		e.Add = []string{pick(w, w.world.Labels())}
	default:
		w.world.Comment(id, fmt.Sprintf("somebody else's %d", w.rng.IntN(1000)))
		return
	}
	w.world.Edit(id, e)
}

// here edits a pulled ticket here.
func (w *simulation) here() {
	page, err := w.tickets.List(w.Context(), ticket.Filter{Caller: w.caller, Everything: true})
	w.must(err)
	synced := slices.DeleteFunc(page.Tickets, func(t ticket.Ticket) bool { return !slices.Contains(w.ids, t.ProviderID) })
	if len(synced) == 0 {
		return
	}
	t := pick(w, synced)
	var e ticket.Edit
	var field string
	switch w.rng.IntN(4) {
	case 0:
		e.Status, field = ptr(w.category()), outbox.Status
	case 1:
		e.Assignee, field = ptr(pick(w, w.world.People())), outbox.Assignee
	case 2:
		e.Labels, field = ptr([]string{pick(w, w.world.Labels())}), outbox.Labels
	default:
		w.n++
		e.Comment, field = fmt.Sprintf("said here %d", w.n), outbox.Comment
		w.said[e.Comment] = t.ProviderID
	}
	if w.touched[t.ProviderID] == nil {
		w.touched[t.ProviderID] = map[string]bool{}
	}
	w.touched[t.ProviderID][field] = true
	if _, err := w.tickets.Update(w.Context(), w.caller, "id", t.ID, e); err != nil {
		w.Fatalf("change %s of %s: %v", field, t.ID, err)
	}
}

// sync pulls or pushes as a process of its own, which may be cut off at any time.
func (w *simulation) sync(faults bool) {
	if faults {
		kinds := []providertest.Kind{
			providertest.LostAnswer, providertest.Reset, providertest.CutBody, providertest.CutJSON, providertest.HTML, providertest.Broken,
			providertest.BadGateway, providertest.Unavailable, providertest.Limited, providertest.EmptyBody,
			providertest.Expired, providertest.Forbidden, providertest.NotFound,
		}
		often := 6
		if w.storm == 0 && w.rng.IntN(15) == 0 {
			w.storm = 8
		}
		if w.storm > 0 {
			w.storm--
			often, kinds = 1, []providertest.Kind{providertest.Broken, providertest.Unavailable}
		}
		rng := rand.New(rand.NewPCG(w.rng.Uint64(), 3))
		w.world.Faults().Random(func() providertest.Kind {
			if rng.IntN(often) > 0 {
				return ""
			}
			return kinds[rng.IntN(len(kinds))]
		})
	}
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	e := w.another()
	if faults && w.rng.IntN(4) == 0 {
		left := w.rng.IntN(3)
		e.Progress = func(sync.Progress) {
			if left--; left < 0 {
				cancel()
			}
		}
	}
	var err error
	if w.rng.IntN(2) == 0 || !faults {
		_, err = e.Pull(ctx, w.rng.IntN(8) == 0)
	} else {
		_, err = e.Push(ctx, sync.Push{Now: true})
	}
	var known *provider.Error
	if err != nil && !errors.As(err, &known) && !errors.Is(err, context.Canceled) {
		w.Fatalf("sync: %v", err)
	}
	if err != nil {
		w.failed++
	}
	w.world.Faults().Clear()
}

// settle lets both sides come to rest: all faults end, deleted tickets are restored, refused changes are sent once more, and every conflict
// is settled.
func (w *simulation) settle() {
	for id := range w.gone {
		w.world.Restore(id)
	}
	for round := 0; ; round++ {
		_, err := (&sync.Service{DB: w.db}).Retry(w.Context(), w.caller, "")
		w.must(err)
		w.tracker.Clock.Advance(time.Hour)
		w.engine = w.another()
		_, err = w.engine.Pull(w.Context(), round%2 == 1)
		w.must(err)
		for _, c := range w.conflicts(false) {
			_, err := sync.Resolve(w.Context(), w.db, w.project, 0, c.ID, pick(w, []string{sync.KeepLocal, sync.KeepRemote, sync.Merge}))
			w.must(err)
		}
		_, err = w.engine.Push(w.Context(), sync.Push{Now: true})
		w.must(err)
		open := w.status().Held
		for _, c := range w.waiting() {
			if c.Status != outbox.Failed {
				open = append(open, sync.Held{ID: c.ID, Ticket: c.Ticket, Type: c.Type, Value: c.Value, Reason: c.Status + " " + c.LastError})
			}
		}
		if round > 2 && len(open) == 0 && len(w.conflicts(false)) == 0 {
			return
		}
		if round > 20 {
			w.Fatalf("the sides do not come to rest: %+v", open)
		}
	}
}

func (w *simulation) compare() {
	page, err := w.tickets.List(w.Context(), ticket.Filter{Caller: w.caller, Everything: true})
	w.must(err)
	here := map[string]ticket.Ticket{}
	for _, t := range page.Tickets {
		if _, twice := here[t.ProviderID]; twice {
			w.Errorf("%s is here twice", t.ProviderID)
		}
		here[t.ProviderID] = t
	}
	for _, id := range w.ids {
		t, ok := here[id]
		if !ok {
			w.Errorf("%s is not here", id)
			continue
		}
		there := w.remote(id)
		got := providertest.Spec{Title: t.Title, Status: t.Status, Assignee: t.Assignee, Labels: t.Labels}
		want := providertest.Spec{Title: there.Title, Status: there.Status, Assignee: there.Assignee, Labels: slices.Sorted(slices.Values(there.Labels))}
		slices.Sort(got.Labels)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			w.Errorf("%s differs:\nhere  %+v\nthere %+v", id, got, want)
			w.changesOf(t.Item().ID)
		}
		for field, n := range w.world.Writes(id) {
			if n > 0 && field != "comment" && field != "comments" && !w.touched[id][field] {
				w.Errorf("%s: %s was written, and nobody changed it here", id, field)
			}
		}
	}
	for _, title := range w.made {
		n := 0
		for _, id := range w.world.IDs() {
			if w.remote(id).Title == title {
				n++
			}
		}
		here := slices.DeleteFunc(slices.Clone(page.Tickets), func(t ticket.Ticket) bool { return t.Title != title })
		if n != 1 || len(here) != 1 || here[0].Provider == ticket.Local {
			w.Errorf("the ticket %q is at the tracker %d times, and here %d times", title, n, len(here))
		}
	}
	for text, id := range w.said {
		n := 0
		for _, c := range w.world.Comments(id) {
			if c == text {
				n++
			}
		}
		if n != 1 {
			w.Errorf("the comment %q is at the tracker %d times", text, n)
		}
	}
	w.Logf("%d tickets, %d comments, %d syncs that failed, %d conflicts", len(w.ids), len(w.said), w.failed, len(w.conflicts(true)))
	w.must(w.db.Read(w.Context(), func(tx *registry.Tx) error {
		wrong, err := work.Miscounted(tx)
		if wrong > 0 {
			w.Errorf("what waits for what is counted wrong for %d items", wrong)
		}
		return err
	}))
}

// changesOf logs the states of a ticket's changes.
func (w *simulation) changesOf(item int64) {
	w.must(w.db.Read(w.Context(), func(tx *registry.Tx) error {
		lines, err := registry.Collect(tx, registry.One[string], `SELECT change_type || ' ' || COALESCE(base, '') || ' -> ' || value || ': ' || status || ' after ' || attempts || ' ' || last_error || ' ' || updated_at
			FROM pending_changes WHERE item_id = ? ORDER BY id`, item)
		for _, line := range lines {
			w.Log(line)
		}
		return err
	}))
	for _, c := range w.conflicts(true) {
		if c.Field == outbox.Status {
			w.Logf("%+v", c)
		}
	}
}
