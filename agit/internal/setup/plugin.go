package setup

import (
	"path/filepath"
	"slices"
)

// Names of the plugin and the marketplace that this repository offers to clients that support them (plugin_files_test.go writes it).
const (
	pluginName  = "agit"
	marketplace = "agit-suite"
	pluginID    = pluginName + "@" + marketplace
)

// plugged is how to detect that a client has the plugin installed, and what the plugin brings.
type plugged struct {
	// JSON are files with the object "enabledPlugins"; the last one that names the plugin counts.
	JSON []string
	// TOML is a file with the table plugins.
	TOML string
	// Folder is a folder that exists where an extension of the name is installed.
	Folder string
	Brings []Kind
}

// plugin returns the file or folder that shows that a client has the plugin enabled, or "".
func (s *Setup) plugin(r *recipe) (where string) {
	for _, template := range r.Plugin.JSON {
		switch enabled, _ := valueIn(s.path(template), "enabledPlugins", pluginID); enabled {
		case true:
			where = s.path(template)
		case false:
			where = ""
		}
	}
	if enabled, _ := valueIn(s.path(r.Plugin.TOML), "plugins", pluginID, "enabled"); enabled == true {
		where = s.path(r.Plugin.TOML)
	}
	if r.Plugin.Folder != "" && exists(filepath.Join(s.path(r.Plugin.Folder), "gemini-extension.json")) {
		where = s.path(r.Plugin.Folder)
	}
	return where
}

// byPlugin returns why an item need not be written: the plugin brings it to all its clients. It returns "" when one of them lacks it.
func (s *Setup) byPlugin(it *Item) (why string) {
	if s.Options.Fresh {
		return ""
	}
	for _, name := range it.Clients {
		r := recipeOf(name)
		where := s.plugin(r)
		if where == "" || !slices.Contains(r.Plugin.Brings, it.Kind) {
			return ""
		}
		why = "comes with the plugin " + pluginID + ", which is enabled in " + where
	}
	return why
}
