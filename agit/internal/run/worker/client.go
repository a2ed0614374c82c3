package worker

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/acp"
	"github.com/agit-suite/agit/agit/internal/run/permit"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Client is a program that works as an agent without a person: how it is called, how it gets its brief, and what it prints. In its
// arguments {mcp} is the configuration of its MCP servers, {dir} the working folder, {brief} the path of a file with the brief,
// {prompt} the brief itself, {session} the session to resume, and {roots} a TOML list of the folders that git writes to. Without
// {brief} and {prompt} it reads the brief from its standard input.
type Client struct {
	Name    string
	Command []string
	Words   int // the number of words of Command before its options
	// Resume are the arguments that resume a session; empty when the client cannot do that.
	Resume []string
	// Open is the command line with {session} that opens a session for a person in the client's own program; empty when unknown.
	Open   []string
	Events Events
	// Pass are the variables that it needs in addition to those that every program gets; a name that ends with * is a prefix.
	Pass []string
	// Set are variables that are set unless the user has set them.
	Set []string
	// Asking are variables that make it ask before it calls a tool. They are set when it speaks the protocol, even over the user's own
	// values: without them the rules would not bind it.
	Asking []string

	// ACP are command lines that speak the Agent Client Protocol, if any; the first one whose program is installed is run.
	ACP [][]string
	// Modes are its session modes that work and ask, best first; an empty list keeps its default.
	Modes []string
	// Asks is true when Command asks before a tool call, through the server of package permit.
	Asks bool
	// Reluctant clients use the protocol only when the user asks for it.
	Reluctant bool
	// Speaks is true when Command is one of ACP. Headless is then the other command line, nil for none.
	Speaks   bool
	Headless []string
}

