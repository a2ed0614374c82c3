package command

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/unattended"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

type workOptions struct {
	env      *cli.Env
	Repo     string
	Command  []string
	Agent    string
	Workers  int
	Client   string
	ACP      bool
	Limit    string
	Idle     string
	Pause    string
	Tasks    int
	Empty    bool
	Attempts int
	Leave    bool
	Land     string
	Pass     []string
	Sandbox  string
	Budget   []string
	Tries    int
	Able     []string
	Priority string
}

func newWork(env *cli.Env, run cli.Func[workOptions]) *cobra.Command {
	o := &workOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "work [REPO] --agent NAME [flags] [-- COMMAND [ARG...]]",
		Args:       cobra.ArbitraryArgs,
		SuggestFor: []string{"worker", "run", "loop", "unattended"},
		Short:      "Work through the ready tasks with an agent's client, without a person",
		Long: `Begin the next ready task, run an agent's client on it in its worktree, judge the
result, finish the task, and go on. The client gets the brief on its standard input
(or where its arguments say {brief}, a file, or {prompt}, the text). --client knows
clients by name: each is driven over the Agent Client Protocol where its program for
that is installed, else by its headless command line. Arguments behind -- are added to
the headless command line, and make agit use it. Without --client they are the whole
command; --acp says that this program speaks the protocol.

An exit status of 0 proves nothing: the work has to be committed on the worktree's
branch (what is left over is committed, unless --no-commit) and the client's last event
has to be one of success. Then the gate judges and the work lands or waits for review,
as configured. Work that conflicts, or that the gate refuses, is handed back to the
client once. What fails is given back to the queue, and reported as failed after
--attempts, with the reason and the last lines. Output goes to a log without secrets:
agit logs WORKTREE -f.

The first Ctrl-C lets running tasks end and begins no more. The second, and SIGTERM,
stop all that the clients started and leave worktree and claim, so that the next start
goes on there, also after kill -9. One worker has one name: N lines of a script, or
--workers N, which numbers the name (ann-1, ann-2, or where it says %i).`,
		Example: `agit work --agent ann --client claude --limit 45m --idle 10m
agit work app --agent ann --until-empty -- ./agent.sh
agit work app --agent ann --acp -- my-agent --acp
agit work app --agent ann --workers 5 --client codex -- --model gpt-5-codex
agit work app --agent ann --client claude --budget 20usd/day,"2M tokens/task"
agit work app --agent ann --tasks 1 -- aider --yes-always --message-file {brief}`,
	}, o, o.take, run)
	f := cmd.Flags()
	agentFlag(cmd, env, &o.Agent, "the worker's `name` as an agent (default AGIT_AGENT)")
	f.IntVar(&o.Workers, "workers", 1, "run `n` workers, each an agent with a numbered name")
	f.StringVar(&o.Client, "client", "", "`client` to run, or several with commas: "+strings.Join(worker.Clients(), ", ")+" (default: work.client)")
	f.BoolVar(&o.ACP, "acp", false, "speak the Agent Client Protocol with the program, and never run a client by its command line")
	f.StringVar(&o.Limit, "limit", "", "`time` that a client may take for a task (default: work.limit)")
	f.StringVar(&o.Idle, "idle", "", "longest `time` without output and without a changed file (default: work.idle)")
	f.StringVar(&o.Pause, "pause", "", "`time` to wait after failures in a row, doubled each time (default 30s)")
	f.IntVar(&o.Tasks, "tasks", 0, "end after `n` tasks, whatever came of them")
	f.BoolVar(&o.Empty, "until-empty", false, "end when nothing is ready and no one works on what could make something ready")
	f.IntVar(&o.Attempts, "attempts", 0, "report a task as failed after `n` attempts (default: work.attempts)")
	f.BoolVar(&o.Leave, "no-commit", false, "count uncommitted changes as a failure instead of committing them")
	f.StringVar(&o.Land, "land", "", "`mode` of finished work: never, review, gate or pr (default: the configuration's)")
	f.StringSliceVar(&o.Pass, "env", nil, "`names` of variables that the client gets too; one may end with *")
	f.StringArrayVar(&o.Budget, "budget", nil, "the most that may be used, as `20usd/day`, 2M tokens/task, or several with commas (default: work.budget)")
	f.IntVar(&o.Tries, "tries", 0, "try each task `n` times, each in a worktree of its own, for a person to choose (agit race)")
	f.StringVar(&o.Sandbox, "sandbox", "", "`wall` around the client and all it starts: bwrap, sandbox-exec, docker:IMAGE, none (default: work.sandbox)")
	f.StringSliceVar(&o.Able, "capabilities", nil, "what the agent can do, separated by commas (default: what it registered)")
	f.StringVar(&o.Priority, "priority", "", "the least `priority`: low, medium, high or critical")
	cli.CompleteFlag(cmd, "client", cli.Words(worker.Clients()...))
	cli.CompleteFlag(cmd, "land", cli.Words(assignment.LandModes...))
	cli.Exits(cmd, fault.ExitConflict, "another worker of this machine has the agent's name")
	cli.Exits(cmd, fault.ExitFailure, "a task failed, or could not be begun again and again")
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func (o *workOptions) take(g cli.Given) error {
	g.Args, o.Command, _ = g.AtDash()
	o.Repo, o.env.Readers = g.Arg(0), 2 // one listens for new tasks
	return g.Check(g.Args, "[REPO]")
}

