package session

import (
	"context"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
)

// The chores: tasks of other programs of the suite for a project, one run at a time.
const (
	chorePull    = "pull"    // pmsync pull
	choreProfile = "profile" // classify init
	chorePush    = "push"    // pmsync push, when the end of a session does not wait for it
)

// How long a chore may take, also until one whose process vanished is given up; how long a failed one is left alone; and how long a start
// waits for a project's profile. After that the next start shows it.
const (
	pullTime    = 10 * time.Minute
	profileTime = time.Minute
	profileRest = time.Hour
	profileWait = 500 * time.Millisecond
)

// chore is a chore that this process took.
type chore struct {
	name  string
	token string
}

// wanted is what the configuration and the installed programs allow.
type wanted struct {
	least     int    // least importance of memories that are only important or recent
	provider  string // "" for none
	pull      bool
	push      bool
	threshold time.Duration
	retry     time.Duration
	pmsync    bool // it is installed
	classify  bool
}

// localOnly is the provider of a project without a tracker.
const localOnly = "local"

func (s *Store) wants(cfg *config.Config) wanted {
	w := wanted{
		least: cfg.Memory.ImportanceThreshold, provider: cfg.Provider.Name, pull: cfg.Sync.AutoPullOnSessionStart, push: cfg.Sync.AutoPushOnSessionEnd,
		threshold: time.Duration(cfg.Sync.AutoPullThresholdSeconds) * time.Second,
		retry:     time.Duration(cfg.Sync.RetryIntervalSeconds) * time.Second,
	}
	if w.provider == localOnly {
		w.provider = ""
	}
	if s.Find != nil {
		w.classify = s.Find("classify")
		w.pmsync = w.provider != "" && s.Find("pmsync")
	}
	return w
}

func (s *Store) settings(ctx context.Context, folder string) *config.Config {
	if s.Settings != nil {
		if cfg := s.Settings(ctx, folder); cfg != nil {
			return cfg
		}
	}
	return config.Default()
}

// claimChores takes the due chores of the project that no other process runs, and notes the sentence that is shown once to the project.
func (s *Store) claimChores(tx *registry.Tx, o *opened, w wanted, at tree) error {
	sentence := ""
	switch {
	case w.provider == "" && o.ticket:
		sentence = "no tracker is set for this project (provider.name), so nothing brings news of its tickets"
	case w.provider == "":
	case !w.pmsync:
		sentence = "the program pmsync, which brings the tickets of " + w.provider + ", is not installed; sessions work without it"
	}
	var err error
	if o.told, err = tell(tx, o.project.ID, sentence); err != nil || at.root == "" {
		return err
	}
	if w.pull && w.pmsync {
		state, err := pulled(tx, o.project.ID)
		if err != nil {
			return err
		}
		if tx.Now().Sub(state) > w.threshold {
			if err := o.take(tx, chorePull, pullTime, w.retry, 0); err != nil {
				return err
			}
		}
	}
	if o.needs.profile && o.profile == nil {
		return o.take(tx, choreProfile, profileTime, profileRest, profileRest)
	}
	return nil
}

// tell records a sentence that is shown once to a project. It returns the sentence when it is new, and "" when it was shown before. A
// new sentence replaces the old one.
func tell(tx *registry.Tx, projectID int64, sentence string) (string, error) {
	if sentence == "" {
		return "", tx.Do(`DELETE FROM session_chores WHERE project_id = ? AND chore = 'told'`, projectID)
	}
	n, err := tx.Exec(`INSERT INTO session_chores (project_id, chore, token, started_at) VALUES (?, 'told', ?, ?)
		ON CONFLICT (project_id, chore) DO UPDATE SET token = excluded.token, started_at = excluded.started_at WHERE session_chores.token <> excluded.token`,
		projectID, sentence, tx.Stamp())
	if err != nil || n == 0 {
		return "", err
	}
	return sentence, nil
}

// take takes a chore that no process runs. A chore that began longer than limit ago has lost its process. After a failure or a success, a
// chore rests for a while.
func (o *opened) take(tx *registry.Tx, name string, limit, failed, done time.Duration) error {
	token := registry.ShortID(10)
	n, err := tx.Exec(`INSERT INTO session_chores (project_id, chore, token, started_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (project_id, chore) DO UPDATE SET token = excluded.token, started_at = excluded.started_at, finished_at = NULL, failure = ''
		WHERE (session_chores.finished_at IS NULL AND session_chores.started_at < ?)
		   OR (session_chores.finished_at IS NOT NULL AND session_chores.finished_at <= CASE session_chores.failure WHEN '' THEN ? ELSE ? END)`,
		o.project.ID, name, token, tx.Stamp(), registry.FormatTime(tx.Now().Add(-limit)), registry.FormatTime(tx.Now().Add(-done)), registry.FormatTime(tx.Now().Add(-failed)))
	if n > 0 {
		o.chores = append(o.chores, chore{name, token})
	}
	return err
}

