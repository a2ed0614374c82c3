package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/term"
)

type exportOptions struct {
	where
	open       func(context.Context) (*stores.Stores, error)
	StatusFile bool
}

func newExport(env *cli.Env, run func(context.Context, *exportOptions) error) *cobra.Command {
	o := &exportOptions{open: opener(env)}
	cmd := &cobra.Command{
		Use:   "export --status-file",
		Short: "Write a project's state files",
		Long: `With --status-file, write .agent/status.json, .journal/communication.json and a page
.journal/YYYY-MM-DD.md for each day into the project's working tree, for other tools to
look at. They are copies: nothing reads them back.`,
		Example: "memoryd export --status-file",
		Args:    cli.NoArgs,
		RunE:    cli.Run(o, run),
	}
	o.bindProject(env, cmd)
	cmd.Flags().BoolVar(&o.StatusFile, "status-file", false, "write .agent/status.json and .journal")
	return cmd
}

func runExport(ctx context.Context, o *exportOptions) error {
	if !o.StatusFile {
		return fault.Validation("status-file", "nothing is named to be exported").WithHint("give --status-file")
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
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	return exportStatus(ctx, o.env, st, place, folder)
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
