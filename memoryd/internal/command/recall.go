package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/history"
	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/others"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type recallOptions struct {
	where
	memory.Query
	Key        string
	History    bool
	Everywhere bool
}

func newRecall(env *cli.Env, run cli.Func[recallOptions]) *cobra.Command {
	o := &recallOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:        "recall [QUESTION | -]",
		SuggestFor: []string{"search", "find", "list", "ls", "memories"},
		Short:      "Find memories by a plainly worded question",
		Long: `Find the memories that answer a question, the best first. Ask in plain words: question
words are left out, names are split, endings and typing mistakes do not matter, and
the notes around a memory in its session help to find it. A weak hit contains few words
of the question, or fewer than another; when all are weak, there is probably no answer. The table shows only the nearest part of a weak hit,
--json all of it. A turn of a conversation is shown with what was said before and
after it. Memories of other programs and sessions of agents' clients that bear on the
question follow in lists of their own. The answer ends where relevance falls off;
--all shows the rest. --also asks the same question in other words, perhaps those of the
note: it finds more, and fewer wrong hits.

Without a question the most important memories are listed; --key fetches one by its key
or id, --history its earlier versions. With "-" questions are read from standard input,
one a line: plain text, a JSON string, or an object with query and, if wanted, limit,
memory_type, tags, min_importance; each answer repeats its query.

Archived memories are not searched but counted; memoryd restore brings them back.`,
		Example: "memoryd recall 'why do we store dates in UTC?'\n" +
			"memoryd recall 'flaky tests' --type warning --explain\n" +
			"memoryd recall 'where do uploads go?' --also 'images stored in S3'\n" +
			"memoryd recall --key utc-dates --history\n" +
			"memoryd recall - --limit 10 -o ndjson < questions.txt",
		Args: cobra.ArbitraryArgs,
	}, o, cli.TakeWords(&o.Text), run)
	o.bind(env, cmd)
	f := cmd.Flags()
	f.StringVarP(&o.Key, "key", "k", "", "fetch the memory with this `key` or id")
	f.BoolVar(&o.History, "history", false, "with --key, its earlier versions")
	f.StringArrayVar(&o.Also, "also", nil, "the question in other `words`, up to four times; hits of several wordings come first")
	bindType(cmd, &o.Type, "only memories of this `type`")
	f.StringSliceVar(&o.Tags, "tag", nil, "only memories with any of these `tags`")
	f.StringSliceVar(&o.Items, "related", nil, "only memories about any of these items, by `id`")
	f.IntVar(&o.MinImportance, "min-importance", memory.MinImportance, "only memories of at least this importance, `1..5`")
	f.IntVarP(&o.Limit, "limit", "n", memory.DefaultLimit, fmt.Sprintf("at most `n` memories, 1 to %d", memory.MaxLimit))
	f.IntVar(&o.Offset, "offset", 0, "leave out the first `n`")
	f.BoolVar(&o.Titles, "titles", false, "show titles without bodies, which counts no access")
	f.BoolVar(&o.Explain, "explain", false, "show what each score is made of")
	f.BoolVar(&o.All, "all", false, "also show the hits after relevance falls off")
	f.BoolVar(&o.Everywhere, "all-projects", false, "search every project; each memory with its project")
	return cmd
}

func runRecall(ctx context.Context, o *recallOptions) error {
	if o.Limit < 1 {
		return fault.Validation("limit", "limit %d is outside 1 to %d", o.Limit, memory.MaxLimit).WithHint("page with --offset")
	}
	if o.Everywhere && o.Project != "" {
		return fault.Validation("all-projects", "--all-projects and --project exclude each other").WithHint("give one of them")
	}
	switch {
	case o.Key != "" && (o.Text != "" || len(o.Also) > 0):
		return fault.Validation("key", "--key fetches one memory, and takes no question").WithHint("leave out --key to ask, or the question to fetch %q", o.Key)
	case o.Key == "" && o.History:
		return fault.Validation("history", "--history is of one memory, and none is named").WithHint("name it: --key KEY --history")
	}
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	by := memory.Reader{Agent: o.agent()}
	if !o.Everywhere {
		place, err := o.place()
		if err != nil {
			return err
		}
		by.Place = &place
	}
	switch {
	case o.Key != "":
		return fetch(ctx, o, st, by)
	case o.Text == "-":
		return recallMany(ctx, o, st, by)
	}
	answers, err := st.Memories.RecallAll(ctx, by, []memory.Query{o.Query})
	if err != nil {
		return err
	}
	a := answers[0]
	if len(o.Also) > 0 && len(a.Memories) > 1 {
		o.env.Streams.Notice("the memories that most wordings find come first; SCORE is that of the wording that found it best")
	}
	all := recalled{Answer: a}
	if o.Offset == 0 {
		if all.Sessions, err = st.History.Beside().Bears(ctx, by.Place, o.Text); err != nil {
			o.env.Streams.Warn("the sessions of clients are left out: %v", err)
		}
		if all.Others, err = st.Others.Bear(ctx, by.Place, o.Text); err != nil {
			o.env.Streams.Warn("the memories of other programs are left out: %v", err)
		}
		all.Others = others.Without(all.Others, a.Keys())
	}
	if err := output.ListDocument(ctx, o.env.Printer(), all, a.Memories, hitColumns(o)); err != nil {
		return err
	}
	if o.env.Printer().Format() == output.Table {
		if err := o.env.Streams.Text(others.Beneath(all.Others) + history.Beneath(all.Sessions)); err != nil {
			return err
		}
	}
	tellAnswer(o.env, a)
	return nil
}

