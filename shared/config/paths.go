package config

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// The files of the configuration, below their folders.
const (
	UserFileName    = "config.toml"
	ProjectFileName = ".agit.toml"
	DatabaseName    = "agit.db"

	legacyProjectFile = ".pm/config.json"                // in the project
	legacyUserFile    = ".config/semfora-pm/config.json" // in the home folder
)

// HomeFolder returns the suite's folder: $AGIT_HOME, else ~/.agit. userHome is the user's home folder, at which a ~ and a relative
// AGIT_HOME start.
func HomeFolder(agitHome, userHome string) (string, error) {
	return absolute(cmp.Or(agitHome, ".agit"), userHome, userHome)
}

// absolute resolves a path a person wrote: ~ is the home folder wherever it
// comes from, and a relative path starts at base. A folder is never named "~".
func absolute(path, base, userHome string) (string, error) {
	switch {
	case path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`):
		path, base = strings.TrimLeft(path[1:], `/\`), userHome
	case strings.HasPrefix(path, "~"):
		return "", fault.Validation("", "%q names another user's home folder, which is not looked up", path).
			WithHint("write the whole path")
	}
	if strings.ContainsRune(path, 0) {
		return "", fault.Validation("", "the path %q holds a NUL character", path)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if !filepath.IsAbs(base) { // a home folder: others were resolved
		what := "is not known"
		if base != "" {
			what = strconv.Quote(base) + " is not a whole path"
		}
		return "", fault.Validation("", "the home folder %s, so %q cannot be resolved", what, path).
			WithHint("set HOME, or AGIT_HOME to a whole path")
	}
	return filepath.Join(base, path), nil
}

// IsServer reports whether the place of a registry is the URL of a PostgreSQL database.
func IsServer(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// HasPassword reports whether a URL holds a password; it is true for a URL that cannot be parsed.
func HasPassword(place string) bool {
	u, err := url.Parse(place)
	if err != nil {
		return true
	}
	_, given := u.User.Password()
	return given || u.Query().Has("password")
}

// WithoutPassword returns a URL in a form that may be shown: without a password and without settings.
func WithoutPassword(place string) string {
	u, err := url.Parse(place)
	if err != nil {
		return "postgres://…"
	}
	shown := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	return shown.String()
}

// Shorten writes a path below the home folder with ~, for people.
func Shorten(path, userHome string) string {
	if userHome == "" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, strings.TrimRight(userHome, `/\`)+string(os.PathSeparator)); ok {
		return "~" + string(os.PathSeparator) + rest
	}
	return path
}
