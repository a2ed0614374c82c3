package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/tries"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type reviewOptions struct {
	env      *cli.Env
	Worktree string
	Repo     string
	All      bool
	Accept   bool
	Return   string
	Message  string
	Since    string

	returns bool // --return was given
}

func newReview(env *cli.Env, run cli.Func[reviewOptions]) *cobra.Command {
	o := &reviewOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "review [WORKTREE]",
		Short: "Show what waits, landed and stopped; accept or return it",
		Long: `Without WORKTREE, show how work stands: what waits for review (how much it changes,
what the gate said, what would conflict by now, since when, whose), what landed
lately, and what stopped and why: tasks that failed or were given back, work that was
refused when it was to land.

--accept lands a worktree's work, after the gate has judged it merged with the default
branch as that is now. --return hands it back: worktree and task stay the agent's, and
its next brief begins with your words. The same call again is not an error.`,
		Example: "agit review\nagit review w-06q8v1k2m4 --accept\nagit review w-06q8v1k2m4 --return \"the retry needs a test\"",
	}, o, o.take, run)
	f := cmd.Flags()
	repoFlag(cmd, env, &o.Repo, "only this `repository` (default: the folder's; outside of one, all)")
	f.BoolVar(&o.Accept, "accept", false, "land it")
	f.StringVar(&o.Return, "return", "", "give it back with `why`")
	f.StringVarP(&o.Message, "message", "m", "", "`message` of the merge commit")
	f.StringVar(&o.Since, "since", "24h", "show what landed or stopped since this `time`: a date, or how long ago")
	f.BoolVar(&o.All, "all", false, "every repository, even when the current folder is in one")
	cmd.MarkFlagsMutuallyExclusive("accept", "return")
	cli.Exits(cmd, fault.ExitConflict, "it would conflict, or something stands in the way; nothing was changed")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func (o *reviewOptions) take(g cli.Given) error {
	o.Worktree, o.returns = g.Arg(0), g.Changed("return")
	return nil
}

func runReview(ctx context.Context, o *reviewOptions) error {
	s, err := openTo(ctx, o.env, !o.Accept && !o.returns)
	if err != nil {
		return err
	}
	if o.Worktree == "" {
		if o.Accept || o.returns {
			return fault.Validation("worktree", "no worktree was named to decide on").WithHint("`agit review` lists what waits")
		}
		return outcome(ctx, o, s)
	}
	d := review.Decision{Repo: o.Repo, Worktree: o.Worktree, By: o.env.Getenv("AGIT_AGENT"), Asker: asker(o.env), Why: o.Return, Message: o.Message}
	switch {
	case o.Accept:
		progress := o.env.Streams.Progress("landing " + d.Worktree)
		d.Waiting, d.Running = landingProgress(progress, d.Worktree)
		v, merged, err := s.Reviews.Accept(ctx, d)
		progress.Done()
		if err != nil {
			return err
		}
		if merged.TaskOpen != "" {
			o.env.Streams.Warn("%s", merged.TaskOpen)
		}
		for _, k := range merged.Kept {
			o.env.Streams.Warn("the worktree was kept: %s", k.Text)
		}
		return o.env.Printer().Document(ctx, v, func(t *term.Streams) error {
			state := string(v.State)
			if merged.Into != "" {
				state += ", merged into " + merged.Into
			}
			if err := t.Line(v.Worktree, state, v.TaskID, changed(v.Files, v.Insertions, v.Deletions), shortCommit(merged.Commit)); err != nil {
				return err
			}
			for _, d := range v.Discarded {
				if d.Kept != "" {
					t.Warn("the other try %s was kept: %s", d.Worktree, d.Kept)
				} else {
					t.Notice("the other try %s is in the trash: `agit undo %s` brings it back", d.Worktree, d.Worktree)
				}
			}
			tellRemains(t, merged)
			return nil
		})
	case o.returns:
		v, err := s.Reviews.Return(ctx, d, s.Config.Agent.StaleAfter)
		return printChange(ctx, o.env, v, err, v.Worktree, string(v.State), v.TaskID, v.Agent)
	}
	v, err := s.Reviews.Get(ctx, o.Repo, o.Worktree)
	return printDocument(ctx, o.env, v, err, func(t *term.Streams) error {
		tellConcerns(t, v)
		return t.Line(v.Worktree, string(v.State), v.TaskID, v.Agent, changed(v.Files, v.Insertions, v.Deletions), shortCommit(v.Tip))
	})
}

