package sync

import (
	"context"
	"net/url"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider/github"
	"github.com/agit-suite/agit/shared/git"
)

// originRepository is the repository at GitHub that a clone comes from, as owner/name: of
// the remote origin, else of the first one. It is "" where there is none, or where its
// host is another one than the configuration's (github.com when that names none).
func originRepository(ctx context.Context, folder, configured string) string {
	repo, err := git.Find(folder)
	if err != nil || repo == nil {
		return ""
	}
	config, err := repo.Config()
	if err != nil || config.Remote() == "" {
		return ""
	}
	address, err := repo.Run(ctx, "remote", "get-url", config.Remote()) // which reads insteadOf
	if err != nil {
		return ""
	}
	return repositoryAt(address, configured)
}

// repositoryAt is the repository that a remote's address names, "" for one of another host.
func repositoryAt(address, configured string) string {
	host, name, ok := github.ParseOrigin(address)
	u, err := url.Parse(github.BaseURL(configured))
	if !ok || err != nil {
		return ""
	}
	wanted := strings.TrimPrefix(u.Hostname(), "api.")
	if host != wanted && !(wanted == "127.0.0.1" || wanted == "localhost") { // a server on this machine stands for any
		return ""
	}
	return name
}
