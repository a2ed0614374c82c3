package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

//go:embed install.sh
var installer []byte

// writeFeature writes the feature for dev containers into DIR/agit, in the form of
// https://containers.dev/implementors/features/.
func writeFeature(dir string) error {
	about := map[string]any{
		"id": "agit", "version": "1.0.0", "name": "agit", "description": strings.TrimSuffix(summary, "."), "documentationURL": homepage, "licenseURL": homepage + "/blob/main/LICENSE",
		"options":       map[string]any{"version": map[string]any{"type": "string", "default": "latest", "proposals": []string{"latest"}, "description": "A release, such as 1.2.3"}},
		"installsAfter": []string{"ghcr.io/devcontainers/features/common-utils", "ghcr.io/devcontainers/features/git"},
	}
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, "agit")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "devcontainer-feature.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "install.sh"), installer, 0o755)
}
