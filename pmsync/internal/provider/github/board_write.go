package github

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// noEstimate refuses points, which issues have only in a project.
func noEstimate(on boardName) error {
	if on.number != 0 {
		return provider.Fail(provider.Unsupported, nil, "the project %s has no number field for an estimate", on).
			Hint("make a field of numbers there that is called Estimate or Points")
	}
	return provider.Fail(provider.Unsupported, nil, "an issue of GitHub has no estimate but in a project").
		Hint("name a project that has a number field, under `provider.board` in .agit.toml")
}

// fill sets a field of the issue in the project; nil clears it. It adds the issue to the project if needed.
func (w *writing) fill(what provider.Field, f *boardField, value map[string]any) (err error) {
	if w.inBoard == "" {
		if w.inBoard, err = w.c.put(w.ctx, w.b, w.i); err != nil {
			return err
		}
	}
	w.applied = append(w.applied, what)
	return w.c.set(w.ctx, w.b, w.inBoard, f, w.i.Number, value)
}

// column brings the issue to a state of its project: it opens or closes the issue as the state requires, then sets the state's option. A
// state of GitHub's own has no option, and clears it.
func (w *writing) column(s provider.Status) error {
	if err := w.close(s); err != nil {
		return err
	}
	id, ok := strings.CutPrefix(s.ID, "option:")
	if !ok {
		return w.fill(provider.FieldStatus, w.b.status, nil)
	}
	return w.fill(provider.FieldStatus, w.b.status, map[string]any{"singleSelectOptionId": id})
}

// urgency sets the option for a priority.
func (w *writing) urgency(to int) error {
	if to == 0 {
		return w.fill(provider.FieldPriority, w.b.priority, nil)
	}
	o, err := w.c.optionFor(w.b, to)
	if err != nil {
		return err
	}
	return w.fill(provider.FieldPriority, w.b.priority, map[string]any{"singleSelectOptionId": o.ID})
}

// optionFor returns the option for a priority.
func (c *Client) optionFor(b *board, priority int) (option, error) {
	for _, o := range b.priority.Options {
		if c.optionPriority(o) == priority {
			return o, nil
		}
	}
	names := provider.Quoted(b.priority.Options, func(o option) string { return o.Name })
	return option{}, provider.Fail(provider.Unsupported, nil, "no option of the field %s in the project %s stands for priority %d: it has %s", b.priority.Name, c.on, priority, names).
		Hint("name the one that does under `provider.priority_of` in .agit.toml and run `pmsync config trust`")
}

// points sets the number field with the estimate.
func (w *writing) points(to *float64) error {
	if to == nil || w.current.Estimate != nil && *w.current.Estimate == *to || w.current.Estimate == nil && *to < 0 {
		return nil
	}
	var value map[string]any
	if *to >= 0 {
		value = map[string]any{"number": *to}
	}
	return w.fill(provider.FieldEstimate, w.b.points, value)
}

// iteration sets or clears the iteration in the project.
func (w *writing) iteration(to *string) error {
	if to == nil || w.b == nil || w.b.iteration == nil || w.current.Sprint.Is(*to) {
		return nil
	}
	if *to == "" {
		return w.fill(provider.FieldSprint, w.b.iteration, nil)
	}
	id, ok := strings.CutPrefix(*to, w.b.ID+"/")
	is := func(o option) bool { return o.ID == id }
	if !ok || !slices.ContainsFunc(slices.Concat(w.b.iteration.Configuration.Iterations, w.b.iteration.Configuration.CompletedIterations), is) {
		return provider.Fail(provider.Invalid, nil, "%q is not an iteration of the project %s", *to, w.c.on)
	}
	return w.fill(provider.FieldSprint, w.b.iteration, map[string]any{"iterationId": id})
}
