package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
)

func newArtifact(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "artifact", Short: "Note and list what tasks produced", Long: "Work with the artifacts that tasks produced."},
		newArtifactList(env, looking(env, runArtifactList)), newArtifactAdd(env, changing(env, runArtifactAdd)))
}

type artifactListOptions struct {
	inProject
	Task string
}

func newArtifactList(env *cli.Env, run cli.Func[artifactListOptions]) *cobra.Command {
	o := &artifactListOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{Use: "list", Short: "List what tasks produced"}, o, nil, run)
	o.listFlags(cmd)
	cmd.Flags().StringVar(&o.Task, "task", "", "list those of this `task`")
	return cmd
}

type artifactAddOptions struct {
	byAgent
	env        *cli.Env
	Task, Type string
	Paths      []string
}

func newArtifactAdd(env *cli.Env, run cli.Func[artifactAddOptions]) *cobra.Command {
	o := &artifactAddOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "add TASK PATH...",
		Short:   "Note what a task produced",
		Long:    "Note the files or folders that a task produced, with their size where they are found\nhere. One that is known under its path is brought up to date.",
		Example: "agit artifact add UAT-001 reports/UAT-001.md --type report",
	}, o, o.take, run)
	cmd.Flags().StringVar(&o.Type, "type", "", "`type`: code, test, report, screenshot or documentation (default by name)")
	o.agentFlag(cmd, env)
	cli.CompleteFlag(cmd, "type", cli.Words(graph.ArtifactTypes...))
	return cmd
}

func (o *artifactAddOptions) take(g cli.Given) error {
	o.Task, o.Paths = g.Args[0], g.Args[1:]
	return nil
}

var artifactColumns = []output.Column[graph.Artifact]{
	{Title: "ID", Value: func(a graph.Artifact) string { return a.ID }},
	{Title: "TYPE", Value: func(a graph.Artifact) string { return a.Type }},
	{Title: "TASK", Value: func(a graph.Artifact) string { return a.Task }},
	{Title: "PATH", Value: func(a graph.Artifact) string { return a.Path }, Flex: true},
}

func runArtifactList(ctx context.Context, o *artifactListOptions, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	if o.Task != "" {
		project = o.Project // the task says it
	}
	all, err := s.Graph.Artifacts(ctx, project, o.Task)
	return printList(ctx, o.env, "artifacts", all, err, artifactColumns, "there is no artifact; `agit artifact add TASK PATH` notes one")
}

func runArtifactAdd(ctx context.Context, o *artifactAddOptions, s *stores.Stores) error {
	var list []graph.Produced
	for _, path := range o.Paths {
		list = append(list, graph.Produced{Path: path, Type: o.Type})
	}
	all, err := s.Graph.AddArtifacts(ctx, o.Task, o.env.Dir, list, agentOf(o.env, o.Agent))
	return printList(ctx, o.env, "artifacts", all, err, artifactColumns, "")
}
