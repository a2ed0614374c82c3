// Package mcpserver is classify's MCP server: one file a tool. Tools are thin
// faces of the same catalogue as the command line; they hold no SQL and never run
// classify again. The parts that all servers share are in shared/mcpkit and
// shared/mcpkit/server.
package mcpserver

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/server"
)

// The instructions are sent to the model in every conversation, which pays for them.
const (
	instructions = `classify knows what projects on this machine are: language, framework, scope, dependencies.
project_profile says what one is, the one you work in or another.`
	readInstructions = `classify knows what projects on this machine are: language, framework, scope, dependencies.
project_profile says what one is; find_similar_projects names others like it, whose solutions may help.`
)

// hints replaces commands by tools, in the hints of the catalogue's errors.
var hints = strings.NewReplacer(
	"`classify init DIR` makes one", "init_project with its path makes one",
	"`classify show ", "project_profile of ", "` lists the packages", " lists the packages",
)

// Server is the server that `classify serve` starts.
var Server = server.Spec[*service]{
	Name: "classify", Port: stores.Port, Instructions: instructions, ReadOnlyInstructions: readInstructions,
	Core: []string{"project_profile"},
	Hint: hints.Replace, Readers: 2,
	Open:   open,
	Offers: []func(*service){addInitProject, addProjectProfile, addFindSimilarProjects, addSearchProjects},
}

// service holds the dependencies of the tools.
type service struct {
	*server.Base
	stores *stores.Stores
}

func open(ctx context.Context, b *server.Base) (*service, error) {
	st, err := stores.Open(ctx, b.Env)
	return &service{Base: b, stores: st}, err
}

// which reads the profile that a call is about: a path, a project's id or name, or nothing for the project of the session.
func (s *service) which(ctx context.Context, c *mcpkit.Call, given, pkg string) (catalogue.Which, error) {
	w := catalogue.Which{Package: pkg}
	place, err := s.Desk.Place(ctx, c, given)
	if err != nil {
		return w, err
	}
	switch {
	case place.At == nil:
		w.Project = place.Named
	case given != "":
		w.Dir = catalogue.Abs(s.Env.Dir, given)
	case c.Session().Transport() == mcpkit.Stdio:
		w.Dir = s.Env.Dir
	default:
		w.Dir = place.At.Folder
	}
	return w, nil
}
