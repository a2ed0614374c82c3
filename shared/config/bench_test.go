package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkLoad: the cost of a command's configuration, beside reading the same two files and decoding them: without files, with the file
// that init makes, and with some settings in both.
func BenchmarkLoad(b *testing.B) {
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	home := b.TempDir()
	o := Options{UserHome: home, Project: filepath.Join(home, "p"), Dir: home, Env: os.Environ()}
	run := func(name string) {
		b.Run(name, func(b *testing.B) {
			benchtest.Beside(b, "toml", benchtest.Of(func() error {
				_, err := Load(o)
				return err
			}), benchtest.Of(func() error {
				for _, file := range []string{filepath.Join(home, ".agit", "config.toml"), filepath.Join(home, "p", ".agit.toml")} {
					text, err := os.ReadFile(file)
					if errors.Is(err, os.ErrNotExist) {
						continue
					}
					if err = errors.Join(err, toml.Unmarshal(text, &map[string]any{})); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	}
	run("nothing")
	write(filepath.Join(home, ".agit", "config.toml"), Template())
	run("template")
	write(filepath.Join(home, ".agit", "config.toml"), "[agent]\nstale_after = \"10m\"\n[log]\nlevel = \"info\"\n")
	write(filepath.Join(home, "p", ".agit.toml"), "[worktree]\nport_count = 5\n[hooks]\npost_spawn = [\"true\"]\n")
	run("settings")
}
