package command

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
)

type artifactOptions struct {
	graphOptions
	Task, Type string
}

func newArtifact(env *cli.Env) *cobra.Command {
	list, add := &artifactOptions{}, &artifactOptions{}
	listCmd := graphCommand(env, &cobra.Command{Use: "list", Short: "List what tasks produced"}, list, &list.graphOptions, nil, runArtifactList)
	list.listFlags(listCmd, env)
	listCmd.Flags().StringVar(&list.Task, "task", "", "list those of this `task`")
	addCmd := graphCommand(env, &cobra.Command{
		Use: "add TASK PATH...", Short: "Note what a task produced",
		Long:    "Note the files or folders that a task produced, with their size where they are found\nhere. One that is known under its path is brought up to date.",
		Example: "agit artifact add UAT-001 reports/UAT-001.md --type report",
	}, add, &add.graphOptions, []string{"TASK", "PATH..."}, runArtifactAdd)
	addCmd.Flags().StringVar(&add.Type, "type", "", "`type`: code, test, report, screenshot or documentation (default by name)")
	add.agentFlag(addCmd, env)
	cli.CompleteFlag(addCmd, "type", values(graph.ArtifactTypes...))
	return cli.Parent(&cobra.Command{Use: "artifact", Short: "Note and list what tasks produced", Long: "Work with the artifacts that tasks produced."},
		listCmd, addCmd)
}

var artifactColumns = []output.Column[graph.Artifact]{
	{Title: "ID", Value: func(a graph.Artifact) string { return a.ID }},
	{Title: "TYPE", Value: func(a graph.Artifact) string { return a.Type }},
	{Title: "TASK", Value: func(a graph.Artifact) string { return a.Task }},
	{Title: "PATH", Value: func(a graph.Artifact) string { return a.Path }, Flex: true},
}

func runArtifactList(ctx context.Context, o *artifactOptions, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	if o.Task != "" {
		project = o.Project // the task says it
	}
	all, err := s.Graph.Artifacts(ctx, project, o.Task)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		o.env.Streams.Notice("there is no artifact; `agit artifact add TASK PATH` notes one")
	}
	return output.List(ctx, o.env.Printer(), "artifacts", all, artifactColumns)
}

func runArtifactAdd(ctx context.Context, o *artifactOptions, s *stores.Stores) error {
	var list []graph.Produced
	for _, path := range o.Args[1:] {
		p := graph.Produced{Path: path, Type: o.Type}
		if at, err := o.env.Path(path); err == nil {
			if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
				p.Size = info.Size()
			}
		}
		list = append(list, p)
	}
	all, err := s.Graph.AddArtifacts(ctx, o.Args[0], list, o.Agent)
	if err != nil {
		return err
	}
	return output.List(ctx, o.env.Printer(), "artifacts", all, artifactColumns)
}
