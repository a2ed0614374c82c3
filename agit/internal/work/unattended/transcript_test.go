package unattended

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/message"
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
	return &transcripts{Fixture: f, Store: s, scratch: scratch, on: func(Event) {},
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
	crew := r.Crew(r.options, make(chan struct{}), func(e Event) {
		r.mu.Lock()
		fmt.Fprintf(&r.events, "%s %s %s %s %q: %s\n", e.Agent, e.What, e.TaskID, e.Worktree, e.Task, e.Why)
		r.mu.Unlock()
		r.on(e)
	})
	tally, err := crew.Run(ctx)
	fmt.Fprintf(&r.events, "%+v, %v\n", tally, err)
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
		return err
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
		"makes another branch": func(r *transcripts) {
			r.run(r.claude("claude", `git branch other; echo a > new.go; `+done))
		},
		"deletes its folder": func(r *transcripts) { r.run(r.claude("claude", `d=$PWD; cd /; rm -rf "$d"; `+done)) },
		"is on another branch": func(r *transcripts) {
			r.run(r.claude("claude", `git switch -qc other; echo a > new.go; git add .; git commit -qm New; `+done))
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
