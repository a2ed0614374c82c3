package scan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// Settings are the parts of git's configuration that affect reading work trees.
type Settings struct {
	Hash              Hash
	FileMode          bool     // the executable bit on disk counts
	Symlinks          bool     // links are links on disk, not files with a path in them
	AutoCRLF          bool     // line ends are converted without an attribute
	Sparse            bool     // sparse checkout is on
	AskGitIgnored     bool     // only git can compare names as this disk does
	PerWorktree       bool     // worktrees may have settings of their own
	Files             []string // every file that was read or looked for, sorted
	filters           map[string]bool
	ignore            *sharedRules
	attributeFiles    []string // outside the work tree
	attributesUnknown bool     // one of them has a name that only git can expand
}

// LoadSettings asks git for its configuration (one process).
func LoadSettings(ctx context.Context, repo *git.Repo) (*Settings, error) {
	out, err := repo.Output(ctx, git.Options{}, "config", "--list", "-z", "--show-origin")
	if err != nil {
		return nil, git.Fault(err, "read the git configuration of %q", repo.Dir())
	}
	entries, files := parseConfigList(out, repo.Dir())
	s := &Settings{Hash: SHA1, FileMode: true, Symlinks: true, filters: map[string]bool{}}
	excludes, attributes := userFile("ignore"), userFile("attributes")
	for _, e := range entries {
		on := isTrue(e.value)
		switch key := e.key; {
		case key == "extensions.objectformat" && strings.EqualFold(e.value, "sha256"):
			s.Hash = SHA256
		case key == "extensions.worktreeconfig":
			s.PerWorktree = on
		case key == "core.filemode":
			s.FileMode = on
		case key == "core.symlinks":
			s.Symlinks = on
		case key == "core.autocrlf":
			s.AutoCRLF = on || strings.EqualFold(e.value, "input")
		case key == "core.sparsecheckout":
			s.Sparse = on
		case key == "core.ignorecase", key == "core.precomposeunicode":
			s.AskGitIgnored = s.AskGitIgnored || on
		case key == "core.excludesfile":
			excludes = e.value
		case key == "core.attributesfile":
			attributes = e.value
		case strings.HasPrefix(key, "filter."):
			name, ok := strings.CutSuffix(key[len("filter."):], ".clean")
			if !ok {
				name, ok = strings.CutSuffix(name, ".process")
			}
			if ok && e.value != "" {
				s.filters[name] = true
			}
		}
	}
	excludes, plainExcludes := expand(excludes)
	attributes, plainAttributes := expand(attributes)
	s.AskGitIgnored = s.AskGitIgnored || !plainExcludes
	info := filepath.Join(repo.CommonDir, "info")
	s.ignore = loadSharedRules(filepath.Join(info, "exclude"), excludes)
	s.attributeFiles = append(systemAttributes(), filepath.Join(info, "attributes"), attributes)
	s.attributesUnknown = !plainAttributes
	s.Files = slices.Concat(files, s.attributeFiles, configFiles(repo), []string{filepath.Join(info, "exclude"), excludes})
	s.Files = slices.DeleteFunc(s.Files, func(f string) bool { return f == "" })
	slices.Sort(s.Files)
	s.Files = slices.Compact(s.Files)
	return s, nil
}

// Seed identifies the settings by the files they come from, without reading these. A scan made under other settings is repeated.
func Seed(files []string) [sha256.Size]byte {
	sum := sha256.New()
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_ATTR_NOSYSTEM", "HOME", "XDG_CONFIG_HOME"} {
		sum.Write([]byte(name + "=" + os.Getenv(name) + "\x00"))
	}
	for _, file := range files {
		st := statPath(file)
		sum.Write(st.appendTo([]byte(file + "\x00")))
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// configFiles are the paths where git looks for configuration, whether they exist or not.
func configFiles(repo *git.Repo) []string {
	files := []string{filepath.Join(repo.CommonDir, "config"), userFile("config"), "/etc/gitconfig", os.Getenv("GIT_CONFIG_GLOBAL"), os.Getenv("GIT_CONFIG_SYSTEM")}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	return files
}

// userFile is a file in the user's own folder for git.
func userFile(name string) string {
	base := os.Getenv("XDG_CONFIG_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "git", name)
}

// systemAttributes are where git installations keep attributes for all users.
func systemAttributes() []string {
	if os.Getenv("GIT_ATTR_NOSYSTEM") != "" {
		return nil
	}
	files := []string{"/etc/gitattributes", "/usr/local/etc/gitattributes", "/opt/homebrew/etc/gitattributes"}
	if programs := os.Getenv("ProgramFiles"); programs != "" {
		files = append(files, filepath.Join(programs, "Git", "etc", "gitattributes"))
	}
	return files
}

type configEntry struct{ key, value string }

// parseConfigList reads `git config --list -z --show-origin`: "file:PATH" NUL
// "key LF value" NUL, a key without a value meaning true.
func parseConfigList(out []byte, dir string) (entries []configEntry, files []string) {
	for len(out) > 0 {
		origin, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			break
		}
		pair, rest, _ := bytes.Cut(rest, []byte{0})
		out = rest
		if file, ok := strings.CutPrefix(string(origin), "file:"); ok {
			if !filepath.IsAbs(file) {
				file = filepath.Join(dir, file)
			}
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		key, value, ok := strings.Cut(string(pair), "\n")
		if !ok {
			value = "true"
		}
		entries = append(entries, configEntry{key, value})
	}
	return entries, files
}

// expand resolves "~/"; ok is false for other forms that only git resolves.
func expand(path string) (full string, ok bool) {
	switch {
	case path == "" || filepath.IsAbs(path):
		return path, true
	case strings.HasPrefix(path, "~/"):
		home, err := os.UserHomeDir()
		return filepath.Join(home, path[2:]), err == nil
	}
	return "", false
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
