package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/agents/edits"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/term"
)

type checkOptions struct {
	env      *cli.Env
	File     string // absolute
	Agent    string
	ExitCode bool
	Hook     bool
}

func newCheck(env *cli.Env, run cli.Func[checkOptions]) *cobra.Command {
	o := &checkOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "check FILE [flags]",
		Short: "Show who else works on a file, fast enough for an editor hook",
		Long: `List the other worktrees that change FILE right now, uncommitted changes included,
and which agents announced it with claim-files. FILE may lie in the repository or
in any of its worktrees, and need not exist yet. Only that one file is looked at.
If the last scan found that another worktree removed or changed a definition that
FILE uses, that is reported too.

Sessions of agents' clients that edited FILE follow, the newest first: whoever
started them, committed or not.

--hook is for the hooks that agent clients run around an edit: the client's JSON
on standard input names the file, and the answer is JSON that tells the agent who
else is there. It prints nothing when the agent is alone, never fails, and gives
up after 3 seconds.`,
		Example: "agit check src/login.go\nagit check --exit-code \"$FILE\" || echo in use\necho '{\"tool_input\": {\"file_path\": \"src/login.go\"}}' | agit check --hook",
		Args: func(c *cobra.Command, args []string) error {
			if o.Hook {
				return nil
			}
			return cli.Args("FILE")(c, args)
		},
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Agent, "agent", "", "`agent` that asks; what it announced itself is left out (default AGIT_AGENT, else the worktree's)")
	f.BoolVar(&o.ExitCode, "exit-code", false, "exit with 1 when another agent is at the file")
	f.BoolVar(&o.Hook, "hook", false, "answer an agent client's hook, whose JSON is on standard input")
	cmd.MarkFlagsMutuallyExclusive("hook", "exit-code")
	cli.ForHooks(cmd, "hook")
	cli.Exits(cmd, fault.ExitFailure, "with --exit-code, another agent is at the file; else the check failed")
	return cmd
}

func (o *checkOptions) take(g cli.Given) (err error) {
	if o.Hook {
		return nil // its client names the file
	}
	o.File, err = o.env.Path(g.Args[0])
	return err
}

func runCheck(ctx context.Context, o *checkOptions) error {
	if o.Hook {
		return checkHook(ctx, o)
	}
	s, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	found, err := o.look(ctx, s, o.File, "")
	if err != nil {
		return err
	}
	doc := checked{FileCheck: found}
	if doc.Sessions, err = editors(ctx, o.env, s, o.File, checkedSessions, editsWait); err != nil {
		o.env.Streams.Warn("sessions of clients are left out: %v", err)
	}
	called := func(id string) string { return id }
	if len(found.Touched) > 0 {
		if called, err = shownNames(ctx, o.env, s, found.Repo); err != nil {
			return err
		}
	}
	err = o.env.Printer().Document(ctx, doc, func(st *term.Streams) error {
		var rows [][]string
		for _, t := range found.Touched {
			committed := "uncommitted"
			if t.Committed {
				committed = "committed"
			}
			rows = append(rows, []string{found.File, string(t.Change), committed, t.By(), called(t.ID)})
		}
		for _, c := range found.Claims {
			rows = append(rows, []string{found.File, "announced", c.Pattern, c.Agent, c.Why})
		}
		for _, u := range found.Uses {
			rows = append(rows, []string{found.File, string(conflict.DepthUses), u.Text})
		}
		for _, e := range doc.Sessions {
			rows = append(rows, []string{found.File, "edited", state(e), e.Client, e.ID, e.At.Local().Format(time.DateTime), e.Title})
		}
		if err := st.Lines(rows...); err != nil {
			return err
		}
		if found.Free {
			note := ""
			if _, err := os.Lstat(o.File); errors.Is(err, fs.ErrNotExist) {
				note = " (no such file)"
			}
			st.Notice("no other agent is at %s%s", found.File, note)
		}
		return nil
	})
	return exitWhen(err, o.ExitCode && !found.Free, fault.ExitFailure)
}

