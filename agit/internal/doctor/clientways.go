package doctor

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// login is where a client keeps its login, as far as a file or a variable shows it. Files are below the home folder.
type login struct{ files, variables []string }

// logins are the clients whose logins can be seen; on macOS some keep theirs in the keychain alone.
var logins = map[string]login{
	"claude":   {[]string{".claude/.credentials.json"}, []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"}},
	"codex":    {[]string{".codex/auth.json"}, []string{"OPENAI_API_KEY", "CODEX_API_KEY"}},
	"opencode": {[]string{".local/share/opencode/auth.json"}, []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"}},
	"gemini":   {[]string{".gemini/oauth_creds.json"}, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"}},
	"cursor":   {[]string{".cursor/cli-config.json"}, []string{"CURSOR_API_KEY"}},
	"qwen":     {[]string{".qwen/oauth_creds.json"}, []string{"DASHSCOPE_API_KEY", "OPENAI_API_KEY"}},
}

// clientWay is how a client that is installed would be run, and what is known of it.
type clientWay struct {
	client  worker.Client
	version string
	login   string // where it is seen; "" where it is not
	unheld  string // what it cannot be held to; "" for nothing
}

// ways looks for the clients that `agit work` can run. home is the user's, getenv reads the environment; installed looks a program up, nil
// on PATH.
func ways(ctx context.Context, home string, getenv func(string) string, installed func(string) (string, error)) ([]clientWay, error) {
	var found []clientWay
	for _, name := range worker.Clients() {
		c, err := worker.Find(name)
		if err != nil {
			return nil, err
		}
		if c, err = c.At(home, worker.Best, installed); err == nil {
			found = append(found, clientWay{client: c, login: seenLogin(name, home, getenv), unheld: unheld(c)})
		}
	}
	var asking errgroup.Group
	for i := range found {
		asking.Go(func() error {
			answer, err := sibling.Ask(ctx, sibling.Call{Program: found[i].client.Command[0], Args: []string{"--version"}, Timeout: answerTime})
			if err == nil && answer.Status == 0 {
				found[i].version = versionIn(string(answer.Out))
			}
			return ctx.Err()
		})
	}
	return found, asking.Wait()
}

var version = text.Pattern{Expr: `\d+\.\d+[\w.+-]*`}

// versionIn finds the version number in a program's output.
func versionIn(said string) string { return version.Regexp().FindString(text.FirstLine(said, 200)) }

func seenLogin(name, home string, getenv func(string) string) string {
	for _, variable := range logins[name].variables {
		if getenv(variable) != "" {
			return variable
		}
	}
	for _, file := range logins[name].files {
		if info, err := os.Stat(filepath.Join(home, filepath.FromSlash(file))); err == nil && info.Size() > 2 { // not "{}"
			return "~/" + file
		}
	}
	return ""
}

// unheld is what the rules of work.allow, work.ask and work.deny cannot hold a client to, in the way that it is run.
func unheld(c worker.Client) string {
	switch {
	case c.Speaks, c.Asks:
		return ""
	case c.Name == "codex":
		return "its own sandbox holds it, not work.allow, work.ask and work.deny, and nothing is asked"
	}
	return "it asks nothing, so that work.allow, work.ask and work.deny do not hold it"
}

// check returns doctor's check of the client.
func (w clientWay) check() Check {
	c := Check{Name: "client " + w.client.Name, Category: "clients", Status: OK}
	program := filepath.Base(w.client.Command[0])
	if w.client.Speaks {
		c.Message = "`agit work` runs it over the Agent Client Protocol, by " + program
	} else {
		c.Message = "`agit work` runs it by its command line, " + program
	}
	if w.version != "" {
		c.Message += " " + w.version
	}
	_, known := logins[w.client.Name]
	switch {
	case w.login != "":
		c.Message += "; logged in by " + w.login
	case known:
		c.Message += "; no login was seen"
	}
	if w.unheld != "" {
		c.Message += "; " + w.unheld
		if len(w.client.ACP) > 0 && !w.client.Reluctant {
			c.Fix = "install " + w.client.ACP[0][0] + ", by which it asks first"
		}
	}
	return c
}

// untrusted reports whether Gemini CLI would leave out the servers of a project, since it was not told to trust its folder
// (https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/trusted-folders.md).
func untrusted(home, dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, ".gemini", "settings.json")); err != nil {
		return false
	}
	if data, err := os.ReadFile(filepath.Join(home, ".gemini", "settings.json")); err == nil {
		var settings struct {
			Security struct{ FolderTrust struct{ Enabled *bool } }
		}
		if json.Unmarshal(data, &settings) == nil && settings.Security.FolderTrust.Enabled != nil && !*settings.Security.FolderTrust.Enabled {
			return false
		}
	}
	data, err := os.ReadFile(filepath.Join(home, ".gemini", "trustedFolders.json"))
	if err != nil {
		return true
	}
	var trusted map[string]string
	_ = json.Unmarshal(data, &trusted)
	for folder, trust := range trusted {
		if trust == "TRUST_PARENT" {
			folder = filepath.Dir(folder)
		}
		rel, err := filepath.Rel(real(folder), real(dir))
		if err == nil && (rel == "." || filepath.IsLocal(rel)) && strings.HasPrefix(trust, "TRUST_") {
			return false
		}
	}
	return true
}

// clientsRun reports for each installed client how it would be run.
func (d *Doctor) clientsRun(ctx context.Context, _ bool) (checks []Check, err error) {
	if len(d.Clients) == 0 {
		return nil, nil
	}
	s := d.Clients[0]
	found, err := ways(ctx, s.Home, s.Getenv, nil)
	for _, w := range found {
		c := w.check()
		if w.client.Name == "gemini" && untrusted(s.Home, s.Dir) {
			c.Status = Warning
			c.Message += "; it does not trust " + s.Dir + ", so that it leaves out the servers of the project there"
			c.Fix = "start `gemini` there once and trust the folder; worktrees in it are trusted with it"
		}
		checks = append(checks, c)
	}
	return checks, err
}
