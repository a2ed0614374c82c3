package session

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// End describes the end of a session. Its tags are those of the parameters of session_end.
type End struct {
	ID      string `json:"session_id" is:"name"`
	Summary string `json:"summary,omitempty" desc:"Default made from the events"`
	Outcome string `json:"outcome,omitempty" enum:"success,partial,blocked,failed"` // success when empty
	Notes   string `json:"outcome_notes,omitempty"`
	// Verified and Failed are the ids of judged criteria of its ticket; Status is the ticket's new status. pmsync stores them.
	Verified []string `json:"ac_verified,omitempty" desc:"Ids of criteria met"`
	Failed   []string `json:"ac_failed,omitempty"`
	Status   string   `json:"ticket_status,omitempty"`
	// Folder and Tip locate the work when the session's own folder is gone: a folder of the same repository, and the commit at which the
	// session ended.
	Folder string `json:"-"`
	Tip    string `json:"-"`
	// PushLater sends queued changes in the background instead of waiting.
	PushLater bool `json:"-"`
}

// Ended is the result of ending a session.
type Ended struct {
	ID          string   `json:"session_id"`
	Status      string   `json:"status" wire:"-"`
	Outcome     string   `json:"outcome" wire:"-"`
	Duration    int64    `json:"duration_seconds" wire:"-"`
	Events      int      `json:"events_count" wire:"-"`
	Memories    int      `json:"memories_created" wire:"name"`
	MemoryIDs   []string `json:"memories,omitempty" wire:"-"` // those it created
	Known       int      `json:"memories_known" wire:"-"`     // events whose memory existed already
	ACVerified  int      `json:"ac_verified" wire:"name"`
	ACFailed    int      `json:"ac_failed" wire:"name"`
	Pushed      int      `json:"changes_pushed" wire:"name"`
	FileCount   int      `json:"files_count" wire:"-"`
	CommitCount int      `json:"commits_count" wire:"-"`
	Decayed     int      `json:"memories_archived,omitempty" wire:"-"` // by decay, if the configuration enables it
	Summary     string   `json:"summary"`
	Redacted    int      `json:"redacted,omitempty" wire:"-"`
	Warnings    []string `json:"warnings,omitempty" wire:"-"`
	BookedOn    Booking  `json:"booked_on" wire:"-"`
}

