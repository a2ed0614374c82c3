package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// The resources: read-only state, the same documents as the tools return, with complete texts.
const (
	uriSession  = "memoryd://sessions/{session_id}"
	uriSessions = "memoryd://projects/{project}/sessions"
	uriMemory   = "memoryd://memories/{id}"
	uriAgent    = "memoryd://agents/{agent}"
)

// resourcePage is how many sessions a resource lists; it has no second page.
const resourcePage = session.MaxList

func addResources(s *service) {
	s.MCP.AddResource(mcpkit.Resource{URI: uriSession, Name: "session", Description: "A session with its events, files and commits, whole", Kept: true,
		Complete: map[string]mcpkit.Completer{"session_id": s.sessionIDs}},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores.Sessions.Context(ctx, session.ContextQuery{ID: vars["session_id"], Limit: session.MaxEvents, Whole: true, NoMemory: true})
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriSessions, Name: "sessions", Description: "The newest 200 sessions of a project",
		Complete: map[string]mcpkit.Completer{"project": s.Desk.ProjectIDs}},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.stores.Sessions.List(ctx, session.Filter{Place: project.Place{Named: vars["project"]}, Limit: resourcePage})
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriMemory, Name: "memory", Description: "A memory, whole", Kept: true},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			m, _, err := s.stores.Memories.Get(ctx, memory.Reader{}, vars["id"], "", false)
			return m, err
		})
	s.MCP.AddResource(mcpkit.Resource{URI: uriAgent, Name: "agent", Description: "How an agent stands: tier, scores, commits, bugs"},
		func(ctx context.Context, _ *mcpkit.Call, vars map[string]string) (any, error) {
			return s.records.Status(ctx, vars["agent"])
		})
	s.MCP.Notify(mcpkit.Updates{
		Sources: []mcpkit.Changes{mcpkit.RegistryChanges{DB: s.stores.DB}},
		Topics: map[string][]string{
			registry.TopicSessions: {uriSession, uriSessions},
			registry.TopicAgents:   {uriAgent},
			memory.TopicMemories:   {uriMemory},
		},
		Match: s.concerns,
	})
}

// concerns narrows a change down to its session or project.
func (s *service) concerns(ctx context.Context, change mcpkit.Change, uri string, vars map[string]string) bool {
	if vars["session_id"] != "" && change.Subject != "" {
		return strings.EqualFold(vars["session_id"], change.Subject)
	}
	return s.Desk.Concerns(ctx, change, uri, vars)
}

func (s *service) sessionIDs(ctx context.Context, prefix string, _ map[string]string) ([]string, error) {
	return registry.Read(ctx, s.stores.DB, func(tx *registry.Tx) ([]string, error) { return session.Refs(tx, prefix) })
}

func addPrompts(s *service) {
	s.MCP.AddPrompt(mcpkit.Prompt{
		Name: "go_on", Title: "Go on from an earlier session",
		Description: "What a session did, decided and left open, to go on from it.",
		Args:        []mcpkit.Arg{{Name: "session_id", Description: "The session; see list_sessions", Required: true, Complete: s.sessionIDs}},
	}, s.goOn)
}

func (s *service) goOn(ctx context.Context, _ *mcpkit.Call, args map[string]string) ([]mcpkit.Content, error) {
	found, err := s.stores.Sessions.Context(ctx, session.ContextQuery{ID: args["session_id"]})
	if err != nil {
		return nil, err
	}
	return []mcpkit.Content{mcpkit.TextContent(fmt.Sprintf(`This is what an earlier session of this project was about:

%s
Call session_start (with resume_last when the session was interrupted or abandoned), check with the files and commits above how far it came, then go on with what it left open. Where the code says otherwise than the session, the code is right.`, found.Text()))}, nil
}