// clients are the known clients. The command lines follow their own help texts; `make check-clients` compares them.
var clients = map[string]Client{
	"claude": {
		// Without --verbose it refuses to print events. Edits are accepted; other calls are requested through a tool and decided as
		// over the protocol. A denied call is reported and does not end the run.
		Command: []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--mcp-config", "{mcp}",
			"--permission-prompt-tool", "mcp__" + permit.Server + "__" + permit.Tool, "--allowedTools", "mcp__agit,mcp__memoryd"},
		Words:  1,
		Resume: []string{"--resume", "{session}"},
		Open:   []string{"claude", "--resume", "{session}"},
		Events: claudeEvents,
		Pass:   []string{"ANTHROPIC_*", "CLAUDE_*", "AWS_BEARER_TOKEN_BEDROCK", "CLOUD_ML_REGION"},
		// By default it is silent for minutes while it retries a refused call, and it exits while its own background tasks run. A tool
		// that asks a person takes time.
		Set:  []string{"CLAUDE_CODE_MAX_RETRIES=1", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "MCP_TOOL_TIMEOUT=86400000"},
		Asks: true,
		ACP:  [][]string{{"claude-agent-acp"}, {"claude-code-acp"}},
	},
	"codex": {
		// Its sandbox keeps git's folder read-only, so that it could not commit; {roots} opens that folder.
		Command: []string{"codex", "exec", "--json", "-c", `sandbox_mode="workspace-write"`, "-c", "sandbox_workspace_write.writable_roots={roots}", "-"},
		Words:   2,
		Resume:  []string{"resume", "{session}"},
		Open:    []string{"codex", "resume", "{session}"},
		Events:  codexEvents,
		Pass:    []string{"OPENAI_*", "CODEX_*", "AZURE_OPENAI_API_KEY"},
		ACP:     [][]string{{"codex-acp", "-c", "sandbox_workspace_write.writable_roots={roots}"}},
		Modes:   []string{"auto"}, // its default mode is read-only
	},
	"opencode": {
		// Without --auto it refuses every call that it would ask about and stops with exit status 0. --auto allows everything that is
		// not denied.
		Command: []string{"opencode", "run", "--format", "json", "--auto", "--dir", "{dir}"},
		Words:   2,
		Resume:  []string{"--session", "{session}"},
		Open:    []string{"opencode", "--session", "{session}"},
		Events:  opencodeEvents,
		Pass:    []string{"OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "OPENROUTER_API_KEY"},
		ACP:     [][]string{{"opencode", "acp"}},
		// By default it runs everything without asking.
		Asking: []string{`OPENCODE_PERMISSION={"bash":"ask","edit":"ask","webfetch":"ask","external_directory":"ask"}`},
	},
	"gemini": {
		// An untrusted folder ends it; its default mode has no shell, reports "success" and does nothing.
		Command:   []string{"gemini", "--skip-trust", "--approval-mode", "yolo", "-o", "stream-json"},
		Words:     1,
		Resume:    []string{"--resume", "{session}"},
		Open:      []string{"gemini", "--resume", "{session}"},
		Events:    geminiEvents,
		Pass:      []string{"GEMINI_*", "GOOGLE_*"},
		ACP:       [][]string{{"gemini", "--experimental-acp"}},
		Reluctant: true, // observed not to answer
	},
	"cursor": {
		Command: []string{"agent", "-p", "--force", "--trust", "--output-format", "stream-json", "{prompt}"},
		Words:   1,
		Resume:  []string{"--resume", "{session}"},
		Open:    []string{"agent", "--resume", "{session}"},
		Events:  claudeEvents, // the same format
		Pass:    []string{"CURSOR_*"},
	},
	"copilot": {
		Command: []string{"copilot", "--output-format", "json", "--allow-all-tools", "--no-ask-user", "-p", "{prompt}"},
		Words:   1,
		Resume:  []string{"--resume={session}"},
		Open:    []string{"copilot", "--resume={session}"},
		Events:  copilotEvents,
		Pass:    []string{"COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"},
		ACP:     [][]string{{"copilot", "--acp"}},
	},
	"goose":    {ACP: [][]string{{"goose", "acp"}}, Pass: slices.Concat([]string{"GOOSE_*"}, modelKeys)},
	"qwen":     {ACP: [][]string{{"qwen", "--acp"}}, Pass: slices.Concat([]string{"QWEN_*", "DASHSCOPE_API_KEY"}, modelKeys)},
	"kimi":     {ACP: [][]string{{"kimi", "acp"}}, Pass: []string{"KIMI_*", "MOONSHOT_*"}},
	"auggie":   {ACP: [][]string{{"auggie", "--acp"}}, Pass: []string{"AUGMENT_*"}},
	"droid":    {ACP: [][]string{{"droid", "exec", "--output-format", "acp"}}, Pass: []string{"FACTORY_*"}},
	"vibe":     {ACP: [][]string{{"vibe-acp"}}, Pass: []string{"MISTRAL_*", "VIBE_*"}},
	"cagent":   {ACP: [][]string{{"cagent", "acp"}}, Pass: modelKeys},
	"junie":    {ACP: [][]string{{"junie", "--acp=true"}}, Pass: []string{"JUNIE_*"}},
	"qodercli": {ACP: [][]string{{"qodercli", "--acp"}}, Pass: []string{"QODER_*"}},
	"stakpak":  {ACP: [][]string{{"stakpak", "acp"}}, Pass: []string{"STAKPAK_*"}},
	"amp":      {ACP: [][]string{{"amp-acp"}}, Pass: []string{"AMP_*"}},
}

// modelKeys are the variables in which programs look for model keys.
var modelKeys = []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"}

// otherNames are other names of clients, used by setup, their programs or their users.
var otherNames = map[string]string{"claude-code": "claude", "opencode-ai": "opencode", "gemini-cli": "gemini", "cursor-agent": "cursor", "qwen-code": "qwen", "copilot-cli": "copilot"}

// Clients returns the names of the known clients.
func Clients() []string { return slices.Sorted(maps.Keys(clients)) }

// Find returns a client by its name; a ValidationError lists the known names.
func Find(name string) (Client, error) {
	if known := otherNames[name]; known != "" {
		name = known
	}
	c, ok := clients[name]
	if !ok {
		f := fault.Validation("client", "%q is not one of the clients: %s", name, strings.Join(Clients(), ", "))
		if near := text.Nearest(name, Clients()); near != "" {
			return c, f.WithHint("did you mean %q?", near)
		}
		return c, f.WithHint("give the whole command after --, which reads its brief from standard input")
	}
	c.Name = name
	return c, nil
}

