package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// Options are what a configuration is made of. The zero value makes the built-in one.
type Options struct {
	UserHome string   // the user's home folder
	Env      []string // the environment, as os.Environ returns it
	File     string   // --config: used instead of config.toml, and must exist; an agent's leaves the keys of persons as config.toml has them
	Database string   // --db: a relative path starts at Dir
	LogLevel string   // --log-level
	Dir      string   // the current folder

	// Project is the root of the project, whose .agit.toml and .pm/config.json
	// are read; "" for none.
	Project string
	// TrustRoot is the folder that trust is kept for, when it is not Project: all worktrees of a repository share the trust in its main
	// folder, as long as the content is the same.
	TrustRoot string
	// Content reads the project's files by their names in the project, in place of Project: for instance as a commit has them. It returns
	// nil for a file that does not exist, and ErrOutside for a link that leads out.
	Content func(name string) ([]byte, error)
	// Without ignores the project's files.
	Without bool
	// Check returns what is wrong with the values that Set is to write, beyond the type of the key; nil checks nothing.
	Check func(key string, values ...string) error
}

// source remembers where the values of a Config came from.
type source struct {
	options   Options
	home      string                 // the suite's folder
	userFile  string                 // the user's file, whether or not it exists
	origins   map[string]origin      // by key
	files     []*file                // those read
	stamps    map[string]fs.FileInfo // by path: how the files were before they were read, nil for one that did not exist
	warnings  []string
	untrusted []string // "hooks.post_spawn in .agit.toml": set, but not trusted
	ignored   map[string][]Ignored
	waiting   map[string]bool // by key: set by a project's file without trust
	leftOut   string          // the warning that the project's files were left out
	lost      map[string]bool // judging keys of texts that were trusted, of files whose present text is not
}

// loader collects the layers, earliest first.
type loader struct {
	*source
	env    map[string]string // of AGIT_* only
	lookup func(string) string
	values map[string]any // typed, by key
	own    map[string]any // those before any file of the project; of [[repo]] tables as repo[NAME].KEY
	repos  []repoValues
	config *Config
}

