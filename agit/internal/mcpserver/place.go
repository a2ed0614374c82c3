package mcpserver

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// repoOf returns the repository of a call: the named one, else the one that the server stands in or its session works in.
func (s *service) repoOf(ctx context.Context, c *mcpkit.Call, given string) (string, error) {
	if given != "" && given != "." {
		return given, nil
	}
	name, err := s.repoHere(ctx, c)
	if err == nil && name == "" {
		err = fault.Validation("repo", "no repository is named, and this server stands in none that is registered").
			WithHint("`agit repos` lists the registered ones")
	}
	return name, err
}

// repoHere is AGIT_REPO's, else over stdio that of the folder the server runs in,
// else the only one of the session's project; "" for none.
func (s *service) repoHere(ctx context.Context, c *mcpkit.Call) (name string, err error) {
	if name = s.Env.Getenv("AGIT_REPO"); name != "" {
		return name, nil
	}
	uid := s.Desk.Project(c)
	name, err = registry.Read(ctx, s.stores.DB, func(tx *registry.Tx) (string, error) {
		if uid == "" {
			if c.Session().Transport() != mcpkit.Stdio {
				return "", nil
			}
			r, err := repo.AtFolder(tx, s.Env.Dir)
			return r.Name, err
		}
		p, err := project.Get(tx, uid)
		if err != nil {
			return "", err
		}
		all, err := repo.All(tx)
		here := slices.DeleteFunc(all, func(r repo.Repo) bool { return r.ProjectID != p.ID || r.Machine != "" })
		if len(here) != 1 {
			return "", err
		}
		return here[0].Name, err
	})
	if fault.Is(err, fault.KindNotFound) {
		return "", nil
	}
	return name, err
}

// path makes the path of a call absolute. Over HTTP the server's folder is not the client's.
func (s *service) path(c *mcpkit.Call, given string) (string, error) {
	if c.Session().Transport() != mcpkit.Stdio && !filepath.IsAbs(given) {
		return "", fault.Validation("path", "parameter \"path\" must be an absolute path, not %q", given)
	}
	return s.Env.Path(given)
}

// callerIn returns the agent that a write is booked on, and the repository of the call.
func (s *service) callerIn(ctx context.Context, c *mcpkit.Call, field, agent, repo string) (who, name string, err error) {
	if who, err = s.Desk.Caller(c, field, agent); err == nil {
		name, err = s.repoOf(ctx, c, repo)
	}
	return who, name, err
}

// home is the session's project, else that of the folder the server runs in;
// over HTTP that is not the client's.
func (s *service) home(ctx context.Context, c *mcpkit.Call) (string, error) {
	if set := s.Desk.Project(c); set != "" {
		return set, nil
	}
	if c.Session().Transport() != mcpkit.Stdio {
		return "", nil
	}
	return s.stores.Graph.ProjectOf(ctx, s.Env.Dir)
}
