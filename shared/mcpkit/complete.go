package mcpkit

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// Completer returns values for an argument that begin with prefix, best first.
// others are the arguments already filled in.
type Completer func(ctx context.Context, prefix string, others map[string]string) ([]string, error)

// maxCompletions is the protocol's limit of values in one answer.
const maxCompletions = 100

func (s *Server) complete(ctx context.Context, c Completer, arg mcp.CompleteArgument, others mcp.CompleteContext) (*mcp.Completion, error) {
	done := &mcp.Completion{Values: []string{}}
	if c == nil {
		return done, nil
	}
	err := guard(s.log, "completion", func() error {
		values, err := c(ctx, arg.Value, others.Arguments)
		if err != nil {
			return err
		}
		done.Total = len(values)
		done.HasMore = len(values) > maxCompletions
		done.Values = append(done.Values, values[:min(len(values), maxCompletions)]...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

type promptCompleter struct{ s *Server }

func (p promptCompleter) CompletePromptArgument(ctx context.Context, prompt string, arg mcp.CompleteArgument, others mcp.CompleteContext) (*mcp.Completion, error) {
	return p.s.complete(ctx, p.s.prompts[prompt][arg.Name], arg, others)
}

type resourceCompleter struct{ s *Server }

func (r resourceCompleter) CompleteResourceArgument(ctx context.Context, uri string, arg mcp.CompleteArgument, others mcp.CompleteContext) (*mcp.Completion, error) {
	return r.s.complete(ctx, r.s.reads[uri][arg.Name], arg, others)
}
