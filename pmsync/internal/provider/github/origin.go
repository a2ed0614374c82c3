package github

import (
	"cmp"
	"net/url"
	"strings"
)

// ParseOrigin parses the address of a git remote: https, ssh, or user@host:path. It returns the host and the repository as owner/name;
// ok is false for other forms.
func ParseOrigin(address string) (host, repo string, ok bool) {
	address = strings.TrimSpace(address)
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host, repo = u.Hostname(), u.Path
	} else if at, path, found := strings.Cut(address, ":"); found && !strings.Contains(at, "/") {
		_, host, _ = strings.Cut(at, "@")
		host, repo = cmp.Or(host, at), path
	}
	repo = strings.TrimSuffix(strings.Trim(repo, "/"), ".git")
	if host == "ssh.github.com" { // ssh over the https port
		host = "github.com"
	}
	return strings.ToLower(host), repo, host != "" && repoShape().MatchString(repo)
}

// RepositoryAt returns the repository of a remote's address as owner/name; "" when its host is not that of the configured address
// (github.com when empty). A server on this machine matches any host.
func RepositoryAt(address, configured string) string {
	host, name, ok := ParseOrigin(address)
	u, err := url.Parse(BaseURL(configured))
	if !ok || err != nil {
		return ""
	}
	wanted := strings.TrimPrefix(u.Hostname(), "api.")
	if host != wanted && !(wanted == "127.0.0.1" || wanted == "localhost") {
		return ""
	}
	return name
}
