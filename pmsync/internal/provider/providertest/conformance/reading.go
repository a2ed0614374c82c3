package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// Run runs the checks that every provider passes. See Harness.
func Run(t *testing.T, h Harness) {
	for name, check := range map[string]func(*Tracker){
		"connection":                   connection,
		"first pull brings everything": firstPull,
		"nothing new":                  nothingNew,
		"a change comes once":          changeOnce,
		"another mapping":              anotherMapping,
		"many changes at one time":     ties,
		"resumed after any page":       resumed,
		"epics and milestones":         otherTypes,
		"what left is noticed":         whatLeft,
		"a moved item":                 moved,
		"only what changed is sent":    onlyChanged,
		"words and plans":              wordsAndPlans,
		"places and links":             placesAndLinks,
		"custom fields":                customFields,
		"files and pages":              filesAndPages,
		"status by category":           statusByCategory,
		"labels of others stay":        labelsStay,
		"assignee comes and goes":      assignee,
		"comment once":                 commentOnce,
		"create once":                  createOnce,
		"faults while reading":         faultsReading,
		"faults while writing":         faultsWriting,
		"offline":                      offline,
		"unknown ids":                  unknownIDs,
	} {
		t.Run(name, func(t *testing.T) { check(h.Begin(t)) })
	}
	t.Run("skewed clock", func(t *testing.T) {
		for _, skew := range []time.Duration{-11 * time.Minute, 11 * time.Minute} {
			r := h.BeginWith(t, skew, 20*time.Second)
			nothingNew(r)
			whatLeft(h.BeginWith(t, skew, 20*time.Second))
		}
	})
	t.Run("slow body", func(t *testing.T) {
		r := h.BeginWith(t, 0, 2*time.Second)
		id := r.World.Add(providertest.Spec{Title: "slow"})
		r.World.Faults().Add(providertest.Fault{Kind: providertest.Slow})
		if got := r.Item(id).Title; got != "slow" {
			t.Errorf("title %q", got)
		}
	})
}

func (r *Tracker) errorf(format string, args ...any) { r.T.Helper(); r.T.Errorf(format, args...) }

func ptr[T any](v T) *T { return &v }

func connection(r *Tracker) {
	a, err := r.Provider.TestConnection(context.Background())
	if err != nil || a.ID == "" || a.Name == "" {
		r.errorf("connection: %+v, %v", a, err)
	}
	_, err = r.Client("wRoNg-wRoNg-wRoNg-wRoNg-wRoNg", 20*time.Second, provider.Mapping{}).TestConnection(context.Background())
	if !provider.Is(err, provider.Unauthorized) {
		r.errorf("with a wrong secret: %v", err)
	}
	var projects []provider.Project
	if err := r.Provider.Projects(context.Background(), func(p provider.Project) error {
		projects = append(projects, p)
		return nil
	}); err != nil || len(projects) == 0 {
		r.errorf("projects: %v, %v", projects, err)
	}
	if states, err := r.Provider.Statuses(context.Background()); err != nil || len(states) < 2 {
		r.errorf("statuses: %v, %v", states, err)
	}
	for _, kind := range []providertest.Kind{providertest.Expired, providertest.Forbidden} {
		r.World.Faults().Add(providertest.Fault{Kind: kind})
		_, err := r.Provider.TestConnection(context.Background())
		want := map[providertest.Kind]provider.Reason{providertest.Expired: provider.Unauthorized, providertest.Forbidden: provider.Forbidden}[kind]
		if !provider.Is(err, want) {
			r.errorf("%s: %v is not %s", kind, err, want)
		}
		r.World.Faults().Clear()
	}
}

// same compares the pulled items with the tracker's.
func (r *Tracker) same(s *Store) {
	r.T.Helper()
	ids := r.World.IDs()
	for _, id := range ids {
		got, ok := s.Items[id]
		if !ok {
			r.errorf("%s was not pulled", id)
			continue
		}
		r.sameItem(id, got)
	}
	here := 0
	for _, i := range s.Items {
		if _, gone := s.Gone[i.RemoteID]; !gone && i.Presence == provider.Present && i.Type != provider.TypeEpic && i.Type != provider.TypeMilestone {
			here++
		}
	}
	if here != len(ids) {
		r.errorf("%d items are held, %d are there", here, len(ids))
	}
}

