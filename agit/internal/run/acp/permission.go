package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	words "github.com/agit-suite/agit/shared/text"
)

// Request is a tool call that the agent asks permission for.
type Request struct {
	Kind    string   // the protocol's kind: read, edit, delete, move, search, execute, think, fetch, switch_mode, other
	Title   string   // for people
	Command string   // the whole shell command; "" for another kind of call
	Paths   []string // the paths that it touches
	Tool    string   // name of the tool, if the agent names it
	URL     string
}

// Words describes the request in one line.
func (r Request) Words() string {
	switch {
	case r.Command != "":
		return "shell: " + r.Command
	case r.URL != "":
		return "fetch: " + r.URL
	case len(r.Paths) > 0:
		return cmp.Or(r.Kind, "tool") + ": " + strings.Join(r.Paths, ", ")
	}
	return cmp.Or(r.Kind, "tool") + ": " + cmp.Or(r.Title, r.Tool)
}

// Decision is the answer to a Request.
type Decision struct {
	Allow  bool
	Always bool   // the agent need not ask again for such calls in this session
	Why    string // the reason, for the log
}

// request answers the agent's requests. An unknown method gets the protocol's error for that.
func (c *conversation) request(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	if method == "$/cancel_request" {
		return nil, nil
	}
	if method != sdk.ClientMethodSessionRequestPermission {
		return nil, sdk.NewMethodNotFound(method)
	}
	var q struct {
		Call    json.RawMessage `json:"toolCall"`
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"options"`
	}
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, sdk.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	r := readRequest(q.Call)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.mu.Lock()
	calls := c.calls
	c.mu.Unlock()
	defer context.AfterFunc(calls, cancel)()
	d := Decision{Why: "no rule allows it"}
	if c.turn.Decide != nil {
		d = c.turn.Decide(ctx, r)
	}
	if ctx.Err() != nil {
		return outcome("cancelled", ""), nil
	}
	want := []string{"reject_once", "reject_always"}
	if d.Allow {
		want = []string{"allow_once", "allow_always"}
		if d.Always {
			want = []string{"allow_always", "allow_once"}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Acted = true
	verb := "allowed"
	if !d.Allow {
		verb = "denied"
		if len(c.result.Denied) < 10 {
			c.result.Denied = append(c.result.Denied, r.Words())
		}
	}
	c.out.line("[" + verb + "] " + r.Words() + because(d.Why))
	for _, kind := range want {
		for _, o := range q.Options {
			if o.Kind == kind {
				return outcome("selected", o.ID), nil
			}
		}
	}
	return outcome("cancelled", ""), nil // no option matches the decision
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}

func outcome(what, option string) any {
	o := map[string]any{"outcome": what}
	if option != "" {
		o["optionId"] = option
	}
	return map[string]any{"outcome": o}
}

// readRequest reads a tool call. Agents put its arguments into rawInput, each under its own names.
func readRequest(raw json.RawMessage) (r Request) {
	var call struct {
		Title     lenient `json:"title"`
		Kind      lenient `json:"kind"`
		Locations lenient `json:"locations"`
		Input     lenient `json:"rawInput"`
	}
	_ = json.Unmarshal(raw, &call)
	r.Title, r.Kind = text(call.Title), text(call.Kind)
	var input map[string]json.RawMessage
	_ = json.Unmarshal(call.Input, &input)
	r.Command = commandOf(input)
	for _, name := range []string{"file_path", "filePath", "path", "notebook_path", "filepath", "abs_path"} {
		r.addPath(text(input[name]))
	}
	var changes map[string]json.RawMessage // Codex's form: keyed by path
	_ = json.Unmarshal(input["changes"], &changes)
	for path := range changes {
		r.addPath(path)
	}
	var locations []struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal(call.Locations, &locations)
	for _, l := range locations {
		r.addPath(l.Path)
	}
	r.URL = text(input["url"])
	for _, name := range []string{"tool_name", "toolName", "tool", "name"} {
		r.Tool = cmp.Or(r.Tool, text(input[name]))
	}
	if server := text(input["server"]); server != "" {
		r.Tool = "mcp__" + server + "__" + r.Tool
	}
	if r.Tool == "" && strings.HasPrefix(r.Title, "mcp__") {
		r.Tool = strings.Fields(r.Title)[0]
	}
	if r.Command == "" && r.Kind == "execute" {
		r.Command = strings.Trim(r.Title, "`")
	}
	return r
}

// commandOf returns a shell command, even when it is a list of arguments: `bash -lc COMMAND` is COMMAND.
func commandOf(input map[string]json.RawMessage) string {
	for _, name := range []string{"command", "cmd", "commandLine"} {
		if s := text(input[name]); s != "" {
			return s
		}
		var list []string
		if json.Unmarshal(input[name], &list) != nil || len(list) == 0 {
			continue
		}
		if len(list) == 3 && strings.HasPrefix(list[1], "-") && strings.HasSuffix(list[1], "c") {
			return list[2]
		}
		for i := range list {
			list[i] = words.ShellWord(list[i])
		}
		return strings.Join(list, " ")
	}
	return ""
}

func (r *Request) addPath(path string) {
	if path != "" && !slices.Contains(r.Paths, path) {
		r.Paths = append(r.Paths, path)
	}
}

// kinds maps the names of Claude Code's tools to the protocol's kinds; unlisted tools are other.
var kinds = map[string]string{
	"Bash": "execute", "Read": "read", "Glob": "search", "Grep": "search", "LS": "search", "NotebookRead": "read",
	"Edit": "edit", "MultiEdit": "edit", "Write": "edit", "NotebookEdit": "edit", "WebFetch": "fetch",
}

// ToolRequest returns the request of a client that names a tool and its arguments, as Claude Code does.
func ToolRequest(tool string, input json.RawMessage) Request {
	call, _ := json.Marshal(map[string]any{"title": tool, "kind": cmp.Or(kinds[tool], "other"), "rawInput": input})
	r := readRequest(call)
	r.Tool = tool
	if r.Kind == "execute" && r.Command == tool {
		r.Command = ""
	}
	return r
}
