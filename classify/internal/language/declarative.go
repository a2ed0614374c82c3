package language

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/filetree"
)

// declarative returns the folders whose YAML is the program: Helm charts, and Ansible's roles, collections and playbooks. Each ends in a
// slash; "" is the whole repository. Elsewhere YAML is configuration.
func declarative(files []filetree.File) (roots []string) {
	seen := map[string]bool{}
	add := func(dir string) {
		root := dir + "/"
		if dir == "." {
			root = ""
		}
		if !seen[root] {
			seen[root] = true
			roots = append(roots, root)
		}
	}
	for i := range files {
		f := &files[i]
		if f.Role != filetree.Source && f.Role != filetree.Config {
			continue
		}
		dir := path.Dir(f.Path)
		switch name := base(f.Path); name {
		case "Chart.yaml", "galaxy.yml", "ansible.cfg", "playbook.yml", "playbook.yaml", "site.yml":
			add(dir)
		case "main.yml", "main.yaml":
			if path.Base(dir) != "tasks" {
				continue
			}
			role := path.Dir(dir)
			if roles := path.Dir(role); path.Base(roles) == "roles" {
				role = path.Dir(roles)
			}
			add(role)
		}
	}
	top := map[string]bool{}
	for _, root := range roots {
		first, _, _ := strings.Cut(root, "/")
		top[first] = true
	}
	if seen[""] || len(top) >= sideBySide {
		return []string{""}
	}
	return roots
}

// terraform reports whether the root holds a Terraform module: at least two of its files.
func terraform(files []filetree.File) bool {
	n := 0
	for i := range files {
		if path.Ext(files[i].Path) == ".tf" && !strings.Contains(files[i].Path, "/") {
			n++
		}
	}
	return n > 1
}

// sideBySide is how many such folders side by side make the whole repository one.
const sideBySide = 4

// declares reports whether a file is YAML in such a folder.
func (c *Counter) declares(file string) bool {
	if len(c.roots) == 0 || documentOf(base(file)) != "yaml" {
		return false
	}
	return slices.ContainsFunc(c.roots, func(root string) bool { return strings.HasPrefix(file, root) })
}
