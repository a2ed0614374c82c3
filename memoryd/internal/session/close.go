package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// ending describes the end of a session.
type ending struct {
	status  string
	at      time.Time
	outcome string
	notes   string
	summary string // made from the events when empty
	silent  bool   // make no summary when none is given
	secrets int    // redactions in the given texts
	named   named
}

// named are the places in the code that events name, by the events' contents.
type named map[string][]memory.Citation

// lookUp finds, in a folder, the places named by the events that become memories.
func lookUp(ctx context.Context, folder string, all []Event) named {
	var texts []string
	for _, e := range all {
		if e.lasts() {
			texts = append(texts, e.Content)
		}
	}
	found := named{}
	for i, list := range memory.Named(ctx, folder, texts...) {
		found[texts[i]] = list
	}
	return found
}

// closing is the result of closing a session, beside its row.
type closing struct {
	learnt  []memory.Stored // new or changed memories
	known   int             // events whose memory existed already
	skipped []string        // why events could not become memories
}

// close ends a session: its summary, its memories, its status. A session that was closed without its agent can be closed once more.
func (s *Store) close(tx *registry.Tx, x *Session, e ending) error {
	all, err := events(tx, x.row.id, 0)
	if err == nil {
		_, err = s.conclude(tx, *x, all, e)
	}
	if err == nil {
		*x, err = byRow(tx, x.row.id)
	}
	return err
}

// conclude is close for a session whose events were read, without reading what the session is then.
func (s *Store) conclude(tx *registry.Tx, x Session, all []Event, e ending) (c closing, err error) {
	if c, err = s.learn(tx, x, all, e.named); err != nil {
		return c, err
	}
	if e.summary == "" && !e.silent {
		done, err := kept(tx, x.row.id)
		if err != nil {
			return c, err
		}
		e.summary = summarise(x, all, done, e.at)
	}
	err = tx.Do(`UPDATE sessions SET status = ?, outcome = COALESCE(?, outcome), outcome_notes = COALESCE(?, outcome_notes), summary = COALESCE(?, summary),
		ended_at = ?, memories = memories + ?, redactions = redactions + ?, server = NULL WHERE id = ?`,
		e.status, registry.NullIfZero(e.outcome), registry.NullIfZero(e.notes), registry.NullIfZero(e.summary),
		registry.FormatTime(e.at), len(c.learnt), e.secrets, x.row.id)
	if err != nil {
		return c, err
	}
	tx.Changed(registry.TopicSessions, x.row.project, x.ID)
	return c, nil
}

// kinds are the types of memory that types of events become; another one becomes a pattern.
var kinds = map[string]string{
	Decision: memory.TypeDecision, Discovery: memory.TypeArchitecture, Blocker: memory.TypeWarning, Error: memory.TypeWarning,
}

// titleLimit bounds a memory's title, in bytes.
const titleLimit = 100

// nearlySame is the share of words in common from which the end of a session names the memories similar to a new one.
const nearlySame = 0.85

// learn makes memories of the important events. Known texts are not stored again; an event that memory refuses is reported and skipped.
func (s *Store) learn(tx *registry.Tx, x Session, all []Event, named named) (c closing, err error) {
	for _, e := range all {
		if !e.lasts() {
			continue
		}
		n := memory.New{
			Named:     named[e.Content],
			ProjectID: x.row.project, Type: cmp.Or(kinds[e.Type], memory.TypePattern),
			Content: e.Content, Title: text.FirstLine(e.Content, titleLimit), Importance: 3, SessionID: x.row.id, AgentID: x.row.agent, SkipSimilar: true,
			Context: strings.Join(append([]string{e.Type}, e.names("files", "symbols")...), " "),
		}
		if e.weight >= high {
			n.Importance = 4
		}
		if n.Items, err = related(tx, x, e); err != nil {
			return c, err
		}
		stored, err := memory.Put(tx, n, s.MaxPerType)
		if f := fault.From(err); f != nil && (f.Kind == fault.KindValidation || f.Kind == fault.KindConflict) {
			c.skipped = append(c.skipped, fmt.Sprintf("%q became no memory: %s", text.FirstLine(e.Content, 60), f.Message))
			continue
		}
		if err != nil {
			return c, err
		}
		if stored.Outcome == memory.Created || stored.Outcome == memory.Updated {
			c.learnt = append(c.learnt, stored)
		} else {
			c.known++
		}
	}
	return c, nil
}

// names returns the strings in the given fields of an event's context.
func (e Event) names(fields ...string) (all []string) {
	var context map[string]any
	if len(e.Context) == 0 || json.Unmarshal(e.Context, &context) != nil {
		return nil
	}
	for _, field := range fields {
		switch v := context[field].(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, one := range v {
				if name, ok := one.(string); ok {
					all = append(all, name)
				}
			}
		}
	}
	return all
}

// related returns the items of an event's memory: the session's item and those that the event names, as far as they are known.
func related(tx *registry.Tx, x Session, e Event) (items []string, err error) {
	if x.row.item != 0 {
		item, err := work.ByID(tx, x.row.item)
		if err != nil {
			return nil, err
		}
		items = append(items, item.UID)
	}
	for _, name := range e.names("related_items") {
		item, err := work.Find(tx, "", name)
		switch {
		case err == nil && item.ID != x.row.item:
			items = append(items, item.UID)
		case err != nil && !fault.Is(err, fault.KindNotFound) && !fault.Is(err, fault.KindValidation):
			return nil, err
		}
	}
	return items, nil
}
