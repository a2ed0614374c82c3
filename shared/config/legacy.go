package config

// normalise turns the shapes semfora-pm's files have, and the same shapes where
// people write them in ours, into the schema's:
//
//	provider: linear          → provider.name
//	provider_config: {…}      → provider.…, its credentials → providers.…
//	defaults: {sync: …}       → sync.…, below what the file itself says
//	azure_ado                 → azure_devops
//	db: …                     → database.path
//
// cache_dir, semfora-pm's place for a database per project, means nothing here.
func normalise(settings map[string]any, kind fileKind) {
	normaliseRegistry(settings)
	if kind.legacy() {
		delete(settings, "cache_dir")
		if defaults, ok := settings["defaults"].(map[string]any); ok {
			delete(settings, "defaults")
			normaliseProvider(defaults)
			normaliseProvider(settings)
			underlay(settings, defaults)
			return
		}
	}
	normaliseProvider(settings)
}

// normaliseRegistry expands the short name of the registry's place.
func normaliseRegistry(settings map[string]any) {
	if place, ok := settings["db"].(string); ok {
		delete(settings, "db")
		underlay(section(settings, "database"), map[string]any{"path": place})
	}
}

func normaliseProvider(settings map[string]any) {
	if name, ok := settings["provider"].(string); ok {
		settings["provider"] = map[string]any{"name": name}
	}
	if details, ok := settings["provider_config"].(map[string]any); ok {
		delete(settings, "provider_config")
		section(settings, "provider")
		underlay(settings["provider"].(map[string]any), details)
	}
	if p, ok := settings["provider"].(map[string]any); ok {
		if p["name"] == "azure_ado" {
			p["name"] = "azure_devops"
		}
		moveCredentials(settings, p)
	}
	if all, ok := settings["providers"].(map[string]any); ok {
		if azure, ok := all["azure_ado"].(map[string]any); ok {
			delete(all, "azure_ado")
			underlay(section(all, "azure_devops"), azure)
		}
	}
}

// moveCredentials moves the values that belong to the user's account out of the section that describes the project. Whether the file may
// set them is decided later.
func moveCredentials(settings, provider map[string]any) {
	for _, c := range []struct{ field, provider string }{
		{"api_key", "linear"}, {"api_key_command", "linear"},
		{"email", "jira"}, {"api_token", "jira"}, {"api_token_command", "jira"},
		{"access_token", "asana"}, {"access_token_command", "asana"},
		{"pat", "azure_devops"}, {"pat_command", "azure_devops"},
	} {
		if value, ok := provider[c.field]; ok {
			delete(provider, c.field)
			underlay(section(section(settings, "providers"), c.provider), map[string]any{c.field: value})
		}
	}
}

// section returns the nested map of that name, making it when there is none.
func section(settings map[string]any, name string) map[string]any {
	nested, ok := settings[name].(map[string]any)
	if !ok {
		nested = map[string]any{}
		settings[name] = nested
	}
	return nested
}

// underlay adds the entries that over lacks.
func underlay(over, under map[string]any) {
	for name, value := range under {
		have, ok := over[name]
		if !ok {
			over[name] = value
			continue
		}
		nestedOver, okOver := have.(map[string]any)
		nestedUnder, okUnder := value.(map[string]any)
		if okOver && okUnder {
			underlay(nestedOver, nestedUnder)
		}
	}
}
