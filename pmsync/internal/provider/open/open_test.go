package open_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/open"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/config"
)

func configured(name string, change func(*config.Config)) *config.Config {
	cfg := config.Default()
	cfg.Provider.Name = name
	cfg.Providers.Linear.APIKey = "lin_canary"
	cfg.Providers.Jira.URL, cfg.Providers.Jira.APIToken = "https://own.example", "jira_canary"
	cfg.Providers.Asana.AccessToken = "asana_canary"
	cfg.Providers.AzureDevOps.Organization, cfg.Providers.AzureDevOps.PAT = "own", "azure_canary"
	change(cfg)
	return cfg
}

func TestProvider(t *testing.T) {
	for name, c := range map[string]struct {
		provider string
		change   func(*config.Config)
		wrong    string // part of the error; "" for none
	}{
		"linear":                      {"linear", func(*config.Config) {}, ""},
		"linear without a key":        {"linear", func(c *config.Config) { c.Providers.Linear.APIKey = "" }, "providers.linear.api_key|needs an API key"},
		"linear in clear":             {"linear", func(c *config.Config) { c.Providers.Linear.URL = "http://example.com" }, "must begin with https"},
		"linear on this machine":      {"linear", func(c *config.Config) { c.Providers.Linear.URL = "http://127.0.0.1:1" }, ""},
		"jira":                        {"jira", func(c *config.Config) { c.Provider.URL = "https://own.example/" }, ""},
		"jira elsewhere":              {"jira", func(c *config.Config) { c.Provider.URL = "https://evil.example" }, "not sent elsewhere"},
		"jira in clear":               {"jira", func(c *config.Config) { c.Provider.URL = "http://own.example" }, "not sent elsewhere"},
		"jira by the project alone":   {"jira", func(c *config.Config) { c.Providers.Jira.URL, c.Provider.URL = "", "https://evil.example" }, "site that the Jira token is for is missing"},
		"jira nowhere":                {"jira", func(c *config.Config) { c.Providers.Jira.URL = "" }, "address of the Jira site is missing"},
		"jira with a user in its url": {"jira", func(c *config.Config) { c.Providers.Jira.URL = "https://own.example@evil.example" }, "without a user"},
		"asana":                       {"asana", func(*config.Config) {}, ""},
		"azure":                       {"azure_devops", func(c *config.Config) { c.Provider.Organization = "OWN" }, ""},
		"azure elsewhere":             {"azure_devops", func(c *config.Config) { c.Provider.Organization = "evil" }, "not sent elsewhere"},
		"azure by the project alone":  {"azure_devops", func(c *config.Config) { c.Providers.AzureDevOps.Organization, c.Provider.Organization = "", "evil" }, "organization that the token is for is missing"},
		"local":                       {"local", func(*config.Config) {}, "has no tracker"},
		"a command that fails": {"linear", func(c *config.Config) { c.Providers.Linear.APIKey, c.Providers.Linear.APIKeyCommand = "", "exit 7" },
			"providers.linear.api_key_command"},
		"a mapping that is wrong": {"linear", func(c *config.Config) { c.Provider.StateFor = []string{"doing=X"} }, "provider.state_for|must be like"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := open.Provider(context.Background(), configured(c.provider, c.change), transport.Options{})
			if c.wrong == "" {
				if err != nil || p.Name() != provider.Name(c.provider) {
					t.Errorf("%v, %v", p, err)
				}
				return
			}
			if err == nil || p != nil {
				t.Fatalf("%v is not an error", p)
			}
			text := fmt.Sprintf("%s %#v", err, err)
			if strings.Contains(text, "canary") {
				t.Errorf("the error shows a secret: %s", text)
			}
			for part := range strings.SplitSeq(c.wrong, "|") {
				if !strings.Contains(text, part) {
					t.Errorf("%q does not say %q", text, part)
				}
			}
		})
	}
}

// TestSecretByCommand sends what the command printed, and to its host alone.
func TestSecretByCommand(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		http.Redirect(w, r, "http://localhost:1/", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	cfg := configured("linear", func(c *config.Config) {
		c.Providers.Linear.APIKey, c.Providers.Linear.APIKeyCommand, c.Providers.Linear.URL = "", "echo from-a-command", server.URL
	})
	p, err := open.Provider(context.Background(), cfg, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.TestConnection(context.Background()); !provider.Is(err, provider.Protocol) {
		t.Errorf("a redirection: %v", err)
	}
	if got != "from-a-command" {
		t.Errorf("sent %q", got)
	}
}

func TestMapping(t *testing.T) {
	m, err := open.Mapping(config.Provider{CategoryOf: []string{"In Review=in_progress", "a=b = done ", "Won't Do=cancelled"},
		StateFor: []string{"in_progress=In Progress", "Done=Shipped = out"}, PriorityOf: []string{"Blocker=4", "P=3=0"}})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(m.Category, m.State, m.Priority)
	want := "map[In Review:in_progress Won't Do:canceled a=b:done] map[done:Shipped = out in_progress:In Progress] map[Blocker:4 P=3:0]"
	if got != want {
		t.Errorf("%s, not %s", got, want)
	}
	for _, wrong := range []config.Provider{{CategoryOf: []string{"x"}}, {CategoryOf: []string{"=done"}}, {CategoryOf: []string{"x=doing"}},
		{StateFor: []string{"done="}}, {StateFor: []string{"done"}}, {PriorityOf: []string{"x=5"}}, {PriorityOf: []string{"x=-1"}}, {PriorityOf: []string{"4"}}} {
		if _, err := open.Mapping(wrong); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
}
