// Package cli is the command line of every binary of the suite: the root command with the global flags, help with exit
// codes, the way from an error to a sentence and a status, and the commands that all binaries share (config, serve,
// completion, version, docs).
//
// A command is an options struct and a run function, joined by Command. A Tree lists the commands of a binary, whose main
// is two lines: NewEnv, and Main. Only this package and the binaries' command packages import cobra. Building the command
// tree opens and reads nothing: the first command that needs the configuration or the registry opens it, and Main closes
// it. An Env is used by one run; Config and Registry may be called from several goroutines.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
)

// Globals are the flags every command has.
type Globals struct {
	JSON     bool
	Output   string
	JQ       string
	Quiet    bool
	NoColor  bool
	Table    bool
	DB       string
	Config   string
	LogLevel string
}

// Env is what one run of a binary works with. Commands take what they need from
// it; a test makes one of the fields that it needs.
type Env struct {
	Name    string // of the binary
	Version string
	Commit  string
	Streams *term.Streams
	Globals Globals

	Environ  []string // as os.Environ returns it
	Dir      string   // the current folder
	UserHome string

	// Readers is how many registry reads may run at once; servers set it.
	Readers int
	// Agent is the agent of this run, for the log. It is AGIT_AGENT until a command with an --agent flag sets it.
	Agent string
	// JQ compiles --jq expressions (jq.Compile). It is set only in programs that print documents.
	JQ func(expression string) (output.Filter, error)
	// Details are further lines of the version command, such as SQLite's.
	Details func() []VersionDetail
	// CheckSetting is config.Options.Check, for the keys whose values this program reads.
	CheckSetting func(key string, values ...string) error

	printer *output.Printer
	process bool // the process does nothing but this run
	hasJQ   bool
	running bool // arguments were accepted, and a command is running
	told    bool // configuration warnings were printed
	looks   bool // a project's file that cannot be read is ignored
	log     logger

	mu       sync.Mutex
	configs  map[string]*config.Config // by folder
	args     []string                  // that the run's words stand for, found by Tree.Root
	leftOut  []string                  // warnings about ignored files that were printed already
	registry *registry.DB
}

// NewEnv returns the environment of this process.
func NewEnv(name, version, commit string) *Env {
	info, _ := debug.ReadBuildInfo()
	version, commit = built(version, commit, info)
	e := &Env{Name: name, Version: version, Commit: commit, Streams: term.System(), Environ: os.Environ(), process: true}
	e.Dir, _ = os.Getwd()            // a missing folder is reported by the command that needs it
	e.UserHome, _ = os.UserHomeDir() // likewise
	e.Agent = e.Getenv("AGIT_AGENT")
	return e
}

// Getenv returns a variable of the run's environment, or "".
func (e *Env) Getenv(name string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.Environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// Printer prints the result in the format of the global flags. It is set once a command runs.
func (e *Env) Printer() *output.Printer { return e.printer }

// Config returns the configuration for the current folder's project. Its warnings are printed the first time.
func (e *Env) Config(ctx context.Context) (*config.Config, error) { return e.ConfigAt(ctx, e.Dir) }

// ConfigToServe is Config for a server, which must answer its client beside a project's file that cannot be read, and does not end when the
// file is mended: the file is left out here, and each later ConfigNow returns the error until then.
func (e *Env) ConfigToServe(ctx context.Context) (*config.Config, error) {
	return e.load(ctx, e.Dir, config.LoadForgiving)
}

// ConfigAt returns the configuration for the project that dir lies in, for commands that name a repository elsewhere.
func (e *Env) ConfigAt(ctx context.Context, dir string) (*config.Config, error) {
	if e.looks {
		return e.load(ctx, dir, config.LoadForgiving)
	}
	return e.load(ctx, dir, config.Load)
}

func (e *Env) load(ctx context.Context, dir string, load func(config.Options) (*config.Config, error)) (*config.Config, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.configs[dir]; c != nil {
		return c, nil
	}
	c, err := load(e.ConfigOptions(dir))
	if err != nil {
		return nil, err
	}
	if e.configs == nil {
		e.configs = map[string]*config.Config{}
	}
	e.configs[dir] = c
	if !e.told {
		e.told = true
		for _, sentence := range c.Warnings() {
			e.Streams.Warn("%s", sentence)
		}
	} else if sentence := c.LeftOut(); sentence != "" && !slices.Contains(e.leftOut, sentence) {
		e.Streams.Warn("%s", sentence)
	}
	e.leftOut = append(e.leftOut, c.LeftOut())
	if c.IsSet("log.level") {
		e.log.setDefault(c.Log.Level)
	}
	return c, nil
}

// ConfigNow is ConfigAt for a long-running process: it reads the configuration again when one of its files was written since. When a file
// cannot be read, it returns the last configuration together with the error.
func (e *Env) ConfigNow(ctx context.Context, dir string) (*config.Config, error) {
	e.mu.Lock()
	before := e.configs[dir]
	if before != nil && before.Current() && (e.looks || before.LeftOut() == "") {
		e.mu.Unlock()
		return before, nil
	}
	delete(e.configs, dir)
	e.mu.Unlock()
	c, err := e.ConfigAt(ctx, dir)
	if err != nil && before != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.configs[dir] = before
		return before, err
	}
	return c, err
}

