package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// checkHookTime is what an edit may wait for its hook.
const checkHookTime = 3 * time.Second

// checkHook warns an agent of others at the files that it edits. It never fails: errors are printed on standard error, except for a folder
// that is not agit's, since most are not.
func checkHook(ctx context.Context, o *checkOptions) error {
	o.env.Streams.Quiet = true
	err := clienthook.Within(ctx, checkHookTime, func(ctx context.Context) error {
		event := clienthook.Listen(ctx, o.env.Streams, o.env.Dir, checkHookTime/2)
		told, err := o.others(ctx, event.Files(), event.SessionID)
		if err != nil || told == "" {
			return err
		}
		answer, err := event.Answer("PreToolUse", told)
		if err == nil {
			_, err = o.env.Streams.Out.Write(answer)
		}
		return err
	})
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		o.env.Streams.Quiet = false
		o.env.Streams.Notice("agit check: %v", err)
	}
	return nil
}

// others names the others who are at any of the files; "" when the agent is alone.
func (o *checkOptions) others(ctx context.Context, files []string, session string) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	s, err := open(ctx, o.env)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, file := range files {
		found, err := o.look(ctx, s, file, session)
		if err != nil {
			return "", err
		}
		out.WriteString(sentences(found))
	}
	return out.String(), nil
}

func sentences(found *conflict.FileCheck) string {
	if found.Free {
		return ""
	}
	var out strings.Builder
	for _, t := range found.Touched {
		committed := "not committed yet"
		if t.Committed {
			committed = "committed on its branch"
		}
		fmt.Fprintf(&out, "%s is also changed (%s, %s) in worktree %s%s, branch %s.\n", found.File, t.Change, committed, t.ID, agentNote(t.Agent), t.Branch)
	}
	for _, c := range found.Claims {
		why := ""
		if c.Why != "" {
			why = ": " + c.Why
		}
		fmt.Fprintf(&out, "%s is announced by %s (%s)%s.\n", found.File, c.Agent, c.Pattern, why)
	}
	for _, u := range found.Uses {
		out.WriteString(u.Text + ".\n")
	}
	out.WriteString("Keep your change small or agree with them first; agit_check_conflicts shows the lines.\n")
	return term.EscapeText(out.String())
}

func agentNote(agent string) string {
	if agent == "" {
		return ""
	}
	return " of agent " + agent
}