func (r *Tracker) sameItem(id string, got provider.Item) {
	r.T.Helper()
	want, _ := r.World.Look(id)
	parent := ""
	if got.Parent != nil {
		parent = got.Parent.ID
	}
	var blocks []string
	for _, l := range got.Links {
		if l.Relation == provider.Blocks {
			blocks = append(blocks, l.Target.ID)
		}
	}
	a := fmt.Sprintf("%q %q %d %q %q %q %q", got.Title, got.Status.Name, got.Priority, got.AssigneeID(), got.Labels, parent, blocks)
	b := fmt.Sprintf("%q %q %d %q %q %q %q", want.Title, want.Status, want.Priority, want.Assignee, want.Labels, want.Parent, want.Blocks)
	if a != b {
		r.errorf("%s is\n%s, not\n%s", id, a, b)
	}
	if got.RemoteID != id || got.Key == "" || got.Version == "" || got.Project == "" || got.UpdatedAt.IsZero() || got.CreatedAt.IsZero() {
		r.errorf("%s lacks a part: %+v", id, got)
	}
}

// fill adds n items of many shapes.
func (r *Tracker) fill(n int) (ids []string) {
	people, labels := r.World.People(), r.World.Labels()
	categories := []provider.Category{provider.Todo, provider.InProgress, provider.Done}
	for i := range n {
		spec := providertest.Spec{Title: fmt.Sprintf("Ticket %d: ünïcode, \"quotes\" & <tags>", i), Body: fmt.Sprintf("Body %d\n\n- [ ] a\n- [x] b", i),
			Status: r.World.StatusOf(categories[i%3]), Priority: i % 5}
		if i%3 == 0 {
			spec.Assignee = people[i%len(people)]
		}
		if i%4 == 0 {
			spec.Labels = slices.Sorted(slices.Values([]string{labels[0], labels[1]}))
		}
		if i%7 == 6 {
			spec.Parent, spec.Type = ids[i-6], provider.TypeSubtask
		}
		if i%5 == 4 {
			spec.Blocks = []string{ids[i-1]}
		}
		ids = append(ids, r.World.Add(spec))
		if i%10 == 9 {
			r.Clock.Advance(time.Minute)
		}
	}
	return ids
}

func firstPull(r *Tracker) {
	r.fill(25)
	s := NewStore()
	r.MustPull(s)
	r.same(s)
	if s.Delivered != len(s.Items) {
		r.errorf("%d items came for %d", s.Delivered, len(s.Items))
	}
}

func nothingNew(r *Tracker) {
	r.fill(25)
	s := NewStore()
	r.MustPull(s)
	r.Clock.Advance(10 * time.Minute)
	r.MustPull(s) // lets late answers settle
	before := r.World.Requests()
	r.Clock.Advance(10 * time.Minute)
	r.MustPull(s)
	if n := r.World.Requests() - before; n > r.H.Quiet {
		r.errorf("%d requests when nothing changed, not %d", n, r.H.Quiet)
	}
	if s.Delivered != 0 {
		r.errorf("%d items came when nothing changed", s.Delivered)
	}
}

func changeOnce(r *Tracker) {
	ids := r.fill(25)
	s := NewStore()
	r.MustPull(s)
	// Covers the night in which clocks are set back, in steps shorter than any overlap.
	for i := range 40 {
		r.Clock.Advance(7 * time.Minute)
		id := ids[i%len(ids)]
		r.World.Edit(id, providertest.Edit{Title: ptr(fmt.Sprint("edit ", i))})
		r.Clock.Advance(3 * time.Minute)
		r.MustPull(s)
		if got := s.Items[id].Title; got != fmt.Sprint("edit ", i) {
			r.errorf("at %s the pull brought %q, not edit %d", r.Clock.Now(), got, i)
		}
		if s.Delivered != 1 {
			r.errorf("at %s the pull brought %d items for one edit", r.Clock.Now(), s.Delivered)
		}
	}
	r.same(s)
}

// anotherMapping reads everything again, because stored items have the categories of the old mapping.
func anotherMapping(r *Tracker) {
	r.fill(5)
	s := NewStore()
	r.MustPull(s)
	m := r.H.Mapping
	m.Category = maps.Clone(m.Category)
	if m.Category == nil {
		m.Category = map[string]provider.Category{}
	}
	m.Category[r.World.StatusOf(provider.Todo)] = provider.Done
	r.Provider = r.Client(r.H.Secret, 20*time.Second, m)
	r.MustPull(s)
	if s.Delivered != 5 {
		r.errorf("%d items came, not 5", s.Delivered)
	}
}

