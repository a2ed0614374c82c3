package command

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type sessionNoteOptions struct {
	oneSession
	session.NewEvent
	Files, Symbols, Items []string
	Snippet               string
}

func newSessionNote(env *cli.Env, run cli.Func[sessionNoteOptions]) *cobra.Command {
	o := &sessionNoteOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "note CONTENT [flags]",
		Short: "Record an event of the open session",
		Long: `Record a decision, discovery, progress, blocker, note or error in the open session.
At the session's end important events, and decisions from medium, become memories.
CONTENT - reads standard input. Secrets are taken out.`,
		Example:           "memoryd session note --type decision 'Retry with backoff; the API answers 429'\nmemoryd session note --type blocker --importance high 'CI has no disk left' --file .ci/run",
		ValidArgsFunction: cobra.NoFileCompletions,
	}, o, cli.Take(&o.Content), run)
	o.bindSession(env, cmd)
	f := cmd.Flags()
	f.StringVar(&o.Session, "session", "", "`session` to record it in (default the open one)")
	f.StringVar(&o.Type, "type", session.Note, "`kind` of event: "+strings.Join(session.EventTypes(), ", "))
	f.StringVar(&o.Importance, "importance", "medium", "how `important`: "+strings.Join(session.Importances(), ", "))
	f.StringArrayVar(&o.Files, "file", nil, "related `path`; give it again for more")
	f.StringArrayVar(&o.Symbols, "symbol", nil, "related function or class `name`; give it again for more")
	f.StringArrayVar(&o.Items, "related-item", nil, "related ticket or task, by `id`; give it again for more")
	f.StringVar(&o.Snippet, "snippet", "", "relevant `code`")
	f.BoolVar(&o.AllowSecrets, "allow-secrets", false, "keep texts that look like secrets as they are")
	cli.CompleteFlag(cmd, "session", cli.Complete(env, sessionRefs))
	for flag, values := range map[string][]string{"type": session.EventTypes(), "importance": session.Importances()} {
		cli.CompleteFlag(cmd, flag, cli.Words(values...))
	}
	return cmd
}

func runSessionNote(ctx context.Context, o *sessionNoteOptions) error {
	n := o.NewEvent
	if n.Content == "-" {
		all, err := io.ReadAll(io.LimitReader(o.env.Streams.In, text.MaxBody+1))
		if err != nil {
			return fault.Operation(err, "read standard input")
		}
		n.Content = string(all)
	}
	st, id, err := o.open(ctx)
	if err != nil {
		return err
	}
	n.Context = map[string]any{}
	for name, list := range map[string][]string{"files": o.Files, "symbols": o.Symbols, "related_items": o.Items} {
		if len(list) > 0 {
			all := make([]any, len(list))
			for i := range list {
				all[i] = list[i]
			}
			n.Context[name] = all
		}
	}
	if o.Snippet != "" {
		n.Context["code_snippet"] = o.Snippet
	}
	noted, err := st.Sessions.Note(ctx, id, n)
	if err != nil {
		return err
	}
	for _, w := range noted.Warnings {
		o.env.Streams.Warn("%s", w)
	}
	return o.env.Printer().Document(ctx, noted, func(s *term.Streams) error { return s.Line(noted.Session, noted.Type, noted.ID) })
}
