package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type ticketImportOptions struct {
	where
	File       string
	Categories map[string]string
}

func newTicketImport(env *cli.Env, run cli.Func[ticketImportOptions]) *cobra.Command {
	o := &ticketImportOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "import FILE|- [flags]",
		Short: "Import tickets from CSV or JSON",
		Long: `Import tickets from a file or, with -, from standard input: CSV or TSV with a
heading (exports of Linear, Jira, Asana, Azure DevOps and GitHub are understood),
or JSON: objects one after another, an array, or what pmsync ticket export wrote.
A ticket needs a title; id, description, status, priority, labels, assignee,
parent, blocks, blocked_by and more are read where they are given. All tickets are
imported or none. The same file again changes nothing.`,
		Example: `pmsync ticket import issues.csv
pmsync ticket import issues.csv --status "Waiting=todo" --status "Parked=canceled"
gh issue list --json number,title,body,labels,state,url | pmsync ticket import -`,
	}, o, cli.Take(&o.File), run))
	cmd.ValidArgsFunction = nil
	cmd.Flags().StringToStringVar(&o.Categories, "status", nil, "`name=meaning` of a status that is not known: todo, in_progress, done or canceled")
	return cmd
}

func runTicketImport(ctx context.Context, o *ticketImportOptions) error {
	for name, category := range o.Categories {
		if !slices.Contains(ticket.Categories(), category) {
			return fault.Validation("status", "status %q cannot mean %q", name, category).WithHint("use %s", strings.Join(ticket.Categories(), ", "))
		}
	}
	data, err := readInput(o.env, o.File)
	if err != nil {
		return err
	}
	st, c, err := o.start(ctx)
	if err != nil {
		return err
	}
	done, err := st.Tickets.Import(ctx, c, data, ticket.Import{Categories: o.Categories})
	return o.show(ctx, done, err, func(s *term.Streams) error {
		for _, note := range done.Notes {
			s.Warn("%s", note)
		}
		said := []string{text.Count(done.Created, "ticket", "tickets") + " imported"}
		for _, part := range []struct {
			n    int
			text string
		}{{done.Updated, fmt.Sprintf("%d updated", done.Updated)}, {done.Unchanged, fmt.Sprintf("%d unchanged", done.Unchanged)},
			{done.Criteria, text.Count(done.Criteria, "acceptance criterion", "acceptance criteria") + " known"}} {
			if part.n > 0 {
				said = append(said, part.text)
			}
		}
		if err := s.Line(said...); err != nil {
			return err
		}
		s.Notice("next: `pmsync ready` lists what can be begun")
		return nil
	})
}

// readInput reads a file, or standard input for "-".
func readInput(env *cli.Env, name string) ([]byte, error) {
	var in io.Reader = env.Streams.In
	if name == "-" {
		if env.Streams.InTTY {
			return nil, fault.Validation("file", "\"-\" reads tickets from standard input, and nothing is piped into it").WithHint("pipe a file into this command, or name one")
		}
	} else {
		path, err := env.Path(name)
		if err != nil {
			return nil, err
		}
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.NotFound("file", name).WithHint("name a CSV or JSON file with tickets")
		}
		if err != nil {
			return nil, fault.Operation(err, "read %q", name)
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, output.MaxInput+1))
	if err != nil {
		return nil, fault.Operation(err, "read %q", name)
	}
	return data, nil
}

type ticketExportOptions struct {
	ticketListOptions
	File   string
	Format string
}

func newTicketExport(env *cli.Env, run cli.Func[ticketExportOptions]) *cobra.Command {
	o := &ticketExportOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "export [FILE] [flags]",
		Short: "Write tickets as NDJSON or CSV, as import reads them",
		Long: `Write a project's tickets, finished ones too, to a file or to standard output: as
NDJSON, one ticket a line, or as CSV. pmsync ticket import reads both.`,
		Example: "pmsync ticket export tickets.csv\npmsync ticket export --format csv --sprint \"Sprint 4\" > sprint.csv",
	}, o, cli.Take(&o.File), run))
	o.bindFilter(cmd)
	cmd.Flags().Lookup("all").Hidden = true
	cmd.Flags().StringVar(&o.Format, "format", "", "`format`: ndjson or csv (default by the file's name, else ndjson)")
	cli.CompleteFlag(cmd, "format", cli.Words("ndjson", "csv"))
	return cmd
}

func runTicketExport(ctx context.Context, o *ticketExportOptions) error {
	if o.Format == "" {
		if o.Format = "ndjson"; strings.EqualFold(filepath.Ext(o.File), ".csv") {
			o.Format = "csv"
		}
	}
	if o.Format != "ndjson" && o.Format != "csv" {
		return fault.Validation("format", "%q is not a format of an export", o.Format).WithHint("use ndjson or csv")
	}
	st, c, err := o.start(ctx)
	if err != nil {
		return err
	}
	o.Filter.Caller, o.Everything = c, true
	all, err := st.Tickets.Exported(ctx, o.Filter)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if o.Format == "csv" {
		err = ticket.WriteCSV(&b, all)
	} else {
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		for i := 0; i < len(all) && err == nil; i++ {
			err = encoder.Encode(all[i])
		}
	}
	if err != nil {
		return fault.Operation(err, "write the tickets")
	}
	if o.File == "" || o.File == "-" {
		_, err := o.env.Streams.Out.Write(b.Bytes())
		return err
	}
	path, err := o.env.Path(o.File)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fault.Operation(err, "write %q", o.File)
	}
	said := map[string]any{"file": path, "tickets": len(all), "format": o.Format}
	return o.env.Printer().Document(ctx, said, func(s *term.Streams) error {
		return s.Line(o.File, text.Count(len(all), "ticket", "tickets")+" written")
	})
}
