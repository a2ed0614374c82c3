package sync

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/limit"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/open"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
)

// Service syncs the projects of callers with the trackers that their
// configurations name. It is safe for concurrent use.
type Service struct {
	DB *registry.DB
	// Config is the configuration of the project that a folder lies in.
	Config func(ctx context.Context, folder string) (*config.Config, error)
	Log    *slog.Logger
}

// Request holds the caller to sync for, and the options.
type Request struct {
	caller.Caller
	Types    []string // of items to pull: ticket, epic, sprint, milestone, subtask; nil for the configured ones
	Full     bool     // pull everything, and look for what is gone
	Now      bool     // push even the youngest changes
	Due      bool     // skip changes after a failed attempt until their time comes, as automatic runs do
	DryRun   bool
	Progress func(Progress)
}

// patience is how long a sync waits for another one of its project: a push that a change started takes seconds, a first pull may take
// minutes.
const patience = 20 * time.Second

// Pull brings here what changed at the project's tracker; see Engine.Pull. For a project without a tracker it does nothing, and a note in
// the result reports it.
func (s *Service) Pull(ctx context.Context, q Request) (Result, error) {
	return s.run(ctx, q, "pull", func(e *Engine) (Result, error) { return e.Pull(ctx, q.Full) })
}

// Push sends what waits to the project's tracker; see Engine.Push.
func (s *Service) Push(ctx context.Context, q Request) (Result, error) {
	return s.run(ctx, q, "push", func(e *Engine) (Result, error) { return e.Push(ctx, Push{Now: q.Now, Due: q.Due, DryRun: q.DryRun}) })
}

func (s *Service) run(ctx context.Context, q Request, direction string, way func(*Engine) (Result, error)) (Result, error) {
	e, err := s.engine(ctx, q)
	if err != nil {
		return Result{}, err
	}
	if e == nil {
		return Result{Direction: direction, Status: Success, Errors: []string{}, Notes: []string{
			"this project has no tracker: its tickets are kept here alone (`pmsync connect` sets one up)"}}, nil
	}
	return way(e)
}

// Sync pulls, then pushes, and returns the result of each that ended well: that of the pull also where the push fails.
func (s *Service) Sync(ctx context.Context, q Request) (results []Result, err error) {
	for _, way := range []func(context.Context, Request) (Result, error){s.Pull, s.Push} {
		r, err := way(ctx, q)
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

// Status is how fresh the project's tickets are.
func (s *Service) Status(ctx context.Context, c caller.Caller, entries int) (st Status, err error) {
	name := ""
	var failure error
	if c.Place.At != nil {
		var cfg *config.Config
		if cfg, failure = s.Config(ctx, c.Place.At.Folder); failure == nil {
			name = cfg.Provider.Name
		}
	}
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		st, err = Look(s.DB, tx, who.Project.ID, entries)
		switch {
		case err != nil || name == "":
		case name == open.Local:
			st.Foreign = st.Pending
		case name != st.Provider: // configured, and not pulled yet
			st.Provider, st.Scope, st.Account, st.LastPullAt, st.LastPushAt, st.Staleness = name, "", "", nil, nil, -1
			st.Online, st.OfflineSince, st.LastError = true, nil, st.lastHeld()
			st.Foreign, err = foreign(tx, who.Project.ID, name) // what is to be made waits for the earlier tracker
		}
		return err
	})
	return st, cmp.Or(err, failure)
}

// Online asks the project's tracker which account of its the caller has, and adds the answer to a status. An unreachable tracker, or
// refused credentials, is a Provider fault. The status of a project without a tracker stays as it was.
func (s *Service) Online(ctx context.Context, c caller.Caller, st Status) (Status, error) {
	folder, err := s.folder(ctx, c.Place)
	if err != nil {
		return st, err
	}
	tracker, _, err := s.Tracker(ctx, folder)
	if tracker == nil || err != nil {
		return st, err
	}
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		return (&Engine{Tracker: tracker, Project: who.Project.ID}).limited(tx)
	})
	if err != nil {
		return st, err
	}
	account, err := tracker.TestConnection(ctx)
	if err == nil {
		st.Online, st.OfflineSince, st.Account = true, nil, account.Name
	}
	return st, err
}

// ConflictList are conflicts of a project.
type ConflictList struct {
	Conflicts []Conflict `json:"conflicts"`
}

// Conflicts returns the conflicts of the caller's project; see the function Conflicts.
func (s *Service) Conflicts(ctx context.Context, c caller.Caller, all bool) (list ConflictList, err error) {
	list.Conflicts = []Conflict{}
	err = c.Read(ctx, s.DB, func(tx *registry.Tx, who caller.Who) error {
		found, err := Conflicts(tx, who.Project.ID, all)
		list.Conflicts = append(list.Conflicts[:0], found...)
		return err
	})
	return list, err
}

// Resolved is a conflict that was settled.
type Resolved struct {
	Conflict
	Resolved bool            `json:"resolved"`
	BookedOn caller.BookedOn `json:"booked_on" wire:"-"`
}

// Resolve settles a conflict; see the function Resolve.
func (s *Service) Resolve(ctx context.Context, c caller.Caller, id, resolution string) (r Resolved, err error) {
	who, err := registry.Write(ctx, s.DB, registry.Named, c.Writes)
	if err != nil {
		return r, err
	}
	r.BookedOn = who.BookedOn()
	r.Conflict, err = Resolve(ctx, s.DB, who.Project.ID, who.AgentID, id, resolution)
	r.Resolved = err == nil
	return r, err
}

