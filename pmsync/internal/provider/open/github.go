package open

import (
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// githubToken finds the token for a host as GitHub's own client does: in the environment, otherwise the output of `gh auth token`
// (https://cli.github.com/manual/gh_help_environment). A token for github.com is not sent to another host, except one on this machine.
func githubToken(ctx context.Context, base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		u = &url.URL{}
	}
	host := strings.TrimPrefix(u.Hostname(), "api.")
	names := []string{"GH_TOKEN", "GITHUB_TOKEN"}
	if host != "github.com" && !strings.HasSuffix(host, ".ghe.com") && !transport.IsHere(u.Hostname()) {
		names = []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
	}
	for _, name := range names {
		if token := strings.TrimSpace(os.Getenv(name)); token != "" {
			return token, nil
		}
	}
	token, err := sibling.Secret(ctx, "gh auth token", "gh auth token --hostname "+text.ShellWord(host))
	if err != nil || strings.TrimSpace(token) == "" {
		return "", fault.Validation("providers.github.token", "GitHub needs a token, and none was found for %s", host).
			WithHint("log in with `gh auth login`, set %s, or store a token with `pmsync config set providers.github.token -`", names[len(names)-1])
	}
	return strings.TrimSpace(token), nil
}
