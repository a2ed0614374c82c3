package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// clients looks at what agent clients read of the suite. It changes nothing:
// `agit setup` does, which says what it keeps.
func (d *Doctor) clients(ctx context.Context, _ bool) (checks []Check, err error) {
	var ready []string
	for _, s := range d.Clients {
		clients, findings, err := s.Findings(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			f := fault.From(err)
			checks = append(checks, Check{Name: "clients", Category: "clients", Status: Warning, Message: f.Message, Fix: f.Hint})
			continue
		}
		for _, client := range clients {
			if !slices.Contains(ready, client) {
				ready = append(ready, client)
			}
		}
		for _, f := range findings {
			message := fmt.Sprintf("%s in %s is %s", f.What, f.File, f.State)
			if f.Why != "" {
				message += ": " + f.Why
			}
			checks = append(checks, Check{Name: "client " + f.Client, Category: "clients", Status: Warning, Message: message, Fix: f.Fix})
		}
	}
	switch {
	case len(checks) > 0:
	case len(ready) == 0:
		checks = []Check{{Name: "clients", Category: "clients", Status: OK, Message: "no agent client is set up here; `agit setup` sets up those that are installed"}}
	default:
		checks = []Check{{Name: "clients", Category: "clients", Status: OK, Message: strings.Join(ready, ", ") + ": what is set up is current"}}
	}
	return checks, nil
}

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

// sandbox reports the configured sandbox of agents and gates, and whether it is available. When none is configured, it names one that
// could be used.
func (d *Doctor) sandbox(ctx context.Context, _ bool) ([]Check, error) {
	if d.Wall == nil {
		return nil, nil
	}
	made, err := d.Wall.Get(ctx)
	if err != nil {
		f := fault.From(err)
		return []Check{{Name: "sandbox", Category: "sandbox", Status: Error, Message: f.Message, Fix: f.Hint}}, nil
	}
	if made != nil {
		return []Check{{Name: "sandbox", Category: "sandbox", Status: OK, Message: "agents of `agit work` and gates run inside " + made.Name() + ", which works here"}}, nil
	}
	c := Check{Name: "sandbox", Category: "sandbox", Status: OK, Message: "there is no wall around agents of `agit work`: work.sandbox is not set"}
	try := wall.Bwrap
	if runtime.GOOS == "darwin" {
		try = wall.Seatbelt
	}
	if _, err := wall.Find(ctx, wall.Settings{Sandbox: []string{string(try)}}); err == nil {
		c.Message += "; " + string(try) + " works here"
		c.Fix = "`agit config set work.sandbox " + string(try) + "` puts it there"
	}
	return []Check{c}, nil
}

// sources lists which files of agents' clients are read, and which could not be.
func (d *Doctor) sources(ctx context.Context, _ bool) ([]Check, error) {
	states, err := d.Sessions.States(ctx)
	if err != nil {
		return nil, err
	}
	var checks []Check
	for _, s := range states {
		c := Check{Name: "sessions of " + s.Client, Category: "sources", Status: OK}
		switch {
		case s.Off:
			c.Message = "are not read: sources.off"
		case len(s.Trouble) > 0:
			c.Status, c.Message = Warning, fmt.Sprintf("%s could not be read, the first is %q", text.Count(len(s.Trouble), "file or folder", "files or folders"), s.Trouble[0])
			c.Fix = "make it readable for you, or turn the client off: `agit config set sources.off " + s.Client + "`"
		default:
			c.Message = fmt.Sprintf("%s of %d MB are read", text.Count(s.Files, "file", "files"), s.Bytes>>20)
			if s.Passed > 0 {
				c.Message += fmt.Sprintf("; %s in a format that is not known", text.Count(s.Passed, "row is", "rows are"))
			}
		}
		checks = append(checks, c)
	}
	return checks, nil
}
