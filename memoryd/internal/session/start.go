package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Start describes the session to start.
type Start struct {
	Who
	Place project.Place
	// Item is the ticket, task or other item to work on; "" for none.
	Item string
	// ResumeLast goes on from the newest interrupted or abandoned session.
	ResumeLast bool
	// Resume resumes this session, and is a fault when that is impossible.
	Resume string
	// Must makes it a fault when there is nothing to resume.
	Must bool
	// Budget is the maximum size of the answer in bytes; DefaultBudget when 0.
	Budget int
	// Wait is how long to wait for a running pull of tickets.
	Wait time.Duration
}

// opened is the result of Start's write transaction.
type opened struct {
	session  Session
	project  project.Project
	parent   *Session // the resumed session
	new      bool
	closed   []Session // of the project, closed without their agents
	warnings []string
	chores   []chore
	told     string    // the sentence about its tracker that is shown once to the project
	profile  *Profile  // the project's known profile
	ticket   bool      // the session works on a tracker's ticket
	item     work.Item // the item that the caller named or holds, perhaps with only its row id; zero for none
	broken   bool      // a session of the project was broken off and not resumed; only looked for where warn needs it
	needs    needs
	// expected means that session is what the row will hold, as far as the rest depends on it: which selects the row.
	expected bool
	which    string
	key      any
}

// needs is what a start reads along with its session.
type needs struct{ broken, profile bool }

// Start returns the caller's open session, or starts one, with the information to continue: ticket, criteria, blockers, memories, and the
// last session's work.
func (s *Store) Start(ctx context.Context, in Start) (Started, error) {
	if in.Budget != 0 && (in.Budget < MinBudget || in.Budget > MaxBudget) {
		return Started{}, fault.Validation("budget", "a budget of %d bytes is out of bounds", in.Budget).WithHint("use %d to %d", MinBudget, MaxBudget)
	}
	at := treeAt(in.Folder)
	var ofFolder project.Identity
	if in.Folder != "" && in.Place.At == nil {
		if id, err := project.Identify(in.Folder); err == nil {
			ofFolder = id
		}
	}
	head := ""
	if at.repo != nil {
		if h, err := at.repo.Head(ctx); err == nil { // an unreadable repository is not a reason to refuse
			head = h.OID
		}
	}
	var left leftOpen
	looked := !s.DB.OnServer() // for sessions that were left open; a server is asked along the way
	if looked {
		var err error
		if left, err = s.leftOpen(ctx); err != nil {
			return Started{}, err
		}
	}
	cfg := s.settings(ctx, at.root)
	wants := s.wants(cfg)
	var o opened
	write := func(tx *registry.Tx) (err error) {
		o = opened{}
		var who agent.Agent
		err = tx.Together(
			func() (err error) { o.project, err = in.Place.Ensure(tx); return err },
			func() (err error) {
				if in.Agent != "" {
					who, err = agent.Caller(tx, in.Agent)
				}
				return err
			},
			func() (err error) {
				if !looked {
					left, err = s.leftOpenIn(tx)
				}
				return err
			},
		)
		switch {
		case err != nil:
			return err
		case left.any && !looked: // closing them takes another scope
			return errLeft
		}
		if was := o.project.Former; was != nil {
			o.warnings = append(o.warnings, was.Moved())
		}
		at, head := at, head
		if in.Place.At == nil {
			if there, err := project.At(tx, ofFolder); err != nil || there.ID != o.project.ID {
				at, head = tree{}, "" // the folder belongs to another project
			}
		}
		o.needs = needs{broken: cfg.Session.WarnOnUnendedSession, profile: wants.classify && at.root != "" && !project.Passing(at.root)}
		if err := s.open(tx, &o, in, who, at, head, left); err != nil {
			return err
		}
		if cfg.Session.WarnOnUnendedSession {
			if err := s.warn(tx, &o, in); err != nil {
				return err
			}
		}
		return s.claimChores(tx, &o, wants, at)
	}
	var d Started
	briefed := false
	read := func(tx *registry.Tx) (err error) {
		if briefed = o.parent == nil && len(o.chores) == 0 && in.Wait <= 0; briefed { // nothing comes before it
			d, err = s.briefIn(tx, in, o, wants)
		}
		return err
	}
	err := s.DB.WriteThenRead(ctx, left.reach(), write, read)
	if errors.Is(err, errLeft) {
		looked = true
		err = s.DB.WriteThenRead(ctx, left.reach(), write, read)
	}
	if err != nil {
		return Started{}, err
	}
	if o.parent != nil {
		s.trackWork(ctx, *o.parent) // record what git saw of it, now that a session resumes it
	}
	s.begin(ctx, o.project, at.root, o.chores)
	if err := s.await(ctx, o.project.ID, o.chores, in.Wait); err != nil {
		return Started{}, err
	}
	if !briefed {
		d, err = registry.Read(ctx, s.DB, func(tx *registry.Tx) (Started, error) { return s.briefIn(tx, in, o, wants) })
	}
	if err == nil && s.Seen != nil {
		d.see(ctx, s.Seen, in)
	}
	if err == nil && s.Others != nil {
		if d.Others = s.Others(ctx, in.Place); size(d) > cmp.Or(in.Budget, DefaultBudget) {
			d.Others = ""
		}
	}
	return d, err
}

