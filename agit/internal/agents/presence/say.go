package presence

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

const (
	// fresh is how long an unchanged state need not be confirmed: a hook runs with each tool, and a write waits for the disk.
	fresh = 10 * time.Second
	// superseded is the silence after which a session counts as over when another one
	// of its agent begins in its worktree.
	superseded = time.Minute
	// kept is how long a statement about a session is kept.
	kept = 7 * 24 * time.Hour

	maxNote    = 200
	maxSession = 200
)

// Say keeps a statement. It counts as a sign of life of the agent, unless it says that
// the session is gone; an agent that is not known is registered. A statement that names
// no agent, of a folder where none is known, is dropped: clients' hooks run everywhere.
// A state that was written a moment ago is not written again.
func (s *Store) Say(ctx context.Context, st Statement) error {
	st, err := cleaned(st)
	if err != nil {
		return err
	}
	nothing := false
	if err := s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := placeOf(tx, st)
		if err != nil {
			return err
		}
		nothing, err = p.repeats(tx, st)
		return err
	}); err != nil || nothing {
		return err
	}
	return s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		p, err := placeOf(tx, st)
		if err == nil && (p.unseated || p.agent != "" && st.Agent == "" && st.Client.Conversation != "") && st.State != Gone {
			err = p.sit(tx, st)
		}
		if err != nil || p.agent == "" {
			return err
		}
		if err := tx.In(p.project); err != nil {
			return err
		}
		if err := p.write(tx, st); err != nil || st.State != Gone {
			return err
		}
		return seat.End(tx, st.Client.Name, st.Client.Conversation)
	})
}

// Agent is the row of the agent that a statement is about, 0 where it is about none that is registered.
func (s *Store) Agent(ctx context.Context, st Statement) (int64, error) {
	st, err := cleaned(st)
	if err != nil {
		return 0, err
	}
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (int64, error) {
		p, err := placeOf(tx, st)
		return p.agentID, err
	})
}

func cleaned(st Statement) (Statement, error) {
	if _, known := rank[st.State]; !known {
		return st, fault.Validation("state", "%q is not a state of an agent", st.State).WithHint("it is working, waiting for you, idle or gone")
	}
	if st.Host == "" {
		st.Host = registry.Host()
	}
	if st.State != Waiting {
		st.Asked = ""
		if st.State != Idle || st.Source != Work { // a worker says what it waits for
			st.Note = ""
		}
	}
	st.Note = text.Visible(redact.Clean(st.Note), maxNote)
	st.Session = text.Visible(st.Session, maxSession)
	return st, nil
}

// place is the agent that a statement is about, and where it is.
type place struct {
	agent                 string // "" when no agent is known
	agentID               int64  // 0 when it is not registered
	project, repo, folder int64
	tree                  string // the working tree's folder, "" where it is unknown
	unseated              bool   // its client has no seat yet, and so no name
}

func placeOf(tx *registry.Tx, st Statement) (p place, err error) {
	var w worktree.Worktree
	var around repo.Repo
	if st.Folder != "" {
		// The innermost working tree: one that a client made may lie in a worktree of agit's.
		if r, tree, err := repo.Around(tx, st.Folder); err == nil {
			around, p.tree = r, tree.WorkTree
		}
		if w, err = worktree.AtFolder(tx, st.Folder); err == nil && p.tree != "" && p.tree != w.Path && within(p.tree, w.Path) {
			w = worktree.Worktree{}
		}
	}
	if w.ID == 0 && st.Worktree != "" && (p.tree == "" || p.tree == around.Path) {
		w, err = worktree.ByRef(tx, st.Worktree)
	}
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return p, err
	}
	p.project, p.repo, p.folder = w.ProjectID, w.RepoID, w.ID
	if w.ID == 0 {
		p.project, p.repo = around.ProjectID, around.ID
	} else {
		p.tree = w.Path
	}
	switch {
	case st.Agent != "":
		p.agent = st.Agent
	case w.Agent != "":
		p.agent = w.Agent
	case p.repo != 0 && st.Client.Conversation != "":
		if p.agent, err = seat.Find(tx, st.Client); err != nil {
			return p, err
		}
		p.unseated = p.agent == ""
	}
	if p.agent == "" {
		return p, nil
	}
	known, err := agent.Lookup(tx, p.agent)
	p.agentID = known.ID
	return p, err
}

// sit takes the client's seat for the agent of a statement, if that agent owns the seat.
func (p *place) sit(tx *registry.Tx, st Statement) error {
	if !p.unseated {
		if name, err := seat.Find(tx, st.Client); err != nil || name != p.agent {
			return err // the worktree names the agent
		}
	}
	name, err := seat.Take(tx, st.Client)
	if err != nil {
		return err
	}
	known, err := agent.Lookup(tx, name)
	p.agent, p.agentID = name, known.ID
	return err
}

// within reports whether a path lies below another one.
func within(path, dir string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) }

// row is what is kept of a session.
type row struct {
	folder int64
	state  State
	note   string
	asked  string
	at     timestamp.Time
	quiet  string
	tree   string
}

func (p place) row(tx *registry.Tx, st Statement) (r row, err error) {
	err = tx.QueryRow(`SELECT COALESCE(worktree_id, 0), state, note, asked, said_at, COALESCE(quiet_until, ''), folder FROM agent_states
		WHERE agent_id = ? AND host = ? AND session = ?`, p.agentID, st.Host, st.Session).Scan(&r.folder, &r.state, &r.note, &r.asked, &r.at, &r.quiet, &r.tree)
	return r, err
}

