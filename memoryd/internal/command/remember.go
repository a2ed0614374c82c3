package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

type rememberOptions struct {
	where
	memory.New // as the flags describe it

	Importance int
	importance *int // nil when it was not given
	Cite       []string
	Expires    string
	confidence float64
	warnings   []string
}

func newRemember(env *cli.Env, run cli.Func[rememberOptions]) *cobra.Command {
	o := &rememberOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:        "remember TEXT | -",
		SuggestFor: []string{"add", "store", "save", "note"},
		Short:      "Store a memory, or many from standard input",
		Long: `Store what is worth knowing in the next session. A memory is known by project, type and
key: storing under a key that exists updates it, keeps what it said before, and leaves
what is not named as it was. Without --key one is made from the first words.

With "-" memories are read from standard input, one JSON object a line, with the fields
content (required), key, memory_type, title, summary, importance, confidence, tags,
related_items, citations, session, context, expires_at, supersedes, created_at.

What helps to find a memory: its title, tags, --context (who said it and when, what it
was about), and the session it was noted in: memories with the same session, in the order
they are stored, are each other's context. Any label will do for --session; without one
it is the agent's open session.

Places in the code that the text names, as in src/a.go:12, are cited like those of
--cite: the line's text is kept. A place that does not exist is reported. Secrets are
taken out and reported; --allow-secrets keeps them.`,
		Example: "memoryd remember 'Dates are stored in UTC' --type decision --key utc-dates --tag time\n" +
			"memoryd remember 'Retries need jitter' --type warning --cite src/retry.go:42\n" +
			"memoryd remember - < memories.ndjson",
		Args: cli.Args("TEXT"),
	}, o, o.take, run)
	o.bind(env, cmd)
	f := cmd.Flags()
	f.StringVarP(&o.Key, "key", "k", "", "`key` it is known by")
	f.StringVarP(&o.Type, "type", "t", memory.TypePattern, "`type`: "+strings.Join(memory.Types(), ", "))
	f.StringVar(&o.Title, "title", "", "one line about its subject")
	f.StringVar(&o.Summary, "summary", "", "short version for lists")
	f.IntVarP(&o.Importance, "importance", "i", memory.DefaultImportance, "`n` from 1, nice to know, to 5, never forgotten")
	f.Float64Var(&o.confidence, "confidence", 1, "how certain it is, `0..1`")
	f.StringSliceVar(&o.Tags, "tag", nil, "`tags`, separated by commas")
	f.StringSliceVar(&o.Items, "related", nil, "`ids` of tasks, tickets, plans or bugs it is about")
	f.StringArrayVar(&o.Cite, "cite", nil, "`path:line` of the code that supports it")
	f.StringVar(&o.Thread, "session", "", "`session` it was noted in: an id, or a label")
	f.StringVar(&o.Context, "context", "", "`words` around it that help to find it")
	f.StringVar(&o.Expires, "expires", "", "`time` after which it is hidden: a date, RFC 3339, or a duration such as 30d")
	f.StringVar(&o.Supersedes, "supersedes", "", "`key` or id of the memory that it replaces")
	f.BoolVar(&o.AllowSecrets, "allow-secrets", false, "store texts that look like secrets as they are")
	f.BoolVar(&o.SkipSimilar, "skip-similar", false, "store nothing when a memory of any key has the same text")
	completeTypes(cmd)
	return cmd
}

func (o *rememberOptions) take(g cli.Given) error {
	o.Content = g.Args[0]
	o.Confidence, o.importance = cli.IfGiven(g, "confidence", &o.confidence), cli.IfGiven(g, "importance", &o.Importance)
	return nil
}

