package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/setup"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// The check of each installed client shows how it would be run, its version, its login, and the rules that do not bind it.
func TestClientWays(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	home, bin := t.TempDir(), t.TempDir()
	put := func(path, content string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	for program, says := range map[string]string{"claude": "2.1.330 (Claude Code)", "codex": "codex-cli 0.169.0", "codex-acp": "", "gemini": "0.61.0", "goose": "goose v1.9"} {
		put(filepath.Join(bin, program), "#!/bin/sh\necho '"+says+"'\n", 0o755)
	}
	put(filepath.Join(home, ".codex", "auth.json"), `{"tokens":{}}`, 0o600)
	put(filepath.Join(home, ".gemini", "oauth_creds.json"), `{}`, 0o600)
	installed := func(program string) (string, error) {
		path := filepath.Join(bin, program)
		if _, err := os.Stat(path); err != nil {
			return "", errors.New("none")
		}
		return path, nil
	}
	found, err := ways(t.Context(), home, func(name string) string { return map[string]string{"ANTHROPIC_API_KEY": "x"}[name] }, installed)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, w := range found {
		c := w.check()
		told = append(told, c.Name+": "+c.Message+": "+c.Fix)
	}
	want := []string{
		"client claude: `agit work` runs it by its command line, claude 2.1.330; logged in by ANTHROPIC_API_KEY: ",
		"client codex: `agit work` runs it over the Agent Client Protocol, by codex-acp; logged in by ~/.codex/auth.json: ",
		"client gemini: `agit work` runs it by its command line, gemini 0.61.0; no login was seen; it asks nothing, so that work.allow, work.ask and work.deny do not hold it: ",
		"client goose: `agit work` runs it over the Agent Client Protocol, by goose 1.9: ",
	}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("it says\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	if err := os.Remove(filepath.Join(bin, "codex-acp")); err != nil {
		t.Fatal(err)
	}
	if found, err = ways(t.Context(), home, func(string) string { return "" }, installed); err != nil || !strings.Contains(found[1].check().Message, "its own sandbox") || found[1].check().Fix != "install codex-acp, by which it asks first" {
		t.Errorf("%+v, %v", found[1].check(), err)
	}
}

// Gemini CLI leaves out what a project configures until its folder, or one above, is trusted.
func TestUntrustedFolders(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		project, trusted, settings string
		want                       bool
	}{
		"no project servers":  {"", "", "", false},
		"never asked":         {"{}", "", "", true},
		"trusted":             {"{}", `{"DIR": "TRUST_FOLDER"}`, "", false},
		"by a folder above":   {"{}", `{"UP": "TRUST_FOLDER"}`, "", false},
		"by its parent":       {"{}", `{"UP/other": "TRUST_PARENT"}`, "", false},
		"another one":         {"{}", `{"UP/other": "TRUST_FOLDER"}`, "", true},
		"not trusted":         {"{}", `{"DIR": "DO_NOT_TRUST"}`, "", true},
		"not a file of JSON":  {"{}", `{`, "", true},
		"trust is turned off": {"{}", "", `{"security": {"folderTrust": {"enabled": false}}}`, false},
		"trust is turned on":  {"{}", "", `{"security": {"folderTrust": {"enabled": true}}}`, true},
	} {
		home, up := t.TempDir(), t.TempDir()
		dir := filepath.Join(up, "app")
		for path, content := range map[string]string{filepath.Join(dir, ".gemini", "settings.json"): tc.project, filepath.Join(home, ".gemini", "trustedFolders.json"): tc.trusted,
			filepath.Join(home, ".gemini", "settings.json"): tc.settings} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if content = strings.NewReplacer("DIR", filepath.ToSlash(dir), "UP", filepath.ToSlash(up)).Replace(content); content == "" {
				continue
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := untrusted(home, dir); got != tc.want {
			t.Errorf("%s: untrusted is %t", name, got)
		}
	}
}

// Each client that is on PATH is a check; Gemini's warns where its folder is not trusted. Without a project there is none.
func TestClientsRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	home, bin, dir := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	gittest.WriteProgram(t, filepath.Join(bin, "gemini"), "#!/bin/sh\necho 0.61.0\n")
	gittest.WriteProgram(t, filepath.Join(bin, "goose"), "#!/bin/sh\necho 1.9\n")
	d := &Doctor{Clients: []*setup.Setup{{Home: home, Dir: dir, Getenv: func(string) string { return "" }}}}
	look := func() string {
		t.Helper()
		checks, err := d.clientsRun(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(all(checks), "\n")
	}
	gemini := "clients, client gemini: `agit work` runs it by its command line, gemini 0.61.0; no login was seen; it asks nothing, so that work.allow, work.ask and work.deny do not hold it"
	goose := "\nok clients, client goose: `agit work` runs it over the Agent Client Protocol, by goose 1.9;"
	if got, want := look(), "ok "+gemini+";"+goose; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".gemini"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gemini", "settings.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := look(), "warning "+gemini+"; it does not trust "+dir+", so that it leaves out the servers of the project there; start `gemini` there once and trust the folder; worktrees in it are trusted with it"+goose; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if checks, err := (&Doctor{}).clientsRun(t.Context(), false); checks != nil || err != nil {
		t.Errorf("%+v, %v", checks, err)
	}
}
