package sync

import (
	"context"

	"github.com/agit-suite/agit/shared/git"
)

// origin returns the address that a clone comes from: that of the remote origin, else of the first remote. It is "" without a remote.
func origin(ctx context.Context, folder string) string {
	repo, err := git.Find(folder)
	if err != nil || repo == nil {
		return ""
	}
	config, err := repo.Config()
	if err != nil || config.Remote() == "" {
		return ""
	}
	address, err := repo.Run(ctx, "remote", "get-url", config.Remote()) // respects insteadOf
	if err != nil {
		return ""
	}
	return address
}
