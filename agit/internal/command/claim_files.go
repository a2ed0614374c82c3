package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
)

type claimFilesOptions struct {
	env      *cli.Env
	Repo     string
	Patterns []string
	Agent    string
	Worktree string
	Why      string
	For      string
	Release  bool
	List     bool
}

func newClaimFiles(env *cli.Env, run cli.Func[claimFilesOptions]) *cobra.Command {
	o := &claimFilesOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "claim-files [PATTERN...] [flags]",
		Args:  cobra.ArbitraryArgs,
		Short: "Announce the files an agent is going to work on",
		Long: `Announce files, so that check, tasks list --parallel-ok and other agents know of
them before anything is changed. This forbids nothing and expires. Patterns are
those of .gitignore, from the root of the repository. Without a pattern the
active announcements are listed.`,
		Example: "agit claim-files 'src/auth/**' --agent builder-1 --why \"new login\"\nagit claim-files --release --agent builder-1\nagit claim-files",
	}, o, o.take, run)
	f := cmd.Flags()
	repoFlag(cmd, env, &o.Repo, "`repository`; the current folder's by default")
	agentFlag(cmd, env, &o.Agent, "`agent` that announces (default AGIT_AGENT, else the one at work in the worktree you stand in)")
	f.StringVar(&o.Worktree, "worktree", "", "announce for the agent at work in this `worktree`, whoever made it")
	f.StringVar(&o.Why, "why", "", "`text` shown to others")
	f.StringVar(&o.For, "for", "", "how `long`, for instance 30m or 2h (default files.claim_ttl)")
	f.BoolVar(&o.Release, "release", false, "end the agent's announcements of the patterns, or all of them")
	cli.CompleteFlag(cmd, "worktree", cli.Complete(env, listWorktrees))
	return cmd
}

func (o *claimFilesOptions) take(g cli.Given) error {
	o.Patterns, o.List = g.Args, len(g.Args) == 0 && !o.Release
	return nil
}

func runClaimFiles(ctx context.Context, o *claimFilesOptions, s *stores.Stores) error {
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	if o.List {
		announced, err := s.Conflicts.Announcements(ctx, r.ID)
		return printAnnouncements(ctx, o.env, announced, err, fmt.Sprintf("no files of %q are announced", r.Name))
	}
	name := agentOf(o.env, o.Agent)
	if o.Agent == "" && (o.Worktree != "" || name == "") {
		if at, err := s.Worktrees.AgentIn(ctx, r.UID, cmp.Or(o.Worktree, ".")); err == nil {
			name = cmp.Or(at, name)
		} else if o.Worktree != "" {
			return err
		}
	}
	if name == "" {
		return fault.Validation("agent", "no agent is named to announce files for").WithHint("give --agent NAME, or set AGIT_AGENT")
	}
	by, err := s.Roster.Caller(ctx, name)
	if err != nil {
		return err
	}
	if o.Release {
		n, err := s.Conflicts.Withdraw(ctx, r.ID, by.ID, o.Patterns)
		return printChange(ctx, o.env, map[string]any{"agent": by.Name, "released": n}, err, by.Name, text.Count(n, "announcement", "announcements")+" released")
	}
	lasting := s.Config.Files.ClaimTTL
	if o.For != "" {
		if lasting, err = config.ParseDuration(o.For); err != nil {
			return fault.Validation("for", "%v", err)
		}
	}
	announced, err := s.Conflicts.Announce(ctx, conflict.Announce{RepoID: r.ID, AgentID: by.ID, Patterns: o.Patterns, Why: o.Why, For: lasting})
	if err != nil {
		return err
	}
	for _, c := range announced {
		for _, other := range c.Overlaps {
			o.env.Streams.Warn("%s overlaps with %s", c.Pattern, other)
		}
	}
	return printAnnouncements(ctx, o.env, announced, nil, "")
}

func printAnnouncements(ctx context.Context, env *cli.Env, announced []conflict.Announcement, failed error, none string) error {
	return printList(ctx, env, "claims", announced, failed, []output.Column[conflict.Announcement]{
		{Title: "PATTERN", Value: func(c conflict.Announcement) string { return c.Pattern }, Flex: true},
		{Title: "AGENT", Value: func(c conflict.Announcement) string { return c.Agent }},
		{Title: "UNTIL", Value: func(c conflict.Announcement) string { return c.ExpiresAt.Local().Format("15:04 Jan 2") }},
		{Title: "WHY", Value: func(c conflict.Announcement) string { return c.Why }, Flex: true},
		{Title: "OVERLAPS", Value: func(c conflict.Announcement) string { return strings.Join(c.Overlaps, ", ") }, Flex: true},
	}, none)
}
