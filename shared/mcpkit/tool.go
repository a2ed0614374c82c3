package mcpkit

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/agit-suite/agit/shared/redact"
)

// Tool describes a tool. The zero hints mean: it writes, without destroying anything, a second call has a second effect, and it stays on
// this machine. All four hints are always sent, since clients read a missing hint as the dangerous choice.
type Tool struct {
	Name        string // snake_case with the binary's prefix: agit_list_repos
	Title       string
	Description string // one or two short sentences; every conversation pays for it

	ReadOnly    bool // changes nothing
	Destructive bool // may remove or overwrite what a user made
	Idempotent  bool // calling again with the same input changes nothing more
	OpenWorld   bool // talks to something outside this machine

	// Kept is for tools that show texts which people may have stored with their secrets on purpose. From all other results secrets are
	// taken out.
	Kept bool

	// InputSchema replaces the schema derived from In. It is only for tools
	// whose In is json.RawMessage: they validate by themselves.
	InputSchema json.RawMessage
}

// tool is a registered Tool with the types taken out.
type tool struct {
	Tool
	wire mcp.Tool
	run  func(ctx context.Context, c *Call, args json.RawMessage) (*mcp.CallToolResult, error)
}

// AddTool registers a tool. The input schema comes from In, a struct:
//
//	type spawnInput struct {
//		Repo string `json:"repo" desc:"Repository name" max:"200"`
//		Mode string `json:"mode,omitempty" enum:"fast,safe"`
//	}
//
// A field is required unless its json tag says omitempty or omitzero. min and
// max bound a number's value, a string's characters, or a list's items. A string
// tagged is:"name" names something: it has at most 200 characters, and an empty
// one is a missing one. That is not advertised, since no honest caller meets it
// and every conversation would pay 30 bytes a parameter. also:"a,b" takes the
// parameter under other names too, which are not advertised either; a Fault whose
// field is one of them is answered with the parameter's own.
//
// Out must marshal to a JSON object (a struct or a map), or be Contents. An
// error returned by run becomes a tool error by fault.From. AddTool panics when
// the declaration itself is wrong, since only a change of the program can mend
// it.
func AddTool[In, Out any](s *Server, t Tool, run func(ctx context.Context, c *Call, in In) (Out, error)) {
	input := inputSchema(t, reflect.TypeFor[In]())
	output := newEncoder(t.Name, reflect.TypeFor[Out]())
	output.kept = t.Kept
	s.addTool(&tool{
		Tool: t,
		wire: wireTool(t, input, output),
		run: func(ctx context.Context, c *Call, args json.RawMessage) (*mcp.CallToolResult, error) {
			in, err := decode[In](t.Name, input, args)
			if err != nil {
				return nil, err
			}
			if t.ReadOnly && s.opts.Reading != nil {
				s.opts.Reading(ctx, c)
			}
			out, err := run(ctx, c, in)
			if err != nil {
				return nil, input.ownNames(err)
			}
			return output.result(out)
		},
	})
}

func (s *Server) addTool(t *tool) {
	if t.Name == "" || s.tools[t.Name] != nil {
		panic(fmt.Sprintf("mcpkit: tool %q is registered twice or has no name", t.Name))
	}
	s.tools[t.Name] = t
	s.mcp.AddTool(t.wire, s.callTool(t))
}

// inputSchema returns the schema of In, or nil for a tool that provides its own.
func inputSchema(t Tool, in reflect.Type) *schema {
	if in == reflect.TypeFor[json.RawMessage]() {
		if t.InputSchema == nil {
			panic(fmt.Sprintf("mcpkit: tool %q takes raw input and must bring its InputSchema", t.Name))
		}
		return nil
	}
	if in.Kind() != reflect.Struct {
		panic(fmt.Sprintf("mcpkit: the input of tool %q is %s, not a struct", t.Name, in))
	}
	return schemaOf(in)
}

func wireTool(t Tool, input *schema, output *encoder) mcp.Tool {
	w := mcp.Tool{
		Name:           t.Name,
		Title:          t.Title,
		Description:    t.Description,
		RawInputSchema: t.InputSchema,
		Annotations: mcp.ToolAnnotation{
			ReadOnlyHint:    mcp.ToBoolPtr(t.ReadOnly),
			DestructiveHint: mcp.ToBoolPtr(t.Destructive && !t.ReadOnly),
			IdempotentHint:  mcp.ToBoolPtr(t.Idempotent || t.ReadOnly),
			OpenWorldHint:   mcp.ToBoolPtr(t.OpenWorld),
		},
	}
	if input != nil {
		w.RawInputSchema = input.encode()
	}
	w.RawOutputSchema = output.schema
	return w
}

// callTool is the handler that mcp-go runs for a call. It never returns an error: every failure is a tool error, which the model sees and
// can act on.
func (s *Server) callTool(t *tool) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := newCall(ctx, t.Name)
		if request.Params.Meta != nil {
			c.progressToken = request.Params.Meta.ProgressToken
		}
		if t.ReadOnly {
			var stop func()
			ctx, stop = c.whileHeard(ctx)
			defer stop()
		}
		var result *mcp.CallToolResult
		err := guard(s.log, t.Name, func() (err error) {
			result, err = t.run(ctx, c, arguments(request))
			return err
		})
		c.settle(ctx)
		f := s.fault(err)
		if f != nil {
			result = faultResult(f)
		} else if !t.ReadOnly {
			tellTaken(result, arguments(request))
		}
		c.logLine(ctx, s.log, f)
		return result, nil
	}
}

// tellTaken adds to a writing tool's result which secrets were taken out of its input.
func tellTaken(r *mcp.CallToolResult, args json.RawMessage) {
	if _, kinds := redact.JSON(args); kinds != nil {
		r.Content = append(r.Content, mcp.NewTextContent(redact.Sentence(kinds)))
	}
}

// arguments returns the arguments as they were sent; no arguments are {}.
func arguments(r mcp.CallToolRequest) json.RawMessage {
	raw := r.Params.RawArguments
	if raw == nil && r.Params.Arguments != nil {
		raw, _ = json.Marshal(r.Params.Arguments)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}
