package command

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/others"
	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/memoryd/internal/transfer"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/notes"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type exportOptions struct {
	where
	File       string
	StatusFile bool
}

func newExport(env *cli.Env, run cli.Func[exportOptions]) *cobra.Command {
	o := &exportOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "export [FILE] [flags]",
		Short: "Write everything that is kept, one JSON object a line",
		Long: `Write sessions with their events, memories with their history, agents' records, and the
projects and agents that they name, to a file or to standard output, for all projects or
one (--project). memoryd import reads it back without loss. A file is written whole
or not at all.

With --status-file, write .agent/status.json, .journal/communication.json and a page
.journal/YYYY-MM-DD.md for each day into the project's working tree instead, for other
tools to look at. They are copies: nothing reads them back. When a file that memoryd did
not write is in the place of one, nothing is written.`,
		Example: "memoryd export backup.ndjson\nmemoryd export --project app | gzip > app.ndjson.gz\nmemoryd export --status-file",
	}, o, cli.Take(&o.File), run)
	o.bindProject(env, cmd)
	cmd.Flags().BoolVar(&o.StatusFile, "status-file", false, "write .agent/status.json and .journal into the working tree")
	return cmd
}

func runExport(ctx context.Context, o *exportOptions) error {
	if o.StatusFile {
		return runExportStatus(ctx, o)
	}
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	var id int64
	if o.Project != "" {
		p, err := o.find(ctx, st)
		if err != nil {
			return err
		}
		id = p.ID
	}
	rows, err := writeExport(ctx, o.env, st, id, o.File)
	if err != nil {
		return err
	}
	o.env.Streams.Notice("%s written", text.Count(rows, "row was", "rows were"))
	return nil
}

func runExportStatus(ctx context.Context, o *exportOptions) error {
	if o.File != "" {
		return fault.Validation("status-file", "--status-file writes files of its own names").WithHint("leave %q out", o.File)
	}
	place, err := o.place()
	if err != nil {
		return err
	}
	folder := ""
	switch {
	case o.Project == "":
		folder = o.env.Dir
	case place.At != nil:
		folder = place.At.Folder
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	return exportStatus(ctx, o.env, st, place, folder)
}

type importOptions struct {
	where
	File         string
	AllowSecrets bool
}

func newImport(env *cli.Env, run cli.Func[importOptions]) *cobra.Command {
	o := &importOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "import FILE | SOURCE | -",
		Short: "Add what an export or another program holds and the registry lacks",
		Long: `Read what memoryd export wrote and add what is missing: sessions, memories with their
history, agents' records, and the projects and agents they speak of. What is there is
never changed; importing twice is the same as importing once. A memory whose key says
something else here is left out with its history, tags and citations, and named. A
damaged file changes nothing. Secrets are taken out and reported; --allow-secrets
keeps them. Plain memories are taken by memoryd remember -.

SOURCE is a program that keeps memories of the project: ` + strings.Join(notes.Names()[:4], ", ") + `,
` + strings.Join(notes.Names()[4:], ", ") + `. They are copied and stay where they are. A memory that was
copied before is known again: it is updated when it changed there. What has the same text
as a memory here, or was archived here, is left and named.`,
		Example: "memoryd import backup.ndjson\nssh host memoryd export | memoryd import -\nmemoryd import serena",
		Args:    cli.Args("FILE"),
	}, o, cli.Take(&o.File), run)
	o.bind(env, cmd)
	cmd.Flags().BoolVar(&o.AllowSecrets, "allow-secrets", false, "store texts that look like secrets as they are")
	return cmd
}