func ties(r *Tracker) {
	ids := r.fill(r.H.PageSize + 10)
	s := NewStore()
	r.MustPull(s)
	r.Clock.Advance(time.Hour)
	for i, id := range ids { // all with the same time
		r.World.Edit(id, providertest.Edit{Title: ptr(fmt.Sprint("bulk ", i))})
	}
	r.Clock.Advance(time.Hour)
	for range 50 {
		if err := r.Pull(s, 1); err == nil {
			break
		}
		r.World.Edit(ids[0], providertest.Edit{Title: ptr("again")}) // meanwhile people go on
		r.Clock.Advance(time.Minute)
	}
	r.MustPull(s)
	r.same(s)
}

func resumed(r *Tracker) {
	r.fill(2*r.H.PageSize + 10)
	whole := NewStore()
	r.MustPull(whole)
	for cut := 1; cut <= whole.Pages; cut++ {
		s := NewStore()
		if err := r.Pull(s, cut); err == nil && cut < whole.Pages {
			r.errorf("a pull of %d pages was not cut after %d", whole.Pages, cut)
		}
		r.MustPull(s)
		r.same(s)
	}
}

func otherTypes(r *Tracker) {
	epic, milestone := r.World.Add(providertest.Spec{Type: provider.TypeEpic, Title: "An epic"}), r.World.Add(providertest.Spec{Type: provider.TypeMilestone, Title: "A milestone"})
	r.fill(3)
	s := NewStore()
	r.MustPull(s)
	for id, want := range map[string]provider.ItemType{epic: provider.TypeEpic, milestone: provider.TypeMilestone} {
		if id == "" {
			continue // the tracker has nothing of the kind
		}
		got, ok := s.Items[id]
		if !ok || got.Type != want || got.Title == "" {
			r.errorf("%s came as %+v", want, got)
			continue
		}
		if item := r.Item(id); item.Type != want || item.Title != got.Title {
			r.errorf("%s is read as %+v", want, item)
		}
	}
	s = NewStore()
	r.MustPull(s, provider.TypeTicket)
	if _, ok := s.Items[epic]; ok {
		r.errorf("an epic came though only tickets were asked for")
	}
	if lister, ok := r.Provider.(provider.SprintLister); ok {
		n := 0
		if err := lister.Sprints(context.Background(), func(sp provider.Sprint) error {
			n++
			if sp.ID == "" || sp.Name == "" || sp.State == "" {
				r.errorf("sprint %+v", sp)
			}
			return nil
		}); err != nil || n == 0 {
			r.errorf("%d sprints, %v", n, err)
		}
	}
}

func whatLeft(r *Tracker) {
	ids := r.fill(8)
	s := NewStore()
	r.MustPull(s)
	r.Clock.Advance(20 * time.Minute)
	r.MustPull(s)
	r.Clock.Advance(20 * time.Minute)
	left := map[string][]provider.Where{}
	if r.World.Archive(ids[0]) {
		left[ids[0]] = []provider.Where{provider.Archived}
	}
	if r.World.Delete(ids[1]) {
		left[ids[1]] = []provider.Where{provider.Deleted, provider.Unknown}
	}
	if r.World.Purge(ids[2]) {
		left[ids[2]] = []provider.Where{provider.Deleted, provider.Unknown}
	}
	if r.World.Move(ids[3]) {
		left[ids[3]] = []provider.Where{provider.Moved}
	}
	r.Clock.Advance(20 * time.Minute)
	r.MustPull(s)
	for id, want := range left {
		if got := r.Where(s, id); !slices.Contains(want, got) {
			r.errorf("%s is %q, not one of %q", id, got, want)
		}
	}
	if got := r.Where(s, ids[4]); got != provider.Present {
		r.errorf("what stayed is %q", got)
	}
	if r.World.Restore(ids[1]) {
		fresh := NewStore()
		if got := r.Where(fresh, ids[1]); got != provider.Present {
			r.errorf("what was brought back is %q", got)
		}
	}
}

