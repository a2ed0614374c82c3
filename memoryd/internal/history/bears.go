package history

import (
	"context"
	"fmt"
	"time"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Seen is a place in a client's session that bears on a question, listed apart from memories.
type Seen struct {
	ID      string         `json:"session"`
	Client  string         `json:"client"`
	At      timestamp.Time `json:"at"`
	Kind    string         `json:"kind"`
	Failed  bool           `json:"failed,omitempty"`
	Text    string         `json:"text"`
	Project string         `json:"project,omitempty"`
	File    string         `json:"file"` // the client's file that contains it
}

// MostSeen is how many sessions Bears names.
const MostSeen = 3

const (
	// leastHeld is the share of a question's words that a place must contain to be named beside an answer to a question that
	// was not about sessions.
	leastHeld = 0.6
	// fresh is the age below which a place is left out, because the question itself is in the session that asks it.
	fresh = 10 * time.Minute
	// justBegun is the age below which a session may be the one that asks.
	justBegun = 2 * time.Minute
)

// Bears returns the sessions that bear on a question, the best first: of a project, or of all when place is nil. Places from the last ten
// minutes, and places with few of the question's words, are left out. When clients keep no sessions, no index is made.
func (s *Store) Bears(ctx context.Context, place *project.Place, question string) ([]Seen, error) {
	q := Query{Query: index.Query{Text: question}}
	if place != nil {
		q.within(*place)
	}
	return s.bear(ctx, q)
}

// within limits a question to a project. When its folder is known, the project's former folders are not looked up in the registry, because
// every recall and every session asks.
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

// besideWait is how long an answer to a question that was not about sessions waits for their index; the next question reads the rest.
const besideWait = 300 * time.Millisecond

// Beside returns the Store for answers that name sessions only as an addition, and must be quick.
func (s *Store) Beside() *Store {
	b := *s
	b.Wait = besideWait
	return &b
}

// Line formats a place in one line, with the command that shows its session.
func (s Seen) Line() string {
	kind := s.Kind
	if s.Failed && kind != "error" {
		kind += " that failed"
	}
	return fmt.Sprintf("%s, %s, %s: %q (`memoryd history show %s`)", s.Client, s.At.Local().Format(time.DateTime), kind, s.Text, s.ID)
}

// Begin returns two additions to the start of a session: a line on the subject of the project's newest session, "" when there is none, and
// a line for each session that bears on about.
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