// errLeft means that sessions were left open, which are to be closed first.
var errLeft = errors.New("sessions were left open")

// see adds clients' sessions, as far as the budget allows: the last one first.
func (d *Started) see(ctx context.Context, seen func(context.Context, project.Place, string) (string, []string), in Start) {
	about := ""
	if d.Item != nil {
		about = d.Item.Title
	}
	last, bears := seen(ctx, in.Place, about)
	budget := cmp.Or(in.Budget, DefaultBudget)
	if d.Seen = last; size(d) > budget {
		d.Seen = ""
	}
	for _, line := range bears {
		if d.Bears = append(d.Bears, line); size(d) > budget {
			d.Bears = d.Bears[:len(d.Bears)-1]
			break
		}
	}
}

// open finds the open session of the caller's lane or creates one.
func (s *Store) open(tx *registry.Tx, o *opened, in Start, who agent.Agent, at tree, head string, left leftOpen) (err error) {
	if o.closed, err = s.sweep(tx, o.project.ID, left); err != nil {
		return err
	}
	lane := in.lane(who.Name, at.root)
	n := newSession{agent: who.ID, name: who.Name, lane: lane, root: at.root, head: head}
	err = tx.Together(
		func() (err error) {
			o.session, err = s.current(tx, o.project.ID, lane, in, at.root)
			if o.new = registry.NoRows(err); o.new {
				return nil
			}
			return err
		},
		func() (err error) {
			o.item, err = s.itemOf(tx, o.project.ID, in.Item)
			if n.item = o.item.ID; err == nil && n.item == 0 {
				o.item, err = heldItem(tx, o.project.ID, who.ID, at.root)
				n.held = o.item.ID
			}
			return err
		},
		tx.Unless(func() bool { return !o.new }, func() (err error) {
			if o.needs.broken && len(o.closed) == 0 {
				o.broken, err = registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM sessions s `+untaken+`)`, o.project.ID))
			}
			return err
		}),
		func() (err error) {
			if o.needs.profile {
				o.profile, err = profileOf(tx, o.project.ID)
			}
			return err
		},
	)
	if err != nil {
		return err
	}
	if o.new {
		err = s.make(tx, o, in, n)
	} else {
		err = s.goOn(tx, o, n, in)
	}
	o.ticket = o.session.row.kind == work.KindTicket
	return err
}

// clockError is how far a clock may have been set back for sessions to keep their order.
const clockError = 24 * time.Hour

// heldItem returns the item of a session started without one: the one that the agent holds in the project (of several, that of the current
// worktree, else the last claimed), else the item of that worktree, as its row id alone. The zero Item
// for none.
func heldItem(tx *registry.Tx, projectID, agentID int64, root string) (work.Item, error) {
	var held []work.Item
	if agentID != 0 {
		var err error
		if held, err = lease.HeldBy(tx, agentID); err != nil {
			return work.Item{}, err
		}
		held = slices.DeleteFunc(held, func(i work.Item) bool { return i.ProjectID != projectID })
		if len(held) == 1 {
			return held[0], nil
		}
	}
	here, err := registry.Collect(tx, registry.One[int64], `SELECT item_id FROM worktree_items WHERE host = ? AND path = ? AND project_id = ?`, registry.Host(), root, projectID)
	if err != nil {
		return work.Item{}, err
	}
	if i := slices.IndexFunc(held, func(i work.Item) bool { return slices.Contains(here, i.ID) }); i >= 0 {
		return held[i], nil
	}
	if len(held) > 0 {
		return held[len(held)-1], nil
	}
	if len(here) == 0 {
		return work.Item{}, nil
	}
	return work.Item{ID: here[0]}, nil
}

// current returns the open session of a lane. The server of a client that named no agent takes over the session in the folder that, most
// likely, a hook of that client opened.
func (s *Store) current(tx *registry.Tx, projectID int64, lane string, in Start, root string) (Session, error) {
	if in.Client != "" {
		found, err := scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE `+ofClient+`AND s.status = 'active' AND s.project_id = ?`, in.Client, projectID))
		if !registry.NoRows(err) {
			return found, err
		}
	}
	found, err := scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE s.project_id = ? AND s.lane = ? AND s.status = 'active'`, projectID, lane))
	if !registry.NoRows(err) || !in.Made || s.Server == "" || root == "" {
		return found, err
	}
	return scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE s.project_id = ? AND s.status = 'active' AND s.server IS NULL
		AND s.host = ? AND s.folder = ? AND s.client <> '' ORDER BY s.started_at DESC, s.id DESC LIMIT 1`,
		projectID, registry.Host(), root))
}

// newSession is the data of a new session.
type newSession struct {
	agent, item, parent int64
	name                string // of the agent
	held                int64  // the item used when none is given
	lane, root, head    string
}

