package manifest

import (
	"cmp"
	"strings"
)

// parsePyproject reads pyproject.toml in all the dialects that declare dependencies: PEP 621, PEP 735, poetry, pdm, uv, hatch, rye,
// pixi, flit and setuptools' dynamic fields.
func parsePyproject(d *draft, text string) {
	root := d.tomlTable(text)
	project, tool := root.sub("project"), root.sub("tool")
	poetry := tool.sub("poetry")
	d.Name = cmp.Or(project.str("name"), poetry.str("name"), tool.sub("flit", "metadata").str("module"))
	d.Version = cmp.Or(project.str("version"), poetry.str("version"))
	d.Description = clean(cmp.Or(project.str("description"), poetry.str("description")))

	d.pythonList(Runtime, project.strs("dependencies"))
	for name, list := range project.sub("optional-dependencies").sorted() {
		d.pythonList(pythonGroup(name, Optional), stringsOf(list))
	}
	d.dependencyGroups(root.sub("dependency-groups"))
	d.poetry(poetry)
	d.pythonList(Build, root.sub("build-system").strs("requires"))

	for _, list := range tool.sub("pdm", "dev-dependencies").sorted() {
		d.pythonList(Dev, stringsOf(list))
	}
	d.pythonList(Dev, tool.sub("uv").strs("dev-dependencies"))
	d.pythonList(Dev, tool.sub("rye").strs("dev-dependencies"))
	for _, env := range tool.sub("hatch", "envs").sorted() {
		d.pythonList(Dev, asTable(env).strs("dependencies"))
		d.pythonList(Dev, asTable(env).strs("extra-dependencies"))
	}
	d.pythonList(Runtime, tool.sub("flit", "metadata").strs("requires"))
	d.pixi(tool.sub("pixi"))
	d.setuptoolsDynamic(tool.sub("setuptools", "dynamic"))

	d.pythonWorkspace(tool.sub("uv", "workspace"))
	d.pythonWorkspace(tool.sub("rye", "workspace"))
	d.localSources(tool.sub("uv", "sources"))
	for _, backend := range root.sub("build-system").strs("requires") {
		switch pep503(pythonName(backend)) {
		case "maturin", "setuptools-rust":
			d.speaks("Rust", "build system "+pythonName(backend))
		}
	}
}

func (d *draft) pythonList(group Group, list []string) {
	for _, requirement := range list {
		d.python(group, requirement, 0)
	}
}

// dependencyGroups reads PEP 735: lists of requirements and of {include-group = "other"}. Cycles are forbidden but occur. An included group
// keeps its own meaning, so it need not be read twice.
func (d *draft) dependencyGroups(groups table) {
	for name, value := range groups.sorted() {
		list, ok := value.([]any)
		if !ok {
			d.problem(0, "has something else than a list in dependency group %q", name)
			continue
		}
		for _, item := range list {
			switch item := item.(type) {
			case string:
				d.python(pythonGroup(name, Dev), item, 0)
			case map[string]any:
				other := asTable(item).str("include-group")
				found := false
				for group := range groups {
					found = found || pep503(group) == pep503(other)
				}
				if !found {
					d.problem(0, "includes the dependency group %q, which it does not have", other)
				}
			}
		}
	}
}

// poetry reads tool.poetry: tables of names, whose values show whether each is optional or local.
func (d *draft) poetry(poetry table) {
	d.poetryTable(poetry.sub("dependencies"), Runtime)
	d.poetryTable(poetry.sub("dev-dependencies"), Dev)
	for name, group := range poetry.sub("group").sorted() {
		d.poetryTable(asTable(group).sub("dependencies"), poetryGroup(name, asTable(group)))
	}
}