// repeats reports whether the statement changes nothing that anyone would see.
func (p place) repeats(tx *registry.Tx, st Statement) (bool, error) {
	switch {
	case p.unseated:
		return st.State == Gone, nil
	case p.agent == "":
		return true, nil
	case p.agentID == 0:
		return st.State == Gone, nil
	}
	r, err := p.row(tx, st)
	switch {
	case registry.NoRows(err):
		return st.State == Gone, nil
	case err != nil:
		return false, err
	case r.outlasts(st):
		return true, nil
	}
	return r.state == st.State && r.note == st.Note && r.asked == st.Asked && r.folder == p.folder && r.tree == p.tree &&
		(st.Quiet == 0 || r.quiet != "") && tx.Now().Sub(r.at.Time) < fresh, nil
}

// outlasts reports whether the session waits for an answer about a call that the statement does not end: the statement reports the end of
// another call, or holds less about the same one, as does the notification that follows a request.
func (r row) outlasts(st Statement) bool {
	if r.state != Waiting || r.asked == "" {
		return false
	}
	return st.State == Working && st.Ended != "" && r.asked != st.Ended || st.State == Waiting && st.Asked == ""
}

func (p place) write(tx *registry.Tx, st Statement) error {
	if st.State == Gone {
		if p.agentID == 0 {
			return nil
		}
	} else {
		a, err := agent.Caller(tx, p.agent)
		if err != nil {
			return err
		}
		p.agentID = a.ID
	}
	if err := p.endRun(tx, st); err != nil {
		return err
	}
	r, err := p.row(tx, st)
	fresh := registry.NoRows(err)
	switch {
	case fresh && st.State == Gone:
		return nil
	case err != nil && !fresh:
		return err
	case r.outlasts(st):
		return nil
	case fresh:
		if err := p.settle(tx, st); err != nil {
			return err
		}
	}
	quiet := ""
	if st.Quiet > 0 {
		quiet = registry.FormatTime(tx.Now().Add(st.Quiet))
	}
	err = tx.Do(`INSERT INTO agent_states (agent_id, host, session, repo_id, worktree_id, state, since, said_at, quiet_until, note, asked, source, folder)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (agent_id, host, session) DO UPDATE SET repo_id = excluded.repo_id, worktree_id = excluded.worktree_id,
		  state = excluded.state, said_at = excluded.said_at, quiet_until = excluded.quiet_until, note = excluded.note, asked = excluded.asked, source = excluded.source, folder = excluded.folder,
		  since = CASE WHEN agent_states.state = excluded.state AND agent_states.note = excluded.note THEN agent_states.since ELSE excluded.since END`,
		p.agentID, st.Host, st.Session, registry.NullIfZero(p.repo), registry.NullIfZero(p.folder), st.State, tx.Stamp(), tx.Stamp(),
		registry.NullIfZero(quiet), st.Note, st.Asked, st.Source, p.tree)
	if err == nil && (fresh || r.state != st.State || r.note != st.Note || r.folder != p.folder || r.tree != p.tree) {
		tx.Changed(registry.TopicAgents, p.project, "")
	}
	return err
}

// endRun marks the sessions that clients' hooks reported in a worktree as gone when `agit work` reports that its run there is over:
// everything that the run started has been ended, and a killed client does not take its question back.
func (p place) endRun(tx *registry.Tx, st Statement) error {
	if st.State != Gone || st.Source != Work || p.folder == 0 {
		return nil
	}
	return tx.Do(`UPDATE agent_states SET state = 'gone', note = '', asked = '', since = ?, said_at = ?
		WHERE agent_id = ? AND host = ? AND worktree_id = ? AND source = 'hook' AND state <> 'gone'`, tx.Stamp(), tx.Stamp(), p.agentID, st.Host, p.folder)
}

// settle makes room for a new session. Older, silent sessions of the agent in the worktree count as ended without notice, as when a
// terminal is closed. Old statements are deleted.
func (p place) settle(tx *registry.Tx, st Statement) error {
	if p.folder != 0 && st.Source == Hook {
		if err := tx.Do(`UPDATE agent_states SET state = 'gone', note = '', asked = '', since = said_at
			WHERE agent_id = ? AND host = ? AND worktree_id = ? AND source = 'hook' AND state <> 'gone' AND said_at < ?`,
			p.agentID, st.Host, p.folder, registry.FormatTime(tx.Now().Add(-superseded))); err != nil {
			return err
		}
	}
	return tx.Do(`DELETE FROM agent_states WHERE (repo_id = ? OR repo_id IS NULL AND agent_id = ?) AND said_at < ?`,
		p.repo, p.agentID, registry.FormatTime(tx.Now().Add(-kept)))
}

// toolTime is how long a tool may run in silence: clients end the commands that they run after ten minutes at most, unless they are
// configured otherwise.
const toolTime = 15 * time.Minute

// Heard returns what an event of a client's hook means for its session; known is false for events that reveal nothing about what the agent
// does. client names the client, for agents without a name; named is the event that the hook was called with.
func Heard(client, named string, e clienthook.Event) (st Statement, known bool) {
	st = Statement{Folder: e.Cwd, Client: e.Seat(client), Session: e.SessionID, Source: Hook}
	switch e.Moment(named) {
	case clienthook.SessionStart, clienthook.TurnEnd:
		st.State = Idle
	case clienthook.Prompt, clienthook.Answered:
		st.State = Working
	case clienthook.ToolStart:
		st.State, st.Quiet = Working, toolTime
	case clienthook.ToolEnd:
		st.State, st.Ended = Working, e.Call()
	case clienthook.Question:
		st.State, st.Note, st.Asked = Waiting, e.Asks(), e.Call()
	case clienthook.SessionEnd:
		st.State = Gone
	default:
		return st, false
	}
	return st, true
}