// recalled is an answer together with related memories of other programs and sessions of clients, listed apart.
type recalled struct {
	memory.Answer
	Others   []others.Seen  `json:"other_memories,omitempty"`
	Sessions []history.Seen `json:"client_sessions,omitempty"`
}

// tellAnswer prints the parts of an answer that its list does not show.
func tellAnswer(env *cli.Env, a memory.Answer) {
	notice := env.Streams.Notice
	switch {
	case a.Unkept && a.Former == nil:
		notice("%s", a.Next())
	case a.Former != nil:
		notice("no memory was found that answers; %s", a.Next())
	case len(a.Memories) == 0 && a.Weak && a.Next() != "":
		notice("no memory was found; %s", a.Next())
	case len(a.Memories) == 0:
		notice("no memory was found")
	case a.Weak:
		notice("only weak hits: %s", a.Next())
	case a.Next() != "":
		notice("%s", a.Next())
	}
	if a.WordsAlone != "" {
		notice("words alone decide, or some memories are not compared by meaning: %s", a.WordsAlone)
	}
	for _, word := range slices.Sorted(maps.Keys(a.Read)) {
		notice("no memory says %q; read as %s", word, strings.Join(a.Read[word], ", "))
	}
	if a.Hidden > 0 {
		notice("%s not searched (`memoryd restore` brings one back)", text.Count(a.Hidden, "archived or replaced memory was", "archived or replaced memories were"))
	}
	if a.Left > 0 {
		notice("%s left out: --all", text.Count(a.Left, "hit that is far less relevant was", "hits that are far less relevant were"))
	}
	if a.More {
		notice("more follow: --offset")
	}
}

func hitColumns(o *recallOptions) []output.Column[memory.Hit] {
	columns := []output.Column[memory.Hit]{
		{Title: "ID", Value: func(h memory.Hit) string { return h.ID }},
		{Title: "TYPE", Value: func(h memory.Hit) string { return h.Type }},
		{Title: "KEY", Short: true, Value: func(h memory.Hit) string { return h.Key }},
	}
	if o.Everywhere {
		columns = append(columns, output.Column[memory.Hit]{Title: "PROJECT", Short: true, Value: func(h memory.Hit) string { return h.Source }})
	}
	if o.Text != "" {
		columns = append(columns, output.Column[memory.Hit]{Title: "SCORE", Right: true, Value: func(h memory.Hit) string {
			if h.Weak {
				return fmt.Sprintf("%.2f weak", h.Score)
			}
			return fmt.Sprintf("%.2f", h.Score)
		}})
	}
	if o.Explain {
		columns = append(columns, output.Column[memory.Hit]{Title: "WHY", Flex: true, Value: func(h memory.Hit) string { return h.Parts.String() }})
	}
	return append(columns, output.Column[memory.Hit]{Title: "MEMORY", Flex: true, Value: func(h memory.Hit) string {
		if h.Headline != "" {
			return h.Headline
		}
		line := cmp.Or(h.Nearest, strings.Join(strings.Fields(h.Content), " "))
		if h.Title != "" && !begins(line, h.Title) {
			line = h.Title + ": " + line
		}
		if len(h.Before)+len(h.After) > 0 {
			line = strings.Join(slices.Concat(h.Before, []string{line}, h.After), " / ")
		}
		for _, c := range h.Citations {
			line += fmt.Sprintf(" [%s %s]", place(c), verdict(c))
		}
		return line
	}})
}

// begins reports whether a title is only the beginning of a body.
func begins(body, title string) bool {
	return strings.HasPrefix(body, strings.TrimSuffix(title, "…"))
}

// place is what a citation points at: a line of a file, or the file.
func place(c memory.Citation) string {
	if c.Line == 0 {
		return c.Path
	}
	return fmt.Sprintf("%s:%d", c.Path, c.Line)
}

func verdict(c memory.Citation) string {
	if c.Verdict == "" {
		return "not checked"
	}
	return c.Verdict
}

// fetched is one memory, on request with its former versions.
type fetched struct {
	memory.Memory
	History []memory.Version `json:"history,omitempty"`
}

