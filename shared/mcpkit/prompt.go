package mcpkit

import (
	"context"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/agit-suite/agit/shared/fault"
)

// Prompt describes a prompt that a person picks at the client.
type Prompt struct {
	Name        string
	Title       string
	Description string
	Args        []Arg
}

// Arg is an argument of a prompt; all are strings.
type Arg struct {
	Name        string
	Description string
	Required    bool
	Complete    Completer // may be nil
}

// AddPrompt registers a prompt. get receives only declared arguments, and returns the messages of the user.
func (s *Server) AddPrompt(p Prompt, get func(ctx context.Context, c *Call, args map[string]string) ([]Content, error)) {
	wire := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	s.prompts[p.Name] = map[string]Completer{}
	for _, a := range p.Args {
		wire.Arguments = append(wire.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
		s.prompts[p.Name][a.Name] = a.Complete
	}
	s.mcp.AddPrompt(wire, func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		c := newCall(ctx, p.Name)
		result := &mcp.GetPromptResult{Description: p.Description}
		err := guard(s.log, p.Name, func() error {
			if f := p.check(request.Params.Arguments); f != nil {
				return f
			}
			messages, err := get(ctx, c, request.Params.Arguments)
			for _, m := range messages {
				result.Messages = append(result.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: m})
			}
			return err
		})
		f := s.fault(err)
		c.logLine(ctx, s.log, f)
		if f != nil {
			return nil, failed(ctx, f)
		}
		return result, nil
	})
}

func (p Prompt) check(args map[string]string) *fault.Fault {
	var names []string
	for _, a := range p.Args {
		names = append(names, a.Name)
		if value, sent := args[a.Name]; a.Required && (!sent || value == "") {
			return fault.Validation(a.Name, "prompt %s needs argument %q (%s)", p.Name, a.Name, a.Description)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if f := (&validator{}).text(name, nil, args[name]); f != nil {
			return f
		}
		if !slices.Contains(names, name) {
			return nearest(fault.Validation(name, "prompt %s has no argument %q", p.Name, shorten(name)), name, names, "it takes")
		}
	}
	return nil
}

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
