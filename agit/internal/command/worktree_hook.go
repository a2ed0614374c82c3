package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// worktreeHookTime is what making a worktree for a client may take: Claude Code ends the hook, and the session with it, after ten
// minutes, and a plain worktree must be made before.
const worktreeHookTime = 8 * time.Minute

type worktreeHookOptions struct {
	env  *cli.Env
	Deed string
}

func newWorktreeHook(env *cli.Env, run cli.Func[worktreeHookOptions]) *cobra.Command {
	o := &worktreeHookOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "worktree-hook create|setup [flags]",
		Short: "Make or fill a worktree for a client that asks for one",
		Long: `For the hooks that "agit setup --worktrees" writes. "create" reads the JSON of Claude
Code's WorktreeCreate from standard input and prints the folder of a worktree that agit
made: with the files that .worktreeinclude names, a range of ports, and what post_spawn
runs. The same name again prints the same folder. When anything goes wrong, agit makes a
plain worktree at the client's usual place and reports the error on standard error,
because a client without a folder ends its session.

"setup" fills the worktree that you stand in, whoever made it, in the same way.`,
		Example: "echo '{\"name\": \"login\", \"cwd\": \"/src/app\"}' | agit worktree-hook create\nagit worktree-hook setup",
	}, o, cli.Take(&o.Deed), run)
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.ValidArgsFunction = cli.Words("create", "setup")
	return cmd
}

func runWorktreeHook(ctx context.Context, o *worktreeHookOptions) error {
	switch o.Deed {
	case "create":
		return createForClient(ctx, o)
	case "setup":
		return fillForClient(ctx, o)
	}
	return fault.Validation("deed", "%q is not an action on a worktree", o.Deed).WithHint("it is create or setup")
}

// wishedTree is what Claude Code sends about a worktree that it wants. Other members that its documentation names are not sent.
type wishedTree struct {
	Name string `json:"name"`
	Cwd  string `json:"cwd"`
}

const wishHint = "the client's JSON holds name and cwd"

func createForClient(ctx context.Context, o *worktreeHookOptions) error {
	var wish wishedTree
	const most = 1 << 20
	if err := json.NewDecoder(io.LimitReader(o.env.Streams.In, most)).Decode(&wish); err != nil {
		return fault.Validation("stdin", "standard input is not the JSON of a worktree to make: %v", err).WithHint(wishHint)
	}
	if wish.Name == "" {
		return fault.Validation("stdin", "standard input does not name the worktree to make").WithHint(wishHint)
	}
	wish.Cwd = cmp.Or(wish.Cwd, o.env.Dir)
	path, err := o.spawned(ctx, wish)
	if err != nil {
		o.env.Streams.Notice("agit made no worktree %q, so that a plain one is made: %v", wish.Name, err)
		if path, err = plainTree(ctx, wish); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(o.env.Streams.Out, path)
	return err
}

// spawned makes the worktree as `agit spawn` does, or returns the one that was made for the name. A panic in it is an error too.
func (o *worktreeHookOptions) spawned(ctx context.Context, wish wishedTree) (path string, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%v", broken)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, worktreeHookTime)
	defer cancel()
	s, err := open(ctx, o.env)
	if err != nil {
		return "", err
	}
	r, _, _, err := place(ctx, s, filepath.Join(wish.Cwd, "any"))
	if err != nil {
		return "", err
	}
	branch := s.Worktrees.Settings(r).BranchPrefix + wish.Name
	if there, err := s.Worktrees.Get(ctx, r.UID, branch); err == nil && there.Status.Live() && there.Branch == branch && !checkout.Gone(there.Path) {
		return there.Path, nil
	}
	w, err := s.Spawns.Spawn(ctx, spawn.Request{Repo: r.UID, Branch: branch})
	return w.Path, err
}

// plainTree makes the worktree that Claude Code makes by itself: .claude/worktrees/NAME on branch worktree-NAME, from the remote's
// default branch, else from HEAD. A worktree of the name that exists is entered again.
func plainTree(ctx context.Context, wish wishedTree) (string, error) {
	here, err := git.Find(wish.Cwd)
	if err != nil {
		return "", err
	}
	g, err := here.Main()
	if err != nil {
		return "", err
	}
	root := cmp.Or(g.WorkTree, filepath.Dir(g.CommonDir))
	name := strings.ReplaceAll(wish.Name, "/", "+")
	path, branch := filepath.Join(root, ".claude", "worktrees", name), "worktree-"+name
	if !filepath.IsLocal(name) || !git.ValidBranch(branch) {
		return "", fault.Validation("name", "a worktree cannot be named %q", wish.Name).WithHint("use letters, digits and dashes")
	}
	if _, err := checkout.Open(g, path); err == nil {
		return path, nil
	}
	args := []string{"worktree", "add", "--quiet", "--", path, branch}
	if oid, err := g.Resolve(ctx, "refs/heads/"+branch); err != nil || oid == "" {
		start := "HEAD"
		if oid, err := g.Resolve(ctx, "refs/remotes/origin/HEAD"); err == nil && oid != "" {
			start = oid
		} else if head, err := here.Head(ctx); err == nil && head.OID != "" {
			start = head.OID
		}
		args = []string{"worktree", "add", "--quiet", "--no-track", "-b", branch, "--", path, start}
	}
	if _, err := g.Run(ctx, args...); err != nil {
		if _, failed := checkout.Open(g, path); failed == nil {
			return path, nil // a hook of the user's failed after git had made it
		}
		return "", git.Fault(err, "make worktree %q", path)
	}
	return path, nil
}

// fillForClient copies what .worktreeinclude names into the worktree that one stands in, and runs what post_spawn says.
func fillForClient(ctx context.Context, o *worktreeHookOptions) error {
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	r, tree, _, err := place(ctx, s, filepath.Join(o.env.Dir, "any"))
	if fault.Is(err, fault.KindNotFound) {
		o.env.Streams.Notice("this worktree is not filled: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	g, err := s.Worktrees.Recovered(ctx, r)
	if err != nil {
		return err
	}
	if tree == g.WorkTree {
		return fault.Validation("folder", "%q is the main checkout, and not a worktree to fill", tree).WithHint("run it in a worktree")
	}
	set, err := s.Worktrees.SettingsOn(ctx, g, r)
	if err != nil {
		return err
	}
	_, base, err := checkout.DefaultBranch(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil {
		return err
	}
	if err := s.Worktrees.Inclusion(g, r, set, base).Copy(ctx, tree, s.Worktrees.Notice); err != nil {
		return err
	}
	w, err := s.Worktrees.Get(ctx, r.UID, tree)
	if err != nil {
		return err
	}
	return userhook.Run(ctx, s.Worktrees.Hooks("post_spawn", set.PostSpawn, set, tree, w))
}