// Load makes the configuration. Files that do not exist are not an error, except
// the one named by Options.File; malformed files, unknown types and values out
// of range are ValidationErrors that name file, line and key.
func Load(o Options) (*Config, error) {
	c := Default()
	l := &loader{source: c.source, config: c, values: map[string]any{}}
	l.options, l.origins, l.ignored = o, map[string]origin{}, map[string][]Ignored{}
	l.readEnv()
	var err error
	if l.home, err = HomeFolder(l.env["AGIT_HOME"], o.UserHome); err != nil {
		return nil, err
	}
	l.stamp()
	l.lookAtHome()
	for _, step := range []func() error{l.legacyUser, l.user, l.project, l.environment, l.flags, l.resolve} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// LoadForgiving is Load, but ignores the project's files, with a warning, when one of them cannot be read as configuration. It is for
// commands that only look: commands that act by a project's settings must not act without them.
func LoadForgiving(o Options) (*Config, error) {
	c, err := Load(o)
	broken, ok := errors.AsType[*ProjectError](err)
	if !ok {
		return c, err
	}
	o.Without = true
	own, failed := Load(o)
	if failed != nil {
		return nil, failed
	}
	own.source.leftOut = fmt.Sprintf("the project's settings in %q are left out, and your own are in force: %v", o.Project, broken)
	own.source.warnings = append(own.source.warnings, own.source.leftOut)
	return own, nil
}

// LeftOut returns the warning that the project's files were left out; "" when they were not.
func (c *Config) LeftOut() string { return c.source.leftOut }

// lookAtHome warns when others could put another registry, or commands, into the suite's folder.
func (l *loader) lookAtHome() {
	if info, err := os.Stat(l.home); err == nil && writableByAll(info.Mode()) {
		l.warnings = append(l.warnings, fmt.Sprintf("every user of this machine can write in %s, and so change the registry and what is run; `chmod 700 %s` keeps them out",
			l.home, text.ShellWord(l.home)))
	}
}

// readEnv picks the suite's variables; other variables are looked up only for ${VAR}.
func (l *loader) readEnv() {
	l.env = map[string]string{}
	for _, pair := range l.options.Env {
		if strings.HasPrefix(pair, "AGIT_") {
			name, value, _ := strings.Cut(pair, "=")
			l.env[name] = value
		}
	}
	l.lookup = func(name string) string {
		for i := len(l.options.Env) - 1; i >= 0; i-- {
			if value, ok := strings.CutPrefix(l.options.Env[i], name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func (l *loader) legacyUser() error {
	if l.options.UserHome == "" {
		return nil
	}
	return l.addFile(filepath.Join(l.options.UserHome, filepath.FromSlash(legacyUserFile)), legacyUser)
}

func (l *loader) user() error {
	l.userFile = filepath.Join(l.home, UserFileName)
	if l.options.File == "" {
		return l.addFile(l.userFile, userFile)
	}
	path, err := absolute(l.options.File, l.options.Dir, l.options.UserHome)
	if err != nil {
		return err
	}
	own := l.userFile
	l.userFile = path
	f, err := readFile(path, userFile)
	if err != nil {
		return err
	}
	if f == nil {
		return fault.Validation("config", "the configuration file %q does not exist", path).
			WithHint("leave --config out to use %s", Shorten(own, l.options.UserHome))
	}
	if AgentOf(l.suite) == "" {
		return l.add(f)
	}
	f.holds = agentsKeys
	if err := l.add(f); err != nil {
		return err
	}
	if f, err = readFile(own, userFile); f == nil || err != nil {
		return err
	}
	f.holds = personsOnly
	return l.add(f)
}

// suite looks up one of the suite's variables.
func (l *loader) suite(name string) string { return l.env[name] }

func (l *loader) project() error {
	if l.options.Project == "" || l.options.Without {
		return nil
	}
	l.own = maps.Clone(l.values)
	for _, r := range l.repos {
		for field, v := range r.values {
			l.own[repoKey(r.name, field)] = v
		}
	}
	for _, name := range []string{legacyProjectFile, ProjectFileName} {
		f, err := l.readProject(name)
		if errors.Is(err, ErrOutside) {
			l.warnings = append(l.warnings, fmt.Sprintf("%s is not read: %v", name, err))
			f, err = nil, nil
		}
		if err == nil {
			err = l.remember(name, f)
		}
		if err == nil && f != nil {
			err = l.add(f)
		}
		if err != nil {
			return &ProjectError{Name: name, Err: err}
		}
	}
	return nil
}

// environment adds AGIT_CFG_ variables, and AGIT_DB after them.
func (l *loader) environment() error {
	for _, name := range slices.Sorted(maps.Keys(l.env)) {
		if !strings.HasPrefix(name, envPrefix) {
			continue
		}
		if err := l.variable(name, l.env[name]); err != nil {
			return err
		}
	}
	if path := l.env["AGIT_DB"]; path != "" {
		l.set("database.path", path, origin{text: "AGIT_DB"})
	}
	return nil
}

func (l *loader) variable(name, value string) error {
	known := make(map[string]string, len(schema()))
	for k := range schema() {
		known[EnvName(k)] = k
	}
	keyName, ok := known[name]
	if !ok {
		l.unknown(name, "", slices.Sorted(maps.Keys(known)))
		return nil
	}
	if value == "" {
		return nil // an empty variable counts as unset
	}
	if who := AgentOf(l.suite); who != "" && IsPersons(keyName) {
		l.warnings = append(l.warnings, fmt.Sprintf("%s is left out: %s is a person's to set, and %s may not", name, keyName, who))
		return nil
	}
	k := schema()[keyName]
	v, err := k.parse(value)
	if err == nil {
		err = limit(keyName, v)
	}
	if err != nil {
		return fault.Validation(keyName, "the environment variable %s %v", name, err)
	}
	l.set(keyName, l.useful("the environment variable "+name, k, v), origin{text: name})
	return nil
}

func (l *loader) flags() error {
	if path := l.options.Database; path != "" {
		var err error
		if !IsServer(path) {
			path, err = absolute(path, l.options.Dir, l.options.UserHome)
		}
		if err != nil {
			return err
		}
		l.set("database.path", path, origin{text: "--db"})
	}
	if l.options.LogLevel != "" {
		v, err := schema()["log.level"].parse(strings.ToLower(l.options.LogLevel))
		if err != nil {
			return fault.Validation("log-level", "--log-level %v", err)
		}
		l.set("log.level", v, origin{text: "--log-level"})
	}
	return nil
}

func (l *loader) set(name string, typed any, from origin) {
	l.values[name] = typed
	l.origins[name] = from
}

// decode sets the fields of the configuration.
func (l *loader) decode() {
	fill(l.config, schema(), l.values)
	for _, r := range l.repos {
		repo := Repo{Name: r.name, From: r.from}
		fill(&repo, repoSchema(), r.values)
		l.config.Repos = append(l.config.Repos, repo)
	}
}

// fill sets the fields of a struct that the keys of values stand for.
func fill(into any, keys map[string]key, values map[string]any) {
	fields := reflect.ValueOf(into).Elem()
	for name, value := range values {
		k := keys[name]
		fields.FieldByIndex(k.index).Set(reflect.ValueOf(value).Convert(k.kind))
	}
}

// resolve completes the configuration, with absolute paths of the registry, of the prices, and of folders of worktrees that start with ~. A
// relative path of the first two starts at the home folder whatever the current folder is, so that all processes agree.
func (l *loader) resolve() error {
	l.decode()
	if prices := &l.config.Work.Prices; *prices != "" {
		if err := l.atHome("work.prices", prices); err != nil {
			return err
		}
	}
	dirs := []*string{&l.config.Worktree.Dir}
	for i := range l.config.Repos {
		dirs = append(dirs, &l.config.Repos[i].Worktree.Dir)
	}
	for _, dir := range dirs {
		if strings.HasPrefix(*dir, "~") {
			if err := l.atHome("worktree.dir", dir); err != nil {
				return err
			}
		}
	}
	path := l.config.Database.Path
	if path == "" {
		l.config.Database.Path = filepath.Join(l.home, DatabaseName)
		return nil
	}
	if IsServer(path) {
		return l.resolveServer(path)
	}
	return l.atHome("database.path", &l.config.Database.Path)
}

// atHome makes the path of a key absolute, from the home folder.
func (l *loader) atHome(field string, path *string) error {
	at, err := absolute(*path, l.options.UserHome, l.options.UserHome)
	if err != nil {
		f := fault.From(err)
		f.Field = field
		return f
	}
	*path = at
	return nil
}

// resolveServer accepts a URL for the registry. Only the environment may hold a password: files are kept and shared, and others see a
// command's flags.
func (l *loader) resolveServer(place string) error {
	from := l.origins["database.path"].text
	if HasPassword(place) && from != "AGIT_DB" && from != EnvName("database.path") {
		return fault.Validation("database.path", "the URL of the registry %q holds a password, or cannot be read", WithoutPassword(place)).
			WithHint("leave it out there; PGPASSWORD and ~/.pgpass are read")
	}
	l.config.Database = Database{Path: filepath.Join(l.home, DatabaseName), Server: place}
	return nil
}

// Current reports whether the files of a configuration are unchanged since it was read: none is new, gone, replaced or written. A
// long-running process reads its configuration again when they are not.
func (c *Config) Current() bool {
	for path, then := range c.source.stamps {
		now, _ := os.Stat(path) // nil for a file that does not exist
		switch {
		case now == nil || then == nil:
			if now != then {
				return false
			}
		case !os.SameFile(now, then) || !now.ModTime().Equal(then.ModTime()) || now.Size() != then.Size():
			return false
		}
	}
	return true
}

// stamp records the state of the files that the configuration is about to be made of. It is called before they are read, so that a file
// written meanwhile counts as changed.
func (l *loader) stamp() {
	paths := []string{l.trustPath(), filepath.Join(l.home, UserFileName)}
	if l.options.UserHome != "" {
		paths = append(paths, filepath.Join(l.options.UserHome, filepath.FromSlash(legacyUserFile)))
	}
	if path, err := absolute(l.options.File, l.options.Dir, l.options.UserHome); l.options.File != "" && err == nil {
		paths = append(paths, path)
	}
	if l.options.Project != "" {
		for _, name := range []string{legacyProjectFile, ProjectFileName} {
			paths = append(paths, filepath.Join(l.options.Project, filepath.FromSlash(name)))
		}
	}
	l.stamps = make(map[string]fs.FileInfo, len(paths))
	for _, path := range paths {
		l.stamps[path], _ = os.Stat(path)
	}
}
