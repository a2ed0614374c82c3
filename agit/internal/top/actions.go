package top

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// doer performs what keys ask for, with the functions that the commands use.
type doer struct {
	stores  *stores.Stores
	pages   *overview.Pages
	home    string // of logs
	environ []string
	by      string // the agent that a person goes by, "" for none
	asker   land.Asker
	send    func(context.Context, result)
}

// sentence returns an error in one line.
func sentence(err error) string {
	f := fault.From(err)
	if f.Hint != "" {
		return f.Message + "; " + f.Hint
	}
	return f.Message
}

// do runs a command for a row to its end.
func (d *doer) do(ctx context.Context, do command, r row, typed string) (done result) {
	var err error
	switch do {
	case showOpen:
		done.panel, err = d.opened(ctx, r)
	case showDiff:
		done.panel, err = d.diff(ctx, r)
	case showLog:
		done.panel, err = d.log(ctx, r)
	case showWhy:
		done.panel, err = d.why(ctx, r)
	case doRelease:
		// It is put back if its claim is the one that the person saw, and whoever holds that, because a person insists.
		person := task.Caller{Agent: d.by, Force: true, Seen: task.Seen{Holder: r.holder, Stood: r.stood}}
		_, err = d.stores.Tasks.Report(ctx, task.Report{Caller: person, ID: r.task, Status: task.Pending, Why: "released in agit top"})
		done.said = "released " + r.task
	case doMerge: // the commit that the worktree's branch had when the person looked at it
		var m land.Merged
		m, err = d.stores.Landings.Land(ctx, land.Request{Repo: r.repo, Worktree: r.worktree, Tip: r.head, By: d.by, Asker: d.asker})
		done.said = landed(r.name, m)
	case doAccept:
		var m land.Merged
		_, m, err = d.stores.Reviews.Accept(ctx, d.decision(r, ""))
		done.said = landed(r.name, m)
	case doReturn:
		var v review.Review
		v, err = d.stores.Reviews.Return(ctx, d.decision(r, typed), d.stores.Config.Agent.StaleAfter)
		done.said = fmt.Sprintf("returned %s to %s", r.name, cmp.Or(v.Agent, "its agent"))
	case doAllow, doAlways, doDeny:
		done.said, err = d.answer(ctx, do, r, typed)
	case doTell, doInterrupt:
		done.said, err = d.tellAgent(ctx, do, r, typed)
	}
	done.err = err
	return done
}

// opened returns the panel for a row that is opened.
func (d *doer) opened(ctx context.Context, r row) (*panel, error) {
	switch {
	case r.landing != nil, r.conflict != nil, r.need != nil && r.kind != overview.NeedReview:
		return d.why(ctx, r)
	case r.worktree != "":
		return d.diff(ctx, r)
	case r.task != "":
		return d.why(ctx, r)
	}
	return nil, fault.Operation(nil, "there is nothing more about this row")
}

// diff returns everything that a worktree changed since it left the default branch.
func (d *doer) diff(ctx context.Context, r row) (*panel, error) {
	if r.worktree == "" {
		return nil, fault.Operation(nil, "no worktree belongs to this row")
	}
	found, err := d.pages.Worktree(ctx, r.worktree)
	if err != nil {
		return nil, err
	}
	diff := found.Difference
	p := &panel{title: fmt.Sprintf("Changes of %s since %s: %s, +%d -%d", r.name, diff.Base, text.Count(len(diff.Files), "file", "files"), diff.Added, diff.Removed), diff: true}
	if diff.Cut {
		p.note = "cut: `agit diff " + r.worktree + "` shows all"
	}
	if found.Problem != "" {
		p.add(found.Problem)
	}
	if len(diff.Later) > 0 {
		p.add(fmt.Sprintf("Since it was shown for review %s changed, and %s not land with it: %s",
			text.Count(len(diff.Later), "file was", "files were"), text.Plural(len(diff.Later), "does", "do"), text.Few(diff.Later)))
	}
	if len(diff.Settings) > 0 {
		p.add("It changes the project's settings: " + text.Few(diff.Settings))
	}
	for _, f := range diff.Files {
		name := f.Path
		if f.From != "" {
			name = f.From + " -> " + f.Path
		}
		p.add(fmt.Sprintf("diff %s (%s, +%d -%d)", name, f.Change, f.Added, f.Removed))
		if f.Binary {
			p.add("  binary")
		}
		for _, h := range f.Hunks {
			p.add(h.At)
			for _, l := range h.Lines {
				p.add(l)
			}
		}
		p.add("")
	}
	if len(p.lines) == 0 {
		p.add("Nothing differs.")
	}
	return p, nil
}

// logLines is the number of lines at the end of a log that are shown at first.
const logLines = 2000

