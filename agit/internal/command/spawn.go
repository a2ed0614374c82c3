package command

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type spawnOptions struct {
	env *cli.Env
	spawn.Request
	PR   int64
	Exec []string

	start execFlag // what Exec is made of
	byPR  bool     // --pr was given
}

func newSpawn(env *cli.Env, run cli.Func[spawnOptions]) *cobra.Command {
	o := &spawnOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "spawn [REPO] [flags] [--exec COMMAND | --exec -- COMMAND [ARG...]]",
		Args:       cobra.ArbitraryArgs,
		SuggestFor: []string{"worktree", "new", "create", "start"},
		Short:      "Make a worktree for an agent",
		Long: `Make a git worktree on a new branch from the default branch, for one agent and
one task. A task's id, the key of a ticket, or the name of an open task links the
task and claims it for --agent; the same call again returns the same worktree.
Other text makes a task of that name where an agent is named, else none.
Git-ignored files that work needs are copied as .worktreeinclude says, then the
post_spawn hooks run in the new worktree; if any step fails, nothing is left
behind.

--branch names the new branch. An existing branch that no worktree has checked out is
continued, also a remote's (origin/copilot/fix). --pr fetches an open pull request
with the forge's own program (gh, glab or az) and continues its branch; agit pr then
pushes there, unless the branch is a fork's.

--exec starts a command there, with AGIT_REPO, AGIT_WORKTREE, AGIT_TASK,
AGIT_AGENT and AGIT_PORT set; its exit status becomes agit's. It is one argument,
split into words at spaces outside quotes, or all that stands behind "--exec --".
No shell reads it: for pipes and variables give "--exec -- sh -c '...'".`,
		Example: `agit spawn app --task "fix the login" --agent builder-1
agit spawn app --task t-06q8v1k2m4 --agent builder-1 --json --jq .path
agit spawn app --pr 12 --agent builder-1
agit spawn app --agent claude --exec claude
agit spawn app --agent claude --exec -- claude --model opus "fix the login"`,
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Task, "task", "", "a task's id, a ticket's key, or a `text` that a new task is named for")
	f.StringVar(&o.Branch, "branch", "", "`name` of a new or existing branch; made from the task by default")
	f.Int64Var(&o.PR, "pr", 0, "continue the branch of the pull request with this `number`")
	cmd.MarkFlagsMutuallyExclusive("pr", "branch")
	agentFlag(cmd, env, &o.Agent, "`agent` that works there (default AGIT_AGENT)")
	o.start.flags = f
	f.Var(&o.start, "exec", "start this `command` in the new worktree")
	cmd.ValidArgsFunction = repoNames(env)
	cli.CompleteFlag(cmd, "task", cli.Complete(env, listTaskIDs("claim")))
	return cmd
}

func (o *spawnOptions) take(g cli.Given) (err error) {
	if g.Args, o.Exec, err = o.start.command(g); err != nil {
		return err
	}
	o.Repo = g.Arg(0)
	o.byPR = g.Changed("pr")
	return g.Check(g.Args, "[REPO]")
}

func runSpawn(ctx context.Context, o *spawnOptions) error {
	if len(o.Exec) > 0 { // checked before anything is made; a path is looked up in the new worktree
		if _, err := exec.LookPath(o.Exec[0]); err != nil && (filepath.IsAbs(o.Exec[0]) || !strings.ContainsRune(o.Exec[0], filepath.Separator)) {
			return fault.Validation("exec", "the command %q was not found; nothing was made", o.Exec[0]).WithHint("check its name, or give its whole path")
		}
	}
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return inQuotes(err, fmt.Sprintf("agit spawn --task %q", o.Task+" "+o.Repo), o.Repo, o.Task)
	}
	o.Agent = agentOf(o.env, o.Agent)
	w, err := spawned(ctx, o, s, r)
	if err != nil {
		return err
	}
	if w.Made != "" {
		o.env.Streams.Notice("made task %s for it: %s", w.Made, text.FirstLine(w.Task, 60))
	}
	if o.Task != "" && w.TaskID == "" {
		o.env.Streams.Notice("no task was made, since no agent is named that would hold it; --agent names one")
	}
	if w.Note != "" {
		o.env.Streams.Notice("%s", w.Note)
	}
	if o.Task == "" && o.Agent == "" && o.PR == 0 {
		o.env.Streams.Notice("worktree %s is for no task and no agent; --task and --agent name them", w.Ref)
	}
	if len(o.Exec) > 0 {
		o.env.Streams.Notice("worktree %s on branch %s at %s", w.Ref, w.Branch, w.Path)
		return start(ctx, o, w)
	}
	return o.env.Printer().Document(ctx, w, func(st *term.Streams) error {
		if err := st.Line(w.Ref, w.Branch, w.Path); err != nil {
			return err
		}
		st.Notice("next: work in it, commit there, then `agit merge %s %s`", text.ShellWord(w.Repo), w.Ref)
		return nil
	})
}

