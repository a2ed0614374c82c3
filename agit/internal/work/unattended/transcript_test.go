package unattended

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// transcripts lets a crew work on tasks, and writes down what people and the clients see of it.
type transcripts struct {
	*worktreetest.Fixture
	*Store
	testing *testing.T
	options Options
	masks   *clitest.Masks
	scratch string // folder that clients write to beside their work
	on      func(Event)
	stop    context.CancelFunc

	mu     sync.Mutex
	events strings.Builder
}

func newTranscripts(t *testing.T, ids ...string) *transcripts {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	for _, id := range ids {
		_, err := tasks.Create(t.Context(), []task.New{{ID: id, Repo: "app", Text: "New file of " + id}})
		worktreetest.Must(t, err)
	}
	s := storeOf(f, tasks)
	scratch := gittest.TempDir(t)
	return &transcripts{Fixture: f, Store: s, testing: t, scratch: scratch, on: func(Event) {},
		masks:   clitest.NewMasks(t, f.Repo.Path, "<repo>", scratch, "<scratch>", s.Home, "<home>"),
		options: Options{Repo: f.Repo, Agents: []string{"ann"}, UntilEmpty: true, Attempts: 1, Land: worktree.LandGate, Pause: time.Nanosecond, Grace: time.Millisecond}}
}

// claude is a client with the events and the sessions of claude that runs a line of shell. In it $READ is the file to which its brief goes,
// and $2 the session that it resumes.
func (r *transcripts) claude(name, script string) worker.Client {
	c, err := worker.Find("claude")
	worktreetest.Must(r.T, err)
	c.Name, c.Asks, c.ACP = name, false, nil
	c.Command = []string{"/bin/sh", "-c", "READ=" + filepath.Join(r.scratch, "read") + "; cat >> $READ; " + script, "sh"}
	c.Words = 4
	return c
}

// hanging is a client that neither reads nor prints.
func (r *transcripts) hanging() worker.Client {
	c := r.claude("claude", "")
	c.Command = []string{"/bin/sh", "-c", "exec sleep 100", "sh"}
	return c
}

// run lets the crew work until nothing is ready.
func (r *transcripts) run(clients ...worker.Client) {
	r.T.Helper()
	ctx, stop := context.WithCancel(r.T.Context())
	defer stop()
	r.options.Clients, r.stop = clients, stop
	var crew *Crew
	crew = r.Crew(r.options, make(chan struct{}), func(e Event) {
		r.mu.Lock()
		fmt.Fprintf(&r.events, "%s %s %s %s %q: %s\n", e.Agent, e.What, e.TaskID, e.Worktree, e.Task, e.Why)
		for _, now := range crew.Now() {
			fmt.Fprintf(&r.events, "  %s %s %s %s %q\n", now.Agent, now.Doing, now.TaskID, now.Worktree, now.Task)
		}
		r.mu.Unlock()
		r.on(e)
	})
	tally, err := crew.Run(ctx)
	fmt.Fprintf(&r.events, "%+v, %v\n", tally, err)
	for _, now := range crew.Now() {
		if now.Doing != "stopped" {
			r.T.Errorf("at the end: %+v", now)
		}
	}
}

// bell is the path of a named pipe that clients and gates write a line to when they are where a test wants them.
func (r *transcripts) bell() string { return filepath.Join(r.scratch, "bell") }

// rings does something once the bell rings.
func (r *transcripts) rings(do func()) {
	r.T.Helper()
	if out, err := exec.Command("mkfifo", r.bell()).CombinedOutput(); err != nil {
		r.T.Skipf("%v %s", err, out)
	}
	go func() {
		if _, err := os.ReadFile(r.bell()); err == nil {
			do()
		}
	}()
}

// tell tells ann something.
func (r *transcripts) tell(text string, atOnce bool) {
	_, err := r.Messages.Tell(r.T.Context(), message.New{Agent: "ann", Text: text, AtOnce: atOnce})
	if err != nil {
		r.T.Error(err)
	}
}

