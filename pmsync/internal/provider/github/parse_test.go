package github

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

func TestParseOrigin(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"https://github.com/octo/app.git":           {"github.com", "octo/app"},
		"https://github.com/octo/app/":              {"github.com", "octo/app"},
		"https://ann@github.com/octo/app":           {"github.com", "octo/app"},
		"git@github.com:octo/app.git":               {"github.com", "octo/app"},
		"github.com:octo/app":                       {"github.com", "octo/app"},
		"ssh://git@GitHub.com/octo/app.git":         {"github.com", "octo/app"},
		"ssh://git@ssh.github.com:443/octo/app.git": {"github.com", "octo/app"},
		"git@git.example.com:team/deep/app.git":     {},
		"https://git.example.com/octo/app.js":       {"git.example.com", "octo/app.js"},
		"/srv/git/app.git":                          {},
		"../app":                                    {},
		"":                                          {},
		"file:///srv/git/octo/app.git":              {},
		"https://github.com/octo":                   {},
		"git@github.com:octo/app name.git":          {},
	} {
		host, repo, ok := ParseOrigin(address)
		if ok != (want[0] != "") || ok && (host != want[0] || repo != want[1]) {
			t.Errorf("%q is %q at %q, %v", address, repo, host, ok)
		}
	}
}

func FuzzParseOrigin(f *testing.F) {
	f.Add("git@github.com:octo/app.git")
	f.Add("https://github.com/octo/app")
	f.Fuzz(func(t *testing.T, address string) {
		if _, repo, ok := ParseOrigin(address); ok && !repoShape().MatchString(repo) {
			t.Fatalf("%q is the repository %q", address, repo)
		}
	})
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                                    "https://api.github.com",
		"https://github.com":                  "https://api.github.com",
		"https://www.github.com/":             "https://api.github.com",
		"https://api.github.com/":             "https://api.github.com",
		"https://api.github.com/graphql":      "https://api.github.com",
		"https://git.example.com":             "https://git.example.com/api/v3",
		"https://git.example.com/":            "https://git.example.com/api/v3",
		"https://git.example.com/api":         "https://git.example.com/api/v3",
		"https://git.example.com/api/graphql": "https://git.example.com/api/v3",
		"https://git.example.com/api/v3/":     "https://git.example.com/api/v3",
		"https://api.octo.ghe.com":            "https://api.octo.ghe.com",
		"http://127.0.0.1:8080":               "http://127.0.0.1:8080",
	} {
		if got := BaseURL(given); got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}

func TestParseRef(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ref{
		"12":                                    {number: 12},
		"#12":                                   {number: 12},
		"GH-12":                                 {number: 12},
		"gh-12":                                 {number: 12},
		"4400#12":                               {id: 4400, number: 12},
		"octo/app#12":                           {repo: "octo/app", number: 12},
		"https://github.com/octo/app/issues/12": {repo: "octo/app", number: 12},
		"https://api.github.com/repos/octo/app/issues/12":         {repo: "octo/app", number: 12},
		"https://git.example.com/api/v3/repos/octo/app/issues/12": {repo: "octo/app", number: 12},
		"https://github.com/octo/app/issues/12#issuecomment-5":    {repo: "octo/app", number: 12},
	} {
		if got, ok := parseRef(text); !ok || got != want {
			t.Errorf("%q is %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "0", "-3", "twelve", "SEM-12", "#", "https://github.com/octo/app/pull/12", "octo#12", "99999999999999999999"} {
		if got, ok := parseRef(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("octo/app#12")
	f.Fuzz(func(t *testing.T, text string) {
		if r, ok := parseRef(text); ok && r.number <= 0 {
			t.Fatalf("%q is %+v", text, r)
		}
	})
}

// TestLabelsThatStandForSomething: labels are read as teams name them, and what the
// configuration names wins.
func TestLabelsThatStandForSomething(t *testing.T) {
	t.Parallel()
	c := &Client{mapping: provider.Mapping{Category: map[string]provider.Category{"Parked": provider.Canceled, "wip": provider.Todo},
		State: map[provider.Category]string{provider.Done: "shipped"}, Priority: map[string]int{"on fire": 4}}}
	for label, want := range map[string]provider.Category{
		"in progress": provider.InProgress, "Status: In Progress": provider.InProgress, "status/in-review": provider.InProgress, "state_doing": provider.InProgress,
		"Parked": provider.Canceled, "wip": provider.Todo, "shipped": provider.Done, "bug": "", "progress": "", "status": "", "statuspage": "",
	} {
		s, ok := c.stateOf(label)
		if ok != (want != "") || ok && s.Category != want {
			t.Errorf("%q stands for %q, %v", label, s.Category, ok)
		}
	}
	for label, want := range map[string]int{
		"priority: high": 3, "Priority/Critical": 4, "priority-low": 1, "prio: medium": 2, "high priority": 3, "P0": 4, "p1": 3, "P3": 1, "P4": 1, "priority: p2": 2,
		"on fire": 4, "high": 0, "p9": 0, "priority": 0, "p": 0, "backend": 0, "priority: someday": 0,
	} {
		if n, ok := c.priorityOf(label); ok != (want != 0) || n != want {
			t.Errorf("%q stands for priority %d, %v", label, n, ok)
		}
	}
}
