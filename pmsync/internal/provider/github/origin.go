package github

import (
	"net/url"
	"strings"
)

// ParseOrigin reads the address of a clone's remote, as git has it: https, ssh, or
// user@host:path. It returns the host and the repository as owner/name; ok is false for
// what is neither.
func ParseOrigin(address string) (host, repo string, ok bool) {
	address = strings.TrimSpace(address)
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host, repo = u.Hostname(), u.Path
	} else if at, path, found := strings.Cut(address, ":"); found && !strings.Contains(at, "/") {
		_, host, _ = strings.Cut(at, "@")
		if host == "" {
			host = at
		}
		repo = path
	}
	repo = strings.TrimSuffix(strings.Trim(repo, "/"), ".git")
	if host == "ssh.github.com" { // ssh over the port of https
		host = "github.com"
	}
	return strings.ToLower(host), repo, host != "" && repoShape().MatchString(repo)
}