// spawned makes the worktree, of a pull request where one is named.
func spawned(ctx context.Context, o *spawnOptions, s *stores.Stores, r repo.Repo) (worktree.Worktree, error) {
	request := o.Request
	request.Repo = r.UID
	if o.byPR {
		progress := o.env.Streams.Progress("fetching pull request " + strconv.FormatInt(o.PR, 10))
		defer progress.Done()
		return s.Forges.Spawn(ctx, s.Spawns, request, o.PR, func(text string) { o.env.Streams.Notice("%s", text) })
	}
	progress := o.env.Streams.Progress("making a worktree of " + r.Name)
	defer progress.Done()
	return s.Spawns.Spawn(ctx, request)
}

// start runs a command in the worktree with the streams of this one. The agent
// is a program a person talks to, so that an interrupt is its own to handle.
func start(ctx context.Context, o *spawnOptions, w worktree.Worktree) error {
	cmd := exec.Command(o.Exec[0], o.Exec[1:]...)
	cmd.Dir = w.Path
	cmd.Env = w.Environment()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.env.Streams.In, o.env.Streams.Out, o.env.Streams.Err
	err := cmd.Run()
	if status := (*exec.ExitError)(nil); errors.As(err, &status) {
		code := status.ExitCode()
		if code < 0 {
			code = fault.ExitFailure
		}
		o.env.Streams.Notice("%s ended with status %s; its worktree %s stays", o.Exec[0], strconv.Itoa(code), w.Ref)
		return cli.ExitStatus(code)
	}
	if err != nil {
		return fault.Operation(err, "start %q in worktree %s", o.Exec[0], w.Ref).WithHint("the worktree is ready at %q; check the command's name", w.Path)
	}
	return ctx.Err()
}

// execFlag is a command to start: as one argument, split into words without a
// shell, or as all arguments behind "--exec --". In the second form "--" is the
// flag's value, and what follows it is no longer looked at for flags.
type execFlag struct {
	flags *pflag.FlagSet
	given bool
	words []string
	from  int // arguments from this one on are the command; for "--exec --" only
}

const execHint = "agit spawn REPO --exec 'COMMAND ARG', or: agit spawn REPO --exec -- COMMAND ARG"

func (e *execFlag) Type() string   { return "command" }
func (e *execFlag) String() string { return "" }

// Set only stores the value; command checks it, with errors of its own.
func (e *execFlag) Set(value string) error {
	e.given, e.words = true, []string{value}
	if value == "--" {
		e.words, e.from = nil, e.flags.NArg()
		e.flags.SetInterspersed(false)
	}
	return nil
}

// command takes the command out of the arguments. It is nil where none was given.
func (e *execFlag) command(g cli.Given) (rest, words []string, err error) {
	args := g.Args
	switch {
	case !e.given:
		return args, nil, nil
	case e.words == nil:
		rest, words = args[:e.from], args[e.from:]
	default:
		if strings.HasPrefix(e.words[0], "-") {
			return nil, nil, fault.Validation("exec", "--exec is followed by %q, and not by a command", e.words[0]).WithHint(execHint)
		}
		if _, _, dash := g.AtDash(); dash {
			return nil, nil, fault.Validation("exec", "a command is given both with --exec and after --").WithHint(execHint)
		}
		rest = args
		if words, err = splitWords(e.words[0]); err != nil {
			return nil, nil, err
		}
	}
	if len(words) == 0 || words[0] == "" {
		return nil, nil, fault.Validation("exec", "--exec has no command").WithHint(execHint)
	}
	return rest, words, nil
}

// splitWords splits a line as a shell does, and refuses what only a shell can do.
func splitWords(line string) ([]string, error) {
	p := &shellwords.Parser{}
	words, err := p.Parse(line)
	if err != nil {
		return nil, fault.Validation("exec", "--exec %q cannot be split into words: a quote or bracket is not closed, or stands alone", line).
			WithHint("`--exec -- COMMAND ARG` takes arguments as they are")
	}
	if p.Position >= 0 {
		return nil, fault.Validation("exec", "--exec %q needs a shell, for one of ; & | < >, and none reads it", line).
			WithHint("`--exec -- sh -c 'COMMANDS'` starts one; put the sign in quotes when it is part of a word")
	}
	return words, nil
}
