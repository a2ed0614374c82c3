package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// folder holds the flags that locate memories and code.
type folder struct {
	env       *cli.Env
	Dir, Root string
	begin     *library.First // created where there are no memories
}

func (f *folder) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Dir, "dir", "", "`folder` of the memories (default .serena/memories here or above)")
	cmd.Flags().StringVar(&f.Root, "root", "", "`folder` that citations are relative to (default the one that holds .serena, else the repository)")
	_ = cmd.MarkFlagDirname("dir")
	_ = cmd.MarkFlagDirname("root")
}

// open opens the stores of a run. Close them after use.
func (f *folder) open(ctx context.Context, use stores.History, noFiles bool) (*stores.Stores, error) {
	var err error
	o := stores.Options{History: use, NoFiles: noFiles, Begin: f.begin}
	if o.Dir, err = stores.Folder(f.env, f.Dir); err != nil {
		return nil, err
	}
	if o.Root, err = stores.Folder(f.env, f.Root); err != nil {
		return nil, err
	}
	return stores.Open(ctx, f.env, o)
}

// elsewhere names a command for a project that has no folder of memories, but memories with citations in the registry.
func (f *folder) elsewhere(ctx context.Context, err error, command string) error {
	if f.Dir != "" || !fault.Is(err, fault.KindNotFound) {
		return err
	}
	s, openErr := f.open(ctx, stores.Kept, true)
	if openErr != nil {
		return err
	}
	defer s.Close()
	if s.History == nil {
		return err
	}
	docs, readErr := s.Checks.Registered(ctx, check.Options{})
	if readErr != nil || len(docs) == 0 {
		return err
	}
	return fault.From(err).WithHint("%s of this project in the registry, with citations: `%s` checks them; or name a folder of memory files with --dir",
		text.Count(len(docs), "memory is", "memories are"), command)
}

// completeIDs completes the names of memories.
func (f *folder) completeIDs(_ *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	dir, err := stores.Folder(f.env, f.Dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	lib, err := library.Open(library.Options{From: f.env.Dir, Dir: dir})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	defer lib.Close()
	entries, _ := lib.Entries() // an error message would break the completion
	ids := make([]cobra.Completion, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