func runWork(ctx context.Context, o *workOptions) error {
	options, err := o.options(ctx)
	if err != nil {
		return err
	}
	return o.work(ctx, options)
}

// work lets a crew work, and shows what it does.
func (o *workOptions) work(ctx context.Context, options unattended.Options) error {
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	if options.Repo, err = repoNamed(ctx, o.env, s.DB, o.Repo); err != nil {
		return err
	}
	if o.Sandbox != "" {
		s.Wall.Settings.Sandbox = []string{o.Sandbox}
	}
	if options.Wall, err = s.Wall.Get(ctx); err != nil {
		return err
	}
	stop := cli.TwoStages(ctx)
	screen := newWorkScreen(o.env, options.Repo.Name, stop)
	crew := s.Work.Crew(options, stop, screen.tell)
	screen.follow(crew)
	tally, err := crew.Run(ctx)
	screen.done()
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if printed := screen.print(ctx, tally); err == nil {
		err = printed
	}
	return exitWhen(err, tally.Failed > 0, fault.ExitFailure)
}

// options reads the flags, and the configuration where they say nothing.
func (o *workOptions) options(ctx context.Context) (u unattended.Options, err error) {
	cfg, err := o.env.Config(ctx)
	if err != nil {
		return u, err
	}
	o.Agent = agentOf(o.env, o.Agent)
	if u.Agents, err = workerNames(o.Agent, o.Workers); err != nil {
		return u, err
	}
	if err := o.clients(cfg.Work.Client, &u); err != nil {
		return u, err
	}
	u.Limit, u.Idle, u.Attempts = cfg.Work.Limit, cfg.Work.Idle, cmp.Or(o.Attempts, cfg.Work.Attempts)
	for _, d := range []struct {
		flag, given string
		into        *time.Duration
	}{{"limit", o.Limit, &u.Limit}, {"idle", o.Idle, &u.Idle}, {"pause", o.Pause, &u.Pause}} {
		if d.given == "" {
			continue
		}
		if *d.into, err = work.ParseDuration(d.flag, d.given); err != nil {
			return u, err
		}
	}
	if o.Attempts < 0 || o.Tasks < 0 {
		return u, fault.Validation("attempts", "--attempts and --tasks must not be negative")
	}
	if err := assignment.CheckLand(o.Land); err != nil {
		return u, err
	}
	if o.Priority != "" {
		if u.MinPriority, err = work.ParsePriority(o.Priority); err != nil {
			return u, err
		}
	}
	budgets := cfg.Work.Budget
	if o.Budget != nil {
		budgets = slices.DeleteFunc(o.Budget, func(s string) bool { return s == "" })
	} else if err := checkSetting("work.budget", budgets...); err != nil {
		return u, err
	}
	if u.Budgets, err = budget.Parse(budgets); err != nil {
		return u, err
	}
	u.Rules = unattended.Rules{Allow: cfg.Work.Allow, Ask: cfg.Work.Ask, Deny: cfg.Work.Deny, AskFor: cfg.Work.AskFor}
	if err := cmp.Or(checkSetting("work.allow", u.Rules.Allow...), checkSetting("work.ask", u.Rules.Ask...), checkSetting("work.deny", u.Rules.Deny...)); err != nil {
		return u, err
	}
	u.Pass, u.Capabilities = slices.Concat(cfg.Work.Env, o.Pass), o.Able
	u.Asker, u.Version = asker(o.env), cli.Version
	u.Tasks, u.UntilEmpty, u.Leave, u.Land = o.Tasks, o.Empty, o.Leave, o.Land
	u.Tries, err = triesOf(u.Clients, o.Tries)
	return u, err
}

