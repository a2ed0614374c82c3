package manifest

import (
	"cmp"
	"path"
	"strings"
)

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

// parseNx reads nx.json: it declares a workspace, whose projects name themselves in a project.json each.
// https://nx.dev/reference/project-configuration
func parseNx(d *draft, text string) {
	d.object(text, false)
	d.Workspace = true
}

// parseNxProject reads the project.json of one project.
func parseNxProject(d *draft, text string) {
	d.Name = d.object(text, false).str("name")
}

// parseProjects reads the projects of angular.json, and of the workspace.json of older Nx versions: a folder, or an object with it.
func parseProjects(d *draft, text string) {
	projects, _ := members(d.object(text, false).at("projects").value)
	for _, project := range projects {
		fields, _ := members(project.value)
		folder := cmp.Or(fields.str("root"), str(project.value))
		if folder = strings.Trim(strings.TrimPrefix(folder, "./"), "/"); folder != "" && folder != "." && len(d.Members) < maxPackages {
			d.workspace(folder)
		}
	}
}

// ofNx makes the folders of the project.json files below an nx.json its members, and drops other files of that name, since other tools use
// it too.
func ofNx(drafts []*draft) []*draft {
	roots := map[string]*draft{}
	for _, d := range drafts {
		if d.Kind == NxJSON {
			roots[path.Dir(d.Path)] = d
		}
	}
	kept := drafts[:0]
	for _, d := range drafts {
		if d.Kind == NxProject {
			root := nearest(roots, d.Path)
			if root == nil {
				continue
			}
			if dir := strings.TrimPrefix(path.Dir(d.Path), path.Dir(root.Path)+"/"); path.Dir(d.Path) != path.Dir(root.Path) && len(root.Members) < maxPackages {
				root.Members = append(root.Members, dir)
			}
		}
		kept = append(kept, d)
	}
	return kept
}

// nearest returns the draft of the nearest folder above a file.
func nearest(byDir map[string]*draft, file string) *draft {
	for _, dir := range ancestors(file) {
		if d := byDir[dir]; d != nil {
			return d
		}
	}
	return nil
}