// tellConcerns warns of work that did not land by itself for a reason beside it, of work that was amended, and of work that changes what judges
// the landings after it.
func tellConcerns(t *term.Streams, v review.Review) {
	if v.State == review.Waiting && v.Doubt != "" {
		t.Warn("the work in worktree %q waits for a person: %s", v.Worktree, v.Doubt)
	}
	if v.Amended {
		t.Warn("the work in worktree %q was amended since it was shown for review: `agit finish %s` shows what it has now", v.Worktree, v.Worktree)
	}
	if len(v.Settings) > 0 {
		t.Warn("the work in worktree %q changes the project's settings: %s", v.Worktree, text.Few(v.Settings))
	}
}

// outcome prints how work stands.
func outcome(ctx context.Context, o *reviewOptions, s *stores.Stores) error {
	name := o.Repo
	if name == "" && !o.All {
		r, err := repoNamed(ctx, o.env, s.DB, "")
		if err != nil && !fault.Is(err, fault.KindValidation) {
			return err
		}
		name = r.UID
	}
	now := time.Now()
	since, err := cli.Since(o.Since, now)
	if err != nil {
		return err
	}
	out, err := s.Reviews.Outcome(ctx, name, now.Sub(since))
	if err != nil {
		return err
	}
	if out.Problem != "" {
		o.env.Streams.Warn("conflicts were not looked for: %s", out.Problem)
	}
	if o.env.Printer().Format() != output.Table {
		return output.ListDocument(ctx, o.env.Printer(), out, out.Waiting, []output.Column[review.Review]{})
	}
	called, err := shownNames(ctx, o.env, s, name)
	if err != nil {
		return err
	}
	parts := []section{waitingSection(out, called, now)}
	for _, g := range out.Tries {
		parts = append(parts, triesSection(g, called))
	}
	for _, part := range append(parts, landedSection(out, now), stoppedSection(out)) {
		if part.table.Len() == 0 {
			continue
		}
		if err := o.env.Streams.Text(fmt.Sprintf("%s: %s\n", part.title, part.count)); err != nil {
			return err
		}
		if err := part.table.WriteTo(o.env.Streams); err != nil {
			return err
		}
		if err := o.env.Streams.Text("\n"); err != nil {
			return err
		}
	}
	for _, v := range out.Waiting {
		tellConcerns(o.env.Streams, v)
	}
	if len(out.Waiting) == 0 {
		o.env.Streams.Notice("nothing waits for review")
		return nil
	}
	if out.Waiting[0].Machine != "" { // those of this one come first
		o.env.Streams.Notice("what waits is decided on where it is: on %q", out.Waiting[0].Machine)
		return nil
	}
	r, err := s.Worktrees.Repo(ctx, out.Waiting[0].Repo)
	if err != nil {
		return err
	}
	set, err := s.Worktrees.SettingsNow(ctx, r)
	if err != nil && ctx.Err() != nil {
		return err
	}
	first := text.ShellWord(called(out.Waiting[0].Worktree))
	o.env.Streams.Notice("next: `agit diff %s`, then %s", first, decide(out.Waiting[0], first, set.Land))
	return nil
}

// decide returns how a person decides on waiting work, by the name of its worktree and the setting of how work lands.
func decide(v review.Review, name, landing string) string {
	switch {
	case v.Amended:
		return fmt.Sprintf("`agit finish %s` shows what it has now; or `agit review %s --return \"why\"`", name, name)
	case landing == worktree.LandPR && v.Pull != "":
		return fmt.Sprintf("merge its pull request at the forge, or `agit review %s --return \"why\"`", name)
	case landing == worktree.LandPR:
		return fmt.Sprintf("`agit finish %s` proposes it, with --land gate lands it here; or `agit review %s --return \"why\"`", name, name)
	}
	return fmt.Sprintf("`agit review %s --accept`, or --return \"why\"", name)
}

func waitingSection(o review.Outcome, called func(id string) string, now time.Time) section {
	heads := []term.Column{{Title: "WORKTREE", Short: true}, {Title: "AGENT", Short: true}, {Title: "CHANGES", Right: true},
		{Title: "GATE", Style: gateStyles.Of}, {Title: "CONFLICTS", Style: alarming}, {Title: "SINCE"}, {Title: "COST", Right: true}, {Title: "TASK", Flex: true}}
	machines := slices.ContainsFunc(o.Waiting, func(v review.Review) bool { return v.Machine != "" })
	if machines {
		heads = append(heads, term.Column{Title: "MACHINE"})
	}
	pulls := slices.ContainsFunc(o.Waiting, func(v review.Review) bool { return v.Pull != "" })
	if pulls {
		heads = append(heads, term.Column{Title: "WAITS FOR", Flex: true, Below: true})
	}
	t := term.NewTable(heads...)
	for _, v := range o.Waiting {
		conflicts := ""
		if n := len(v.Conflicts); n > 0 {
			conflicts = text.Count(n, "file", "files")
		}
		cells := []string{called(v.Worktree), v.Agent, fmt.Sprintf("%d +%d -%d", v.Files, v.Insertions, v.Deletions), v.Gate, conflicts, term.Ago(v.AskedAt.Time, now), v.Cost.Words(), named(v.TaskID, v.Task)}
		if machines {
			cells = append(cells, cmp.Or(v.Machine, "this one"))
		}
		if pulls {
			cells = append(cells, cmp.Or(v.Pull, "a person"))
		}
		t.Add(cells...)
	}
	return section{"Waiting for review", fmt.Sprint(len(o.Waiting)), t}
}

