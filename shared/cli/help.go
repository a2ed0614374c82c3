package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/term"
)

// exitMeaning is the meaning of a status for commands that do not name their own.
var exitMeaning = [...]string{
	"done",
	"the check found something, or the operation failed",
	"wrong usage or invalid input",
	"something named does not exist",
	"conflict: already claimed, already exists, would conflict",
	"a provider or the network is not reachable",
}

const exitAnnotation = "exit-"

// Exits adds to cmd's help what a status means there, such as 3 for `next` when there is nothing to do.
func Exits(cmd *cobra.Command, status int, meaning string) {
	annotate(cmd, exitAnnotation+strconv.Itoa(status), meaning)
}

func annotate(cmd *cobra.Command, key, value string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[key] = value
}

func exitCodes(c *cobra.Command) [][2]string {
	var out [][2]string
	for status, meaning := range exitMeaning {
		if own := c.Annotations[exitAnnotation+strconv.Itoa(status)]; own != "" {
			meaning = own
		}
		out = append(out, [2]string{strconv.Itoa(status), meaning})
	}
	return out
}

type helpOptions struct {
	env   *Env
	root  *cobra.Command
	Words []string // the command's path
}

// newHelp returns `help COMMAND`.
func newHelp(env *Env, root *cobra.Command, run Func[helpOptions]) *cobra.Command {
	o := &helpOptions{env: env, root: root}
	return Command(&cobra.Command{
		Use:    "help [COMMAND]",
		Args:   cobra.ArbitraryArgs,
		Short:  "Print the help of a command",
		Hidden: true,
	}, o, TakeAll(&o.Words), run)
}

func runHelp(_ context.Context, o *helpOptions) error {
	if slices.Equal(o.Words, []string{"exit-codes"}) {
		pairs(o.env.Streams.Out, exitCodes(o.root), helpColumns(o.env.Streams))
		return nil
	}
	c, rest, err := o.root.Find(o.Words)
	if err != nil || len(rest) > 0 {
		return unknownCommand(c, rest[0])
	}
	c.InitDefaultHelpFlag()
	return c.Help()
}

// pipedColumns is the width of help that goes into a pipe.
const pipedColumns = 80

// helpColumns returns the width of help.
func helpColumns(s *term.Streams) int {
	if s.Columns == 0 { // a pipe: most often into a pager
		return pipedColumns
	}
	return s.Columns
}

// printHelp writes the help of a command: what it does, its usage, examples, commands, flags, exit codes. It is cobra's layout without the
// template engine, which would be linked into every start.
func printHelp(env *Env, c *cobra.Command) {
	_ = env.Start() // wrong output flags do not prevent help
	s := env.Streams
	columns := helpColumns(s)
	w := bufio.NewWriter(s.Out)
	defer w.Flush() // the reader has gone, so a failure does not matter

	fmt.Fprintln(w, paragraphs(strings.TrimSpace(cmp.Or(c.Long, c.Short)), columns))
	heading(w, s, "Usage")
	for _, line := range usageLines(c) {
		fmt.Fprintf(w, "  %s\n", strings.Join(term.Wrap(line, columns-2), "\n    "))
	}
	if len(c.Aliases) > 0 {
		heading(w, s, "Aliases")
		fmt.Fprintf(w, "  %s\n", strings.Join(append([]string{c.Name()}, c.Aliases...), ", "))
	}
	if examples := examplesOf(c); examples != "" {
		heading(w, s, "Examples")
		fmt.Fprintln(w, indent(examples, columns))
	}
	for _, group := range commandGroups(c) {
		heading(w, s, group.title)
		pairs(w, group.rows, columns)
	}
	if rows := flagRows(c.NonInheritedFlags()); len(rows) > 0 {
		heading(w, s, "Flags")
		pairs(w, rows, columns)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s\n", paragraphs(fmt.Sprintf("`%s COMMAND --help` says more about a command.", c.CommandPath()), columns))
	}
	if c.HasParent() {
		common(w, s, c, columns)
		return
	}
	heading(w, s, "Exit codes")
	pairs(w, exitCodes(c), columns)
}

// leastHelp is the width that the lines of common take.
const leastHelp = 76

// common prints in two lines what all commands share, except the exit codes with a meaning of their own here.
func common(w io.Writer, s *term.Streams, c *cobra.Command, columns int) {
	own := slices.DeleteFunc(exitCodes(c), func(row [2]string) bool { return c.Annotations[exitAnnotation+row[0]] == "" })
	if len(own) > 0 {
		heading(w, s, "Exit codes")
		pairs(w, own, columns)
	} else {
		fmt.Fprintln(w)
	}
	for _, line := range []string{
		"Exit codes everywhere: 0 done, 1 found or failed, 2 usage, 3 not found,\n  4 conflict, 5 unreachable (`%s help exit-codes`)",
		"Global flags: --json, -o, --jq, -q, --no-color, --db, --config, --log-level\n  (`%s --help`)",
	} {
		line = fmt.Sprintf(line, c.Root().Name())
		if columns > 0 && columns < leastHelp {
			line = paragraphs(strings.ReplaceAll(line, "\n  ", " "), columns)
		}
		fmt.Fprintln(w, line)
	}
}

