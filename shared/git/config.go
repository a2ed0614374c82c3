package git

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Config holds the settings of git configuration files in order; a later value of a key wins. Keys are "section.name" or
// "section.subsection.name" with section and name in lower case.
type Config struct{ entries []ConfigEntry }

// ConfigEntry is one setting of a configuration file.
type ConfigEntry struct{ Key, Value string }

// Get returns the last value of a key, and whether the key is set.
func (c *Config) Get(key string) (string, bool) {
	key = canonical(key)
	for i := len(c.entries) - 1; i >= 0; i-- {
		if c.entries[i].Key == key {
			return c.entries[i].Value, true
		}
	}
	return "", false
}

// canonical returns a key as ParseConfig does: in lower case, except the part between the first dot and the last ("remote.Origin.URL"
// becomes "remote.Origin.url").
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// Bool returns a value as git reads a boolean; a value that is not a boolean counts as unset.
func (c *Config) Bool(key string) (value, set bool) {
	text, ok := c.Get(key)
	if !ok {
		return false, false
	}
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "":
		return false, true
	}
	return false, false
}

// Entries are all settings in their order.
func (c *Config) Entries() []ConfigEntry { return c.entries }

// Config reads the repository's own configuration: the shared file, the files it includes, and the worktree's file if git is told to use
// one.
func (r *Repo) Config() (*Config, error) {
	c := &Config{}
	if err := c.read(filepath.Join(r.CommonDir, "config"), 0); err != nil {
		return nil, err
	}
	if on, _ := c.Bool("extensions.worktreeconfig"); on {
		if err := c.read(filepath.Join(r.GitDir, "config.worktree"), 0); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// UserConfig reads the user's configuration files, honouring GIT_CONFIG_GLOBAL.
func UserConfig() (*Config, error) {
	c := &Config{}
	if path, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		return c, c.read(path, 0)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return c, nil
	}
	xdg := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	if err := c.read(filepath.Join(xdg, "git", "config"), 0); err != nil {
		return nil, err
	}
	return c, c.read(filepath.Join(home, ".gitconfig"), 0)
}

// maxInclude is git's own limit on the depth of include.path.
const maxInclude = 10

// read appends a file's settings; a missing file has none.
func (c *Config) read(path string, depth int) error {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.Operation(err, "read git configuration %q", path)
	}
	entries, err := ParseConfig(text)
	if err != nil {
		return fault.Operation(err, "read git configuration %q", path)
	}
	for _, e := range entries {
		c.entries = append(c.entries, e)
		if e.Key == "include.path" && depth < maxInclude {
			if err := c.read(expandPath(e.Value, filepath.Dir(path)), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func expandPath(path, base string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(base, path)
	}
	return path
}