// halt stops the crew once the last attempt's client is noted.
func (r *transcripts) halt() {
	for noted := false; !noted; {
		<-time.After(time.Millisecond)
		err := r.Fixture.DB.Read(r.T.Context(), func(tx *registry.Tx) (err error) {
			noted, err = registry.One[bool](tx.QueryRow(`SELECT child_pid <> 0 FROM attempts ORDER BY id DESC LIMIT 1`))
			return err
		})
		if err != nil {
			r.T.Error(err)
			return
		}
	}
	r.stop()
}

// takeAway puts the task back into the queue, as a person.
func (r *transcripts) takeAway() {
	if _, err := r.Tasks.Report(r.T.Context(), task.Report{ID: "T-1", Status: task.Pending, Caller: task.Caller{Force: true}, Why: "I do it"}); err != nil {
		r.T.Error(err)
	}
}

// answers lets a person answer what agents ask, by the command.
func (r *transcripts) answers(all map[string]question.Answer) {
	r.Asks = &question.Store{DB: r.Fixture.DB}
	r.on = func(e Event) {
		command, rest, ok := strings.Cut(strings.TrimPrefix(e.Why, "shell: "), "; `agit answer ")
		if !ok {
			return
		}
		id, _, _ := strings.Cut(rest, " ")
		if _, err := r.Asks.Answer(r.T.Context(), id, all[command]); err != nil {
			r.T.Error(err)
		}
	}
}

// killed makes the last attempt one whose process was killed while it did something.
func (r *transcripts) killed(why string) {
	r.Exec(`UPDATE attempts SET state = 'running', ending = '', ended_at = NULL, pid = 1, mark = 'before', why = ? WHERE id = (SELECT MAX(id) FROM attempts)`, why)
}

// killedLater is killed, at the next start and after it has looked for killed ones.
func (r *transcripts) killedLater(why string) {
	r.options.Budgets = budgets(r.testing, "9usd/day")
	r.on = func(e Event) {
		if strings.HasPrefix(e.Why, "budget: ") {
			r.killed(why)
		}
	}
}

// transcript returns the events, the attempts, the tasks, what the clients read, and the notes in their logs.
func (r *transcripts) transcript() string {
	r.T.Helper()
	var s strings.Builder
	s.WriteString("== events\n" + r.events.String())
	logs := []string{}
	worktreetest.Must(r.T, r.Fixture.DB.Read(r.T.Context(), func(tx *registry.Tx) error {
		items, err := registry.Collect(tx, registry.One[int64], `SELECT item_id FROM tasks ORDER BY item_id`)
		for _, item := range items {
			all, err := History(tx, item)
			if err != nil {
				return err
			}
			for _, a := range all {
				fmt.Fprintf(&s, "== attempt on %s\n%s %s %s in %q: %s, %s: %s\nsays: %s\n%+v\n", a.TaskID, a.Agent, a.Cause, a.Client, a.Session, a.State, a.Ending, a.Why, a.Summary, a.Used)
				logs = append(logs, a.Log)
			}
		}
		if err != nil {
			return err
		}
		for _, query := range []string{
			`SELECT 'question: ' || call || ', rules ' || rules || ', ' || state || ' ' || CASE WHEN always = 1 THEN 'for always ' ELSE '' END || why FROM questions ORDER BY id`,
			`SELECT 'message: ' || text || ', ' || state || ' ' || session || CASE WHEN at_once = 1 THEN ', at once' ELSE '' END FROM messages ORDER BY id`,
		} {
			lines, err := registry.Collect(tx, registry.One[string], query)
			if err != nil {
				return err
			}
			for _, line := range lines {
				s.WriteString("== " + line + "\n")
			}
		}
		return nil
	}))
	page, err := r.Tasks.List(r.T.Context(), task.Filter{Repo: "app", Statuses: []string{task.Pending, task.Claimed, task.InProgress, task.Blocked, task.Completed, task.Failed}})
	worktreetest.Must(r.T, err)
	for _, t := range page.Tasks {
		d, err := r.Tasks.Get(r.T.Context(), t.ID)
		worktreetest.Must(r.T, err)
		fmt.Fprintf(&s, "== task %s %s %s\n%s\n", d.ID, d.Status, d.Agent, d.Result)
		for _, h := range d.History {
			fmt.Fprintf(&s, "%s: %s -> %s: %s\n", h.Field, h.Old, h.New, h.Why)
		}
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		worktreetest.Must(r.T, err)
		fmt.Fprintf(&s, "== log\n%s", text)
	}
	read, _ := os.ReadFile(filepath.Join(r.scratch, "read"))
	s.WriteString("== read by the clients\n" + string(read))
	return r.masks.Apply(took.ReplaceAllString(s.String(), "after <took>"))
}