// log returns the newest log of a worktree, followed while it is written.
func (d *doer) log(ctx context.Context, r row) (*panel, error) {
	file, err := d.latest(r)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	p := &panel{title: fmt.Sprintf("Log of %s (%s, begun %s)", r.name, file.Kind, file.Begun.Local().Format("15:04")), tail: true, end: end}
	p.feed = func() {
		err := file.Follow(ctx, writer(func(lines string) { d.send(ctx, result{to: p, text: lines}) }), logLines)
		if err != nil && ctx.Err() == nil {
			d.send(ctx, result{err: err})
		}
	}
	return p, nil
}

func (d *doer) latest(r row) (runlog.File, error) {
	if r.landing != nil && r.landing.Log != "" {
		return runlog.Named(r.landing.Log)
	}
	return runlog.Latest(d.home, r.worktree, "")
}

// writer receives whole lines as they come.
type writer func(text string)

func (w writer) Write(p []byte) (int, error) {
	w(string(bytes.Clone(p)))
	return len(p), nil
}

// why returns the panel with why a row needs a person, and what to do about it. Below that come the reasons for its task's state and the
// task's history, or all about a conflict or a landing.
func (d *doer) why(ctx context.Context, r row) (*panel, error) {
	if r.need == nil || r.conflict != nil {
		return d.reasons(ctx, r)
	}
	need := *r.need
	if r.landing != nil {
		need.Reason = "" // the landing says it
	}
	p := needPanel(need, r.name)
	if r.question() != nil {
		p = questionPanel(need, r.name, nothing)
	}
	if r.task == "" && r.landing == nil {
		return p, nil
	}
	more, err := d.reasons(ctx, r)
	if err != nil {
		return nil, err
	}
	p.lines = append(append(p.lines, "", more.title), more.lines...)
	return p, nil
}

// needPanel returns the panel of what waits for a person, complete even on a narrow screen.
func needPanel(n overview.Need, worktree string) *panel {
	p := &panel{title: strings.Join(slices.Compact([]string{n.Who, cmp.Or(worktree, n.What)}), "  "), wrap: true}
	state := n.State
	if n.Since != nil {
		state += " since " + n.Since.Local().Format("2006-01-02 15:04")
	}
	p.add(state)
	if n.Reason != "" {
		p.add("\n" + n.Reason)
	}
	if n.Next != "" {
		p.add("\nWhat to do: " + n.Next + ".")
	}
	return p
}

// questionPanel returns the panel of a call that an agent asks permission for: the whole call, and the effect of each answer.
func questionPanel(n overview.Need, worktree string, answer command) *panel {
	q := n.Question
	p := &panel{title: strings.Join(slices.Compact([]string{n.Who + " asks", cmp.Or(worktree, n.What), n.TaskName}), "  "), wrap: true, asks: answer != nothing}
	p.add(q.Call + "\n")
	if n.Since != nil {
		p.add("It waits since " + n.Since.Local().Format("15:04") + ", and is denied at " + q.Until.Local().Format("15:04") + ".")
	}
	switch {
	case len(q.Rules) > 0 && (answer == doAlways || answer == nothing):
		p.add("\nAlways adds to work.allow in your configuration:\n  " + strings.Join(q.Rules, "\n  "))
	case answer == doAlways:
		p.add("\nNo rule is narrow enough for it: it is allowed this once.")
	}
	if answer == nothing {
		p.add("\nWhat to do: a allows it once, A always, b denies it; or " + n.Next + ".")
	}
	return p
}

// reasons returns the panel with the reasons for a task's state and the task's history, or with all about a conflict or a landing.
func (d *doer) reasons(ctx context.Context, r row) (*panel, error) {
	switch {
	case r.conflict != nil:
		return conflictPanel(*r.conflict), nil
	case r.landing != nil:
		return d.landing(*r.landing), nil
	case r.task == "":
		return nil, fault.Operation(nil, "no task belongs to this row")
	}
	detail, err := d.pages.Task(ctx, r.task)
	if err != nil {
		return nil, err
	}
	p := &panel{title: r.task + "  " + detail.Name, wrap: true}
	state := strings.ReplaceAll(detail.Status, "_", " ")
	switch {
	case detail.Agent != "" && detail.Status == task.Blocked:
		state += ", held by " + detail.Agent // the reasons below name what blocks it
	case detail.Agent != "":
		state += " by " + detail.Agent
	}
	p.add("It is " + state + ".")
	for _, reason := range detail.Why.Reasons {
		p.add("  " + reason.Sentence)
	}
	for _, note := range detail.Why.Notes {
		p.add("  " + note)
	}
	if detail.Result != "" {
		p.add("\nResult\n" + detail.Result)
	}
	list := func(title string, of []string) {
		if len(of) > 0 {
			p.add("\n" + title + "\n  " + strings.Join(of, "\n  "))
		}
	}
	list("Waits for", detail.DependsOn)
	list("Blocked by", detail.BlockedBy)
	list("What waits for it", detail.Blocks)
	if detail.Description != "" && detail.Description != detail.Name {
		p.add("\nText\n" + detail.Description)
	}
	p.add("\nHistory")
	for _, e := range detail.History {
		p.add("  " + eventLine(e.At.Time, e.Name, e.Actor, e.Field, e.Old, e.New, e.Why))
	}
	return p, nil
}