// End closes a session: it records the work that git saw, a summary, and memories of the important events, and then sends the changes
// queued for the tracker. An interrupted or abandoned session can still be ended while no other resumed it.
func (s *Store) End(ctx context.Context, in End) (Ended, error) {
	redacted, err := in.clean()
	if err != nil {
		return Ended{}, err
	}
	var x Session
	var folders []string // of its project
	var said []Event
	err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		var gone error // on in another session
		err = tx.Together(
			func() (err error) { x, err = get(tx, in.ID); return err },
			func() (err error) { gone, err = resumed(tx, in.ID); return err },
			func() (err error) {
				said, err = registry.Collect(tx, scanEvent, `SELECT `+eventColumns+` FROM session_events WHERE session_id = (SELECT id FROM sessions WHERE ref = ?) ORDER BY id`, text.Key(in.ID))
				return err
			},
			func() (err error) {
				folders, err = project.FoldersOf(tx, `(SELECT project_id FROM sessions WHERE ref = ?)`, text.Key(in.ID))
				return err
			},
		)
		if err == nil {
			err = x.unended()
		}
		return cmp.Or(err, gone)
	})
	if err != nil {
		return Ended{}, err
	}
	place := x.place(folders)
	cfg := s.settings(ctx, place)
	told := s.report(ctx, x, in, place)
	done, looked := x.look(ctx)
	if !looked && in.Tip != "" {
		done, looked = x.lookAt(ctx, in.Folder, in.Tip)
	}
	var places named
	if place == x.row.folder && x.row.host == registry.Host() { // in another folder the lines may differ
		places = lookUp(ctx, place, said)
	}
	var c closing
	var verified, failed int
	before := x // its row and its agent stay the same
	err = s.DB.WriteThenRead(ctx, registry.Scope{Project: x.row.project}, func(tx *registry.Tx) (err error) {
		var gone error
		err = tx.Together(
			func() (err error) { x, err = get(tx, in.ID); return err },
			func() (err error) { gone, err = resumed(tx, in.ID); return err },
			func() (err error) { said, err = events(tx, before.row.id, 0); return err },
			func() error {
				return ofAgent(tx, before, func(tx *registry.Tx, name string) error { return agent.SignOff(tx, name, before.row.was) })
			},
		)
		if err == nil {
			err = x.unended()
		}
		err = cmp.Or(err, gone)
		if err == nil && looked {
			err = done.store(tx, x.row.id)
		}
		if err == nil {
			err = spoken(tx, x)
		}
		if err != nil {
			return err
		}
		c, err = s.conclude(tx, x, said, ending{status: Completed, at: tx.Now(), outcome: in.Outcome, notes: in.Notes,
			summary: in.Summary, silent: !cfg.Session.AutoGenerateSummary, secrets: redacted, named: places})
		return err
	}, func(tx *registry.Tx) error {
		return tx.Together(
			func() (err error) { x, err = byRow(tx, before.row.id); return err },
			func() error { return tx.QueryRow(judgedBy, before.ID).Scan(&verified, &failed) },
		)
	})
	if err != nil {
		return Ended{}, err
	}
	e := Ended{
		ID: x.ID, Status: x.Status, Outcome: x.Outcome, Duration: x.Duration, Events: x.Events, Memories: len(c.learnt), Known: c.known,
		ACVerified: verified, ACFailed: failed, FileCount: len(done.Files), CommitCount: len(done.Commits), Summary: x.Summary,
		Redacted: redacted, Warnings: append(told, c.skipped...), BookedOn: Booking{x.Project, x.Agent},
	}
	for _, m := range c.learnt {
		e.MemoryIDs = append(e.MemoryIDs, m.ID)
		if len(m.Similar) > 0 && m.Outcome == memory.Created && m.Similar[0].Similarity >= nearlySame {
			e.Warnings = append(e.Warnings, fmt.Sprintf("%s shares most of its words with %s %q, which stands too; read both, and say which holds", m.ID, m.Similar[0].ID, m.Similar[0].Key))
		}
	}
	if cfg.Memory.AutoDecayOnSessionEnd {
		memories := memory.Store{DB: s.DB}
		r, err := memories.Decay(ctx, memory.Decay{ProjectID: x.row.project, Threshold: float64(cfg.Memory.DecayThreshold), MinimumAge: cfg.Memory.DecayAfterDays})
		if e.Decayed = r.Archived; err != nil {
			e.Warnings = append(e.Warnings, "memories were not looked through for decay: "+brief(fault.From(err).Message, 300))
		}
	}
	var warning string
	x.row.folder = place
	if e.Pushed, warning = s.push(ctx, x, s.wants(cfg), in.PushLater); warning != "" {
		e.Warnings = append(e.Warnings, warning)
	}
	return e, nil
}

// place returns the current folder of the session's project: its own, or when that is gone, like a merged worktree's, another one in which
// the project was seen.
func (x Session) place(others []string) string {
	if x.row.folder == "" || x.row.host != registry.Host() {
		return x.row.folder
	}
	for _, folder := range append([]string{x.row.folder}, others...) {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
	}
	return x.row.folder
}

// clean checks and redacts the texts of an end.
func (in *End) clean() (redacted int, err error) {
	in.Outcome = cmp.Or(in.Outcome, Outcomes()[0])
	if !slices.Contains(Outcomes(), in.Outcome) {
		return 0, fault.Validation("outcome", "%q is not an outcome", in.Outcome).WithHint("use one of %s", strings.Join(Outcomes(), ", "))
	}
	if in.Summary, err = text.Verbatim("summary", in.Summary); err != nil {
		return 0, err
	}
	if in.Notes, err = text.Verbatim("outcome_notes", in.Notes); err != nil {
		return 0, err
	}
	var inSummary, inNotes int
	in.Summary, inSummary = takeOut(in.Summary)
	in.Notes, inNotes = takeOut(in.Notes)
	return inSummary + inNotes, nil
}

// unended refuses to end a session that has ended.
func (x Session) unended() error {
	if x.Status == Completed {
		return fault.Conflict("session", x.ID, "session %s has ended already", x.ID).WithHint("start a new session")
	}
	return nil
}

// resumed returns why a session cannot be ended that another one resumed; nil when none did.
func resumed(tx *registry.Tx, id string) (why, err error) {
	var ref, child string
	err = tx.QueryRow(`SELECT parent.ref, s.ref FROM sessions parent JOIN sessions s ON s.parent_id = parent.id WHERE parent.ref = ? ORDER BY s.id LIMIT 1`, text.Key(id)).Scan(&ref, &child)
	if registry.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return fault.Conflict("session", ref, "session %s was continued in %s", ref, child).WithHint("end %s", child), nil
}

