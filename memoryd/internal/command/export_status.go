package command

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/term"
)

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