// examplesOf returns a command's examples; for a command that only groups others, the first example of each of those.
func examplesOf(c *cobra.Command) string {
	if c.Example != "" || !c.HasParent() {
		return c.Example
	}
	var first []string
	for _, sub := range c.Commands() {
		if line, _, _ := strings.Cut(sub.Example, "\n"); line != "" && sub.IsAvailableCommand() {
			first = append(first, line)
		}
	}
	return strings.Join(first, "\n")
}

func heading(w io.Writer, s *term.Streams, title string) {
	fmt.Fprintf(w, "\n%s\n", s.Paint(term.Bold, title))
}

func usageLines(c *cobra.Command) []string {
	var lines []string
	if c.HasAvailableSubCommands() {
		lines = append(lines, c.CommandPath()+" COMMAND [flags]")
	}
	if c.Runnable() && !isParent(c) {
		lines = append(lines, c.UseLine())
	}
	return lines
}

// isParent reports whether a command only prints its help when run.
func isParent(c *cobra.Command) bool { return c.HasSubCommands() && c.Annotations[runsAlone] == "" }

// runsAlone marks a command that has subcommands and a job of its own.
const runsAlone = "runs-alone"

// RunsAlone marks a command that does something without its subcommands, as
// `tasks REPO` does beside `tasks show`.
func RunsAlone(c *cobra.Command) *cobra.Command {
	annotate(c, runsAlone, "yes")
	return c
}

type commandGroup struct {
	title string
	rows  [][2]string
}

// commandGroups lists the subcommands under their headings; those without a heading come last.
func commandGroups(c *cobra.Command) []commandGroup {
	groups := make([]commandGroup, 0, len(c.Groups())+1)
	for _, g := range c.Groups() {
		groups = append(groups, commandGroup{title: strings.TrimSuffix(g.Title, ":")})
	}
	rest := commandGroup{title: "Commands"}
	if len(groups) > 0 {
		rest.title = "Other commands"
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		into := &rest
		for i, g := range c.Groups() {
			if g.ID == sub.GroupID {
				into = &groups[i]
			}
		}
		into.rows = append(into.rows, [2]string{sub.Name(), sub.Short})
	}
	return slices.DeleteFunc(append(groups, rest), func(g commandGroup) bool { return len(g.rows) == 0 })
}

func flagRows(flags *pflag.FlagSet) [][2]string {
	var rows [][2]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
		}
		if !slices.Contains([]string{"", "false", "0", "[]", "0s"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		rows = append(rows, [2]string{name, usage})
	})
	return rows
}

// pairs writes rows of a name and its description. The description continues in its own column when there are too few columns, and begins
// below the name when there are very few.
func pairs(w io.Writer, rows [][2]string, columns int) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	room := columns - width - 4
	const narrow, below = 20, 8
	for _, r := range rows {
		if room < narrow {
			fmt.Fprintf(w, "  %s\n%*s%s\n", r[0], below, "", strings.Join(term.Wrap(r[1], max(columns-below, narrow)), "\n"+strings.Repeat(" ", below)))
			continue
		}
		lines := term.Wrap(r[1], room)
		fmt.Fprintf(w, "  %-*s  %s\n", width, r[0], lines[0])
		for _, line := range lines[1:] {
			fmt.Fprintf(w, "  %-*s  %s\n", width, "", line)
		}
	}
}

// paragraphs rewraps lines of text that are wider than the terminal. Lines that begin with a blank stay as they are.
func paragraphs(text string, columns int) string {
	wide := func(line string) bool { return term.Width(line) > columns }
	if lines := strings.Split(text, "\n"); columns <= 0 || !slices.ContainsFunc(lines, wide) {
		return text
	}
	var out, flow []string
	end := func() {
		if len(flow) > 0 {
			out = append(out, term.Wrap(strings.Join(flow, " "), columns)...)
			flow = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' || line[0] == '\t' {
			end()
			out = append(out, line)
			continue
		}
		flow = append(flow, line)
	}
	end()
	return strings.Join(out, "\n")
}

// indent indents examples. An example that is too wide continues on the next line in the form that a shell accepts.
func indent(text string, columns int) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = "  " + continued(strings.TrimSpace(line), columns-2)
	}
	return strings.Join(lines, "\n")
}

// continued breaks a command line before words, never within quotes, and keeps a flag with its value.
func continued(line string, width int) string {
	if term.Width(line) <= width {
		return line
	}
	const further, end = "\n      ", ` \`
	var b strings.Builder
	at := 0 // width of the last line
	for _, part := range partsOf(line) {
		n := term.Width(part)
		switch {
		case at == 0:
		case at+1+n+len(end) > width:
			b.WriteString(end + further)
			at = len(further) - len("\n  ")
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(part)
		at += n
	}
	return b.String()
}

// partsOf returns the parts of a command line that must stay together: a word, a flag with its value, a pipe with the command after it.
func partsOf(line string) (parts []string) {
	var quote rune
	words := strings.FieldsFunc(line, func(r rune) bool {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		}
		return quote == 0 && r == ' '
	})
	for i, word := range words {
		own := i == 0 || word == "|" || strings.HasPrefix(word, "-")
		if !own && (strings.HasPrefix(parts[len(parts)-1], "|") || strings.HasPrefix(words[i-1], "-") && words[i-1] != "--" && !strings.Contains(words[i-1], "=")) {
			parts[len(parts)-1] += " " + word
			continue
		}
		parts = append(parts, word)
	}
	return parts
}
