package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/server"
)

// Sessions makes the calls of each session of testdata/sessions to a server of its own and compares the answers with what the session shows;
// see [clitest.Sessions]. The program is named mcp, and the server stands in the folder of its first run:
//
//	$ mcp agit_list_repos '{"limit": 1}'
//	$ mcp prompts/get orchestrate '{"repo": "app", "goal": "all of it"}'
//	$ mcp resources/read agit://repos
//	$ mcp completion/complete ref/prompt orchestrate repo a '{"goal": "all of it"}'
//	$ mcp as another client
//
// An answer is shown with each of its fields on a line, and that of a refused call after "refused".
func Sessions[S any](t *testing.T, spec server.Spec[S]) {
	t.Helper()
	clitest.SessionsOf(t, "mcp", func(t testing.TB) func(env *cli.Env, args []string) *cobra.Command {
		var offered *mcpkit.Server
		clients := map[string]*mcpkit.Local{}
		now := ""
		return func(env *cli.Env, _ []string) *cobra.Command {
			return &cobra.Command{Use: "mcp", DisableFlagParsing: true, SilenceErrors: true, SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error {
				if offered == nil {
					_, offered = build(t, spec, Env(t, env.UserHome, env.Dir, env.Environ...), nil, false)
				}
				if args[0] == "as" {
					now = strings.Join(args[1:], " ")
					return nil
				}
				if clients[now] == nil {
					clients[now] = offered.Local()
					t.Cleanup(clients[now].Close)
				}
				text, err := ask(t.Context(), clients[now], args)
				if err != nil {
					return err
				}
				return env.Streams.Text(anonymous.ReplaceAllString(text, "client-<id>"))
			}}
		}
	})
}

// anonymous finds the name of a client that gave none.
var anonymous = regexp.MustCompile(`\bclient-[0-9a-f]{8}\b`)

// ask makes the call that a line describes.
func ask(ctx context.Context, client *mcpkit.Local, args []string) (string, error) {
	method, params := args[0], map[string]any{}
	given := func(i int) json.RawMessage {
		if i < len(args) {
			return json.RawMessage(strings.ReplaceAll(args[i], "\n", `\n`))
		}
		return json.RawMessage("{}")
	}
	switch method {
	case "prompts/get":
		params["name"], params["arguments"] = args[1], given(2)
	case "resources/read":
		params["uri"] = args[1]
	case "completion/complete":
		ref := map[string]string{"type": args[1], "name": args[2]}
		if args[1] == "ref/resource" {
			ref = map[string]string{"type": args[1], "uri": args[2]}
		}
		params["ref"], params["argument"] = ref, map[string]string{"name": args[3], "value": args[4]}
		params["context"] = map[string]any{"arguments": given(5)}
	default:
		if !strings.Contains(method, "/") {
			method = "tools/call"
			params["name"], params["arguments"] = args[0], given(1)
		}
	}
	raw, err := client.Do(ctx, method, params)
	if err != nil {
		return "", err
	}
	var answer struct {
		Result
		Messages []struct{ Content struct{ Text string } }
		Contents []struct{ Text string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", err
	}
	var b strings.Builder
	switch {
	case len(answer.Messages) > 0:
		for _, m := range answer.Messages {
			b.WriteString(m.Content.Text + "\n")
		}
		return b.String(), nil
	case len(answer.Contents) > 0:
		for _, c := range answer.Contents {
			b.WriteString(fields([]byte(c.Text)))
		}
		return b.String(), nil
	case len(answer.StructuredContent) > 0:
		raw = answer.StructuredContent
	}
	if answer.IsError {
		b.WriteString("refused\n")
	}
	return b.String() + fields(raw), nil
}

// fields returns an object with each field on a line, and anything else as it is.
func fields(object []byte) string {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return string(object) + "\n"
	}
	var b strings.Builder
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return string(object) + "\n"
		}
		fmt.Fprintf(&b, "%q: %s\n", name, value)
	}
	return b.String()
}