// OnlyLooks declares that the run does not act on a project's settings. If a project's file then cannot be read as configuration, the
// user's own settings are in force, and one warning names the file and the line. It must be called before the configuration is used.
func (e *Env) OnlyLooks() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.looks = true
}

// ConfigOptions returns which files, variables and flags make the configuration of the project that dir lies in. The project is the root of
// the working tree, else the folder itself; trust in a repository holds in its worktrees.
func (e *Env) ConfigOptions(dir string) config.Options {
	o := config.Options{
		UserHome: e.UserHome, Env: e.Environ, Dir: e.Dir, Project: dir,
		File: e.Globals.Config, Database: e.Globals.DB, LogLevel: e.Globals.LogLevel, Check: e.CheckSetting,
	}
	if dir == "" {
		return o
	}
	if repo, err := git.Find(dir); err == nil {
		o.Project, o.TrustRoot = repo.WorkTree, ""
		if repo.Linked() && !repo.Bare {
			o.TrustRoot = repo.MainFolder()
		}
	}
	return o
}

// Registry opens the registry, and makes it when it does not exist. Main closes it.
func (e *Env) Registry(ctx context.Context) (*registry.DB, error) {
	options, err := e.RegistryOptions(ctx)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.registry != nil {
		return e.registry, nil
	}
	made := e.namesRegistry() && options.Server == "" && isMissing(options.Path)
	db, err := registry.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	if made { // a typo in the name would look as if all data were gone
		e.Streams.Notice("made a new, empty registry: %s", options.Path)
	}
	e.registry = db
	return db, nil
}

// namesRegistry reports whether the caller itself named the registry's file.
func (e *Env) namesRegistry() bool { return e.Globals.DB != "" || e.Getenv("AGIT_DB") != "" }

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// OpenedRegistry returns the registry when this run has opened it, else nil.
func (e *Env) OpenedRegistry() *registry.DB {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.registry
}

// RegistryOptions returns where the registry is and how this run uses it.
func (e *Env) RegistryOptions(ctx context.Context) (registry.Options, error) {
	c, err := e.Config(ctx)
	if err != nil {
		return registry.Options{}, err
	}
	return registry.Options{
		Path: c.Database.Path, Server: c.Database.Server, MaxSize: int64(c.MaxDatabaseSize), Readers: e.Readers,
		Notice: func(sentence string) { e.Streams.Warn("%s", sentence) },
		Told:   func(sentence string) { e.Streams.Notice("%s", sentence) }, Log: e.Logger(),
	}, nil
}

// Path makes a path the user gave absolute, against the current folder.
func (e *Env) Path(given string) (string, error) {
	switch {
	case strings.ContainsRune(given, 0):
		return "", fault.Validation("path", "the path %q holds a NUL character", given)
	case filepath.IsAbs(given):
		return filepath.Clean(given), nil
	case e.Dir == "":
		return "", fault.Operation(nil, "the current folder does not exist any more").WithHint("change to another folder")
	}
	return filepath.Join(e.Dir, given), nil
}

// Start sets up everything that depends on the global flags. Main calls it once they are parsed; a test that calls a run function calls it
// itself.
func (e *Env) Start() error {
	e.Streams.Quiet = e.Globals.Quiet
	e.Streams.UseColor(e.Globals.NoColor, e.Getenv)
	if asked := e.Getenv("AGIT_TABLE"); e.Globals.Table || asked != "" && asked != "0" {
		width, err := strconv.Atoi(e.Getenv("COLUMNS"))
		if err != nil || width <= 0 {
			width = 80
		}
		e.Streams.LayOut(width)
	}
	if err := e.log.setLevel(e.Globals.LogLevel); err != nil {
		return err
	}
	var err error
	e.printer, err = output.New(e.Streams, e.outputOptions())
	return err
}

func (e *Env) outputOptions() output.Options {
	return output.Options{Format: e.Globals.Output, JSON: e.Globals.JSON, JQ: e.Globals.JQ, HasJQ: e.hasJQ, Compile: e.JQ, Wrote: e.wrote}
}

// wrote reports whether this run has changed the registry.
func (e *Env) wrote() bool {
	db := e.OpenedRegistry()
	return db != nil && db.Wrote()
}

// close closes everything that the run opened.
func (e *Env) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.registry == nil {
		return nil
	}
	end := e.registry.Close
	if e.process {
		end = e.registry.CloseAtExit
	}
	err := end()
	e.registry = nil
	if err != nil {
		return fmt.Errorf("close the registry: %w", err)
	}
	return nil
}
