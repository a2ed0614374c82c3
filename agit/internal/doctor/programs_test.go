package doctor

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// The suite's programs run, are of one release, and are those that PATH leads to; a missing program is only reported.
func TestRelease(t *testing.T) {
	t.Parallel()
	at := func(name, version string) installed {
		return installed{name: name, path: "/bin/" + name, version: version}
	}
	none := func(name string) installed { return installed{name: name} }
	broken := at("pmsync", "")
	broken.err = errors.New("exec format error")
	for name, c := range map[string]struct {
		found []installed
		path  map[string]string // where PATH leads to, other than to what was found
		want  []string          // status, name and a part of the message
	}{
		"all of one":            {[]installed{at("agit", "1"), at("agit-mcp", "1"), at("pmsync", "1"), at("pmsync-mcp", "1")}, nil, []string{"ok programs all are 1"}},
		"one is not installed":  {[]installed{at("agit", "1"), at("agit-mcp", "1"), none("pmsync"), none("pmsync-mcp")}, nil, []string{"ok programs all are 1; not installed: pmsync"}},
		"a server is not":       {[]installed{at("agit", "1"), none("agit-mcp")}, nil, []string{"warning program agit-mcp is not installed: `agit serve` cannot start"}},
		"of two releases":       {[]installed{at("agit", "1"), at("agit-mcp", "2")}, nil, []string{"warning versions the programs are of several releases: agit 1; agit-mcp 2"}},
		"one does not run":      {[]installed{at("agit", "1"), at("agit-mcp", "1"), broken, at("pmsync-mcp", "1")}, nil, []string{"error program pmsync /bin/pmsync does not run"}},
		"PATH leads to another": {[]installed{at("agit", "1"), at("agit-mcp", "1")}, map[string]string{"agit": "/old/agit"}, []string{"warning program agit PATH leads to another one, /old/agit"}},
		"none is installed":     {[]installed{none("agit"), none("agit-mcp")}, nil, []string{"warning programs none of the suite's programs"}},
	} {
		checks := release(c.found, func(name string) string {
			if other := c.path[name]; other != "" {
				return other
			}
			return "/bin/" + name
		})
		if !slices.EqualFunc(checks, c.want, func(got Check, want string) bool {
			return strings.HasPrefix(string(got.Status)+" "+got.Name+" "+got.Message, want)
		}) {
			t.Errorf("%s: %+v, want %q", name, checks, c.want)
		}
	}
}
