package session

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

const (
	// keepNewest events stay whatever their importance: they are the session's current subject.
	keepNewest = 100
	// compactedLimit bounds the summary that replaces the others, in bytes.
	compactedLimit = 4000
)

// compact removes the unimportant events of a session that has more than most, and puts one summary event in the place of the first.
// Important events, decisions from medium, earlier summaries and the newest stay.
func compact(tx *registry.Tx, x Session, most int) error {
	if most <= 0 {
		return nil
	}
	n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM session_events WHERE session_id = ?`, x.row.id))
	if err != nil || n <= most {
		return err
	}
	all, err := events(tx, x.row.id, 0)
	if err != nil {
		return err
	}
	var small []Event
	for _, e := range all[:max(0, len(all)-min(keepNewest, most/2))] {
		if e.Type != Summary && !e.matters() {
			small = append(small, e)
		}
	}
	if len(small) < 2 {
		return nil
	}
	first, last := small[0], small[len(small)-1]
	err = tx.Do(`UPDATE session_events SET uid = ?, type = 'summary', importance = 1, content = ?, context = NULL, stands_for = ? WHERE id = ?`,
		registry.NewUID(), digest(small, last), len(small), first.row)
	if err != nil {
		return err
	}
	for _, e := range small[1:] {
		if err := tx.Do(`DELETE FROM session_events WHERE id = ?`, e.row); err != nil {
			return err
		}
	}
	return nil
}

// digest summarises events: how many of each type, then some of their lines: first those that may still matter, then the course of the
// rest.
func digest(small []Event, last Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s until %s:", counts(small), registry.FormatTime(last.CreatedAt.Time))
	var weighty, course []Event
	for _, e := range small {
		if e.weight >= medium && (e.Type == Blocker || e.Type == Error || e.Type == Discovery) {
			weighty = append(weighty, e)
		} else {
			course = append(course, e)
		}
	}
	sample(&b, weighty, compactedLimit*2/3)
	sample(&b, course, compactedLimit)
	return b.String()
}

// sample writes the first lines of events, spread evenly over all of them, until
// b has limit bytes.
func sample(b *strings.Builder, of []Event, limit int) {
	const line = 120
	fits := max(1, (limit-b.Len())/(line/2))
	step := max(1, (len(of)+fits-1)/fits)
	for i := 0; i < len(of); i += step {
		next := "\n- " + of[i].Type + ": " + brief(of[i].Content, line)
		if b.Len()+len(next) > limit {
			return
		}
		b.WriteString(next)
	}
}