func fetch(ctx context.Context, o *recallOptions, st *stores.Stores, by memory.Reader) error {
	m, history, err := st.Memories.Get(ctx, by, o.Key, o.Type, o.History)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, fetched{m, history}, func(t *term.Streams) error {
		lines := [][]string{{m.ID, m.Type, m.Key, fmt.Sprintf("importance %d, confidence %.2g, version %d", m.Importance, m.Confidence, m.Version)}}
		for _, state := range states(m) {
			lines = append(lines, []string{state})
		}
		if m.Title != "" && !begins(m.Content, m.Title) {
			lines = append(lines, []string{m.Title})
		}
		lines = append(lines, []string{m.Content})
		for _, c := range m.Citations {
			lines = append(lines, []string{place(c), verdict(c)})
		}
		for _, v := range history {
			lines = append(lines, []string{former(v), v.Content})
		}
		return rows(t, lines)
	})
}

// former describes an earlier version: its importance and confidence, and when, by whom and why it changed.
func former(v memory.Version) string {
	said := fmt.Sprintf("version %d (importance %d, confidence %.2g) until %s", v.Version, v.Importance, v.Confidence, local(v.ChangedAt))
	if v.ChangedBy != "" {
		said += " by " + v.ChangedBy
	}
	if v.Why != "" {
		said += ": " + v.Why
	}
	return said
}

// states returns the reasons why a memory is not recalled.
func states(m memory.Memory) (all []string) {
	if m.ArchivedAt != nil {
		all = append(all, fmt.Sprintf("archived %s: %s", local(*m.ArchivedAt), m.ArchivedWhy))
	}
	if m.Superseded != "" {
		all = append(all, "replaced by "+m.Superseded)
	}
	switch {
	case m.Expired:
		all = append(all, "expired "+local(*m.ExpiresAt))
	case m.ExpiresAt != nil:
		all = append(all, "expires "+local(*m.ExpiresAt))
	}
	return all
}

// asked is one of several questions.
type asked struct {
	Query string   `json:"query"`
	Type  string   `json:"memory_type,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Least int      `json:"min_importance,omitempty"`
	Limit int      `json:"limit,omitempty"`
	ID    any      `json:"id,omitempty"` // the caller's own, returned with the answer
}

// answered is the answer to one of several questions.
type answered struct {
	ID    any    `json:"query_id,omitempty"`
	Query string `json:"query"`
	memory.Answer
}

// recallBatch is how many questions are answered from one snapshot.
const recallBatch = 100

func recallMany(ctx context.Context, o *recallOptions, st *stores.Stores, by memory.Reader) error {
	questions, err := readQuestions(o.env.Streams)
	if err != nil {
		return err
	}
	all := []answered{}
	for some := range slices.Chunk(questions, recallBatch) {
		queries := make([]memory.Query, len(some))
		for i, a := range some {
			queries[i] = o.Query
			queries[i].Text = a.Query
			queries[i].Type = cmp.Or(a.Type, o.Type)
			queries[i].MinImportance = cmp.Or(a.Least, o.MinImportance)
			queries[i].Limit = cmp.Or(a.Limit, o.Limit)
			if a.Tags != nil {
				queries[i].Tags = a.Tags
			}
		}
		answers, err := st.Memories.RecallAll(ctx, by, queries)
		if err != nil {
			return err
		}
		for i, a := range answers {
			all = append(all, answered{ID: some[i].ID, Query: some[i].Query, Answer: a})
		}
	}
	return output.List(ctx, o.env.Printer(), "answers", all, []output.Column[answered]{
		{Title: "QUESTION", Flex: true, Value: func(a answered) string { return text.FirstLine(a.Query, 60) }},
		{Title: "FOUND", Right: true, Value: func(a answered) string { return fmt.Sprint(len(a.Memories)) }},
		{Title: "BEST", Flex: true, Value: func(a answered) string {
			if len(a.Memories) == 0 {
				return ""
			}
			return a.Memories[0].Key
		}},
	})
}

// readQuestions reads one question a line.
func readQuestions(s *term.Streams) ([]asked, error) {
	if s.InTTY {
		return nil, fault.Validation("-", "\"-\" reads questions from standard input, and nothing is piped into it").WithHint("pipe one question a line into this command")
	}
	var all []asked
	lines := bufio.NewScanner(io.LimitReader(s.In, output.MaxInput))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		var a asked
		switch {
		case len(line) == 0:
			continue
		case line[0] == '{':
			if err := strict(line, &a); err != nil {
				return nil, fault.Validation("-", "line %d of standard input: %v", n, err).WithHint("give query and, if wanted, limit, memory_type, tags, min_importance, id")
			}
		case line[0] == '"' && json.Unmarshal(line, &a.Query) == nil:
		default:
			a.Query = string(line)
		}
		if len(all) == output.MaxItems {
			return nil, fault.Validation("-", "standard input holds more than %d questions", output.MaxItems).WithHint("send them in parts")
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		return nil, fault.Validation("-", "standard input cannot be read: %v", err).WithHint("give one question a line, each shorter than 1 MB")
	}
	return all, nil
}