func runRemember(ctx context.Context, o *rememberOptions) error {
	place, err := o.place()
	if err != nil {
		return err
	}
	var list []memory.New
	if o.Content == "-" {
		list, err = o.many(ctx)
	} else {
		var one memory.New
		one, err = o.one(ctx)
		list = []memory.New{one}
	}
	if err != nil {
		return err
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	stored, err := st.Memories.Remember(ctx, memory.Booking{Place: place, Agent: o.agent(), Session: o.Thread}, list)
	if err != nil {
		if len(stored) > 0 {
			o.env.Streams.Notice("%d memories were stored before the error; storing all again is harmless", len(stored))
		}
		return err
	}
	if o.Content != "-" {
		s := stored[0]
		s.Warnings = o.warnings
		return o.env.Printer().Document(ctx, s, func(t *term.Streams) error { return printStored(t, s) })
	}
	if len(list) == 0 {
		o.env.Streams.Notice("nothing was stored: standard input lists nothing")
	}
	for i := range stored {
		stored[i].Content, stored[i].Context, stored[i].Summary = "", "", "" // the caller gave them
	}
	return output.List(ctx, o.env.Printer(), "memories", stored, []output.Column[memory.Stored]{
		{Title: "ID", Value: func(s memory.Stored) string { return s.ID }},
		{Title: "TYPE", Value: func(s memory.Stored) string { return s.Type }},
		{Title: "KEY", Value: func(s memory.Stored) string { return s.Key }, Flex: true},
		{Title: "OUTCOME", Value: func(s memory.Stored) string { return s.Outcome }},
	})
}

func printStored(t *term.Streams, s memory.Stored) error {
	for _, near := range s.Similar {
		t.Notice("%s %q says nearly the same (%d %% of the words)", near.ID, near.Key, int(near.Similarity*100))
	}
	for _, b := range s.Displaced {
		t.Notice("%s %q was archived to make room", b.ID, b.Key)
	}
	return t.Line(s.ID, s.Outcome, s.Type, s.Key, "project "+s.Project)
}

// one builds the memory from the flags.
func (o *rememberOptions) one(ctx context.Context) (n memory.New, err error) {
	n = o.New
	if n.Importance, err = memory.GivenImportance(o.importance); err != nil {
		return n, err
	}
	if n.ExpiresAt, err = memory.Expiry(o.Expires, time.Now()); err != nil {
		return n, err
	}
	for _, given := range o.Cite {
		n.Citations = append(n.Citations, memory.Cited(given))
	}
	o.warnings = o.standing(ctx, n.Citations)
	n.Named = memory.Named(ctx, o.folder(), n.Content)[0]
	return n, nil
}

// line is a memory on standard input.
type line struct {
	Content      string            `json:"content"`
	Key          string            `json:"key"`
	Type         string            `json:"memory_type"`
	Title        string            `json:"title"`
	Summary      string            `json:"summary"`
	Importance   *int              `json:"importance"`
	Confidence   *float64          `json:"confidence"`
	Tags         []string          `json:"tags"`
	Items        []string          `json:"related_items"`
	Citations    []memory.Citation `json:"citations"`
	Session      string            `json:"session"`
	Context      string            `json:"context"`
	ExpiresAt    *timestamp.Time   `json:"expires_at"`
	Supersedes   string            `json:"supersedes"`
	CreatedAt    timestamp.Time    `json:"created_at"`
	AllowSecrets bool              `json:"allow_secrets"`
}

// many reads memories from standard input; flags apply to those without a value of their own.
func (o *rememberOptions) many(ctx context.Context) ([]memory.New, error) {
	items, err := output.ReadItems[json.RawMessage](o.env.Streams, "memories")
	if err != nil {
		return nil, err
	}
	expires, err := memory.Expiry(o.Expires, time.Now())
	if err != nil {
		return nil, err
	}
	list := make([]memory.New, 0, len(items))
	for _, item := range items {
		var in line
		if err := strict(item.Value, &in); err != nil {
			return nil, fault.Validation("-", "line %d of standard input: %v", item.Line, err).WithHint("`memoryd remember --help` lists the fields")
		}
		n := memory.New{
			Type: cmp.Or(in.Type, o.Type), Key: in.Key, Content: in.Content, Title: in.Title, Summary: in.Summary,
			Confidence: cmp.Or(in.Confidence, o.Confidence), Tags: append(in.Tags, o.Tags...), Items: append(in.Items, o.Items...), Citations: in.Citations,
			Thread: cmp.Or(in.Session, o.Thread), Context: cmp.Or(in.Context, o.Context),
			ExpiresAt: cmp.Or(in.ExpiresAt, expires), Supersedes: in.Supersedes, At: in.CreatedAt.Time,
			AllowSecrets: in.AllowSecrets || o.AllowSecrets, SkipSimilar: o.SkipSimilar,
		}
		if n.Importance, err = memory.GivenImportance(cmp.Or(in.Importance, o.importance)); err != nil {
			f := *fault.From(err)
			f.Message = fmt.Sprintf("line %d of standard input: %s", item.Line, f.Message)
			return nil, &f
		}
		o.standing(ctx, n.Citations)
		list = append(list, n)
	}
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = n.Content
	}
	for i, named := range memory.Named(ctx, o.folder(), texts...) {
		list[i].Named = named
	}
	return list, nil
}

// strict reads one JSON object and refuses unknown fields.
func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s must not be %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("it is %s and not an object", wrong.Value)
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