// Plain returns a client for a program that agit does not know; its command is complete.
func Plain(command []string) Client { return Client{Name: filepath.Base(command[0]), Command: command} }

// PlainACP returns a client for a program that agit does not know and that speaks the Agent Client Protocol.
func PlainACP(command []string) Client {
	return Client{Name: filepath.Base(command[0]), Command: command, Speaks: true}
}

// A Way is a way to drive a client.
type Way int

// The ways.
const (
	Best      Way = iota // the protocol if a program for it is installed, otherwise the headless command line
	ByACP                // only the protocol
	ByCommand            // only the headless command line
)

// At returns the client with its program resolved: a relative path starts at the given folder, not at the worktree. A missing program
// is a ValidationError. installed looks a program up; nil searches PATH.
func (c Client) At(dir string, way Way, installed func(program string) (path string, err error)) (Client, error) {
	if installed == nil {
		installed = exec.LookPath
	}
	if _, known := clients[c.Name]; !known || c.Speaks {
		program := c.Command[0]
		if !filepath.IsAbs(program) && strings.ContainsAny(program, `/\`) {
			program = filepath.Join(dir, program)
		}
		path, err := installed(program)
		if err != nil {
			return c, fault.Validation("command", "the command %q was not found", c.Command[0]).WithHint("check its name, or give its whole path")
		}
		c.Command = append([]string{path}, c.Command[1:]...)
		return c, nil
	}
	var headless []string
	missing := ""
	if len(c.Command) > 0 && way != ByACP {
		missing = c.Command[0]
		if path, err := installed(c.Command[0]); err == nil {
			headless = append([]string{path}, c.Command[1:]...)
		}
	}
	if way == ByACP || way == Best && (!c.Reluctant || headless == nil) {
		for _, line := range c.ACP {
			missing = firstOf(missing, line[0])
			if path, err := installed(line[0]); err == nil {
				c.Command, c.Speaks, c.Headless = append([]string{path}, line[1:]...), true, headless
				return c, nil
			}
		}
	}
	if headless == nil {
		if missing == "" {
			return c, fault.Validation("client", "%s has only a program that speaks the Agent Client Protocol, which takes no further arguments", c.Name).
				WithHint("leave out the words after --")
		}
		return c, fault.Validation("command", "the command %q was not found", missing).WithHint("install the client %s, or put its folder on PATH", c.Name)
	}
	c.Command = headless
	return c, nil
}

// AsCommand returns the client with its headless command line, for a program that turned out not to speak the protocol.
func (c Client) AsCommand() Client {
	c.Command, c.Headless, c.Speaks = c.Headless, nil, false
	return c
}

// Resumes reports whether the client can resume a session.
func (c Client) Resumes() bool { return c.Speaks || len(c.Resume) > 0 }

// Place holds the values for the arguments of a client.
type Place struct {
	Dir     string   // the working folder
	Roots   []string // folders that git writes to for Dir
	Brief   string   // the text
	File    string   // a path to which the brief can be written
	Session string   // the session to resume; "" begins a new one
	Servers []acp.Server
}

// Line is a command line of a client.
type Line struct {
	Command []string
	Stdin   string // the brief, unless an argument holds it
	File    bool   // the brief must be in the file of the Place
}

// Line builds the client's command line; more are the user's arguments.
func (c Client) Line(p Place, more []string) (l Line) {
	command := slices.Clone(c.Command)
	if c.Speaks { // it gets the brief and the session in messages
		p.Brief, p.Session = "", ""
	}
	if p.Session != "" && len(c.Resume) > 0 {
		command = slices.Insert(command, c.Words, c.Resume...)
	}
	// The brief, or the dash that stands for it, comes last.
	if last := len(command) - 1; len(more) > 0 && (command[last] == "-" || command[last] == "{prompt}") {
		if c.Name == "copilot" {
			last-- // it is the value of -p
		}
		command = slices.Insert(command, last, more...)
	} else {
		command = append(command, more...)
	}
	roots, _ := json.Marshal(p.Roots) // a JSON string is a valid TOML string
	l.Stdin = p.Brief
	for i, arg := range command {
		if strings.Contains(arg, "{brief}") {
			l.File, l.Stdin = true, ""
		}
		if strings.Contains(arg, "{prompt}") {
			l.Stdin = ""
		}
		command[i] = strings.NewReplacer("{dir}", p.Dir, "{brief}", p.File, "{prompt}", p.Brief, "{session}", p.Session, "{roots}", string(roots), "{mcp}", mcpConfig(p.Servers)).Replace(arg)
	}
	l.Command = command
	return l
}

// mcpConfig returns a configuration of MCP servers for Claude Code's command line.
func mcpConfig(list []acp.Server) string {
	servers := map[string]any{}
	for _, s := range list {
		env := map[string]string{}
		for _, setting := range s.Env {
			name, value, _ := strings.Cut(setting, "=")
			env[name] = value
		}
		servers[s.Name] = map[string]any{"type": "stdio", "command": s.Command, "args": append([]string{}, s.Args...), "env": env}
	}
	text, _ := json.Marshal(map[string]any{"mcpServers": servers}) // cannot fail: only texts
	return string(text)
}

// Opened returns the command line with which a person resumes a session in the client's own program, which is empty where none is known. It
// returns a ValidationError for a session name that a program could read as an option.
func (c Client) Opened(session string) ([]string, error) {
	if session == "" || strings.HasPrefix(session, "-") || strings.ContainsFunc(session, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, fault.Validation("session", "%q is not the id of a session", session)
	}
	line := slices.Clone(c.Open)
	for i := range line {
		line[i] = strings.ReplaceAll(line[i], "{session}", session)
	}
	return line, nil
}

// passed are the variables that every program gets: the user, the user's folders, and settings of compilers, package managers and the
// network. No other variable is passed on, because a client's tools can read its environment, which may hold tokens for forges and
// clouds. A name that ends with * is a prefix.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "LC_*", "XDG_*", "TERMINFO",
	"AGIT_*", "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
	"GO*", "CGO_*", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "DYLD_*",
	"JAVA_HOME", "GRADLE_*", "MAVEN_*", "ANDROID_HOME", "NODE_PATH", "NODE_OPTIONS", "NVM_*", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR",
	"npm_config_*", "PYTHON*", "VIRTUAL_ENV", "CONDA_*", "PYENV_*", "PIP_*", "UV_*", "POETRY_*", "RUSTUP_*", "CARGO_HOME", "CARGO_TARGET_DIR",
	"RUSTFLAGS", "GEM_*", "BUNDLE_*", "RBENV_*", "RUBY*", "PHP*", "COMPOSER_HOME", "DOTNET_*", "NUGET_PACKAGES", "SDKMAN_*", "ASDF_*", "MISE_*",
	"NIX_*", "DIRENV_*", "DOCKER_HOST", "MAKEFLAGS", "CI",
	// Windows
	"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "windir", "APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles*", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "USERNAME", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "OS",
}

// quiet are set for every program: it must not stop to ask, page or edit, and logs have no colours.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat", "PAGER=cat", "GIT_MERGE_AUTOEDIT=no"}

// Environment returns the environment of a client: the allowed part of env, the client's own variables, and those that more names.
// secrets are the values among them that must not appear in a log.
func (c Client) Environment(env, more []string) (kept, secrets []string) {
	for _, setting := range env {
		name, value, _ := strings.Cut(setting, "=")
		own := matches(name, slices.Concat(c.Pass, more))
		if name == "" || !own && (!matches(name, passed) || telling(name)) {
			continue
		}
		kept = append(kept, setting)
		if own && telling(name) {
			secrets = append(secrets, value)
		}
	}
	always := quiet
	if c.Speaks {
		always = slices.Concat(quiet, c.Asking)
	}
	for _, setting := range slices.Concat(always, c.Set) {
		name, _, _ := strings.Cut(setting, "=")
		given := slices.ContainsFunc(kept, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if !given || slices.Contains(always, setting) {
			kept = append(withoutVariable(kept, name), setting)
		}
	}
	return kept, secrets
}

// telling reports whether a variable's name suggests a secret, such as npm_config__authToken among npm's settings.
func telling(name string) bool {
	upper := strings.ToUpper(name)
	return redact.Telling(name) || strings.Contains(upper, "TOKEN") || strings.Contains(upper, "SECRET") || strings.Contains(upper, "PASSWORD") || strings.HasSuffix(upper, "_KEY")
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}