// took finds how long a run took.
var took = regexp.MustCompile(`after \d+s\b`)

// Lines that claude prints.
const (
	says = `echo '{"type":"assistant","session_id":"s-1","message":{"id":"m1","model":"opus","content":[{"type":"text","text":"It is written."}],"usage":{"input_tokens":10,"output_tokens":20,"cache_read_input_tokens":30}}}'; `
	done = `echo '{"type":"result","subtype":"success","session_id":"s-1","result":"The file is new.","num_turns":3,"total_cost_usd":0.5,"usage":{"input_tokens":100,"output_tokens":200,"cache_read_input_tokens":300}}'`
)

func failing(words, more string) string {
	return `echo '{"type":"result","subtype":"success","is_error":true,"session_id":"s-1","result":"` + words + `"` + more + `}'; exit 1`
}

// Each transcript is a crew at work: what its clients do, and what people see of it.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(*transcripts){
		"lands": func(r *transcripts) {
			r.run(r.claude("claude", says+`echo a > new.go && git add new.go && git commit -q -m New; `+done))
		},
		"lands what is left uncommitted": func(r *transcripts) { r.run(r.claude("claude", `echo a > new.go; `+done)) },
		"does nothing":                   func(r *transcripts) { r.options.Attempts = 2; r.run(r.claude("claude", says+done)) },
		"crashes":                        func(r *transcripts) { r.options.Attempts = 2; r.run(r.claude("claude", `echo one; echo two; exit 3`)) },
		"leaves files":                   func(r *transcripts) { r.options.Leave = true; r.run(r.claude("claude", `echo a > new.go; `+done)) },
		"is handed back": func(r *transcripts) {
			r.Set.Gate = []string{`echo no test >&2; test -e new_test.go`}
			r.run(r.claude("claude", `if test -e new.go; then echo t > new_test.go; else echo a > new.go; fi; `+done))
		},
		"fails the gate twice": func(r *transcripts) {
			r.Set.Gate = []string{`false`}
			r.run(r.claude("claude", `date +%N >> new.go; `+done))
		},
		"nothing more after it was handed back": func(r *transcripts) {
			r.Set.Gate = []string{`false`}
			r.run(r.claude("claude", `test -e new.go && exit 4; echo a > new.go; `+done))
		},
		"conflicts with what landed": func(r *transcripts) {
			r.on = func(e Event) {
				if e.What == EventBegun {
					r.Main.Commit("other", "new.go", "b\n")
				}
			}
			r.run(r.claude("claude", `if test -f new.go; then git merge -q main || { echo c > new.go; git add .; git commit -qm Merge; }; else echo a > new.go; git add .; git commit -qm New; fi; `+done))
		},
		"a usage limit, and another client": func(r *transcripts) {
			r.options.Pause = time.Hour
			r.run(r.claude("claude", failing("You have hit your usage limit", "")), r.claude("second", `echo a > new.go; `+done))
		},
		"a rate limit that ends": func(r *transcripts) {
			r.run(r.claude("claude", `test "$2" || { `+failing("Overloaded", `,"api_error_status":529`)+`; }; echo $2 > new.go; `+done))
		},
		"no login": func(r *transcripts) { r.run(r.claude("claude", failing("Invalid API key", `,"api_error_status":401`))) },
		"a denied tool": func(r *transcripts) {
			r.run(r.claude("claude", `echo '{"type":"result","subtype":"success","session_id":"s-1","result":"I may not.","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"make test"}}]}'`))
		},
		"silence": func(r *transcripts) {
			r.options.Idle = 200 * time.Millisecond
			r.run(r.hanging())
		},
		"too long": func(r *transcripts) {
			r.options.Limit = 100 * time.Millisecond
			r.run(r.hanging())
		},
		"its budget is spent": func(r *transcripts) {
			b, err := budget.Parse([]string{"0.4usd/task"})
			worktreetest.Must(r.T, err)
			r.options.Budgets = b
			r.run(r.claude("claude", done+`; exec sleep 100`))
		},
		"two tasks and no credit": func(r *transcripts) { r.options.Attempts = 2; r.run(r.claude("claude", `exit 1`)) },
		"is told something": func(r *transcripts) {
			r.on = func(e Event) {
				if e.What == EventBegun {
					_, err := r.Messages.Tell(r.T.Context(), message.New{Agent: "ann", Text: "leave the parser alone"})
					worktreetest.Must(r.T, err)
				}
			}
			r.run(r.claude("claude", `echo a > new.go; `+done))
		},
		"gives its task back": func(r *transcripts) {
			r.on = func(e Event) {
				if e.What == EventBegun {
					_, err := r.Tasks.Report(r.T.Context(), task.Report{ID: e.TaskID, Status: task.Pending, Caller: task.Caller{Agent: "ann"}, Why: "the database is down"})
					worktreetest.Must(r.T, err)
				}
			}
			r.options.Tasks = 1
			r.run(r.claude("claude", done))
		},
		"reports its task as failed": func(r *transcripts) {
			r.on = func(e Event) {
				if e.What == EventBegun {
					_, err := r.Tasks.Report(r.T.Context(), task.Report{ID: e.TaskID, Status: task.Failed, Caller: task.Caller{Agent: "ann"}, Result: "it cannot be done"})
					worktreetest.Must(r.T, err)
				}
			}
			r.run(r.claude("claude", done))
		},
		"is stopped and goes on": func(r *transcripts) {
			r.on = func(e Event) {
				if e.What == EventBegun {
					r.stop()
				}
			}
			r.run(r.claude("claude", `echo a > new.go; `+done))
			r.on = func(Event) {}
			r.run(r.claude("claude", `echo a > new.go; `+done))
		},
		"changes the main checkout": func(r *transcripts) {
			r.run(r.claude("claude", `echo x > `+r.Repo.Path+`/stray.go; echo a > new.go; `+done))
		},
		"meets a file of a person": func(r *transcripts) {
			r.Main.Write("new.go", "mine\n")
			r.run(r.claude("claude", `echo a > new.go; `+done))
			if got := r.Main.Read("new.go"); got != "mine\n" {
				r.T.Errorf("the person's file is %q", got)
			}
		},
		"cannot land for a while": func(r *transcripts) {
			blocked := r.Main.Path(".git/agit/merge.lock")
			r.on = func(e Event) {
				switch e.What {
				case EventBegun:
					worktreetest.Must(r.T, os.RemoveAll(blocked))
					worktreetest.Must(r.T, os.MkdirAll(blocked, 0o700))
				case EventStopped:
					worktreetest.Must(r.T, os.Remove(blocked))
					r.on = func(Event) {}
				}
			}
			r.options.Tasks = 1
			r.run(r.claude("claude", `echo a > new.go; `+done))
		},
		"makes another branch": func(r *transcripts) {
			r.run(r.claude("claude", `git branch other; echo a > new.go; `+done))
		},
		"deletes its folder": func(r *transcripts) { r.run(r.claude("claude", `d=$PWD; cd /; rm -rf "$d"; `+done)) },
		"is on another branch": func(r *transcripts) {
			r.run(r.claude("claude", `git switch -qc other; echo a > new.go; git add .; git commit -qm New; `+done))
		},
		"goes on after a failure": func(r *transcripts) {
			r.options.Attempts = 2
			r.run(r.claude("claude", `test -e new.go && { `+done+`; exit; }; echo a > new.go; echo lost; exit 3`))
		},
		"leaves a program running": func(r *transcripts) {
			r.run(r.claude("claude", `mkfifo `+r.bell()+`; (read x < `+r.bell()+`) & echo a > new.go; `+done))
		},
		"speaks": func(r *transcripts) {
			r.run(r.speaker(`echo say I begin.; echo cost 0.5; echo a > new.go; git add .; git commit -qm New; echo "say  It is written."`))
		},
		"speaks and is refused": func(r *transcripts) {
			r.options.Rules = Rules{Allow: []string{"shell(make)"}, Deny: []string{"shell(rm *)"}}
			r.run(r.speaker(`for c in make 'rm -rf x' 'npm i'; do echo ask $c; read a; done; echo say I may not.`))
		},
		"speaks and asks a person": func(r *transcripts) {
			r.options.Rules = Rules{Ask: []string{"shell(make)"}, AskFor: time.Hour}
			r.answers(map[string]question.Answer{"npm i": {Allow: true, Always: true}, "npm ci": {Why: "use npm i"}, "make": {Allow: true}})
			r.run(r.speaker(`for c in 'npm i' make 'npm i' 'npm ci'; do echo ask $c; read a; done; echo a > new.go; echo say Done.`))
		},
		"speaks and is not answered": func(r *transcripts) {
			r.options.Rules, r.Asks = Rules{AskFor: time.Nanosecond}, &question.Store{DB: r.Fixture.DB}
			r.run(r.speaker(`echo ask npm i; read a; echo a > new.go; echo say I go on.`))
		},
		"speaks and is interrupted": func(r *transcripts) {
			r.options.Rules, r.Asks = Rules{AskFor: time.Hour}, &question.Store{DB: r.Fixture.DB}
			r.on = func(e Event) {
				if e.What == EventAsks {
					r.tell("not with npm", true)
				}
			}
			r.run(r.speaker(`if test $1 = 1; then echo ask npm i; read a; echo wait; else echo a > new.go; echo say Written.; fi`))
		},
		"speaks and fails": func(r *transcripts) { r.run(r.speaker(`echo say I begin.; echo fail the model is away`)) },
		"speaks and ends":  func(r *transcripts) { r.run(r.speaker(`echo say I begin.; echo end`)) },
		"speaks and is stopped": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.speaker(`echo say I begin.; echo cost 0.5; echo > ` + r.bell() + `; echo wait`))
			r.run(r.speaker(`echo cost 0.75; echo a > new.go; echo say Written.`))
		},
		"speaks and forgets": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.speaker(`echo > ` + r.bell() + `; echo wait`))
			c := r.speaker(`echo a > new.go; echo say Written.`)
			c.Command[len(c.Command)-1] = "forgets"
			r.run(c)
		},
		"does not speak after all": func(r *transcripts) {
			c := r.claude("claude", `echo a > new.go; `+done)
			c.Speaks, c.Headless, c.Command = true, c.Command, []string{"/bin/sh", "-c", `echo usage: claude PROMPT; exit 2`}
			r.run(c)
		},
		"does not speak, and there is no other way": func(r *transcripts) {
			c := r.speaker("")
			c.Command = []string{"/bin/sh", "-c", `echo usage: speaker PROMPT; exit 2`}
			r.run(c)
		},
		"asks": func(r *transcripts) {
			r.options.Rules = Rules{Allow: []string{"shell(make)"}, AskFor: time.Hour}
			r.answers(map[string]question.Answer{"npm i": {Allow: true, Why: "once"}, "npm ci": {}})
			r.run(r.asker(`echo a > new.go; `+done, "make", "npm i", "npm ci"))
		},
		"is interrupted": func(r *transcripts) {
			r.rings(func() { r.tell("use the other parser", true) })
			r.run(r.claude("claude", `if test "$2"; then echo "$2" > new.go; `+done+`; else `+says+`echo > `+r.bell()+`; exec sleep 100; fi`))
		},
		"is interrupted and cannot resume": func(r *transcripts) {
			r.rings(func() { r.tell("use the other parser", true) })
			c := r.claude("claude", `if grep -q "other parser" `+r.scratch+`/read; then echo a > new.go; `+done+`; else `+says+`echo > `+r.bell()+`; exec sleep 100; fi`)
			c.Resume = nil
			r.run(c)
		},
		"loses its task": func(r *transcripts) {
			r.options.Tasks, r.options.Limit = 1, 15*time.Second // the next look is later
			r.rings(r.takeAway)
			r.run(r.claude("claude", says+`echo > `+r.bell()+`; exec sleep 100`))
		},
		"loses its task while it is finished": func(r *transcripts) {
			r.options.Tasks = 1
			r.rings(r.takeAway)
			r.Set.Gate = []string{`echo > ` + r.bell() + `; exec sleep 100`}
			r.run(r.claude("claude", `echo a > new.go; `+done))
		},
		"is stopped while its work is finished": func(r *transcripts) {
			r.rings(r.halt)
			r.Set.Gate = []string{`echo > ` + r.bell() + `; exec sleep 100`}
			r.run(r.claude("claude", `echo a > new.go; `+done))
			r.Set.Gate = []string{`true`}
			r.run(r.claude("claude", `exit 9`))
		},
		"is stopped while its work is finished, which then fails its gate": func(r *transcripts) {
			r.rings(r.halt)
			r.Set.Gate = []string{`echo > ` + r.bell() + `; exec sleep 100`}
			r.run(r.claude("claude", `echo a > new.go; `+done))
			r.Set.Gate = []string{`test -e new_test.go`}
			r.run(r.claude("claude", `echo t > new_test.go; `+done))
		},
		"is killed": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo > `+r.bell()+`; exec sleep 100`))
			r.killed("")
			r.run(r.claude("claude", `echo "$2" > new.go; `+done))
		},
		"is killed while its work is finished": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo a > new.go; echo > `+r.bell()+`; exec sleep 100`))
			r.killed(finishing)
			r.run(r.claude("claude", `exit 9`))
		},
		"is killed once another worker runs": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo > `+r.bell()+`; exec sleep 100`))
			r.killedLater("")
			r.run(r.claude("claude", `echo "$2" > new.go; `+done))
		},
		"is killed while its work is finished, once another worker runs": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo a > new.go; echo > `+r.bell()+`; exec sleep 100`))
			r.killedLater(finishing)
			r.run(r.claude("claude", `exit 9`))
		},
		"is killed once another worker runs, and fails": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo > `+r.bell()+`; exec sleep 100`))
			r.killedLater("")
			r.options.Tasks, r.options.Attempts = 1, 3
			r.run(r.claude("claude", `echo a > new.go; exit 3`))
		},
		"is killed while its work is finished, and fails its gate": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo a > new.go; echo > `+r.bell()+`; exec sleep 100`))
			r.killedLater(finishing)
			r.options.Tasks, r.options.Attempts, r.Set.Gate = 1, 3, []string{"false"}
			r.run(r.claude("claude", `echo b > new.go; `+done))
		},
		"is killed, and another client goes on": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo > `+r.bell()+`; exec sleep 100`))
			r.killed("")
			r.run(r.claude("second", `echo "$2" > new.go; `+done))
		},
		"cannot resume its session": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", says+`echo > `+r.bell()+`; exec sleep 100`))
			r.run(r.claude("claude", `test "$2" && { echo no such session; exit 1; }; echo a > new.go; `+done))
		},
		"a budget of a task that is spent": func(r *transcripts) {
			r.options.Tasks, r.options.Attempts = 1, 2
			r.run(r.claude("claude", done))
			r.options.Tasks, r.options.Budgets = 0, budgets(r.testing, "0.4usd/task")
			r.run(r.claude("claude", `exit 9`))
		},
		"two tasks and the budget of one is spent": func(r *transcripts) {
			r.options.Tasks, r.options.Attempts = 1, 2
			r.run(r.claude("claude", done))
			r.options.Tasks, r.options.Budgets = 0, budgets(r.testing, "0.4usd/task", "9usd/day")
			r.run(r.claude("claude", `echo a > new.go; echo '{"type":"result","subtype":"success","session_id":"s-2","result":"So.","num_turns":1,"total_cost_usd":0.25}'`))
		},
		"a held task whose budget is spent": func(r *transcripts) {
			r.rings(r.halt)
			r.run(r.claude("claude", done+`; echo > `+r.bell()+`; exec sleep 100`))
			r.options.Budgets = budgets(r.testing, "0.4usd/task")
			r.run(r.claude("claude", `exit 9`))
		},
		"two tasks and the budget of the day": func(r *transcripts) {
			r.options.Tasks = 1
			r.run(r.claude("claude", `echo a > new.go; `+done))
			r.options.Tasks, r.options.Budgets = 0, budgets(r.testing, "0.4usd/day", "1000 tokens/day")
			r.run(r.claude("claude", `exit 9`))
		},
		"two tasks and two crashes": func(r *transcripts) {
			r.options.Attempts = 1
			r.run(r.claude("claude", `echo a > new.go; exit 3`))
		},
		"two tasks and a tool that is denied": func(r *transcripts) {
			r.run(r.claude("claude", `if grep -q T-2 `+r.scratch+`/read; then echo a > new.go; `+done+`; else echo '{"type":"result","subtype":"success","session_id":"s-1","result":"I may not.","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"make test"}}]}'; fi`))
		},
		"waits for a review": func(r *transcripts) {
			r.options.Land = worktree.LandReview
			r.run(r.claude("claude", `echo a > new.go; `+done))
		},
		"is kept": func(r *transcripts) {
			r.options.Land = worktree.LandNever
			r.run(r.claude("claude", `echo a > new.go; `+done))
		},
		"cannot propose its work": func(r *transcripts) {
			r.options.Land, r.Set.Land = worktree.LandPR, worktree.LandPR
			r.Assign.Forges = &forge.Store{Trees: r.Worktrees, Notice: func(string) {}}
			r.run(r.claude("claude", `echo a > new.go; `+done))
			r.Set.Land, r.options.Land = worktree.LandGate, worktree.LandGate
			r.run(r.claude("claude", `exit 9`))
		},
		"is halted": func(r *transcripts) {
			r.options.Tasks = 1
			r.run(r.claude("claude", `exit 3`))
			r.Exec(`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) SELECT id, 0, 0, 0, 0, 0, 1, ? FROM agents WHERE name = 'ann'`, worktreetest.Stamp(0))
			r.options.Tasks = 0
			r.run(r.claude("claude", `exit 9`))
		},
		"is given a task that another agent holds": func(r *transcripts) {
			_, err := r.Tasks.Claim(r.T.Context(), "T-1", "bob")
			worktreetest.Must(r.T, err)
			r.options.Task = "T-1"
			r.run(r.claude("claude", `exit 9`))
		},
		"cannot begin": func(r *transcripts) {
			r.FailAt("spawn:added")
			r.run(r.claude("claude", `exit 9`))
		},
		"is given a task": func(r *transcripts) {
			r.options.Task = "T-1"
			r.run(r.claude("claude", `echo a > new.go; `+done))
		},
		"has a file with its brief": func(r *transcripts) {
			c := r.claude("claude", "")
			c.Command = []string{"/bin/sh", "-c", `cat $1 > new.go; cat >> ` + r.scratch + `/read; ` + done, "sh", "{brief}"}
			r.options.Leave = false
			r.run(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ids := []string{"T-1"}
			if strings.HasPrefix(name, "two tasks") {
				ids = append(ids, "T-2")
			}
			r := newTranscripts(t, ids...)
			play(r)
			clitest.Golden(t, filepath.Join("testdata", "transcripts", strings.ReplaceAll(name, " ", "-")+".txt"), r.transcript())
		})
	}
}
