package forge

import (
	"net/url"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
)

// Kind is a forge.
type Kind string

// The forges.
const (
	GitHub Kind = "github"
	GitLab Kind = "gitlab"
	Azure  Kind = "azure"
)

// remote is the place that a branch is pushed to, and that its pull request goes to.
type remote struct {
	Name string // of git's remote
	URL  string // without a password
	Host string
	Path string // owner/name, or a group's
	Into string // host/owner/name of the repository that the pull request is for
}

// owner is the first part of the path, which a pull request of a fork names.
func (r remote) owner() string {
	owner, _, _ := strings.Cut(r.Path, "/")
	return owner
}

// upstream is git's name for the repository that was forked.
const upstream = "upstream"

// remoteOf reads the remote of a name, "" for the one that stands for the repository. When there is a remote called upstream, a fork's pull
// requests are for that.
func remoteOf(g *git.Repo, name string) (r remote, err error) {
	config, err := g.Config()
	if err != nil {
		return r, err
	}
	if name == "" {
		name = config.Remote()
	}
	if name == "" {
		return r, fault.Validation("remote", "the repository has no remote to push to").WithHint("`git remote add origin URL` adds one")
	}
	address := addressOf(config, name, "pushurl")
	if address == "" {
		return r, fault.NotFound("remote", name).WithHint("`git remote -v` lists them")
	}
	r = remote{Name: name, URL: redact.Clean(address)}
	if r.Host, r.Path = split(address); r.Host == "" {
		return r, fault.Validation("remote", "the remote %q is at %q, which is not a forge", name, r.URL).WithHint("name another one with --remote")
	}
	r.Into = r.Host + "/" + r.Path
	if name != upstream {
		if host, path := split(addressOf(config, upstream, "url")); host == r.Host && path != "" {
			r.Into = host + "/" + path
		}
	}
	return r, nil
}

// addressOf returns the URL of a remote; key is url or pushurl, which falls back to url.
func addressOf(config *git.Config, name, key string) string {
	found := ""
	for _, e := range config.Entries() {
		switch e.Key {
		case "remote." + name + "." + key:
			return e.Value
		case "remote." + name + ".url":
			if found == "" {
				found = e.Value
			}
		}
	}
	return found
}

// split splits a remote's address into the host and the path without .git. Both are "" for a folder of this machine.
func split(address string) (host, path string) {
	if strings.Contains(address, "://") {
		if u, err := url.Parse(address); err == nil {
			host, path = u.Hostname(), u.Path
		}
	} else if before, after, ok := strings.Cut(address, ":"); ok && !strings.ContainsAny(before, `/\`) && len(before) > 1 {
		_, at, found := strings.Cut(before, "@") // user@host:path
		host = before
		if found {
			host = at
		}
		path = after
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || path == "" {
		return "", ""
	}
	return strings.ToLower(host), path
}

// KindFrom returns the forge that the configuration names; "" for auto.
func KindFrom(word string) Kind {
	if word == "auto" {
		return ""
	}
	return Kind(word)
}

// KindAt returns the forge that a remote's address leads to, by its host's name; "" for any other place.
func KindAt(address string) Kind {
	host, _ := split(address)
	kind, _ := kindOf(host, "")
	return kind
}

// kindOf returns the forge of a host: by its name, else as configured.
func kindOf(host string, configured Kind) (Kind, error) {
	switch {
	case configured != "":
		return configured, nil
	case host == "github.com", strings.HasPrefix(host, "github."), strings.HasSuffix(host, ".ghe.com"):
		return GitHub, nil
	case host == "gitlab.com", strings.HasPrefix(host, "gitlab."):
		return GitLab, nil
	case host == "dev.azure.com", host == "ssh.dev.azure.com", strings.HasSuffix(host, ".visualstudio.com"):
		return Azure, nil
	}
	return "", fault.Validation("forge.kind", "the kind of forge at %s is not known", host).
		WithHint("`agit config set forge.kind github`, gitlab or azure, sets it")
}
