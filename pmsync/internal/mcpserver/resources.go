package mcpserver

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// The resources: the same documents as the tools return, with complete texts.
const (
	uriSprint = "pmsync://projects/{project}/sprint"
	uriReady  = "pmsync://projects/{project}/ready"
	uriTicket = "pmsync://projects/{project}/tickets/{ticket}"
)

// resourcePage is how many items a resource lists; there is no second page.
const resourcePage = 200

func at(vars map[string]string) caller.Caller {
	return caller.Caller{Place: project.Place{Named: vars["project"]}}
}

func addResources(s *service) {
	projects := map[string]mcpkit.Completer{"project": s.Desk.ProjectIDs}
	s.MCP.AddResource(mcpkit.Resource{URI: uriSprint, Name: "sprint", Description: "The active sprint of a project", Complete: projects},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores().Board.Sprint(ctx, at(vars), worklist.SprintQuery{Criteria: true, Blockers: true})
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriReady, Name: "ready", Description: "What can be begun in a project, assigned or not", Complete: projects},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores().Board.Ready(ctx, worklist.ReadyQuery{Caller: at(vars), Tickets: true, Local: true, AnyAssignee: true, Limit: resourcePage})
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriTicket, Name: "ticket", Description: "A ticket, whole", Kept: true,
		Complete: map[string]mcpkit.Completer{"project": s.Desk.ProjectIDs, "ticket": s.ticketIDs}},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores().Board.Ticket(ctx, at(vars), worklist.DetailQuery{ID: vars["ticket"], Plans: true, Criteria: true, Memories: true, Past: true})
		})
	s.MCP.Notify(mcpkit.Updates{
		Sources: []mcpkit.Changes{mcpkit.RegistryChanges{DB: s.stores().DB}},
		Topics: map[string][]string{
			registry.TopicTickets: {uriSprint, uriReady, uriTicket},
			registry.TopicTasks:   {uriReady, uriTicket},
		},
		Match: s.Desk.Concerns,
	})
}

func (s *service) ticketIDs(ctx context.Context, prefix string, vars map[string]string) (ids []string, err error) {
	found, err := s.stores().Tickets.Keys(ctx, at(vars), prefix)
	for _, key := range found {
		id, _, _ := strings.Cut(key, "\t")
		ids = append(ids, id)
	}
	return ids, err
}
