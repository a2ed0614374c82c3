// Package criteria keeps acceptance criteria: what a ticket must meet, how far each one is, and the evidence for it. Criteria come from a
// ticket's text (package find) or from a person. When the text no longer holds a criterion, it is put aside with its evidence; both come
// back when the text holds it again.
package criteria

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Statuses of a criterion.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Verified   = "verified"
	Failed     = "failed"
	Blocked    = "blocked"
)

// Statuses lists them.
func Statuses() []string { return []string{Pending, InProgress, Verified, Failed, Blocked} }

// Prefix begins the id of every criterion.
const Prefix = "ac-"

// Sources of a criterion.
const (
	Parsed    = "parsed"
	Checklist = "checklist" // a task list in the ticket
	Manual    = "manual"    // added by a person or an agent
)

// Evidence is the basis of a verdict on a criterion.
type Evidence struct {
	Files       []string `json:"files,omitempty"`
	Tests       []string `json:"tests,omitempty"`
	Commits     []string `json:"commits,omitempty"`
	Screenshots []string `json:"screenshots,omitempty"`
	Notes       string   `json:"notes,omitempty"`
}

// Empty reports whether there is no evidence.
func (e Evidence) Empty() bool {
	return len(e.Files)+len(e.Tests)+len(e.Commits)+len(e.Screenshots) == 0 && e.Notes == ""
}

// lists are the kinds of evidence as they are stored, and the fields for them.
func (e *Evidence) lists() map[string]*[]string {
	return map[string]*[]string{"file": &e.Files, "test": &e.Tests, "commit": &e.Commits, "screenshot": &e.Screenshots}
}

// Criterion is one acceptance criterion.
type Criterion struct {
	Row          int64           `json:"-"`
	Item         int64           `json:"-"`
	Project      int64           `json:"-"`
	ID           string          `json:"id"`
	Ticket       string          `json:"external_item_id" wire:"-"`
	Text         string          `json:"criterion_text"`
	Index        int             `json:"criterion_index" wire:"-"` // from 0, in the ticket's order
	Source       string          `json:"source_type" wire:"-"`
	Status       string          `json:"status"`
	Unsure       bool            `json:"unsure,omitempty" wire:"-"` // not called a criterion by its author, and neither judged nor confirmed
	Why          string          `json:"why,omitempty" wire:"-"`    // the reason in the text; empty for an added criterion
	VerifiedAt   *timestamp.Time `json:"verified_at,omitempty" wire:"-"`
	Session      string          `json:"verified_by_session,omitempty" wire:"-"`
	FailedAt     *timestamp.Time `json:"failed_at,omitempty" wire:"-"`
	FailedReason string          `json:"failed_reason,omitempty" wire:"-"`
	Evidence     *Evidence       `json:"evidence,omitempty" wire:"-"`
	Attempts     int             `json:"attempts,omitempty" wire:"-"`
	UpdatedAt    timestamp.Time  `json:"updated_at" wire:"-"`
}

const selection = `SELECT c.id, c.item_id, i.project_id, c.ref, i.ref, c.text, c.position, c.source, c.status, c.verified_at, c.session_ref, c.failed_at, c.failed_reason, c.notes,
	c.attempts, c.changed_at, c.unsure, c.why FROM criteria c JOIN items i ON i.id = c.item_id `

func scan(row registry.Scanner) (c Criterion, err error) {
	var notes string
	err = row.Scan(&c.Row, &c.Item, &c.Project, &c.ID, &c.Ticket, &c.Text, &c.Index, &c.Source, &c.Status, &c.VerifiedAt, &c.Session, &c.FailedAt, &c.FailedReason, &notes, &c.Attempts, &c.UpdatedAt, &c.Unsure, &c.Why)
	if notes != "" {
		c.Evidence = &Evidence{Notes: notes}
	}
	return c, err
}

// Of returns the criteria of a ticket in their order, with their evidence.
func Of(tx *registry.Tx, itemID int64) ([]Criterion, error) {
	all, err := registry.Collect(tx, scan, selection+`WHERE c.item_id = ? AND c.gone_at IS NULL ORDER BY c.position, c.id`, itemID)
	if err != nil {
		return nil, err
	}
	return all, loadEvidence(tx, all)
}

// evidenceOf is one piece of evidence of a criterion.
type evidenceOf struct {
	criterion   int64
	kind, value string
}

// loadEvidence fills in the evidence of criteria of one ticket.
func loadEvidence(tx *registry.Tx, all []Criterion) error {
	if len(all) == 0 {
		return nil
	}
	found, err := registry.Collect(tx, func(row registry.Scanner) (e evidenceOf, err error) {
		return e, row.Scan(&e.criterion, &e.kind, &e.value)
	},
		`SELECT e.criterion_id, e.kind, e.value FROM criterion_evidence e JOIN criteria c ON c.id = e.criterion_id WHERE c.item_id = ? ORDER BY e.criterion_id, e.kind, e.position`, all[0].Item)
	if err != nil {
		return err
	}
	for _, e := range found {
		at := slices.IndexFunc(all, func(c Criterion) bool { return c.Row == e.criterion })
		if at < 0 {
			continue
		}
		if all[at].Evidence == nil {
			all[at].Evidence = &Evidence{}
		}
		list := all[at].Evidence.lists()[e.kind]
		*list = append(*list, e.value)
	}
	return nil
}

// byRow returns one criterion with its evidence.
func byRow(tx *registry.Tx, row int64) (Criterion, error) {
	c, err := scan(tx.QueryRow(selection+`WHERE c.id = ?`, row))
	if err != nil {
		return c, err
	}
	one := []Criterion{c}
	err = loadEvidence(tx, one)
	return one[0], err
}

