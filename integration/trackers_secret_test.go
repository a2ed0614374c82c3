package integration

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secretSettings are the secrets of trackers, as the environment names them.
var secretSettings = map[string]string{
	"linear": "AGIT_CFG_PROVIDERS_LINEAR_API_KEY", "jira": "AGIT_CFG_PROVIDERS_JIRA_API_TOKEN",
	"asana": "AGIT_CFG_PROVIDERS_ASANA_ACCESS_TOKEN", "azure_devops": "AGIT_CFG_PROVIDERS_AZURE_DEVOPS_PAT",
	"github": "AGIT_CFG_PROVIDERS_GITHUB_TOKEN",
}

// TestTrackerSecretsAreNotKept: whatever a sync does, in whatever words, with a
// tracker that takes the secret, refuses it or is gone, the secret is in no output,
// no file and no registry.
func TestTrackerSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	for name, setting := range secretSettings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := startTracker(name)
			must(t, err)
			t.Cleanup(f.end)
			h := newHome(t)
			for name, value := range f.env {
				h.env = append(h.env, name+"="+value)
			}
			secrets := []string{f.env[setting], f.env[setting] + "wrong"}
			if len(f.env[setting]) < 20 {
				t.Fatalf("%s has no secret", setting)
			}
			look := func(where, text string) {
				t.Helper()
				for _, secret := range secrets {
					if strings.Contains(text, secret) || strings.Contains(text, secret[len(secret)-16:]) {
						t.Errorf("the secret is in %s", where)
					}
				}
			}
			round := func() {
				for _, line := range []string{"pull --log-level debug", "pull --full --json", "ready", "status --log 20 --json", "push --force --log-level debug",
					"providers --json", "connect " + name, "config list --json", "config show --json", "conflicts --all"} {
					out, errs, _ := h.run("pmsync", strings.Fields(line)...)
					look("the output of pmsync "+line, out+errs)
				}
				for _, line := range []string{"session start --agent ann --wait 60s --json", "session end --agent ann --json"} {
					out, errs, _ := h.run("memoryd", strings.Fields(line)...)
					look("the output of memoryd "+line, out+errs)
				}
			}
			h.ok("pmsync", "pull")
			h.ok("pmsync", "ticket", "status", h.tickets()[0].ID, "in_progress", "--comment", "begun", "-q")
			round()
			right := h.env
			h.env = append(append([]string{}, right...), setting+"="+secrets[1])
			round()
			h.env = right
			f.end()
			round()
			must(t, filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				content, err := os.ReadFile(path)
				look(path, string(content))
				return err
			}))
		})
	}
}
