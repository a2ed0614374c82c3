package record

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Status is an agent's status.
type Status struct {
	Agent   string `json:"agent"`
	AgentID string `json:"agent_id"`
	Type    string `json:"type"`
	Tier    string `json:"tier"`
	Scores
	NextSP   Tenths `json:"next_sp"`  // the XP that buys the next score point
	Progress int    `json:"progress"` // progress towards it, in per cent
	// Updated is when a score last changed; nil for a new agent.
	Updated *timestamp.Time `json:"updated,omitempty"`
	// Buffered counts the writes that a server has accepted and not yet stored; this status includes them.
	Buffered int `json:"buffered,omitempty"`

	id int64
}

// with returns the status of the same agent with other scores.
func (st Status) with(s Scores) Status {
	st.Scores, st.Tier, st.NextSP, st.Progress = s, s.Tier(), s.NextSP(), s.Progress()
	return st
}

const scoreColumns = `sp, xp_tenths, cs, commits, bugs, halted`

func (s *Scores) into() []any { return []any{&s.SP, &s.XP, &s.CS, &s.Commits, &s.Bugs, &s.Halted} }

// Status returns an agent's status; an unknown agent is a NotFound fault. It sends no heartbeat; the caller may send one.
func (s *Store) Status(ctx context.Context, nameOrID string) (Status, error) {
	if err := (By{Agent: nameOrID}).check(); err != nil {
		return Status{}, err
	}
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Status, error) {
		a, err := agent.Get(tx, nameOrID)
		if err != nil {
			return Status{}, err
		}
		return load(tx, a)
	})
}

// load reads an agent's scores; an agent without any has the starting scores.
func load(tx *registry.Tx, a agent.Agent) (Status, error) {
	scores, updated := Start(), timestamp.Time{}
	err := tx.QueryRow(`SELECT `+scoreColumns+`, updated_at FROM agent_scores WHERE agent_id = ?`, a.ID).
		Scan(append(scores.into(), &updated)...)
	if err != nil && !registry.NoRows(err) {
		return Status{}, err
	}
	st := Status{Agent: a.Name, AgentID: a.UID, Type: a.Type, id: a.ID}
	if !updated.IsZero() {
		st.Updated = &updated
	}
	return st.with(scores), nil
}

func loadAll(tx *registry.Tx, agents []agent.Agent) (all []Status, err error) {
	all = make([]Status, len(agents))
	for i, a := range agents {
		if all[i], err = load(tx, a); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// List returns the status of every registered agent, by name.
func (s *Store) List(ctx context.Context) ([]Status, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Status, error) {
		agents, err := agent.List(tx)
		if err != nil {
			return nil, err
		}
		return loadAll(tx, agents)
	})
}

// delta is what one write adds to an agent's scores. The statement computes the sums, since several servers may write at the same time.
type delta struct {
	xp      Tenths
	cs      int64
	commits int64
	sp      int64 // -1 for a bug
	bugs    int64
}

// add applies a delta and buys the score points that the XP pays for.
func (to booked) add(tx *registry.Tx, d delta) (Scores, error) {
	s := Start()
	err := tx.QueryRow(`INSERT INTO agent_scores (agent_id, `+scoreColumns+`, updated_at) VALUES (?, ?, ?, ?, ?, ?, 0, ?)
		ON CONFLICT (agent_id) DO UPDATE SET sp = agent_scores.sp + ?, xp_tenths = agent_scores.xp_tenths + excluded.xp_tenths,
		  cs = agent_scores.cs + excluded.cs, commits = agent_scores.commits + excluded.commits,
		  bugs = agent_scores.bugs + excluded.bugs, updated_at = excluded.updated_at
		RETURNING `+scoreColumns,
		to.agent.ID, StartSP+d.sp, int64(d.xp), d.cs, d.commits, d.bugs, tx.Stamp(), d.sp).Scan(s.into()...)
	if err != nil || d.xp == 0 {
		return s, err
	}
	had := s.XP
	bought := s.Gain(0)
	if bought == 0 {
		return s, nil
	}
	if err := tx.Do(`UPDATE agent_scores SET sp = sp + ?, xp_tenths = xp_tenths - ? WHERE agent_id = ?`,
		bought, int64(had-s.XP), to.agent.ID); err != nil {
		return s, err
	}
	return s, to.tell(tx, event{kind: "level_up", dSP: bought, dXP: s.XP - had})
}

// event is one row of score_events.
type event struct {
	kind     string
	times    int64 // 1 when 0
	dSP, dCS int64
	dXP      Tenths
	oid      string
	note     string
}