// mostTries of one task: what a person compares.
const mostTries = 16

// triesOf are the clients of n tries, in turns; none when there is one try.
func triesOf(clients []worker.Client, n int) (list []worker.Client, err error) {
	if n < 0 || n > mostTries {
		return nil, fault.Validation("tries", "%d is not a number of tries", n).WithHint("give one from 2 to %d", mostTries)
	}
	for i := range n {
		list = append(list, clients[i%len(clients)])
	}
	if len(list) < 2 {
		return nil, nil
	}
	return list, nil
}

// clients finds the programs to run: those of --client, else the command, else the configured ones.
func (o *workOptions) clients(configured string, u *unattended.Options) error {
	names := o.Client
	if names == "" && len(o.Command) == 0 {
		names = configured
		if err := checkSetting("work.client", names); err != nil {
			return err
		}
	}
	way := worker.Best
	switch {
	case o.ACP:
		way = worker.ByACP
	case len(o.Command) > 0: // arguments are of the headless command line
		way = worker.ByCommand
	}
	if names == "" {
		if len(o.Command) == 0 || o.Command[0] == "" {
			return fault.Validation("command", "no client is named, and no command after --").
				WithHint("give --client claude, or the command: agit work --agent %s -- COMMAND", cmp.Or(o.Agent, "NAME"))
		}
		c := worker.Plain(o.Command)
		if o.ACP {
			c = worker.PlainACP(o.Command)
		}
		c, err := c.At(o.env.Dir, way, nil)
		u.Clients = []worker.Client{c}
		return err
	}
	for name := range strings.SplitSeq(names, ",") {
		c, err := worker.Find(strings.TrimSpace(name))
		if err == nil {
			c, err = c.At(o.env.Dir, way, nil)
		}
		if err != nil {
			return err
		}
		u.Clients = append(u.Clients, c)
	}
	u.More = o.Command
	return nil
}

// mostWorkers of one process: what people run by hand on a machine.
const mostWorkers = 64

// workerNames are the names of n workers.
func workerNames(name string, n int) (names []string, err error) {
	switch {
	case name == "":
		return nil, fault.Validation("agent", "no agent is named to work as").WithHint("give --agent NAME, or set AGIT_AGENT")
	case n < 1 || n > mostWorkers:
		return nil, fault.Validation("workers", "%d is not a number of workers", n).WithHint("give one from 1 to %d", mostWorkers)
	}
	if n == 1 && !strings.Contains(name, "%i") {
		_, err := text.Name("agent", name)
		return []string{name}, err
	}
	if !strings.Contains(name, "%i") {
		name += "-%i"
	}
	for i := range n {
		one := strings.ReplaceAll(name, "%i", strconv.Itoa(i+1))
		if _, err := text.Name("agent", one); err != nil {
			return nil, err
		}
		names = append(names, one)
	}
	return names, nil
}

// tallied returns in words what a crew did.
func tallied(t unattended.Tally) string {
	return cmp.Or(joined(part{t.Landed, "landed"}, part{t.Proposed, "proposed"}, part{t.InReview, "left for review"}, part{t.Kept, "kept"},
		part{t.Released, "given back"}, part{t.Failed, "failed"}, part{t.Stopped, "stopped"}), "nothing was begun")
}
