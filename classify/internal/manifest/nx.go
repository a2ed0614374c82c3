package manifest

import (
	"cmp"
	"path"
	"strings"
)

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