// ofAgent records a sign of life of a session's agent, unless that is unknown.
func ofAgent(tx *registry.Tx, x Session, record func(*registry.Tx, string) error) error {
	if x.Agent == "" {
		return nil
	}
	err := record(tx, x.Agent)
	if fault.Is(err, fault.KindNotFound) {
		return nil
	}
	return err
}

// spoken records a sign of life of a session.
func spoken(tx *registry.Tx, x Session) error {
	return tx.Do(`UPDATE sessions SET last_event_at = ? WHERE id = ?`, tx.Stamp(), x.row.id)
}

// ofClient is the condition for the sessions of a client's own session. Its second half lets the database use the partial index, which has
// only sessions with a client.
const ofClient = `s.client = ? AND s.client <> '' `

// OfClient returns the open session that belongs to a client's own session, else the
// agent's, else the folder's; a NotFound fault when there is none.
func (s *Store) OfClient(ctx context.Context, w Who) (x Session, err error) {
	at := treeAt(w.Folder)
	err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		err = registry.ErrNoRows
		if w.Client != "" {
			x, err = scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE `+ofClient+`AND s.status IN ('active', 'interrupted') ORDER BY s.id DESC LIMIT 1`, w.Client))
		}
		ofLane := func(lane string) (Session, error) {
			return scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE s.lane = ? AND s.status = 'active' ORDER BY s.id DESC LIMIT 1`, lane))
		}
		if registry.NoRows(err) {
			x, err = ofLane(w.lane(w.Agent, at.root))
		}
		if registry.NoRows(err) && w.Agent != "" { // the agent may be named by its id, or by its client's conversation
			switch a, failed := agent.Get(tx, w.Agent); {
			case failed == nil:
				x, err = ofLane(w.lane(a.Name, at.root))
			case !fault.Is(failed, fault.KindNotFound):
				return failed
			}
		}
		return err
	})
	if registry.NoRows(err) {
		return x, s.noneOpen(ctx, at.root)
	}
	return x, err
}

// noneOpen returns the fault for a caller without an open session, with the agents whose sessions are open in the folder.
func (s *Store) noneOpen(ctx context.Context, root string) error {
	f := none("no session is open here").WithHint("`memoryd session start` starts one")
	if root == "" {
		return f
	}
	others, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]string, error) {
		return registry.Collect(tx, registry.One[string], `SELECT a.name FROM sessions s JOIN agents a ON a.id = s.agent_id
			WHERE s.status = 'active' AND s.host = ? AND s.folder = ? ORDER BY s.last_event_at DESC, s.id DESC LIMIT 5`, registry.Host(), root)
	})
	if err != nil || len(others) == 0 {
		return f
	}
	return f.WithHint("`memoryd session start` starts one; sessions of %s are open here: name one with --agent", strings.Join(others, ", "))
}

// report sends pmsync the results of a session for its ticket: verified and failed criteria, and a status. When pmsync refuses one, that is
// a warning: the session ends all the same. place is the project's folder.
func (s *Store) report(ctx context.Context, x Session, in End, place string) (warnings []string) {
	tell := func(what string, args ...string) {
		where := []string{"--project=" + x.Project}
		if x.Agent != "" {
			where = append(where, "--agent="+x.Agent)
		}
		err := error(fault.Operation(nil, "pmsync cannot be run from here"))
		if s.Run != nil {
			err = s.Run(ctx, sibling.Call{Program: "pmsync", Args: append(append(args[:2:2], where...), args[2:]...), Dir: place}, nil)
		}
		if f := fault.From(err); f != nil {
			warnings = append(warnings, fmt.Sprintf("%s was not stored: %s", what, brief(f.Error(), 300)))
		}
	}
	for status, list := range map[string][]string{"verified": in.Verified, "failed": in.Failed} {
		for _, id := range list {
			tell("criterion "+id, "ac", "verify", "--session="+x.ID, "--", id, status)
		}
	}
	if in.Status != "" && x.Item == "" {
		return append(warnings, fmt.Sprintf("status %q was not stored: the session worked on no ticket", in.Status))
	}
	if in.Status != "" {
		tell("status "+in.Status, "ticket", "status", "--", x.Item, in.Status)
	}
	return warnings
}
