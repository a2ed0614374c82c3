package manifest

// globs reads the list of a workspace's globs, or the object of yarn, bun and Deno around it, which has it under a key.
func (d *draft) globs(f field, key string) {
	lists := []field{{key, f.value}}
	if len(f.value) > 0 && f.value[0] == '{' {
		lists = d.members(f)
	}
	d.Workspace = true
	for _, list := range lists {
		if list.key == key {
			d.Members = append(d.Members, strs(list.value)...)
		}
	}
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
			d.workspace(strs(f.value)...)
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