func (d *draft) poetryTable(t table, group Group) {
	for name, spec := range t.sorted() {
		specs := []any{spec}
		if list, ok := spec.([]any); ok { // one constraint for each platform
			specs = list
		}
		in, local := group, false
		for _, s := range specs {
			if asTable(s).yes("optional") && group == Runtime {
				in = Optional
			}
			local = local || asTable(s).str("path") != ""
		}
		d.pythonNamed(in, name, local)
		if local {
			d.memberOf(specs)
		}
	}
}

// memberOf takes the folders of poetry's path dependencies as members, since poetry has no other workspaces.
func (d *draft) memberOf(specs []any) {
	for _, s := range specs {
		dir := asTable(s).str("path")
		if dir != "" && !isWheel(dir) {
			d.Members = append(d.Members, strings.TrimPrefix(dir, "./"))
		}
	}
}

func (d *draft) pixi(pixi table) {
	for name := range pixi.sub("pypi-dependencies") {
		d.pythonNamed(Runtime, name, false)
	}
	for name := range pixi.sub("dependencies") {
		d.pythonNamed(Runtime, name, false)
	}
	for name, feature := range pixi.sub("feature").sorted() {
		for _, key := range []string{"dependencies", "pypi-dependencies"} {
			for dep := range asTable(feature).sub(key) {
				d.pythonNamed(pythonGroup(name, Optional), dep, false)
			}
		}
	}
}

// setuptoolsDynamic reads the requirements files that stand for project.dependencies.
func (d *draft) setuptoolsDynamic(dynamic table) {
	for _, file := range dynamic.sub("dependencies").strs("file") {
		d.include(d.Path, file, Runtime, 0)
	}
	for name, spec := range dynamic.sub("optional-dependencies").sorted() {
		for _, file := range asTable(spec).strs("file") {
			d.include(d.Path, file, pythonGroup(name, Optional), 0)
		}
	}
}

func (d *draft) pythonWorkspace(workspace table) {
	if workspace == nil {
		return
	}
	d.Workspace = true
	d.Members = append(d.Members, workspace.strs("members")...)
	for _, dir := range workspace.strs("exclude") {
		d.Members = append(d.Members, "!"+dir)
	}
}

// localSources marks the dependencies that uv takes from the workspace or from a folder.
func (d *draft) localSources(sources table) {
	for name, source := range sources {
		if t := asTable(source); t.yes("workspace") || t.str("path") != "" {
			for i := range d.Dependencies {
				if d.Dependencies[i].Name == pep503(name) {
					d.Dependencies[i].Local = true
				}
			}
		}
	}
}

// parsePipfile reads Pipfile: packages, dev-packages, and further categories.
func parsePipfile(d *draft, text string) {
	for category, value := range d.tomlTable(text).sorted() {
		group := Optional
		switch category {
		case "packages":
			group = Runtime
		case "dev-packages":
			group = Dev
		case "source", "requires", "scripts", "pipenv", "pipfile":
			continue
		}
		for name, spec := range asTable(value) {
			d.pythonNamed(group, name, asTable(spec).str("path") != "")
		}
	}
}

// parseConda reads a conda environment. Its names are the channel's, which are nearly always those of PyPI.
func parseConda(d *draft, text string) {
	d.Name = yamlTop(text, "name")
	for _, item := range yamlLists(text) {
		switch item.key {
		case "dependencies":
			spec := item.value
			if i := strings.LastIndex(spec, "::"); i >= 0 {
				spec = spec[i+2:]
			}
			d.pythonNamed(Runtime, condaName(upTo(spec, "=<>!~ [")), false)
		case "pip":
			d.requirementLines(item.value, Runtime, d.Path, true)
		}
	}
}

func poetryGroup(name string, group table) Group {
	switch {
	case name == "main":
		return Runtime
	case group.yes("optional"):
		return pythonGroup(name, Optional)
	}
	return Dev
}

// condaName returns PyPI's name for a package with another name; pip itself is not a dependency.
func condaName(name string) string {
	switch name {
	case "pip":
		return ""
	case "pytorch", "pytorch-cpu", "pytorch-gpu":
		return "torch"
	}
	return name
}