// begin runs the chores in the background: a server in goroutines of its own, a command in a process that outlives it.
func (s *Store) begin(ctx context.Context, p project.Project, folder string, chores []chore) {
	if len(chores) == 0 {
		return
	}
	if s.Detach != nil {
		args := []string{p.UID}
		for _, c := range chores {
			args = append(args, c.name+"="+c.token)
		}
		err := s.Detach(folder, args)
		if err != nil {
			for _, c := range chores {
				s.finish(context.WithoutCancel(ctx), p.ID, c, err)
			}
		}
		return
	}
	for _, c := range chores {
		s.background.run(func(ctx context.Context) { s.do(ctx, p.ID, folder, c) })
	}
}

// Do runs chores that another process took: name=token each.
func (s *Store) Do(ctx context.Context, projectUID, folder string, chores map[string]string) error {
	p, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (project.Project, error) { return project.Get(tx, projectUID) })
	if err != nil {
		return err
	}
	for name, token := range chores {
		s.do(ctx, p.ID, folder, chore{name, token})
	}
	return nil
}

func (s *Store) do(ctx context.Context, projectID int64, folder string, c chore) {
	var err error
	switch c.name {
	case chorePull:
		var said pullAnswer
		err = s.Run(ctx, sibling.Call{Program: "pmsync", Args: []string{"pull"}, Dir: folder, Timeout: pullTime}, &said)
		if said.Status == partialPull { // a ticket that could not be stored waits for the next pull; the others are stored
			err = nil
		}
	case chorePush:
		err = s.Run(ctx, sibling.Call{Program: "pmsync", Args: []string{"push", "--force"}, Dir: folder, Timeout: pullTime}, nil)
	case choreProfile:
		err = s.Run(ctx, sibling.Call{Program: "classify", Args: []string{"init", folder}, Dir: folder, Timeout: profileTime}, nil)
	}
	s.finish(context.WithoutCancel(ctx), projectID, c, err)
}

// finish records the end of a chore, unless another process took it meanwhile.
func (s *Store) finish(ctx context.Context, projectID int64, c chore, failure error) {
	said := ""
	if f := fault.From(failure); f != nil {
		said = brief(f.Message, 300)
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	_ = s.DB.Write(ctx, registry.Scope{Project: projectID}, func(tx *registry.Tx) error {
		tx.Changed(registry.TopicSessions, projectID, "")
		return tx.Do(`UPDATE session_chores SET finished_at = ?, failure = ? WHERE project_id = ? AND chore = ? AND token = ?`,
			tx.Stamp(), said, projectID, c.name, c.token)
	})
}

// await waits for running chores of the project: for a pull as long as the caller allows, whoever runs it, and shortly for a profile that
// this start began.
func (s *Store) await(ctx context.Context, projectID int64, begun []chore, wait time.Duration) error {
	for _, c := range begun {
		if c.name == choreProfile {
			if err := s.awaitOne(ctx, projectID, choreProfile, profileWait); err != nil {
				return err
			}
		}
	}
	return s.awaitOne(ctx, projectID, chorePull, wait)
}

func (s *Store) awaitOne(ctx context.Context, projectID int64, name string, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		busy, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (bool, error) { return underWay(tx, projectID, name) })
		if err != nil || !busy {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return nil
		case <-look.C:
		}
	}
}

// underWay reports whether a process runs a chore.
func underWay(tx *registry.Tx, projectID int64, name string) (bool, error) {
	limit := pullTime
	if name == choreProfile {
		limit = profileTime
	}
	n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM session_chores WHERE project_id = ? AND chore = ? AND finished_at IS NULL AND started_at >= ?`,
		projectID, name, registry.FormatTime(tx.Now().Add(-limit))))
	return n > 0, err
}

// group is the goroutines of a Store; stop waits for them. The zero value is ready.
type group struct {
	mu      sync.Mutex
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	over    bool
}

func (g *group) run(do func(context.Context)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return
	}
	if g.ctx == nil {
		g.ctx, g.cancel = context.WithCancel(context.Background())
	}
	ctx := g.ctx
	g.running.Go(func() { do(ctx) })
}

// stop cancels them and waits.
func (g *group) stop() {
	g.mu.Lock()
	g.over = true
	if g.cancel != nil {
		g.cancel()
	}
	g.mu.Unlock()
	g.running.Wait()
}
