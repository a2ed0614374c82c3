// Package others answers from the memories that other programs keep of a project, and copies them on request. Its results are separate from
// memoryd's own memories: they are neither ranked together nor checked. A Store is safe for concurrent use.
package others

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/notes"
	"github.com/agit-suite/agit/shared/text"
)

// Store reads and copies memories of other programs.
type Store struct {
	DB       *registry.DB
	Memories *memory.Store
	Home     sessions.Home
	Off      []string // sources that the configuration turns off
}

// Seen is a memory of another program that bears on a question; its text is the beginning, and it has no type.
type Seen notes.Note

const (
	mostSeen = 3
	// leastHeld is the share of a question's words that a memory must hold.
	leastHeld = 0.6
	shown     = 300 // bytes of a memory's text
)

// Bear returns the memories of other programs that contain most of a question's words, the best first, among equals the newest. It returns
// none when place is nil or its folder is not known.
func (s *Store) Bear(ctx context.Context, place *project.Place, question string) ([]Seen, error) {
	if question == "" || place == nil {
		return nil, nil
	}
	folder, err := s.folder(ctx, *place)
	if err != nil || folder == "" {
		return nil, err
	}
	type hit struct {
		note notes.Note
		held float64
	}
	var hits []hit
	for _, f := range notes.Read(ctx, notes.Place{Home: s.Home, Folder: folder}, s.Off, "") {
		for _, n := range f.Notes {
			held, words := index.Held(n.Title+"\n"+n.Text, question)
			if held >= leastHeld && (words == 1 || held*float64(words) > 1) {
				hits = append(hits, hit{n, held})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.held != b.held {
			return int((b.held - a.held) * 1e6)
		}
		return b.note.At.Compare(a.note.At.Time)
	})
	var all []Seen
	for _, h := range hits[:min(len(hits), mostSeen)] {
		h.note.Type, h.note.Text = "", index.OneLine(h.note.Text, shown)
		all = append(all, Seen(h.note))
	}
	return all, nil
}

// Without drops the memories that an answer already has as copies; keys are those of the answer.
func Without(all []Seen, keys []string) []Seen {
	return slices.DeleteFunc(all, func(s Seen) bool { return slices.Contains(keys, key(s.Source, s.ID)) })
}

// Line formats a memory in one line.
func (s Seen) Line() string {
	return fmt.Sprintf("%s, %s, %s: %q (%s)", s.Source, s.At.Local().Format(time.DateOnly), cmp.Or(s.Title, s.ID), s.Text, s.File)
}

// Beneath formats the memories of others that bear on an answer, to be printed below it, "" for none.
func Beneath(all []Seen) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nFrom memories of other programs, quoted as they stand there; " + notes.Told + ".\n")
	for _, s := range all {
		b.WriteString("- " + s.Line() + "\n")
	}
	return b.String()
}

// Counts returns a line with the number of memories that other programs keep of a project, "" when there are none.
func (s *Store) Counts(ctx context.Context, place project.Place) string {
	folder, err := s.folder(ctx, place)
	if err != nil || folder == "" {
		return ""
	}
	var all []string
	source := ""
	for _, f := range notes.Read(ctx, notes.Place{Home: s.Home, Folder: folder}, s.Off, "") {
		if len(f.Notes) > 0 {
			all, source = append(all, fmt.Sprintf("%d of %s", len(f.Notes), f.Source)), f.Source
		}
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, ", ") + " (`memoryd recall` finds them, `memoryd import " + source + "` copies)"
}

// folder returns a project's folder: the named one, else the first existing one that the registry has seen; "" for none.
func (s *Store) folder(ctx context.Context, place project.Place) (string, error) {
	if place.At != nil {
		return place.At.Folder, nil
	}
	var seen []string
	err := s.DB.Read(ctx, func(tx *registry.Tx) error {
		of, err := place.Find(tx)
		if err == nil {
			seen, err = project.Folders(tx, of.ID)
		}
		return err
	})
	var f *fault.Fault
	if errors.As(err, &f) && f.Kind == fault.KindNotFound {
		return "", nil
	}
	for _, folder := range seen {
		if _, fault := os.Stat(folder); fault == nil {
			return folder, err
		}
	}
	return "", err
}

// Taken is the outcome of an import for one memory.
type Taken struct {
	ID      string `json:"id"` // in the source
	Outcome string `json:"outcome"`
	Memory  string `json:"memory,omitempty"` // memoryd's id
	Why     string `json:"why,omitempty"`    // why it was not copied
}

// Left is the outcome of a memory that was not copied.
const Left = "left"

// Done is the result of an import.
type Done struct {
	Source   string  `json:"source"`
	Memories []Taken `json:"memories"`
}