func (to booked) tell(tx *registry.Tx, e event) error {
	err := tx.Do(`INSERT INTO score_events (uid, agent_id, project_id, kind, times, d_sp, d_xp_tenths, d_cs, scope, oid, note, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		registry.NewUID(), to.agent.ID, registry.NullIfZero(to.project.ID), e.kind, max(e.times, 1), e.dSP, int64(e.dXP), e.dCS,
		to.scope, e.oid, e.note, tx.Stamp())
	tx.Changed(registry.TopicAgents, 0, to.agent.UID)
	return err
}

// Resumed is the result of a resume.
type Resumed struct {
	Status
	Resumed bool `json:"resumed"` // false when the agent was not halted
}

// Resume lets a halted agent claim work again, with one score point. A person must decide that: by is the calling agent, "" for none, and
// an agent that resumes itself, by whatever name or id, is refused with a Conflict fault. An agent that is not halted is left as it is.
func (s *Store) Resume(ctx context.Context, by, nameOrID, note string) (r Resumed, err error) {
	if err := new(redacted).texts(map[string]*string{"note": &note}); err != nil {
		return r, err
	}
	if err := (By{Agent: nameOrID}).check(); err != nil {
		return r, err
	}
	err = s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		a, err := agent.Get(tx, nameOrID)
		if err != nil {
			return err
		}
		if by != "" && (text.Key(by) == text.Key(a.Name) || text.Key(by) == text.Key(a.UID)) {
			return fault.Conflict("agent", a.Name, "agent %q cannot resume itself", a.Name).
				WithHint("a person has to look at its work first, and resume it from a shell of their own")
		}
		if r.Status, err = load(tx, a); err != nil || !r.Halted {
			return err
		}
		after := r.Scores
		after.Resume()
		before := r.SP
		if err := tx.Do(`UPDATE agent_scores SET sp = ?, halted = 0, updated_at = ? WHERE agent_id = ?`, after.SP, tx.Stamp(), a.ID); err != nil {
			return err
		}
		to := booked{agent: a}.scoped("")
		if err := to.tell(tx, event{kind: "resume", dSP: after.SP - before, note: note}); err != nil {
			return err
		}
		r.Status, err = load(tx, a)
		r.Resumed = true
		return err
	})
	return r, err
}

// UseKinds are the kinds of uses that earn an agent a tenth of XP.
var UseKinds = []string{"tool", "command"}

// maxTimes bounds the count of one call, so that a mistyped number does not make an expert.
const maxTimes = 1000

// Use is a number of tool uses or commands of an agent.
type Use struct {
	By    By
	Kind  string // one of UseKinds
	Times int64  // 1 when 0
}

func (u *Use) check() error {
	u.Times = cmp.Or(u.Times, 1)
	if !slices.Contains(UseKinds, u.Kind) {
		return fault.Validation("kind", "%q is not a kind of use", u.Kind).WithHint("use tool or command")
	}
	if u.Times < 1 || u.Times > maxTimes {
		return fault.Validation("times", "%d is not a number of uses", u.Times).WithHint("give 1 to %d", maxTimes)
	}
	return nil
}

// Use adds the XP of tool uses and commands.
func (s *Store) Use(ctx context.Context, u Use) (st Status, err error) {
	if err := u.check(); err != nil {
		return st, err
	}
	err = s.write(ctx, u.By, func(tx *registry.Tx, to booked) error {
		if err := u.apply(tx, to); err != nil {
			return err
		}
		st, err = load(tx, to.agent)
		return err
	})
	return st, err
}

func (u Use) xp() Tenths { return UseXP * Tenths(u.Times) }

// apply adds the uses to the day's row.
func (u Use) apply(tx *registry.Tx, to booked) error {
	day := registry.FormatTime(tx.Now().Truncate(24 * time.Hour))
	n, err := tx.Exec(`UPDATE score_events SET times = times + ?, d_xp_tenths = d_xp_tenths + ?, at = ?
		WHERE id = (SELECT MAX(id) FROM score_events WHERE agent_id = ? AND kind = ?) AND at >= ?`,
		u.Times, int64(u.xp()), tx.Stamp(), to.agent.ID, u.Kind, day)
	if err != nil {
		return err
	}
	if n == 0 {
		to.project.ID = 0 // a day's uses may be in many projects
		if err := to.tell(tx, event{kind: u.Kind, times: u.Times, dXP: u.xp()}); err != nil {
			return err
		}
	}
	_, err = to.add(tx, delta{xp: u.xp()})
	return err
}

// Bug is a report of a bug that an agent made. Its tags are those of the parameters of agent_report_bug.
type Bug struct {
	By     By     `json:"-"`
	Note   string `json:"note,omitempty" also:"description" desc:"What was wrong"` // for warnings to later work
	Commit string `json:"commit,omitempty" also:"commit_hash" is:"name"`           // that introduced it; may be empty

	secrets redacted
}

// Reported is the effect of a bug on an agent.
type Reported struct {
	Status
	// Halts means that this bug took the last score point.
	Halts    bool    `json:"halts"`
	BookedOn Booking `json:"booked_on"`
	Redacted string  `json:"redacted,omitempty" wire:"-"` // kinds of secrets removed before storing
}

func (b *Bug) check() (err error) {
	if b.Commit != "" {
		if b.Commit, err = storedOID(b.Commit); err != nil {
			return err
		}
	}
	return b.secrets.texts(map[string]*string{"note": &b.Note})
}

// Bug takes one score point from an agent and halts it when none is left. A server
// stores it at once, since the next claim depends on it.
func (s *Store) Bug(ctx context.Context, b Bug) (r Reported, err error) {
	if err := b.check(); err != nil {
		return r, err
	}
	err = s.write(ctx, b.By, func(tx *registry.Tx, to booked) error {
		r, err = b.apply(tx, to)
		return err
	})
	return r, err
}

func (b Bug) apply(tx *registry.Tx, to booked) (r Reported, err error) {
	if b.Commit != "" && to.project.ID != 0 {
		if b.Commit, err = knownOID(tx, to.project.ID, b.Commit); err != nil {
			return r, err
		}
	}
	if err := to.tell(tx, event{kind: "bug", dSP: -1, oid: b.Commit, note: b.Note}); err != nil {
		return r, err
	}
	after, err := to.add(tx, delta{sp: -1, bugs: 1})
	if err != nil {
		return r, err
	}
	if after.SP <= 0 && !after.Halted {
		if err := tx.Do(`UPDATE agent_scores SET halted = 1 WHERE agent_id = ?`, to.agent.ID); err != nil {
			return r, err
		}
		r.Halts = true
		if err := to.tell(tx, event{kind: "halt", oid: b.Commit, note: b.Note}); err != nil {
			return r, err
		}
	}
	r.BookedOn, r.Redacted = to.booking(), b.secrets.said()
	r.Status, err = load(tx, to.agent)
	return r, err
}