func moved(r *Tracker) {
	id := r.fill(1)[0]
	key := r.Item(id).Key
	if !r.World.Move(id) {
		r.T.Skip("nothing can be moved")
	}
	for _, by := range []string{id, key} {
		item, err := r.Provider.Item(context.Background(), by)
		if err != nil {
			r.errorf("by %s: %v", by, err)
			continue
		}
		if item.RemoteID != id || item.Presence != provider.Moved {
			r.errorf("by %s: %s is %s", by, item.RemoteID, item.Presence)
		}
	}
}

func (r *Tracker) update(id string, c provider.Change) (*provider.Item, error) {
	return r.Provider.Update(context.Background(), r.Item(id), c)
}

func onlyChanged(r *Tracker) {
	id := r.World.Add(providertest.Spec{Title: "Title", Body: "Body", Priority: 2, Labels: r.World.Labels()[:1], Assignee: r.World.People()[0]})
	before, _ := r.World.Look(id)
	for _, step := range []struct {
		change provider.Change
		field  string
		edit   func(*providertest.Spec)
	}{
		{provider.Change{Priority: ptr(4)}, "priority", func(s *providertest.Spec) { s.Priority = 4 }},
		{provider.Change{Status: &provider.Target{Name: r.World.StatusOf(provider.InProgress)}}, "status", func(s *providertest.Spec) { s.Status = r.World.StatusOf(provider.InProgress) }},
		{provider.Change{Assignee: ptr(r.World.People()[1])}, "assignee", func(s *providertest.Spec) { s.Assignee = r.World.People()[1] }},
		{provider.Change{AddLabels: r.World.Labels()[1:2]}, "labels", func(s *providertest.Spec) { s.Labels = slices.Sorted(slices.Values(r.World.Labels()[:2])) }},
		{provider.Change{}, "", func(*providertest.Spec) {}},
	} {
		had := r.World.Writes(id)
		item, err := r.update(id, step.change)
		if err != nil {
			r.errorf("%s: %v", step.field, err)
			continue
		}
		step.edit(&before)
		now, _ := r.World.Look(id)
		now.Updated = before.Updated
		if fmt.Sprint(now) != fmt.Sprint(before) {
			r.errorf("%s: the item is %+v, not %+v", step.field, now, before)
		}
		r.sameItem(id, *item)
		for field, n := range r.World.Writes(id) {
			if field != step.field && n != had[field] {
				r.errorf("changing %q also sent %q", step.field, field)
			}
		}
		again := maps.Clone(r.World.Writes(id))
		if _, err := r.Provider.Update(context.Background(), item, step.change); err != nil {
			r.errorf("%s again: %v", step.field, err)
		}
		if now := r.World.Writes(id); !maps.Equal(now, again) {
			r.errorf("changing %q to what it is sent %v after %v", step.field, now, again)
		}
	}
}

func statusByCategory(r *Tracker) {
	id := r.World.Add(providertest.Spec{Title: "t"})
	for _, c := range []provider.Category{provider.InProgress, provider.Done, provider.Todo} {
		item, err := r.update(id, provider.Change{Status: &provider.Target{Category: c}})
		if err != nil {
			r.errorf("to %s: %v", c, err)
		} else if item.Status.Category != c {
			r.errorf("to %s: it is %+v", c, item.Status)
		}
	}
	item := r.Item(id)
	transitions, err := r.Provider.Transitions(context.Background(), item)
	if err != nil || len(transitions) == 0 {
		r.errorf("transitions: %v, %v", transitions, err)
	}
	for _, tr := range transitions {
		if tr.To.Name == item.Status.Name || tr.To.Category == "" {
			r.errorf("transition %+v from %+v", tr, item.Status)
		}
	}
	if _, err := r.update(id, provider.Change{Status: &provider.Target{Name: "No such state"}}); !provider.Is(err, provider.Invalid) {
		r.errorf("to a state that does not exist: %v", err)
	}
	if r.H.Ambiguous != "" {
		bare := r.Client(r.H.Secret, 20*time.Second, provider.Mapping{})
		had := r.World.Writes(id)
		_, err := bare.Update(context.Background(), r.Item(id), provider.Change{Status: &provider.Target{Category: r.H.Ambiguous}})
		if !provider.Is(err, provider.Ambiguous) {
			r.errorf("to one of several states of %s: %v", r.H.Ambiguous, err)
		}
		if fmt.Sprint(had) != fmt.Sprint(r.World.Writes(id)) {
			r.errorf("a refused change was sent")
		}
	}
}

