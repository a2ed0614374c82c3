package manifest

// npmWorkspaces reads the list of globs, or yarn's and bun's object around it.
func (d *draft) npmWorkspaces(f field) {
	d.Workspace = true
	if len(f.value) > 0 && f.value[0] == '{' {
		for _, member := range d.members(f) {
			if member.key == "packages" {
				d.Members = append(d.Members, strs(member.value)...)
			}
		}
		return
	}
	d.Members = append(d.Members, strs(f.value)...)
}

// parsePnpmWorkspace reads the packages of pnpm-workspace.yaml; its catalogues hold versions only.
func parsePnpmWorkspace(d *draft, text string) {
	d.Workspace = true
	for _, item := range yamlLists(text) {
		if item.key == "packages" && item.depth == 1 {
			d.Members = append(d.Members, item.value)
		}
	}
}

// parseLerna reads the packages of lerna.json; without a list they are those of the workspaces.
func parseLerna(d *draft, text string) {
	for _, f := range d.object(text, false) {
		if f.key == "packages" {
			d.Workspace = true
			d.Members = append(d.Members, strs(f.value)...)
		}
	}
}

// parseRush reads the folders of rush.json's projects, which it lists one by one.
func parseRush(d *draft, text string) {
	d.Workspace = true
	for _, f := range d.object(text, false) {
		if f.key != "projects" {
			continue
		}
		for _, project := range rawList(f.value) {
			if len(d.Members) == maxPackages {
				return
			}
			fields, _ := members(project)
			for _, f := range fields {
				if folder := str(f.value); f.key == "projectFolder" && folder != "" {
					d.Members = append(d.Members, folder)
				}
			}
		}
	}
}
