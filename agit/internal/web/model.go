package web

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/fault"
)

// Model is the data of the page: the read model that `agit top` also uses, and the page's own views.
type Model interface {
	// Document returns a document for the page's scripts, which is sent as JSON.
	Document(ctx context.Context, q Question) (any, error)
	// Paint returns a view as tables. A result beside an error can be shown.
	Paint(ctx context.Context, path, project string) (*Paint, error)
	// Act makes a requested change and returns the result.
	Act(ctx context.Context, a Action) (any, error)
	// Run notices changes until ctx ends.
	Run(ctx context.Context)
	// Since waits until a project differs from a version, and returns the current version; it returns at once for "".
	Since(ctx context.Context, project, version string) (string, error)
	// Rest releases memory after a while without requests.
	Rest()
}

// Question is a page's request for a document.
type Question struct {
	View    string // the name of a document
	Project string // id, "" for all
	ID      string // of a single item
	Filter  overview.Filter
}

// model is agit's own Model.
type model struct {
	stores *stores.Stores
	state  *overview.Store
	pages  *overview.Pages
	asker  land.Asker // makes the changes
}

// NewModel returns a model over agit's stores that makes changes in the name of by.
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
		return m.pages.Graph.Bug(ctx, q.ID)
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

func (m *model) Run(ctx context.Context) { _ = m.state.Run(ctx) } // State reports unreadable parts

func (m *model) Since(ctx context.Context, project, version string) (string, error) {
	change, err := m.state.Since(ctx, project, overview.Version(version))
	return string(change.Version), err
}

// Rest releases the caches of the connections.
func (m *model) Rest() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.stores.DB.Rest(ctx) // tried again at the next quiet time
}