func labelsStay(r *Tracker) {
	labels := r.World.Labels()
	id := r.World.Add(providertest.Spec{Title: "t", Labels: labels[:1]})
	item := r.Item(id)
	r.World.Edit(id, providertest.Edit{Add: labels[2:3]}) // after it was read
	_, err := r.Provider.Update(context.Background(), item, provider.Change{AddLabels: labels[1:2]})
	if provider.Is(err, provider.Changed) {
		_, err = r.update(id, provider.Change{AddLabels: labels[1:2]})
	}
	if err != nil {
		r.errorf("add: %v", err)
	}
	if _, err := r.update(id, provider.Change{RemoveLabels: labels[:1]}); err != nil {
		r.errorf("remove: %v", err)
	}
	now, _ := r.World.Look(id)
	if want := slices.Sorted(slices.Values(labels[1:3])); !slices.Equal(now.Labels, want) {
		r.errorf("labels are %q, not %q", now.Labels, want)
	}
}

func assignee(r *Tracker) {
	id := r.World.Add(providertest.Spec{Title: "t"})
	person := r.World.People()[1]
	if item, err := r.update(id, provider.Change{Assignee: &person}); err != nil || item.Assignee == nil || item.Assignee.ID != person {
		r.errorf("assign: %+v, %v", item, err)
	}
	if finder, ok := r.Provider.(provider.UserFinder); ok {
		users, err := finder.Users(context.Background(), r.Item(id).Assignee.Name)
		if err != nil || len(users) == 0 || users[0].ID != person {
			r.errorf("users: %v, %v", users, err)
		}
	}
	me, err := r.Provider.TestConnection(context.Background())
	if err != nil {
		r.errorf("who asks: %v", err)
	}
	if item, err := r.update(id, provider.Change{Assignee: &me.ID}); err != nil || item.Assignee == nil || item.Assignee.ID != me.ID || r.World.People()[0] != me.ID {
		r.errorf("assign to the account %q: %+v, %v", me.ID, item, err)
	}
	if item, err := r.update(id, provider.Change{Assignee: ptr("")}); err != nil || item.Assignee != nil {
		r.errorf("unassign: %+v, %v", item, err)
	}
}

func unknownIDs(r *Tracker) {
	r.fill(2)
	id := r.World.Add(providertest.Spec{Title: "t"})
	r.World.Purge(id)
	if _, err := r.Provider.Item(context.Background(), id); !provider.Is(err, provider.NotFound) {
		r.errorf("what is not there: %v", err)
	}
	ids := append(r.World.IDs(), id)
	seen := map[string]provider.Where{}
	err := r.Provider.(provider.Checker).Check(context.Background(), ids, func(p provider.Presence) error {
		if _, twice := seen[p.RemoteID]; twice {
			r.errorf("%s came twice", p.RemoteID)
		}
		seen[p.RemoteID] = p.Where
		return nil
	})
	if err != nil || len(seen) != len(ids) {
		r.errorf("check of %d ids: %v, %v", len(ids), seen, err)
	}
}

// filesAndPages are read with the item or requested separately.
func filesAndPages(r *Tracker) {
	id := r.World.Add(providertest.Spec{Title: "Item"})
	page, file := provider.File{Web: true, Name: "The design", URL: "https://example.com/design"}, provider.File{Name: "trace.txt", URL: "https://example.com/files/7", Size: 1234}
	if !r.World.Attach(id, page.Name, page.URL, 0) {
		return
	}
	want := []provider.File{page}
	if r.Provider.Name() != provider.Linear { // Linear keeps files in texts
		r.World.Attach(id, file.Name, file.URL, file.Size)
		want = append(want, file)
	}
	item := r.Item(id)
	got := item.Files
	if a, ok := r.Provider.(provider.Attacher); ok {
		more, err := a.Attachments(context.Background(), item)
		if err != nil {
			r.errorf("%v", err)
		}
		got = append(got, more...)
	}
	by := func(a, b provider.File) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(got, by)
	slices.SortFunc(want, by)
	if !slices.Equal(got, want) {
		r.errorf("it has %+v, not %+v", got, want)
	}
}
