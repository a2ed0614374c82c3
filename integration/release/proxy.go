package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
)

// proxy writes the release's modules into a folder that GOPROXY=file://… reads,
// in the layout of the module proxy protocol.
func (r *release) proxy(dir string) error {
	for _, name := range r.modules {
		escaped, err := module.EscapePath(r.path(name))
		if err != nil {
			return err
		}
		folder := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		info, err := json.Marshal(struct {
			Version string
			Time    time.Time
		}{r.version, r.when.UTC()})
		if err != nil {
			return err
		}
		mod, err := os.ReadFile(filepath.Join(r.tree(), name, "go.mod"))
		if err != nil {
			return err
		}
		for file, text := range map[string][]byte{"list": []byte(r.version + "\n"), r.version + ".info": info, r.version + ".mod": mod} {
			if err := os.WriteFile(filepath.Join(folder, file), text, 0o644); err != nil {
				return err
			}
		}
		if err := r.pack(name, filepath.Join(folder, r.version+".zip")); err != nil {
			return err
		}
	}
	return nil
}