// eventLine returns one line of a history.
func eventLine(at time.Time, agent, actor, field, from, to, why string) string {
	line := at.Local().Format("2006-01-02 15:04")
	if who := cmp.Or(agent, actor); who != "" {
		line += "  " + who
	}
	line += "  " + field
	switch {
	case from != "" && to != "":
		line += " " + from + " -> " + to
	case to != "":
		line += " " + to
	}
	if why != "" {
		line += ": " + why
	}
	return line
}

func conflictPanel(c overview.Conflict) *panel {
	p := &panel{title: "Conflict in " + c.File, wrap: true}
	word := map[string]string{"merge": "Git cannot merge them.", "lines": "Both changed the same lines; git can merge them.", "file": "Both changed the file, at different lines.",
		"uses": "Git merges them, and the result may not work."}
	p.add(word[string(c.Depth)])
	for _, why := range c.Why {
		p.add(why + ".")
	}
	if c.Lines != "" && c.Depth != conflict.DepthUses {
		p.add("Lines " + c.Lines + " of the version they have in common.")
	}
	if len(c.Kinds) > 0 && c.Depth != conflict.DepthUses {
		p.add("Git says: " + strings.Join(c.Kinds, ", ") + ".")
	}
	p.add("")
	for _, side := range c.Sides {
		name := side.Name
		if side.By != "" {
			name = side.By + "  " + name
		}
		if side.Worktree == "" {
			name += "  (the default branch)"
		}
		p.add("  " + name)
	}
	if c.Depth == conflict.DepthMerge {
		p.add("\nWhat to do: " + c.Next() + ".")
	}
	return p
}

// gateLines is the number of lines at the end of a gate's log that show why it failed.
const gateLines = 20

func (d *doer) landing(l overview.Landing) *panel {
	p := &panel{title: "Landing of " + l.Name, wrap: true}
	p.add("It is " + l.State + ".")
	if l.Reason != "" {
		p.add("\n" + l.Reason)
	}
	if l.Gate != "" {
		p.add("\nGate\n  " + l.Gate)
	}
	var said bytes.Buffer
	file, err := runlog.Named(l.Log)
	if l.Log == "" || err != nil || file.Tail(&said, gateLines) != nil || said.Len() == 0 {
		return p // the gate's log is no longer kept, or it is empty
	}
	p.add("\nThe end of its log, which l on the row shows whole")
	for line := range strings.Lines(said.String()) {
		p.add("  " + strings.TrimRight(line, "\n"))
	}
	return p
}

// decision is a person's decision on the work that waits for review in a row.
func (d *doer) decision(r row, why string) review.Decision {
	return review.Decision{Repo: r.repo, Worktree: r.worktree, Seen: r.seen, By: d.by, Asker: d.asker, Why: why}
}

// answer answers an agent's request for permission.
func (d *doer) answer(ctx context.Context, do command, r row, why string) (string, error) {
	q, err := d.stores.Answer(ctx, r.question().ID, question.Answer{Allow: do != doDeny, Always: do == doAlways, Why: why}, d.asker)
	switch {
	case err != nil:
		return "", err
	case q.Always && len(q.Rules) > 0:
		return fmt.Sprintf("allowed %s, and added %s to work.allow", q.Agent, strings.Join(q.Rules, ", ")), nil
	}
	return fmt.Sprintf("%s %s: %s", q.State, q.Agent, text.FirstLine(q.Call, 200)), nil
}

// tellAgent tells an agent something.
func (d *doer) tellAgent(ctx context.Context, do command, r row, words string) (string, error) {
	t, err := d.stores.Tell(ctx, message.New{Agent: r.agent, Text: words, AtOnce: do == doInterrupt}, r.repo, d.asker)
	switch {
	case err != nil:
		return "", err
	case t.Run == "":
		return fmt.Sprintf("kept for %s, which agit work does not run now", t.Agent), nil
	}
	return fmt.Sprintf("told %s", t.Agent), nil
}

// landed returns what a landing did, in words.
func landed(name string, m land.Merged) string {
	said := fmt.Sprintf("%s is landed", name)
	if m.Into != "" {
		said = fmt.Sprintf("%s is in %s", name, m.Into)
	}
	if m.TaskOpen != "" {
		said += "; " + m.TaskOpen
	}
	if m.Left != "" {
		said += "; its worktree stays: " + m.Left
	}
	if len(m.Kept) > 0 {
		said += "; its worktree stays, because it holds more"
	}
	return said
}

// shell runs the user's shell in a row's worktree.
func (d *doer) shell(s overview.State, r row) error {
	for _, w := range s.Worktrees {
		if w.Ref == r.worktree {
			env := append(d.environ[:len(d.environ):len(d.environ)], "AGIT_REPO="+w.Repo, "AGIT_WORKTREE="+w.Ref)
			return sibling.UserShell(w.Path, env)
		}
	}
	return fault.NotFound("worktree", r.worktree)
}
