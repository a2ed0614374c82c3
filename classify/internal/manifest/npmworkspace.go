package manifest

// globs reads the list of a workspace's globs, or the object of yarn, bun and Deno around it, which has it under a key.
func (d *draft) globs(f field, key string) {
	if f.value == nil {
		return
	}
	if f.value[0] == '{' {
		f = d.members(f).at(key)
	}
	d.workspace(strs(f.value)...)
}

// parsePnpmWorkspace reads the packages of pnpm-workspace.yaml; its catalogues hold versions only.
func parsePnpmWorkspace(d *draft, text string) {
	d.Workspace = true
	for _, item := range yamlLists(text) {
		if item.key == "packages" && item.depth == 1 {
			d.workspace(item.value)
		}
	}
}

// parseLerna reads the packages of lerna.json; without a list they are those of the workspaces.
func parseLerna(d *draft, text string) {
	d.globs(d.object(text, false).at("packages"), "")
}

// parseRush reads the folders of rush.json's projects, which it lists one by one.
func parseRush(d *draft, text string) {
	d.Workspace = true
	for _, project := range rawList(d.object(text, false).at("projects").value) {
		if len(d.Members) == maxPackages {
			return
		}
		fields, _ := members(project)
		if folder := fields.str("projectFolder"); folder != "" {
			d.Members = append(d.Members, folder)
		}
	}
}
