package costs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/price"
	"github.com/agit-suite/agit/shared/sessions/usage"
	"github.com/agit-suite/agit/shared/timestamp"
)

// work is what an answer was for.
type work struct{ task, title, agent string }

// entry is one answer, or an attempt without a transcript.
type entry struct {
	usage.Answer
	answers  int
	amount   float64
	currency string // "" when the cost is unknown
	computed bool

	work
	place   place
	machine string // where it ran; "" for this machine
}

// attempt is a row of attempts with its task and agent.
type attempt struct {
	client, session, host string
	begun, ended          time.Time // ended is zero while it runs
	used                  sessions.Tokens
	micros                int64
	currency              string
	computed              bool
	model                 string
	turns                 int
	work
	path string // path of its worktree

	of []int // the entries of its transcript
}

// names maps the client names of `agit work` to those of the session readers.
var names = map[string]string{"claude": "claude-code"}

// ClientName returns the canonical name of a client for any of its names.
func ClientName(name string) string { return cmp.Or(names[name], name) }

// margin is the largest difference between the clocks of a client's rows and the registry's.
const margin = 2 * time.Second

// gather returns the use since a time, each entry with its cost by the table of prices and its purpose.
func (s *Store) gather(ctx context.Context, q Query) (all []entry, table *price.Table, err error) {
	if table, err = price.Open(s.Table); err != nil {
		return nil, nil, err
	}
	answers, err := s.Kept.Read(ctx, q.Since)
	if err != nil {
		return nil, nil, err
	}
	var attempts []attempt
	var places *places
	var talks *talks
	err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if attempts, err = attemptsSince(tx, q.Since); err != nil {
			return err
		}
		folders := map[string]bool{}
		for _, a := range answers {
			folders[a.Folder] = true
		}
		for _, a := range attempts {
			folders[a.path] = true
		}
		if places, err = loadPlaces(tx, folders, q.Since); err == nil {
			talks, err = loadTalks(tx, answers, q.Since)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	all = make([]entry, len(answers))
	for i, a := range answers {
		e := priced(a, table)
		e.place = places.of(a.Folder)
		if w := places.worktree(a.Folder, a.At); w != nil {
			e.work = w.work
		}
		if e.agent == "" {
			e.agent = talks.agent(&e)
		}
		if e.task == "" && e.agent != "" {
			e.task, e.title = talks.claimed(e.agent, a.At)
		}
		all[i] = e
	}
	match(all, attempts)
	for i := range attempts {
		a := &attempts[i]
		switch {
		case len(a.of) == 0:
			if e, any := a.entry(table, places); any && !e.At.Before(q.Since) {
				all = append(all, e)
			}
		case a.currency != "" && !a.computed && a.micros > 0:
			a.spread(all)
		}
	}
	if q.Client != "" {
		all = slices.DeleteFunc(all, func(e entry) bool { return e.Client != ClientName(q.Client) })
	}
	slices.SortStableFunc(all, func(x, y entry) int { return x.At.Compare(y.At) })
	return all, table, nil
}

// priced returns an answer with its cost: the cost that its client reports, otherwise one from the table.
func priced(a usage.Answer, table *price.Table) entry {
	e := entry{Answer: a, answers: 1}
	if a.Tokens.Cost > 0 {
		e.amount, e.currency = a.Tokens.Cost, "USD"
	} else if amount, known := table.Cost(a.Model, a.Tokens); known {
		e.amount, e.currency, e.computed = amount, table.Currency, true
	}
	return e
}

// attemptsSince reads the attempts that ran since a time.
func attemptsSince(tx *registry.Tx, since time.Time) ([]attempt, error) {
	from := ""
	if !since.IsZero() {
		from = registry.FormatTime(since)
	}
	return registry.Collect(tx, func(row registry.Scanner) (a attempt, err error) {
		var begun timestamp.Time
		var ended *timestamp.Time
		err = row.Scan(&a.client, &a.session, &a.host, &begun, &ended, &a.used.Input, &a.used.Output, &a.used.CacheRead, &a.micros, &a.currency, &a.computed, &a.model, &a.turns, &a.task, &a.title, &a.agent, &a.path)
		a.client, a.begun = ClientName(a.client), begun.Time
		if ended != nil {
			a.ended = ended.Time
		}
		return a, err
	}, `SELECT client, session, host, started_at, ended_at, tokens_in, tokens_out, tokens_cached, cost, currency, computed, model, turns, task, title, agent, path
		FROM attempt_costs WHERE ended_at IS NULL OR ended_at >= ? ORDER BY id + 0`, from) // by the index of ended_at, not by that of id
}

// match assigns to each attempt the answers of its session, and those in its worktree while it ran. All attempts are of this machine.
func match(all []entry, attempts []attempt) {
	for i := range attempts {
		a := &attempts[i]
		if a.host != registry.Host() {
			continue
		}
		first, _ := slices.BinarySearchFunc(all, a.begun.Add(-margin), func(e entry, t time.Time) int { return e.At.Compare(t) })
		for j := first; j < len(all); j++ {
			e := &all[j]
			if !a.ended.IsZero() && e.At.After(a.ended.Add(margin)) {
				break
			}
			if e.Client != a.client || !a.has(e) {
				continue
			}
			a.of = append(a.of, j)
			e.work = a.work
		}
	}
}

func (a *attempt) has(e *entry) bool {
	if a.session != "" {
		return e.Session == a.session || slices.Contains(e.Own, a.session)
	}
	return a.path != "" && within(e.Folder, a.path)
}

// within reports whether a folder is another one or lies in it.
func within(folder, in string) bool {
	rest, ok := strings.CutPrefix(folder, in)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}

// entry returns an attempt without a transcript, by its client's report; false when the client reported nothing.
func (a *attempt) entry(table *price.Table, places *places) (e entry, any bool) {
	at := a.ended
	if at.IsZero() {
		at = time.Now()
	}
	e = entry{Answer: usage.Answer{Client: a.client, Session: a.session, At: at, Folder: a.path, Model: a.model, Tokens: a.used},
		answers: a.turns, work: a.work, place: places.of(a.path), machine: a.host}
	if a.currency != "" {
		e.amount, e.currency, e.computed = float64(a.micros)/1e6, a.currency, a.computed
	} else if amount, known := table.Cost(a.model, a.used); known && a.used.Total() > 0 {
		e.amount, e.currency, e.computed = amount, table.Currency, true
	}
	return e, a.used.Total() > 0 || a.micros > 0
}

// spread replaces the computed costs of an attempt's answers by the cost that its client reports for all of them, in proportion.
func (a *attempt) spread(all []entry) {
	var priced, tokens float64
	whole := true
	for _, i := range a.of {
		whole = whole && all[i].currency != ""
		priced += all[i].amount
		tokens += float64(all[i].Tokens.Total())
	}
	amount := float64(a.micros) / 1e6
	for _, i := range a.of {
		e, share := &all[i], 1/float64(len(a.of))
		switch {
		case whole && priced > 0:
			share = e.amount / priced
		case tokens > 0:
			share = float64(e.Tokens.Total()) / tokens
		}
		e.amount, e.currency, e.computed = amount*share, a.currency, false
	}
}
