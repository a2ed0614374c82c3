package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/fault"
)

type docsOptions struct {
	Root   *cobra.Command
	Folder string
	Format string
}

// newDocs returns the hidden command that writes one page per command. Its output depends on the command tree alone, so that a test can
// check that the pages in the repository are current.
func newDocs(root *cobra.Command, run Func[docsOptions]) *cobra.Command {
	o := &docsOptions{Root: root}
	cmd := Command(&cobra.Command{
		Use:    "docs FOLDER",
		Short:  "Write the reference pages of all commands into a folder",
		Hidden: true,
	}, o, Take(&o.Folder), run)
	cmd.Flags().StringVar(&o.Format, "format", "markdown", "`format`: markdown or man")
	CompleteFlag(cmd, "format", Words("markdown", "man"))
	return cmd
}

func runDocs(ctx context.Context, o *docsOptions) error {
	page, extension := markdownPage, ".md"
	switch o.Format {
	case "markdown":
	case "man":
		page, extension = manPage, ".1"
	default:
		return fault.Validation("format", "%q is not a format of pages", o.Format).WithHint("use markdown or man")
	}
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return fault.Operation(err, "create the folder of the pages")
	}
	return eachCommand(o.Root, func(c *cobra.Command) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := filepath.Join(o.Folder, pageName(c)+extension)
		if err := os.WriteFile(name, page(c), 0o644); err != nil {
			return fault.Operation(err, "write a page")
		}
		return nil
	})
}

func eachCommand(c *cobra.Command, visit func(*cobra.Command) error) error {
	c.InitDefaultHelpFlag()
	if err := visit(c); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			if err := eachCommand(sub, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func longText(c *cobra.Command) string {
	if c.Long != "" {
		return strings.TrimSpace(c.Long)
	}
	return c.Short + "."
}

// unbroken is the width of pages; their readers break lines themselves.
const unbroken = math.MaxInt32

func markdownPage(c *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), longText(c), strings.Join(usageLines(c), "\n"))
	if c.Example != "" {
		fmt.Fprintf(&b, "\n## Examples\n\n```\n%s\n```\n", strings.ReplaceAll(indent(c.Example, unbroken), "\n  ", "\n")[2:])
	}
	for _, group := range commandGroups(c) {
		fmt.Fprintf(&b, "\n## %s\n\n| command | what it does |\n|---|---|\n", group.title)
		for _, row := range group.rows {
			fmt.Fprintf(&b, "| [%s](%s-%s.md) | %s |\n", row[0], pageName(c), row[0], cell(row[1]))
		}
	}
	markdownRows(&b, "Flags", "flag", flagRows(c.NonInheritedFlags()))
	if c.HasParent() {
		fmt.Fprintf(&b, "\nThe global flags are those of [%s](%s.md).\n", c.Root().Name(), pageName(c.Root()))
	}
	markdownRows(&b, "Exit codes", "status", exitCodes(c))
	return b.Bytes()
}

func markdownRows(b *bytes.Buffer, title, column string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| %s | meaning |\n|---|---|\n", title, column)
	for _, row := range rows {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.TrimSpace(row[0]), cell(row[1]))
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func manPage(c *cobra.Command) []byte {
	var b bytes.Buffer
	title := strings.ToUpper(pageName(c))
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s \"%s manual\"\n", roff(title), roff(c.Root().Name()), roff(c.Root().Name()))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", roff(pageName(c)), roff(c.Short))
	for _, line := range usageLines(c) {
		fmt.Fprintf(&b, ".B %s\n.br\n", roff(line))
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(longText(c)))
	for _, group := range commandGroups(c) {
		manRows(&b, group.title, group.rows)
	}
	manRows(&b, "Options", flagRows(c.NonInheritedFlags()))
	manRows(&b, "Global options", flagRows(c.InheritedFlags()))
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(indent(c.Example, unbroken)))
	}
	manRows(&b, "Exit status", exitCodes(c))
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(c.Parent())))
	}
	return b.Bytes()
}

func manRows(b *bytes.Buffer, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", strings.ToUpper(roff(title)))
	for _, row := range rows {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(row[0])), roff(row[1]))
	}
}

// roff escapes text that troff would take for a request or an escape.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
