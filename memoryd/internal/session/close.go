package session

import (
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

// ending is how a session ends.
type ending struct {
	status  string
	at      time.Time
	outcome string
	notes   string
	summary string // made from the events when empty
	silent  bool   // make no summary where none is given
	secrets int    // redactions in the texts given
	named   named
}

// named are the places in the code that events name, by what they say.
type named map[string][]memory.Citation

// lookUp finds what the events that become memories name, in a folder.
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

// closing is what closing a session did beside its row.
type closing struct {
	learnt  []memory.Stored // memories that are new or changed
	known   int             // events whose memory was there already
	skipped []string        // why events could not become memories
}

// close ends a session: its summary, the memories it leaves, its status. It does
// so once more for one that was closed without its agent.
func (s *Store) close(tx *registry.Tx, x *Session, e ending) (c closing, err error) {
	all, err := events(tx, x.row.id, 0)
	if err != nil {
		return c, err
	}
	if c, err = s.learn(tx, *x, all, e.named); err != nil {
		return c, err
	}
	if e.summary == "" && !e.silent {
		done, err := kept(tx, x.row.id)
		if err != nil {
			return c, err
		}
		e.summary = summarise(*x, all, done, e.at)
	}
	err = tx.Do(`UPDATE sessions SET status = ?, outcome = COALESCE(?, outcome), outcome_notes = COALESCE(?, outcome_notes), summary = COALESCE(?, summary),
		ended_at = ?, memories = memories + ?, redactions = redactions + ?, server = NULL WHERE id = ?`,
		e.status, registry.NullIfZero(e.outcome), registry.NullIfZero(e.notes), registry.NullIfZero(e.summary),
		registry.FormatTime(e.at), len(c.learnt), e.secrets, x.row.id)
	if err != nil {
		return c, err
	}
	tx.Changed(registry.TopicSessions, x.row.project, x.ID)
	*x, err = byRow(tx, x.row.id)
	return c, err
}

// kind is the type of memory that a type of event becomes.
func kind(event string) string {
	switch event {
	case Decision:
		return memory.TypeDecision
	case Discovery:
		return memory.TypeArchitecture
	case Blocker, Error:
		return memory.TypeWarning
	}
	return memory.TypePattern
}

// titleLimit is the length of a memory's title in bytes.
const titleLimit = 100

// nearlySame is the share of words in common from which the end of a session names
// what a new memory is near to.
const nearlySame = 0.85

// learn makes memories of the events that matter. What is known already is not
// stored again; one that memory refuses is told and skipped.
func (s *Store) learn(tx *registry.Tx, x Session, all []Event, named named) (c closing, err error) {
	for _, e := range all {
		if !e.lasts() {
			continue
		}
		n := memory.New{
			Named:     named[e.Content],
			ProjectID: x.row.project, Type: kind(e.Type), Content: e.Content, Title: text.FirstLine(e.Content, titleLimit),
			Importance: 3, SessionID: x.row.id, AgentID: x.row.agent, SkipSimilar: true,
			Context: strings.Join(append([]string{e.Type}, e.names("files", "symbols")...), " "),
		}
		if e.weight >= high {
			n.Importance = 4
		}
		if n.Items, err = related(tx, x, e); err != nil {
			return c, err
		}
		stored, err := memory.Put(tx, n, s.Memory)
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

// names are the strings that an event's context lists under some fields.
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

// related are the items that an event's memory belongs to: the session's own and
// those it names, as far as they are known.
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
