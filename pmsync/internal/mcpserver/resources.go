package mcpserver

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/board"
	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// The resources: the same documents as the tools give, texts whole.
const (
	uriSprint = "pmsync://projects/{project}/sprint"
	uriReady  = "pmsync://projects/{project}/ready"
	uriTicket = "pmsync://projects/{project}/tickets/{ticket}"
)

// resourcePage is how many items a resource lists; it has no second page.
const resourcePage = 200

func at(vars map[string]string) caller.Caller {
	return caller.Caller{Place: project.Place{Named: vars["project"]}}
}

func addResources(s *service) {
	projects := map[string]mcpkit.Completer{"project": s.projectIDs}
	s.MCP.AddResource(mcpkit.Resource{URI: uriSprint, Name: "sprint", Description: "The active sprint of a project", Complete: projects},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores.Board.Sprint(ctx, at(vars), board.SprintQuery{Criteria: true, Blockers: true})
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriReady, Name: "ready", Description: "What can be begun in a project, assigned or not", Complete: projects},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores.Board.Ready(ctx, board.ReadyQuery{Caller: at(vars), Tickets: true, Local: true, AnyAssignee: true, Limit: resourcePage})
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriTicket, Name: "ticket", Description: "A ticket, whole", Kept: true,
		Complete: map[string]mcpkit.Completer{"project": s.projectIDs, "ticket": s.ticketIDs}},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores.Board.Ticket(ctx, at(vars), board.DetailQuery{ID: vars["ticket"], Plans: true, Criteria: true, Memories: true, Past: true})
		})
	s.MCP.Notify(mcpkit.Updates{
		Sources: []mcpkit.Changes{mcpkit.RegistryChanges{DB: s.stores.DB}},
		Topics: map[string][]string{
			registry.TopicTickets: {uriSprint, uriReady, uriTicket},
			registry.TopicTasks:   {uriReady, uriTicket},
		},
		Match: s.concerns,
	})
}

// concerns narrows a change down to the project that it is of.
func (s *service) concerns(ctx context.Context, change mcpkit.Change, _ string, vars map[string]string) bool {
	if change.Project == 0 {
		return true
	}
	var p project.Project
	err := s.stores.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		p, err = project.ByName(tx, vars["project"])
		return err
	})
	return err != nil || p.ID == change.Project
}

func (s *service) ticketIDs(ctx context.Context, prefix string, vars map[string]string) (ids []string, err error) {
	found, err := s.stores.Tickets.Keys(ctx, at(vars), prefix)
	for _, key := range found {
		id, _, _ := strings.Cut(key, "\t")
		ids = append(ids, id)
	}
	return ids, err
}

func (s *service) projectIDs(ctx context.Context, prefix string, _ map[string]string) (ids []string, err error) {
	err = s.stores.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := project.List(tx)
		for _, p := range all {
			if strings.HasPrefix(p.UID, prefix) {
				ids = append(ids, p.UID)
			}
		}
		return err
	})
	return ids, err
}