// Tracker makes the client of a folder's tracker, nil when it has none.
func (s *Service) Tracker(ctx context.Context, folder string) (provider.Provider, *config.Config, error) {
	cfg, err := s.Config(ctx, folder)
	if err != nil || cfg.Provider.Name == open.Local || cfg.Provider.Name == "" {
		return nil, cfg, err
	}
	p, err := open.Provider(ctx, cfg, s.transport())
	return p, cfg, err
}

// transport returns how trackers are called: within the limits that they set for any process.
func (s *Service) transport() transport.Options {
	return transport.Options{Log: s.Log, Limits: func(account string) transport.Limits {
		return &limit.Store{DB: s.DB, Account: account, Up: limit.Up}
	}}
}

// TrackerOf returns the name of the project's tracker. A project without one is a Validation fault.
func (s *Service) TrackerOf(ctx context.Context, place project.Place) (string, error) {
	folder, err := s.folder(ctx, place)
	if err != nil {
		return "", err
	}
	cfg, err := s.Config(ctx, folder)
	if err != nil {
		return "", err
	}
	if cfg.Provider.Name == open.Local {
		err = fault.Validation("provider.name", "this project has no tracker").WithHint("`pmsync connect` sets one up")
	}
	return cfg.Provider.Name, err
}

// Soon starts a detached program that pushes what was just queued, if the configuration wants that and has the credentials. When it cannot
// be started, the next push sends the changes.
func (s *Service) Soon(ctx context.Context, place project.Place, environ []string) {
	folder, err := s.folder(ctx, place)
	if err != nil {
		return
	}
	cfg, err := s.Config(ctx, folder)
	if err != nil || !cfg.Sync.AutoPushOnStatusChange {
		return
	}
	if k, err := KindNamed(cfg.Provider.Name); err != nil || len(Missing(k, cfg)) > 0 {
		return
	}
	if err := sibling.Detach("pmsync", []string{"push", "--quiet", "--due"}, folder, environ); err != nil && s.Log != nil {
		s.Log.Warn("start pmsync push", "error", err.Error())
	}
}

// engine returns the engine of the caller's project, nil when that has no tracker.
func (s *Service) engine(ctx context.Context, q Request) (*Engine, error) {
	folder, err := s.folder(ctx, q.Place)
	if err != nil {
		return nil, err
	}
	tracker, cfg, err := s.Tracker(ctx, folder)
	if tracker == nil || err != nil {
		return nil, err
	}
	e := &Engine{DB: s.DB, Tracker: tracker, Progress: q.Progress, Settings: Settings{
		Scope: scope(cfg.Provider), Meaning: meaning(cfg.Provider), Parse: cfg.Criteria.AutoParse, Patterns: cfg.Criteria.Patterns, Debounce: time.Duration(cfg.Sync.PushDebounceSeconds) * time.Second, Patience: patience,
	}}
	types := q.Types
	if types == nil {
		types = cfg.Sync.PullItemTypes
	}
	for _, given := range types {
		switch t := strings.TrimSuffix(strings.ToLower(given), "s"); t {
		case "sprint":
			e.Sprints = true
		case string(provider.TypeTicket):
			e.Types = append(e.Types, provider.TypeTicket, provider.TypeSubtask)
		case string(provider.TypeEpic), string(provider.TypeMilestone), string(provider.TypeSubtask):
			e.Types = append(e.Types, provider.ItemType(t))
		default:
			return nil, fault.Validation("item_types", "%q is not a type of item", given).WithHint("use ticket, epic, sprint, milestone or subtask")
		}
	}
	return e, s.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		who, err := q.Writes(tx)
		e.Project = who.Project.ID
		return err
	})
}

// folder returns where a project's configuration is. For a project given by name, that is its known folder on this host, if any.
func (s *Service) folder(ctx context.Context, place project.Place) (folder string, err error) {
	if place.At != nil {
		return place.At.Folder, nil
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		p, err := place.Find(tx)
		if err != nil {
			return err
		}
		folders, err := project.Folders(tx, p.ID)
		if len(folders) > 0 {
			folder = folders[0]
		}
		return err
	})
	if err == nil && folder == "" {
		err = fault.Validation("project", "the folder of project %q is not known, and so neither is its tracker", place.Named).
			WithHint("name the project by its folder")
	}
	return folder, err
}

// scope identifies the part of a tracker that is synced. Settings of other trackers do not count.
func scope(p config.Provider) string {
	for setting, of := range map[*string][]provider.Name{&p.TeamID: {provider.Linear}, &p.ProjectKey: {provider.Jira},
		&p.ProjectID: {provider.Linear, provider.Asana}, &p.Project: {provider.AzureDevOps, provider.GitHub}} {
		if !slices.Contains(of, provider.Name(p.Name)) {
			*setting = ""
		}
	}
	parts := []string{p.URL, p.Organization, p.TeamID, p.ProjectKey, p.ProjectID, p.Project}
	return strings.Trim(strings.Join(parts, "/"), "/")
}

// meaning identifies the configured meanings of a tracker's states.
func meaning(p config.Provider) string {
	parts := []any{p.CategoryOf, p.StateFor, p.StatusField}
	if p.Board != "" {
		parts = append(parts, p.Board)
	}
	return provider.Scope(parts...)
}

// StateFor returns the configured status for each category that several of a tracker's statuses mean. It returns nil for an unreadable
// setting, which the sync reports.
func StateFor(p config.Provider) map[string]string {
	m, err := open.Mapping(p)
	if err != nil {
		return nil
	}
	states := map[string]string{}
	for category, state := range m.State {
		states[string(category)] = state
	}
	return states
}
