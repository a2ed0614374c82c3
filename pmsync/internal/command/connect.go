package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type providerRow struct {
	Name    provider.Name `json:"name"`
	Title   string        `json:"title"`
	Used    bool          `json:"used"` // by this project
	Missing []string      `json:"missing,omitempty"`
}

type providersOptions struct{ where }

func newProviders(env *cli.Env, run cli.Func[providersOptions]) *cobra.Command {
	o := &providersOptions{}
	return o.bind(env, cli.Command(&cobra.Command{
		Use:     "providers [flags]",
		Short:   "List the trackers, and which credentials are missing",
		Example: "pmsync providers",
	}, o, nil, run))
}

func runProviders(ctx context.Context, o *providersOptions) error {
	cfg, err := o.env.ConfigAt(ctx, o.folder())
	if err != nil {
		return err
	}
	var rows []providerRow
	for _, k := range provider.Kinds() {
		rows = append(rows, providerRow{k.Name, k.Name.Title(), cfg.Provider.Name == string(k.Name), sync.Missing(k, cfg)})
	}
	err = output.ListDocument(ctx, o.env.Printer(), map[string][]providerRow{"providers": rows}, rows, []output.Column[providerRow]{
		{Title: "NAME", Value: func(r providerRow) string { return string(r.Name) }},
		{Title: "STATE", Value: func(r providerRow) string {
			switch {
			case r.Used:
				return "used here"
			case len(r.Missing) == 0:
				return "can be connected"
			}
			return "needs credentials"
		}},
		{Title: "MISSING", Value: func(r providerRow) string { return strings.Join(r.Missing, ", ") }, Flex: true},
	})
	if err == nil && cfg.Provider.Name == "local" {
		nextStep(o.env, "`pmsync connect NAME` connects this project to one of them")
	}
	return err
}

type connectOptions struct {
	where
	Name string
	Part map[string]*string // the synced part of the tracker, by flag
}

func newConnect(env *cli.Env, run cli.Func[connectOptions]) *cobra.Command {
	o := &connectOptions{Part: map[string]*string{}}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "connect PROVIDER [flags]",
		Short: "Connect the project to a tracker, and test the connection",
		Long: `Connect the project to Linear, Jira, Asana, Azure DevOps or GitHub. The
credentials are read from your own configuration or the environment, never from
the project (GitHub: also from gh); the connection is tested; then the tracker
and its project are written into .agit.toml. Without the tracker's project,
those that can be read are listed; of a clone of GitHub it is the origin. On a
terminal what is missing is asked for, tried and kept, and the tickets can be
fetched at once.`,
		Example: "pass show linear | pmsync config set providers.linear.api_key -\npmsync connect linear --team SEM\npmsync connect jira --project-key APP\npmsync connect github",
	}, o, cli.Take(&o.Name), run))
	for _, k := range provider.Kinds() {
		for _, part := range k.More {
			o.Part[part.Option] = new(string)
			cmd.Flags().StringVar(o.Part[part.Option], part.Option, "", part.What+" in "+k.Name.Title())
		}
		o.Part[k.Part] = new(string)
		cmd.Flags().StringVar(o.Part[k.Part], k.Part, "", k.What+" in "+k.Name.Title())
		cmd.ValidArgs = append(cmd.ValidArgs, string(k.Name))
	}
	cli.Exits(cmd, fault.ExitProvider, "the tracker cannot be reached, or refuses the credentials")
	return cmd
}

func runConnect(ctx context.Context, o *connectOptions) error {
	k, err := sync.KindNamed(o.Name)
	if err != nil {
		return err
	}
	st, c, err := o.look(ctx)
	if err != nil {
		return err
	}
	if err := allSent(ctx, st, c, k); err != nil {
		return err
	}
	options := o.env.ConfigOptions(o.folder())
	connect := st.Sync.Connect
	if o.guided() {
		connect = func(ctx context.Context, k provider.Kind, part string, more map[string]string, options config.Options) (sync.Connected, error) {
			return o.guide(ctx, st, k, part, more, options)
		}
	}
	more := map[string]string{}
	for _, part := range k.More {
		if value := *o.Part[part.Option]; value != "" {
			more[part.Key] = value
		}
	}
	done, err := connect(ctx, k, *o.Part[k.Part], more, options)
	if err != nil {
		return err
	}
	if done.File == "" {
		return o.choices(ctx, k, done)
	}
	err = o.env.Printer().Document(ctx, done, func(s *term.Streams) error {
		if err := s.Line(fmt.Sprintf("connected to %s %s as %s", k.Name.Title(), done.Part, done.Account.Name)); err != nil {
			return err
		}
		if len(done.States) > 0 {
			s.Notice("its states: %s", strings.Join(done.States, "; "))
		}
		if !o.guided() || done.Proposed.Empty() {
			tellOpen(s, done.Open)
		}
		next := "; next: `pmsync pull`"
		if o.guided() { // the guide offers it
			next = ""
		}
		s.Notice("written to %s%s", done.File, next)
		return nil
	})
	if err != nil || !o.guided() {
		return err
	}
	if err := o.offerProposal(ctx, done, options); err != nil {
		return err
	}
	return o.offerPull(ctx, options)
}

// allSent refuses to connect a project with another tracker while changes wait for the present one.
func allSent(ctx context.Context, st *stores.Stores, c caller.Caller, k provider.Kind) error {
	now, err := st.Sync.Status(ctx, c, 0)
	if err != nil || now.Pending == now.Foreign || now.Provider == string(k.Name) {
		return err
	}
	return fault.Conflict("tracker", now.Provider, "%s for %s, and %s would not get them", text.Count(now.Pending-now.Foreign, "change waits", "changes wait"), provider.Name(now.Provider).Title(), k.Title).
		WithHint("run `pmsync push` first, and settle what `pmsync status` lists")
}

// tellOpen names the settings that a tracker leaves open and how to make them.
func tellOpen(s *term.Streams, open []string) {
	for _, sentence := range open {
		s.Notice("%s", sentence)
	}
	if len(open) > 0 {
		s.Notice("what you write there takes effect after `pmsync config trust`")
	}
}

// choices lists the tracker's projects, one of which must be named.
func (o *connectOptions) choices(ctx context.Context, k provider.Kind, done sync.Connected) error {
	err := output.ListDocument(ctx, o.env.Printer(), done, done.Projects, []output.Column[provider.Project]{
		{Title: "ID", Value: k.NameOf},
		{Title: "NAME", Value: func(p provider.Project) string { return p.Name }, Flex: true},
	})
	if err == nil && len(done.Projects) > 0 {
		nextStep(o.env, "`pmsync connect %s --%s %s`", k.Name, k.Part, text.ShellWord(k.NameOf(done.Projects[0])))
	}
	return err
}