func (s *Store) make(tx *registry.Tx, o *opened, in Start, n newSession) error {
	if in.ResumeLast || in.Resume != "" {
		parent, err := s.resumable(tx, o.project.ID, n, in)
		switch {
		case err == nil:
			if n.agent != 0 && parent.row.agent != 0 && parent.row.agent != n.agent {
				o.warnings = append(o.warnings, "none of your own sessions was broken off; this goes on from one of "+parent.Agent)
			}
			o.parent, n.parent = &parent, parent.row.id
			n.item = cmp.Or(n.item, parent.row.item)
		case !registry.NoRows(err):
			return err
		case in.Must:
			return nothingLeft(tx, o.project.ID)
		default:
			o.warnings = append(o.warnings, "you have no interrupted or abandoned session to resume; this is a new one")
		}
	}
	n.item = cmp.Or(n.item, n.held)
	// When the clock was set back, a session must still come after those it follows.
	const began = `COALESCE((SELECT MAX(started_at) FROM sessions WHERE project_id = ? AND started_at > ? AND started_at < ?), ?)`
	at := []any{o.project.ID, tx.Stamp(), registry.FormatTime(tx.Now().Add(clockError)), tx.Stamp()}
	for {
		ref, uid := registry.NewID("s-"), registry.NewUID()
		err := tx.Do(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, item_id, parent_id, status, host, folder, client, server, start_oid, started_at, last_event_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?, ?, `+began+`, `+began+`) ON CONFLICT (ref) DO NOTHING`, slices.Concat([]any{
			uid, ref, o.project.ID, registry.NullIfZero(n.agent), n.lane, registry.NullIfZero(n.item), registry.NullIfZero(n.parent),
			registry.Host(), n.root, in.Client, registry.NullIfZero(s.Server), registry.NullIfZero(n.head)}, at, at)...)
		if err == nil {
			o.session = Session{ID: ref, Status: Active, Project: o.project.UID, Agent: n.name,
				row: row{project: o.project.ID, agent: n.agent, lane: n.lane, folder: n.root, host: registry.Host(), server: s.Server, start: n.head, name: o.project.Name}}
			err = o.load(tx, n, `s.uid = ?`, uid)
		}
		if registry.NoRows(err) {
			continue // the generated id is taken
		}
		tx.Changed(registry.TopicSessions, o.project.ID, ref)
		return err
	}
}

// load reads the session that was stored. On a server it is not read before the rest is, where that depends on nothing but what is known:
// then o.session is what was given, on the item of n.
func (o *opened) load(tx *registry.Tx, n newSession, which string, key any) (err error) {
	if tx.OnServer() && n.parent == 0 && (n.item == 0 || n.item == o.item.ID && o.item.UID != "") {
		if n.item != 0 {
			o.session.Item, o.session.row.item, o.session.row.kind = o.item.Ref, n.item, o.item.Kind
		}
		o.expected, o.which, o.key = true, which, key
		return nil
	}
	return o.read(tx, which, key)
}

func (o *opened) read(tx *registry.Tx, which string, key any) (err error) {
	o.session, err = scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE `+which, key))
	return err
}

// goOn notes that this server now continues an open session. A session that has just begun resumes the one that the caller names.
func (s *Store) goOn(tx *registry.Tx, o *opened, n newSession, in Start) error {
	was := o.session
	if (in.ResumeLast || in.Resume != "") && was.Events == 0 && was.Parent == "" && was.ID != in.Resume {
		parent, err := s.resumable(tx, o.project.ID, n, in)
		if err == nil {
			o.parent, o.new = &parent, false
			if n.item == 0 && was.row.item == 0 {
				n.item = parent.row.item
			}
			n.parent = parent.row.id
		} else if !registry.NoRows(err) {
			return err
		}
	}
	if n.item == 0 && was.row.item == 0 {
		n.item = n.held
	}
	agentID, itemID := n.agent, n.item
	if n.parent == 0 && in.Resume != "" && was.ID != in.Resume {
		return fault.Conflict("session", was.ID, "session %s is open already", was.ID).WithHint("end it first, or go on with it")
	}
	if itemID != 0 && was.row.item != 0 && itemID != was.row.item {
		o.warnings = append(o.warnings, "this open session worked on "+was.Item+" until now")
	}
	err := tx.Do(`UPDATE sessions SET last_event_at = ?, server = COALESCE(?, server), agent_id = COALESCE(agent_id, ?), item_id = COALESCE(?, item_id),
		client = COALESCE(?, client), parent_id = COALESCE(?, parent_id) WHERE id = ?`,
		tx.Stamp(), registry.NullIfZero(s.Server), registry.NullIfZero(agentID), registry.NullIfZero(itemID), registry.NullIfZero(in.Client),
		registry.NullIfZero(n.parent), was.row.id)
	if err != nil {
		return err
	}
	tx.Changed(registry.TopicSessions, o.project.ID, was.ID)
	if n.item = itemID; itemID == 0 && was.row.item != 0 || was.row.agent == 0 && agentID != 0 { // what the row has is not all known
		return o.read(tx, `s.id = ?`, was.row.id)
	}
	return o.load(tx, n, `s.id = ?`, was.row.id)
}
