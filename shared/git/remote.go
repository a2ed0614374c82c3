package git

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Remote returns the name of the remote that represents the repository: origin, else the first one configured, else "".
func (c *Config) Remote() string {
	first := ""
	for _, e := range c.entries {
		name, ok := strings.CutPrefix(e.Key, "remote.")
		if !ok {
			continue
		}
		if name, ok = strings.CutSuffix(name, ".url"); !ok {
			continue
		}
		if name == "origin" {
			return name
		}
		if first == "" {
			first = name
		}
	}
	return first
}

// RemoteURL is the address of origin (else of the first remote) as configured,
// "" when there is no remote.
func (r *Repo) RemoteURL() (string, error) {
	config, err := r.Config()
	if err != nil {
		return "", err
	}
	// Of several url lines git fetches from the first.
	key := "remote." + config.Remote() + ".url"
	for _, e := range config.entries {
		if e.Key == key {
			return e.Value, nil
		}
	}
	return "", nil
}

// DefaultBranch returns the short name of the branch that work starts from and returns to: the remote's HEAD; in a bare repository its own
// HEAD; else init.defaultBranch, main, master, develop or trunk, whichever exists first; else the branch checked out, or the only branch.
// The branch may have no commit yet.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	config, err := r.Config()
	if err != nil {
		return "", err
	}
	if remote := config.Remote(); remote != "" {
		prefix := "refs/remotes/" + remote + "/"
		target, err := r.symbolicRef(ctx, prefix+"HEAD")
		if err != nil {
			return "", err
		}
		if branch, ok := strings.CutPrefix(target, prefix); ok {
			if oid, err := r.Resolve(ctx, target); err != nil || oid != "" {
				return branch, err
			}
		}
	}
	main, err := r.Main()
	if err != nil {
		return "", err
	}
	head, err := main.Head(ctx)
	if err != nil {
		return "", err
	}
	if main.Bare && head.Ref != "" {
		return head.Branch(), nil
	}
	candidates := []string{"main", "master", "develop", "trunk"}
	if user, err := UserConfig(); err == nil {
		if name, ok := user.Get("init.defaultbranch"); ok {
			candidates = append([]string{name}, candidates...)
		}
	}
	for _, name := range candidates {
		if oid, err := r.Resolve(ctx, "refs/heads/"+name); err != nil || oid != "" {
			return name, err
		}
	}
	if head.Ref != "" {
		return head.Branch(), nil
	}
	branches, err := r.Branches(ctx)
	if err != nil {
		return "", err
	}
	if len(branches) == 1 {
		return branches[0], nil
	}
	return "", fault.Validation("default_branch", "%q has a detached HEAD and no branch that could be its default", r.Dir()).
		WithHint("check out the branch that work should start from, then try again")
}
