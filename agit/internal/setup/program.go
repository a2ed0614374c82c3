package setup

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"
)

// ports are the default HTTP ports of the suite's servers.
var ports = map[string]string{"agit": "3847", "pmsync": "3848", "memoryd": "3849", "citecheck": "3850", "classify": "3851"}

// isProgram reports whether a path or name is that of the given program.
func isProgram(path, name string) bool {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(base, ".exe") == name
}

// startsDirectly reports whether a value starts a server of the suite as setup writes it: the program with "serve" as its first argument.
func startsDirectly(value any, name string) bool {
	program, args := commandOf(value)
	return isProgram(program, name) && len(args) > 0 && args[0] == "serve" || isProgram(program, name+"-mcp")
}

// serves reports whether a value leads to a server of the suite in any way: directly, with options before "serve", through env or a shell,
// or by its address on this machine.
func serves(value any, name string) bool {
	program, args := unwrapped(commandOf(value))
	if isProgram(program, name+"-mcp") || isProgram(program, name) && len(args) > 0 && (args[0] == "serve" || strings.HasPrefix(args[0], "-") && slices.Contains(args, "serve")) {
		return true
	}
	at, err := url.Parse(addressOf(value))
	if err != nil || at.Port() != ports[name] || strings.Trim(at.Path, "/") != "mcp" && strings.Trim(at.Path, "/") != "sse" {
		return false
	}
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, at.Hostname())
}

// unwrapped returns the command that env or a shell runs.
func unwrapped(program string, args []string) (string, []string) {
	for range 4 { // env sh -c "env …"
		switch {
		case isProgram(program, "env"):
			for len(args) > 0 && (strings.HasPrefix(args[0], "-") || strings.Contains(args[0], "=")) {
				args = args[1:]
			}
		case slices.ContainsFunc([]string{"sh", "bash", "zsh", "dash", "ksh", "fish"}, func(shell string) bool { return isProgram(program, shell) }):
			for len(args) > 1 && strings.HasPrefix(args[0], "-") && (!strings.HasSuffix(args[0], "c") || strings.HasPrefix(args[0], "--")) {
				args = args[1:] // --norc is not -c
			}
			if len(args) < 2 || !strings.HasPrefix(args[0], "-") {
				return program, args
			}
			line, err := shellwords.Parse(strings.TrimPrefix(strings.TrimSpace(args[1]), "exec "))
			if err != nil {
				return program, args
			}
			args = line
		default:
			return program, args
		}
		if len(args) == 0 {
			return "", nil
		}
		program, args = args[0], args[1:]
	}
	return program, args
}

// addressOf returns the address of a server that a client reaches over HTTP.
func addressOf(value any) string {
	o, _ := value.(map[string]any)
	for _, key := range []string{"url", "serverUrl", "httpUrl", "uri"} {
		if address, ok := o[key].(string); ok {
			return address
		}
	}
	return ""
}

// isServer reports whether a value holds a command or an address. Clients also keep a person's approvals under a server's name.
func isServer(value any) bool {
	o, ok := value.(map[string]any)
	_, command := o["command"]
	return !ok || command || addressOf(value) != ""
}

// hasVariable reports whether a client or shell expands something in a path. Teams write such paths into files that they commit; setup
// never does.
func hasVariable(path string) bool {
	if exists(path) {
		return false // it is called so
	}
	return strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$") || strings.Contains(path, "${") || strings.Count(path, "%") > 1
}

// expand returns a path with its variables expanded; false when one is not known here.
func (s *Setup) expand(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
		path = s.Home + rest
	}
	known := true
	path = os.Expand(path, func(name string) string {
		name, usual, _ := strings.Cut(name, ":-")
		name = strings.TrimPrefix(name, "env:")
		switch name {
		case "workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR", "PWD":
			return s.Dir
		case "workspaceFolderBasename":
			return filepath.Base(s.Dir)
		case "userHome", "HOME", "USERPROFILE":
			return s.Home
		case "pathSeparator", "/":
			return string(filepath.Separator)
		}
		value := cmp.Or(s.Getenv(name), usual)
		known = known && value != ""
		return value
	})
	return path, known && !strings.Contains(path, "%")
}

// runs reports whether a client could start a program. A program with an unknown variable counts as one that runs.
func (s *Setup) runs(program string) bool {
	if hasVariable(program) {
		full, known := s.expand(program)
		if !known {
			return true
		}
		program = full
	}
	if program == filepath.Base(program) {
		return lookPath(strings.TrimSuffix(program, ".exe"), s.Getenv("PATH")) != ""
	}
	if !filepath.IsAbs(program) {
		program = filepath.Join(s.Dir, program)
	}
	info, err := os.Stat(program)
	return err == nil && runnable(info)
}