// turnOn returns the command that takes a source, and the memories of all, out of what sources.off turns off.
func turnOn(off []string, source string) string {
	stay := slices.DeleteFunc(slices.Clone(off), func(name string) bool { return name == source || name == notes.Off })
	if len(stay) == 0 {
		return "`memoryd config unset sources.off`"
	}
	return "`memoryd config set sources.off " + strings.Join(stay, " ") + "`"
}

// Import copies the memories of a source, each under a key of its own, by which a later import finds it: an unchanged one stays, a changed
// one is updated. It leaves memories with the same text as one in memoryd, and memories that were archived here. Booking is their project
// and agent.
func (s *Store) Import(ctx context.Context, b memory.Booking, source string) (Done, error) {
	done := Done{Source: source, Memories: []Taken{}}
	folder, err := s.folder(ctx, b.Place)
	if err != nil {
		return done, err
	}
	if slices.Contains(s.Off, source) || slices.Contains(s.Off, notes.Off) {
		return done, fault.Validation("source", "%s is turned off by sources.off", source).WithHint("%s turns it on again", turnOn(s.Off, source))
	}
	found := notes.Read(ctx, notes.Place{Home: s.Home, Folder: folder}, nil, source)
	if len(found) == 0 {
		return done, fault.NotFound("source", source).WithHint("it keeps nothing of this project; `memoryd import --help` names the sources")
	}
	if found[0].Problem != nil && len(found[0].Notes) == 0 {
		return done, fault.Operation(found[0].Problem, "read the memories of %s", source)
	}
	here, err := s.here(ctx, b.Place)
	if err != nil {
		return done, err
	}
	all := found[0].Notes
	slices.Reverse(all) // the oldest first, in the order of their creation
	for _, n := range all {
		t := Taken{ID: n.ID}
		m := of(n)
		if t.Why, err = here.keeps(ctx, m, n.At.Time); err != nil {
			return done, err
		}
		if t.Why == "" {
			stored, err := s.Memories.Remember(ctx, b, []memory.New{m})
			switch {
			case fault.Is(err, fault.KindValidation):
				t.Why = fault.From(err).Message
			case err != nil:
				return done, err
			case stored[0].Outcome == memory.Known:
				t.Memory, t.Why = stored[0].ID, "a memory here has the same text"
			default:
				t.Memory, t.Outcome = stored[0].ID, stored[0].Outcome
			}
		}
		if t.Why != "" {
			t.Outcome = Left
		}
		done.Memories = append(done.Memories, t)
	}
	return done, nil
}

// kept is what memoryd already has for the project.
type kept struct {
	db       *registry.DB
	project  int64 // 0 when the registry does not know it
	archived map[string]bool
}

func (s *Store) here(ctx context.Context, place project.Place) (kept, error) {
	k := kept{db: s.DB, archived: map[string]bool{}}
	of, err := registry.Read(ctx, s.DB, place.Find)
	if fault.Is(err, fault.KindNotFound) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	k.project = of.ID
	hidden, err := s.Memories.Archived(ctx, k.project, "")
	for _, h := range hidden {
		k.archived[text.Key(h.Key)] = true
	}
	return k, err
}

// keeps returns why a memory is not copied, "" when it is: the copy was archived, or changed here after the last change there.
func (k kept) keeps(ctx context.Context, m memory.New, changed time.Time) (why string, err error) {
	if k.project == 0 {
		return "", nil
	}
	if k.archived[text.Key(m.Key)] {
		return "it was archived here; `memoryd restore " + m.Key + "` brings it back", nil
	}
	err = k.db.Read(ctx, func(tx *registry.Tx) error {
		was, err := memory.Find(tx, k.project, m.Key, m.Type)
		if err != nil {
			return err
		}
		if was.Version > 1 && was.Content != m.Content && !was.UpdatedAt.Before(changed) {
			why = "it was changed here later than there"
		}
		return nil
	})
	if fault.Is(err, fault.KindNotFound) {
		err = nil
	}
	return why, err
}

// key returns the key of a memory's copy.
func key(source, id string) string {
	return text.Cut(source+":"+strings.Join(strings.Fields(id), "-"), 120)
}

// types are memoryd's types by those of other programs; all others are patterns.
var types = map[string]string{
	"decision": memory.TypeDecision, "architecture": memory.TypeArchitecture,
	"user": memory.TypePreference, "feedback": memory.TypePreference, "preference": memory.TypePreference,
	"bugfix": memory.TypeWarning, "warning": memory.TypeWarning, "gotcha": memory.TypeWarning,
}

// of returns a note as a memory to store.
func of(n notes.Note) memory.New {
	m := memory.New{Type: cmp.Or(types[strings.ToLower(n.Type)], memory.TypePattern), Key: key(n.Source, n.ID), Content: n.Text, Title: n.Title,
		Tags: []string{"imported", n.Source}, Context: "from " + n.File, SkipSimilar: true}
	if !n.At.IsZero() && n.At.Before(time.Now()) {
		m.At = n.At.Time
	}
	return m
}
