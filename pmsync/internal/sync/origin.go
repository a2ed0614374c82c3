package sync

import (
	"context"

	"github.com/agit-suite/agit/shared/git"
)

// origin is the address that a clone comes from: of the remote origin, else of the first
// one. It is "" where there is none.
func origin(ctx context.Context, folder string) string {
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
	return address
}