func landedSection(o review.Outcome, now time.Time) section {
	t := term.NewTable(term.Column{Title: "COMMIT"}, term.Column{Title: "AGENT", Short: true}, term.Column{Title: "LANDED"}, term.Column{Title: "COST", Right: true}, term.Column{Title: "TASK", Flex: true})
	for i, l := range o.Landed {
		if i == landedLines {
			t.Add("", "", "", "", fmt.Sprintf("and %d more; --json has all", len(o.Landed)-i))
			break
		}
		t.Add(shortCommit(l.Commit), l.Agent, term.Ago(l.At.Time, now), l.Cost.Words(), named(l.TaskID, l.Task))
	}
	return section{"Landed", fmt.Sprint(len(o.Landed)), t}
}

func stoppedSection(o review.Outcome) section {
	t := term.NewTable(term.Column{Title: "WHAT", Style: alarming}, term.Column{Title: "AGENT", Short: true}, term.Column{Title: "TASK", Flex: true, Below: true}, term.Column{Title: "WHY", Flex: true})
	for i, s := range o.Stopped {
		if i == landedLines {
			t.Add("", "", "", fmt.Sprintf("and %d more; --json has all", len(o.Stopped)-i))
			break
		}
		t.Add(s.What, s.Agent, named(s.TaskID, s.Task), text.InRow(s.Why, 200))
	}
	return section{"Stopped", fmt.Sprint(len(o.Stopped)), t}
}

// landedLines bounds the list of landed work, so that waiting work stays on one screen with it.
const landedLines = 10

func named(id, name string) string { return strings.TrimSpace(id + " " + text.FirstLine(name, 120)) }

var gateStyles = term.Styles{land.GatePassed: term.Green, land.GateFailed: term.Red}

func alarming(string) term.Style { return term.Red }

// triesSection shows the tries of one task side by side.
func triesSection(g tries.Group, called func(id string) string) section {
	t := term.NewTable(term.Column{Title: "TRY"}, term.Column{Title: "WORKTREE", Short: true}, term.Column{Title: "CLIENT", Short: true}, term.Column{Title: "GATE", Style: gateStyles.Of},
		term.Column{Title: "CHANGES", Right: true}, term.Column{Title: "TIME", Right: true}, term.Column{Title: "COST", Right: true}, term.Column{Title: "SHARES"}, term.Column{Title: "STATE", Flex: true})
	for _, r := range g.Tries {
		state := string(r.State)
		if r.State == tries.Failed || r.State == tries.Returned {
			state += ": " + text.InRow(r.Why, 200)
		}
		worktree := ""
		if r.Worktree != "" {
			worktree = called(r.Worktree)
		}
		t.Add(fmt.Sprint(r.Number), worktree, r.Client, r.Gate, fmt.Sprintf("%d +%d -%d", r.Files, r.Insertions, r.Deletions), (time.Duration(r.Seconds) * time.Second).String(), costOf(r), sharesOf(r), state)
	}
	return section{"Tries of " + named(g.TaskID, g.Task), fmt.Sprint(len(g.Tries)), t}
}

// costOf is what a try cost, else its tokens, as far as the client reports them.
func costOf(r tries.Row) string {
	switch {
	case r.Currency != "":
		return fmt.Sprintf("%.2f %s", float64(r.Micros)/1e6, r.Currency)
	case r.Tokens > 0:
		return fmt.Sprintf("%d tokens", r.Tokens)
	}
	return ""
}

// sharesOf returns what a try has in common with others: "3: 2 (1 same)" is two files that the third changes too, one of them to the same.
func sharesOf(r tries.Row) string {
	parts := make([]string, len(r.Shares))
	for i, s := range r.Shares {
		if parts[i] = fmt.Sprintf("%d: %d", s.With, s.Files); s.Same > 0 {
			parts[i] += fmt.Sprintf(" (%d same)", s.Same)
		}
	}
	return strings.Join(parts, ", ")
}
