package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"

	"github.com/agit-suite/agit/shared/config"
)

// meant returns the command line that a run's arguments stand for: those of a word that people type for a command, of an alias of the
// user's configuration, or of a folder where the binary has a command for one. Other arguments are returned unchanged.
func (t Tree) meant(env *Env, args []string) []string {
	if len(args) == 0 || args[0] == "" || strings.HasPrefix(args[0], "-") {
		return args
	}
	if _, _, own := t.find(args); own || slices.Contains([]string{"help", "completion", "version", "docs"}, args[0]) || strings.HasPrefix(args[0], "__") {
		return args
	}
	if line, known := t.Words[args[0]]; known {
		return append(strings.Fields(line), args[1:]...)
	}
	if line := alias(env, args[0]); line != nil {
		return append(line, args[1:]...)
	}
	if t.Folder != "" {
		at := args[0]
		if !filepath.IsAbs(at) {
			at = filepath.Join(env.Dir, at)
		}
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			return append([]string{t.Folder}, args...)
		}
	}
	return args
}

// alias returns the words that an alias of the user's configuration stands for, or nil: `aliases = ["mine = tasks --agent ann"]`. A
// configuration that cannot be read has no aliases; the command that is run then reports the error.
func alias(env *Env, name string) []string {
	c, err := config.LoadForgiving(env.ConfigOptions(env.Dir))
	if err != nil {
		return nil
	}
	for _, line := range c.Aliases {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == name {
			if words, err := shellwords.Parse(value); err == nil {
				return words
			}
		}
	}
	return nil
}
