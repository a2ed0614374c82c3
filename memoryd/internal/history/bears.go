package history

import (
	"context"
	"fmt"
	"time"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Seen is a place of a client's session that bears on a question, beside what memoryd keeps.
type Seen struct {
	ID      string         `json:"session"`
	Client  string         `json:"client"`
	At      timestamp.Time `json:"at"`
	Kind    string         `json:"kind"`
	Failed  bool           `json:"failed,omitempty"`
	Text    string         `json:"text"`
	Project string         `json:"project,omitempty"`
	File    string         `json:"file"` // of the client, where it stands
}

// MostSeen is how many sessions Bears names.
const MostSeen = 3

const (
	// leastHeld is the share of a question's words that a place must hold to be named beside an
	// answer that was not asked of sessions.
	leastHeld = 0.6
	// fresh is how young a place may be: a question itself stands in the session that asks it.
	fresh = 10 * time.Minute
	// justBegun is how young a session is that may be the one that asks.
	justBegun = 2 * time.Minute
)

// Bears returns the sessions that bear on a question, the best first, of a project or, where
// place is nil, of all. Places of the last ten minutes are left out, and those that hold few of
// the question's words. Where clients keep nothing, no index is made.
func (s *Store) Bears(ctx context.Context, place *project.Place, question string) ([]Seen, error) {
	q := Query{Query: index.Query{Text: question}}
	if place != nil {
		q.within(*place)
	}
	return s.bear(ctx, q)
}

// within limits a question to a project. Where its folder is known the registry is not asked for
// those where the project was before: every recall and every session asks.
func (q *Query) within(place project.Place) {
	if place.At != nil {
		q.Projects = []string{place.At.Folder}
	} else {
		q.Place = &place
	}
}

func (s *Store) bear(ctx context.Context, q Query) ([]Seen, error) {
	if q.Text == "" || s.Kept.Nothing() {
		return nil, nil
	}
	q.Until, q.Alone = time.Now().Add(-fresh), true
	a, err := s.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	var all []Seen
	for _, h := range a.Hits {
		if len(all) < MostSeen && h.Held >= leastHeld && (h.Words == 1 || h.Held*float64(h.Words) > 1) {
			all = append(all, Seen{ID: h.ID, Client: h.Client, At: h.At, Kind: h.Kind, Failed: h.Failed, Text: index.OneLine(h.Text, 200), Project: h.Project, File: h.File})
		}
	}
	return all, nil
}

// besideWait is how long an answer that was not asked of sessions waits for their index; what is
// not read by then, the next question reads.
const besideWait = 300 * time.Millisecond

// Beside is the Store for answers that name sessions beside something else, and soon.
func (s *Store) Beside() *Store {
	b := *s
	b.Wait = besideWait
	return &b
}

// Line is a place in one line, with the command that shows its session.
func (s Seen) Line() string {
	kind := s.Kind
	if s.Failed && kind != "error" {
		kind += " that failed"
	}
	return fmt.Sprintf("%s, %s, %s: %q (`memoryd history show %s`)", s.Client, s.At.Local().Format(time.DateTime), kind, s.Text, s.ID)
}

// Begin returns what a session begins with: in one line what the newest session of the project
// was about, "" when there is none, and a line for each session that bears on what the new one
// is about.
func (s *Store) Begin(ctx context.Context, place project.Place, about string) (last string, bears []string, err error) {
	if s.Kept.Nothing() {
		return "", nil, nil
	}
	q := Query{Query: index.Query{Limit: 5}, Alone: true}
	q.within(place)
	a, err := s.Search(ctx, q)
	if err != nil {
		return "", nil, err
	}
	for _, h := range a.Hits {
		if time.Since(h.Began) < justBegun {
			continue // most likely the session that asks
		}
		last = fmt.Sprintf("%s, %s", h.Client, h.At.Local().Format(time.DateTime))
		if h.Branch != "" {
			last += ", branch " + h.Branch
		}
		last = fmt.Sprintf("%s: %q (`memoryd history show %s`)", last, index.OneLine(h.Text, 160), h.ID)
		break
	}
	q.Text, q.Limit = about, 0
	seen, err := s.bear(ctx, q)
	for _, one := range seen {
		bears = append(bears, one.Line())
	}
	return last, bears, err
}
