package sync_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A push is started after a change only where the configuration wants it and has the credentials. Here the program does not exist, which the
// log shows.
func TestSoon(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	home := t.TempDir()
	load := func(text string) *config.Config {
		t.Helper()
		file := filepath.Join(home, "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(config.Options{UserHome: home, File: file, Dir: home})
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	const key = "[providers.linear]\napi_key = \"lin_api_x\"\n"
	db := registrytest.Open(t)
	for name, c := range map[string]struct {
		text, tracker string
		auto          bool
		err           error
		named         bool
		want          bool
	}{
		"wanted":                  {text: key, tracker: "linear", auto: true, want: true},
		"not wanted":              {text: key, tracker: "linear"},
		"without credentials":     {tracker: "linear", auto: true},
		"without a tracker":       {text: key, tracker: "local", auto: true},
		"without a configuration": {text: key, tracker: "linear", auto: true, err: errors.New("no")},
		"without a folder":        {text: key, tracker: "linear", auto: true, named: true},
	} {
		cfg := load(c.text)
		cfg.Provider.Name, cfg.Sync.AutoPushOnStatusChange = c.tracker, c.auto
		var log bytes.Buffer
		s := &sync.Service{DB: db, Log: slog.New(slog.NewTextHandler(&log, nil)), Config: func(context.Context, string) (*config.Config, error) { return cfg, c.err }}
		place := project.Place{At: &project.Identity{UID: "app", Name: "app", Folder: home}}
		if c.named {
			place = project.Place{Named: "unknown"}
		}
		s.Soon(t.Context(), place, nil)
		if got := strings.Contains(log.String(), "start pmsync push"); got != c.want {
			t.Errorf("%s: a push is started %t: %s", name, got, log.String())
		}
		s.Log = nil
		s.Soon(t.Context(), place, nil)
	}
	for _, c := range []struct {
		kind, text string
		want       string
	}{
		{"linear", "", "providers.linear.api_key"}, {"linear", key, ""}, {"linear", "[providers.linear]\napi_key_command = \"echo x\"\n", ""}, {"jira", "[providers.jira]\nemail = \"a@example.com\"\n", "providers.jira.url providers.jira.api_token"},
		{"github", "", "providers.github.token"},
	} {
		k, err := sync.KindNamed(c.kind)
		if err != nil {
			t.Fatal(err)
		}
		k.Env = nil
		if got := strings.Join(sync.Missing(k, load(c.text)), " "); got != c.want {
			t.Errorf("%s with %q lacks %q, want %q", c.kind, c.text, got, c.want)
		}
	}
	t.Setenv("GH_TOKEN", "x")
	if k, _ := sync.KindNamed(string(provider.GitHub)); len(sync.Missing(k, load(""))) > 0 {
		t.Error("the token of the environment does not count")
	}
}
