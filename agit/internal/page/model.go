package page

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Model is what the page shows: the read model that `agit top` shows too, and what only
// a page has room for.
type Model interface {
	// Document is what the page's scripts ask for, as JSON; id names one thing.
	Document(ctx context.Context, view, project, id string) (any, error)
	// Paint is a view as tables. What it returns beside an error can be shown.
	Paint(ctx context.Context, path, project string) (*Paint, error)
	// Act does what a person asked for, and returns what came of it.
	Act(ctx context.Context, a Action) (any, error)
	// Watch calls changed when something of the project is not as it was, until ctx ends.
	Watch(ctx context.Context, project string, changed func())
	// Rest returns memory after a while without requests.
	Rest()
}

type model struct{ stores *stores.Stores }

// NewModel reads through agit's stores.
func NewModel(s *stores.Stores) Model { return &model{stores: s} }

func (m *model) Document(_ context.Context, view, _, _ string) (any, error) {
	return nil, fault.NotFound("view", view)
}

func (m *model) Paint(context.Context, string, string) (*Paint, error) {
	return &Paint{Headline: "agit", At: time.Now().UTC().Format("15:04")}, nil
}

func (m *model) Act(_ context.Context, a Action) (any, error) {
	return nil, fault.Validation("do", "%q is not an action", a.Do)
}

// Watch looks at the registry five times a second, while a page is open.
func (m *model) Watch(ctx context.Context, _ string, changed func()) {
	_ = m.stores.DB.Watch(ctx, changed, func([]registry.Change) { changed() })
}

// Rest gives back what the connections cache.
func (m *model) Rest() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.stores.DB.Rest(ctx) // the next quiet time tries again
}
