package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type claimFilesOptions struct {
	env      *cli.Env
	Repo     string
	Patterns []string
	Agent    string
	Why      string
	For      string
	Release  bool
	List     bool
}

func newClaimFiles(env *cli.Env) *cobra.Command {
	o := &claimFilesOptions{env: env}
	cmd := &cobra.Command{
		Use:   "claim-files [PATTERN...] [flags]",
		Short: "Announce the files an agent is going to work on",
		Long: `Announce files, so that check, tasks --parallel-ok and other agents know of them
before anything is changed. A claim forbids nothing and expires. Patterns are
those of .gitignore, from the root of the repository. Without a pattern the
active claims are listed.`,
		Example: "agit claim-files 'src/auth/**' --agent builder-1 --why \"new login\"\nagit claim-files --release --agent builder-1\nagit claim-files",
		RunE: func(c *cobra.Command, args []string) error {
			o.Patterns, o.List = args, len(args) == 0 && !o.Release
			return runClaimFiles(c.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Repo, "repo", "", "`repository`; the current folder's by default")
	f.StringVar(&o.Agent, "agent", "", "`agent` that claims (default AGIT_AGENT)")
	f.StringVar(&o.Why, "why", "", "`text` shown to others")
	f.StringVar(&o.For, "for", "", "how `long`, for instance 30m or 2h (default files.claim_ttl)")
	f.BoolVar(&o.Release, "release", false, "end the agent's claims on the patterns, or all of them")
	cli.CompleteFlag(cmd, "repo", cli.Complete(env, listRepoNames))
	cli.CompleteFlag(cmd, "agent", cli.Complete(env, listAgentNames))
	return cmd
}

func runClaimFiles(ctx context.Context, o *claimFilesOptions) error {
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	if o.List {
		claims, err := s.Conflicts.Claims(ctx, r.ID)
		if err != nil {
			return err
		}
		if len(claims) == 0 {
			o.env.Streams.Notice("no files of %q are claimed", r.Name)
		}
		return printClaims(ctx, o.env, claims)
	}
	if o.Agent == "" {
		o.Agent = o.env.Getenv("AGIT_AGENT")
	}
	if o.Agent == "" {
		return fault.Validation("agent", "no agent is named to claim files for").WithHint("give --agent NAME, or set AGIT_AGENT")
	}
	by, err := s.Roster.Caller(ctx, o.Agent)
	if err != nil {
		return err
	}
	if o.Release {
		n, err := s.Conflicts.Release(ctx, r.ID, by.ID, o.Patterns)
		if err != nil {
			return err
		}
		return o.env.Printer().Document(ctx, map[string]any{"agent": by.Name, "released": n}, func(st *term.Streams) error {
			return st.Line(by.Name, text.Count(n, "claim", "claims")+" released")
		})
	}
	lasting := s.Config.Files.ClaimTTL
	if o.For != "" {
		if lasting, err = config.ParseDuration(o.For); err != nil {
			return fault.Validation("for", "%v", err)
		}
	}
	claims, err := s.Conflicts.Claim(ctx, conflict.ClaimFor{RepoID: r.ID, AgentID: by.ID, Patterns: o.Patterns, Why: o.Why, For: lasting})
	if err != nil {
		return err
	}
	for _, c := range claims {
		for _, other := range c.Overlaps {
			o.env.Streams.Warn("%s overlaps with %s", c.Pattern, other)
		}
	}
	return printClaims(ctx, o.env, claims)
}
