package web

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/fault"
)

// Model is what the page shows: the read model that `agit top` shows too, and what only
// a page has room for.
type Model interface {
	// Document returns what the page's scripts ask for, to be sent as JSON.
	Document(ctx context.Context, q Question) (any, error)
	// Paint is a view as tables. What it returns beside an error can be shown.
	Paint(ctx context.Context, path, project string) (*Paint, error)
	// Act does what a person asked for, and returns what came of it.
	Act(ctx context.Context, a Action) (any, error)
	// Run notices changes, until ctx ends.
	Run(ctx context.Context)
	// Since waits until something of a project is not as it was at a version, and returns
	// the version of now; at once for "".
	Since(ctx context.Context, project, version string) (string, error)
	// Rest returns memory after a while without requests.
	Rest()
}

// Question is what a page asks for.
type Question struct {
	View    string // one of the documents
	Project string // id, "" for all
	ID      string // of one thing
	Filter  overview.Filter
}

// model is agit's own Model.
type model struct {
	stores *stores.Stores
	state  *overview.Store
	pages  *overview.Pages
	asker  land.Asker // whom changes are made for
}

// NewModel reads through agit's stores, and makes changes for by.
func NewModel(s *stores.Stores, by land.Asker) Model {
	return &model{stores: s, state: s.Overview, pages: s.Pages(), asker: by}
}

func (m *model) Document(ctx context.Context, q Question) (any, error) {
	switch q.View {
	case "state":
		return m.state.State(ctx, q.Project)
	case "projects":
		return m.pages.Projects(ctx)
	case "board":
		return m.pages.Board(ctx, q.Project, q.Filter)
	case "plan":
		return m.pages.Plan(ctx, q.Project, q.Filter)
	case "timeline":
		return m.pages.Sessions(ctx, q.Project, q.Filter)
	case "memories":
		return m.pages.Memories(ctx, q.Project, q.Filter)
	case "sprint":
		return m.pages.Sprint(ctx, q.Project, q.Filter)
	case "records":
		return m.pages.Records(ctx)
	case "task":
		return m.pages.Task(ctx, q.ID)
	case "bug":
		return m.pages.Bug(ctx, q.ID)
	case "worktree":
		return m.pages.Worktree(ctx, q.ID)
	case "logs":
		return m.pages.Logs(ctx, q.ID)
	case "memory":
		return m.pages.Memory(ctx, q.ID)
	case "record":
		return m.pages.Record(ctx, q.ID)
	}
	return nil, fault.NotFound("document", q.View)
}

func (m *model) Run(ctx context.Context) { _ = m.state.Run(ctx) } // what it could not read, State says

func (m *model) Since(ctx context.Context, project, version string) (string, error) {
	change, err := m.state.Since(ctx, project, overview.Version(version))
	return string(change.Version), err
}

// Rest gives back what the connections cache.
func (m *model) Rest() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.stores.DB.Rest(ctx) // the next quiet time tries again
}
