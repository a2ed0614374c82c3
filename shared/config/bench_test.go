package config

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkLoad is what a command pays for its configuration: without files,
// with the file init makes, and with some settings in both files.
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
			for b.Loop() {
				if _, err := Load(o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("nothing")
	write(filepath.Join(home, ".agit", "config.toml"), Template())
	run("template")
	write(filepath.Join(home, ".agit", "config.toml"), "[agent]\nstale_after = \"10m\"\n[log]\nlevel = \"info\"\n")
	write(filepath.Join(home, "p", ".agit.toml"), "[worktree]\nport_count = 5\n[hooks]\npost_spawn = [\"true\"]\n")
	run("settings")
}
