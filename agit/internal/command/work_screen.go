package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/work/unattended"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// workScreen shows what a crew does: what happened as lines, and on a terminal what
// each worker is doing, as a table beneath them.
type workScreen struct {
	env   *cli.Env
	repo  string
	live  *term.Live
	stop  <-chan struct{}
	crew  *unattended.Crew
	begun time.Time

	end  chan struct{}
	over sync.WaitGroup
}

// drawEvery is how often the table is written: people read no faster.
const drawEvery = 500 * time.Millisecond

func newWorkScreen(env *cli.Env, repo string, stop <-chan struct{}) *workScreen {
	return &workScreen{env: env, repo: repo, stop: stop, begun: time.Now(), live: env.Streams.Live(), end: make(chan struct{})}
}

// tell prints an event as a line.
func (s *workScreen) tell(e unattended.Event) {
	st := s.env.Streams
	words := []string{e.At.Local().Format(time.TimeOnly), e.Agent, e.What}
	for _, w := range []string{e.TaskID, e.Worktree, text.FirstLine(e.Task, 80), text.InRow(e.Why, longestWhy)} {
		if w != "" {
			words = append(words, w)
		}
	}
	line := strings.Join(words, "  ")
	switch e.What {
	case unattended.EventFailed, unattended.EventNote, unattended.EventReturned:
		st.Warn("%s", line)
	case unattended.EventWaits:
		if s.live == nil { // the table has it
			st.Notice("%s", line)
		}
	default:
		st.Notice("%s", line)
	}
}

// follow draws the table from now on.
func (s *workScreen) follow(crew *unattended.Crew) {
	s.crew = crew
	s.over.Go(func() {
		tick := time.NewTicker(drawEvery)
		defer tick.Stop()
		stop := s.stop
		for {
			select {
			case <-s.end:
				return
			case <-stop:
				stop = nil
				s.env.Streams.Notice("what runs is brought to its end, and no more is begun; Ctrl-C again stops it")
			case <-tick.C:
			}
			if s.live != nil {
				s.live.Draw(s.table())
			}
		}
	})
}

// done takes the table away.
func (s *workScreen) done() {
	close(s.end)
	s.over.Wait()
	s.live.Done()
}

// table is the workers, a line each, cut to the terminal.
func (s *workScreen) table() (lines []term.Painted) {
	st, now := s.env.Streams, time.Now()
	width := s.live.Width()
	looks := s.crew.Now()
	agent := len("AGENT")
	for _, l := range looks {
		agent = min(max(agent, term.Width(l.Agent)), width/4)
	}
	const doing, task, since = len("finishes"), len("t-0000000000"), len("59m59s")
	line := func(style term.Style, cells ...string) {
		row := fit(cells[0], agent) + "  " + fit(cells[1], doing) + "  " + fit(cells[2], task) + "  " + fit(cells[3], since) + "  "
		row += term.Truncate(term.Escape(cells[4]), max(0, width-term.Width(row)))
		lines = append(lines, st.PaintErr(style, term.Truncate(row, width)))
	}
	line(term.Bold, "AGENT", "DOES", "TASK", "FOR", "LAST LINE")
	for _, l := range looks {
		style := term.Plain
		if l.Doing != "works" && l.Doing != "finishes" {
			style = term.Dim
		}
		line(style, l.Agent, l.Doing, l.TaskID, now.Sub(l.Since).Round(time.Second).String(), cmp.Or(l.Line, l.Task))
	}
	return lines
}

// fit cuts or pads a cell.
func fit(cell string, width int) string {
	cell = term.Truncate(term.Escape(cell), width)
	return cell + strings.Repeat(" ", max(0, width-term.Width(cell)))
}

// print ends the run with what it did.
func (s *workScreen) print(ctx context.Context, t unattended.Tally) error {
	result := struct {
		Repo string `json:"repo"`
		unattended.Tally
	}{s.repo, t}
	return s.env.Printer().Document(context.WithoutCancel(ctx), result, func(st *term.Streams) error {
		if err := st.Line(s.repo, tallied(t), time.Since(s.begun).Round(time.Second).String()); err != nil {
			return err
		}
		if t.InReview > 0 {
			st.Notice("next: `agit review` lists what waits for you")
		}
		if t.Failed > 0 {
			st.Notice("%s", fmt.Sprintf("next: `agit tasks %s --status failed` explains why", text.ShellWord(s.repo)))
		}
		return nil
	})
}