// checked is who else is at a file, and which sessions of clients edited it, whoever started
// them: the caller's own may be among them, so they do not make the file another agent's.
type checked struct {
	*conflict.FileCheck
	Sessions []edits.Edit `json:"sessions,omitempty"`
}

const (
	checkedSessions = 5                      // how many sessions a check names
	editsWait       = 300 * time.Millisecond // and how long it waits for their index
)

// editors returns the newest sessions that edited a file.
func editors(ctx context.Context, env *cli.Env, s *stores.Stores, file string, n int, wait time.Duration) ([]edits.Edit, error) {
	r, _, path, err := place(ctx, s, file)
	if err != nil {
		return nil, err
	}
	f := edits.Finder{Kept: index.For(s.Config.Home(), env.UserHome, env.Getenv, s.Config.Sources.Off), Wait: wait}
	if wait == 0 {
		p := env.Streams.Progress("reading sessions of agents' clients")
		defer p.Done()
		f.Kept.Progress = func(done, all int64) { p.Say("reading sessions of agents' clients: %d of %d MB", done>>20, all>>20) }
	}
	return f.Of(ctx, r.Path, path, n)
}

// state is what happened to an edit.
func state(e edits.Edit) string {
	switch {
	case e.Uncommitted:
		return "uncommitted"
	case e.Commit != "":
		return "in " + e.Commit[:min(len(e.Commit), 9)]
	}
	return "not kept"
}

// look returns who else is at a file, for the agent or the client's session that asks.
func (o *checkOptions) look(ctx context.Context, s *stores.Stores, file, session string) (found *conflict.FileCheck, err error) {
	r, tree, path, err := place(ctx, s, file)
	if err != nil {
		return found, err
	}
	return s.Conflicts.CheckFile(ctx, r.ID, path, conflict.Caller{Worktree: tree, Agent: agentOf(o.env, o.Agent), Session: session})
}

// moduleIn returns where in a working tree the submodule lies that holds another one, at whatever depth.
func moduleIn(inner, tree *git.Repo) string {
	for above := inner.Superproject(); above != nil && above.WorkTree != tree.WorkTree; above = inner.Superproject() {
		inner = above
	}
	path, _ := filepath.Rel(tree.WorkTree, inner.WorkTree)
	return filepath.ToSlash(path)
}

// place finds the repository and worktree a file lies in, and its path there: of a file in a submodule, the submodule.
func place(ctx context.Context, s *stores.Stores, file string) (r repo.Repo, tree, path string, err error) {
	folder, real := existing(filepath.Dir(file))
	var g *git.Repo
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		r, g, err = repo.Around(tx, folder)
		return err
	})
	if err != nil {
		return r, "", "", err
	}
	if own, err := git.Find(folder); err == nil && own.WorkTree != g.WorkTree { // what changes there for others is the submodule's commit
		return r, g.WorkTree, moduleIn(own, g), nil
	}
	rest, err := filepath.Rel(folder, file)
	if err != nil {
		return r, "", "", fault.Operation(err, "look at %q", file)
	}
	path, err = filepath.Rel(g.WorkTree, filepath.Join(real, rest))
	if g.WorkTree == "" || err != nil || path == "." || path == ".." || strings.HasPrefix(path, ".."+string(filepath.Separator)) {
		return r, "", "", fault.Validation("file", "%q is not a file of a working tree", file).WithHint("name a file inside the repository or one of its worktrees")
	}
	return r, g.WorkTree, filepath.ToSlash(path), nil
}

// existing is the nearest folder that exists, and its path without links; a file may be
// checked before its folder is made.
func existing(folder string) (nearest, real string) {
	for {
		if real, err := filepath.EvalSymlinks(folder); err == nil || filepath.Dir(folder) == folder {
			return folder, real
		}
		folder = filepath.Dir(folder)
	}
}

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
	s, err := look(ctx, o.env)
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