func runImport(ctx context.Context, o *importOptions) error {
	if slices.Contains(notes.Names(), o.File) && !exists(o.env, o.File, fs.FileMode.IsRegular) {
		return runImportSource(ctx, o)
	}
	if o.Project != "" || o.Agent != "" {
		return fault.Validation("project", "--project and --agent are for the memories of another program; an export names its own").WithHint("leave them out")
	}
	in := o.env.Streams.In
	if o.File == "-" && o.env.Streams.InTTY {
		return fault.Validation("file", "\"-\" reads an export from standard input, and nothing is piped into it").WithHint("pipe the output of memoryd export into this command")
	}
	if o.File != "-" {
		path, err := o.env.Path(o.File)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return fault.NotFound("file", o.File).WithHint("give a file that memoryd export wrote")
		}
		defer f.Close()
		in = f
	}
	st, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	done, err := transfer.Import(ctx, st.DB, in, o.AllowSecrets)
	if err != nil {
		return err
	}
	if _, err := st.Memories.Heal(ctx); err != nil {
		return err
	}
	if n := len(done.Unlinked); n > 0 {
		named := strings.Join(done.Unlinked[:min(n, 5)], ", ")
		o.env.Streams.Warn("%s, which this registry does not have: %s",
			text.Count(n, "session is kept without the task or ticket it was about", "sessions are kept without the tasks or tickets they were about"), named)
	}
	if len(done.Elsewhere) > 0 {
		o.env.Streams.Notice("without a remote a project is known by its folder, and no folder here is %s; `memoryd recall --project ID` reads what is kept there", text.Few(done.Elsewhere))
	}
	if names := registry.ConflictNames(done.Tables); len(names) > 0 {
		o.env.Streams.Warn("left out, since this registry has something else under the same name: %s; `memoryd remember` stores what you want to keep of the file under another key", text.Few(names))
	}
	return o.env.Printer().Document(ctx, done, func(t *term.Streams) error {
		for _, c := range done.Tables {
			counted := []string{c.Table, fmt.Sprintf("%d added", c.Added), fmt.Sprintf("%d there already", c.Skipped)}
			if c.LeftOut > 0 {
				counted = append(counted, fmt.Sprintf("%d left out", c.LeftOut))
			}
			if err := t.Line(counted...); err != nil {
				return err
			}
		}
		return nil
	})
}

// exists reports whether a name is that of an existing file or folder of a kind.
func exists(env *cli.Env, name string, kind func(fs.FileMode) bool) bool {
	path, err := env.Path(name)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && kind(info.Mode())
}

// runImportSource copies another program's memories of the project.
func runImportSource(ctx context.Context, o *importOptions) error {
	st, place, err := o.openPlace(ctx)
	if err != nil {
		return err
	}
	done, err := st.Others.Import(ctx, memory.Booking{Place: place, Agent: o.agent()}, o.File)
	if err != nil {
		return err
	}
	return output.ListDocument(ctx, o.env.Printer(), done, done.Memories, []output.Column[others.Taken]{
		{Title: "IN " + strings.ToUpper(done.Source), Value: func(t others.Taken) string { return t.ID }},
		{Title: "OUTCOME", Value: func(t others.Taken) string { return t.Outcome }},
		{Title: "ID", Value: func(t others.Taken) string { return t.Memory }},
		{Title: "WHY", Flex: true, Value: func(t others.Taken) string { return t.Why }},
	})
}

// writeExport writes an export to a file, completely or not at all, or to standard output.
func writeExport(ctx context.Context, env *cli.Env, st *stores.Stores, project int64, file string) (rows int, err error) {
	if file == "" || file == "-" {
		return transfer.Export(ctx, st.DB, project, env.Streams.Out)
	}
	path, err := env.Path(file)
	if err != nil {
		return 0, err
	}
	f, err := durable.Create(path, 0o600)
	if err != nil {
		return 0, fault.Operation(err, "write %q", file).WithHint("choose a folder that can be written")
	}
	defer f.Close()
	if rows, err = transfer.Export(ctx, st.DB, project, f); err != nil {
		return rows, err
	}
	if err := f.Commit(); err != nil {
		return rows, fault.Operation(err, "write %q", file).WithHint("choose a place that can be written")
	}
	return rows, nil
}

// exportStatus is `export --status-file`: it writes .agent/status.json and
// .journal of a project into the working tree of folder.
func exportStatus(ctx context.Context, env *cli.Env, st *stores.Stores, place project.Place, folder string) error {
	if folder == "" {
		return fault.Validation("project", "no folder is known to write the state files into").WithHint("run it in the project's folder")
	}
	if repo, err := git.Find(folder); err == nil && !repo.Bare {
		folder = repo.WorkTree
	}
	files, err := st.Records.StateFiles(ctx, place)
	if err != nil {
		return err
	}
	wrote, err := record.WriteFiles(folder, files)
	if err != nil {
		return err
	}
	return env.Printer().Document(ctx, wrote, func(t *term.Streams) error {
		if len(wrote.Written) == 0 {
			t.Notice("the state files say so already")
		}
		for _, name := range wrote.Written {
			if err := t.Line(name); err != nil {
				return err
			}
		}
		return nil
	})
}