// Status holds a ticket's criteria with counts by status.
type Status struct {
	Ticket     string      `json:"external_item_id" wire:"-"`
	Total      int         `json:"total"`
	Pending    int         `json:"pending" wire:"-"`
	InProgress int         `json:"in_progress" wire:"-"`
	Verified   int         `json:"verified"`
	Failed     int         `json:"failed" wire:"-"`
	Blocked    int         `json:"blocked" wire:"-"`
	Unsure     int         `json:"unsure,omitempty" wire:"-"` // among the pending ones
	Completion float64     `json:"completion_percentage"`     // percent of the sure ones that are verified
	Criteria   []Criterion `json:"criteria"`
	Blockers   []string    `json:"blockers"` // ids of failed and blocked ones
}

// StatusOf counts the criteria of a ticket by status.
func StatusOf(ticket string, all []Criterion) Status {
	s := Status{Ticket: ticket, Total: len(all), Criteria: append([]Criterion{}, all...), Blockers: []string{}}
	counts := map[string]*int{Pending: &s.Pending, InProgress: &s.InProgress, Verified: &s.Verified, Failed: &s.Failed, Blocked: &s.Blocked}
	for _, c := range all {
		*counts[c.Status]++
		if c.Status == Failed || c.Status == Blocked {
			s.Blockers = append(s.Blockers, c.ID)
		}
		if c.Unsure {
			s.Unsure++
		}
	}
	if sure := s.Total - s.Unsure; sure > 0 {
		s.Completion = float64(s.Verified*1000/sure) / 10
	}
	return s
}

// Check reports whether a ticket's criteria are met.
type Check struct {
	Ticket       string      `json:"external_item_id"`
	AllVerified  bool        `json:"all_verified"`
	ReadyToClose bool        `json:"ready_to_close"` // all verified, and nothing blocks the ticket
	Summary      string      `json:"summary"`
	Pending      []Criterion `json:"pending"` // includes those in progress
	Failed       []Criterion `json:"failed"`
	Blocked      []Criterion `json:"blocked"`
	Unsure       []Criterion `json:"unsure,omitempty" wire:"-"` // not required
	WaitsFor     []string    `json:"waits_for,omitempty"`
}

// CheckOf judges the criteria of a ticket. Unsure ones do not count. WaitsFor lists the items that block the ticket.
func CheckOf(ticket string, all []Criterion, waitsFor []string) Check {
	c := Check{Ticket: ticket, Pending: []Criterion{}, Failed: []Criterion{}, Blocked: []Criterion{}, WaitsFor: waitsFor}
	lists := map[string]*[]Criterion{Pending: &c.Pending, InProgress: &c.Pending, Failed: &c.Failed, Blocked: &c.Blocked}
	for _, one := range all {
		if one.Unsure {
			c.Unsure = append(c.Unsure, one)
		} else if list := lists[one.Status]; list != nil {
			*list = append(*list, one)
		}
	}
	open, sure := len(c.Pending)+len(c.Failed)+len(c.Blocked), len(all)-len(c.Unsure)
	c.AllVerified = sure > 0 && open == 0
	c.ReadyToClose = c.AllVerified && len(waitsFor) == 0
	c.Summary = c.sentence(ticket, sure, open)
	return c
}

// WithoutReasons removes the reasons for which criteria were found, for answers that did not ask for them.
func WithoutReasons(all []Criterion) []Criterion {
	for i := range all {
		all[i].Why = ""
	}
	return all
}

// Changed is a criterion after a write.
type Changed struct {
	Criterion
	Checked  []string        `json:"checked,omitempty" wire:"-"` // evidence that was checked and exists
	BookedOn caller.BookedOn `json:"booked_on" wire:"-"`
}

// splitPlace parses SEM-1#2: the second criterion of a ticket.
func splitPlace(id string) (ticket string, place int, ok bool) {
	ticket, number, cut := strings.Cut(id, "#")
	if !cut || ticket == "" {
		return "", 0, false
	}
	place, err := strconv.Atoi(number)
	return ticket, place, err == nil && place > 0 && number[0] != '+'
}

// sentence describes the state of a ticket's criteria.
func (c Check) sentence(ticket string, total, open int) string {
	switch {
	case total == 0 && len(c.Unsure) > 0:
		return fmt.Sprintf("%s of the text of %s may be criteria, and its author called none of them one; `pmsync ac verify` judges one, `pmsync ac update %s#N --status pending` confirms one", text.Count(len(c.Unsure), "line", "lines"), ticket, text.ShellWord(ticket))
	case total == 0:
		return fmt.Sprintf("no criteria of %s are known; `pmsync ac parse %s --force` looks for them in its text, `pmsync ac add` adds one", ticket, text.ShellWord(ticket))
	case c.ReadyToClose:
		return verified(ticket, total) + " and nothing blocks it: it can be closed"
	case c.AllVerified:
		return verified(ticket, total) + ", but it waits for " + strings.Join(c.WaitsFor, ", ")
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{len(c.Pending), "pending"}, {len(c.Failed), "failed"}, {len(c.Blocked), "blocked"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return fmt.Sprintf("%d of %d criteria of %s are verified; %s", total-open, total, ticket, strings.Join(parts, ", "))
}

// verified returns the sentence that all criteria of a ticket are verified.
func verified(ticket string, total int) string {
	if total == 1 {
		return "the one criterion of " + ticket + " is verified"
	}
	return fmt.Sprintf("all %d criteria of %s are verified", total, ticket)
}
