package manifest

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// parseSBT reads the "group" %% "artifact" % "version" triples of build.sbt, and the folders of its projects.
func parseSBT(d *draft, text string) {
	d.speaks("Scala", d.Path)
	tokens := gradleTokens(text)
	d.unclosed(tokens)
	projects := false // behind the first of several projects, which have settings of their own
	for i := 0; i+3 < len(tokens); i++ {
		projects = projects || tokens[i].kind == nameToken && tokens[i].text == "val"
		if tokens[i].kind == nameToken && tokens[i].text == "name" && tokens[i+1].text == ":" && tokens[i+2].text == "=" && tokens[i+3].kind == stringToken && d.Name == "" {
			d.Name = tokens[i+3].text
		}
		if tokens[i].kind == nameToken && tokens[i].text == "description" && !projects && tokens[i+1].text == ":" && tokens[i+2].text == "=" && tokens[i+3].kind == stringToken && d.Description == "" {
			d.Description = clean(tokens[i+3].text)
		}
		if tokens[i].kind != stringToken || tokens[i+1].text != "%" {
			continue
		}
		j := i + 1
		for j < len(tokens) && tokens[j].text == "%" {
			j++
		}
		if j >= len(tokens) || tokens[j].kind != stringToken {
			continue
		}
		group := Runtime
		if line := joined(tokens[j:min(len(tokens), j+8)]); strings.Contains(upTo(line, "\n"), "Test") {
			group = Dev
		}
		if strings.HasSuffix(d.Path, "project/plugins.sbt") {
			group = Plugin
		}
		d.named(group, tokens[i].text+":"+tokens[j].text)
		for i = j; i+2 < len(tokens) && tokens[i+1].text == "%"; i += 2 { // its version and configuration, as in % "1.0" % "provided"
		}
	}
	if path.Base(d.Path) == "build.sbt" {
		d.sbtProjects(tokens)
	}
	d.Workspace = len(d.Members) > 0
}

// maxSBTProjects bounds how many folders are looked up.
const maxSBTProjects = 1000

// sbtProjects finds "val core = project", "(project in file("core"))", "crossProject(…).in(file("core"))" and, for builds with a helper of
// their own, "val core = module(…)" when such a folder exists.
func (d *draft) sbtProjects(t []token) {
	seen := map[string]bool{}
	take := func(dir string) {
		dir = strings.Trim(path.Clean(strings.TrimSpace(dir)), "/")
		if dir != "" && dir != "." && !strings.ContainsAny(dir, "$\"") && !seen[dir] && len(seen) < maxSBTProjects {
			seen[dir] = true
			own := dir
			platform := strings.TrimPrefix(path.Base(dir), ".")
			if above := path.Dir(dir); above != "." && slices.Contains([]string{"jvm", "js", "native", "shared"}, platform) {
				own = above // one project, built for several platforms
			}
			if d.folder(dir) && !slices.Contains(d.Members, own) {
				d.Members = append(d.Members, own)
			}
		}
	}
	for i := 0; i+3 < len(t); i++ {
		if t[i].kind != nameToken || t[i].text != "val" {
			continue
		}
		name, at := sbtName(t, i+1)
		if name == "" || at+1 >= len(t) || t[at].text != "=" {
			continue
		}
		end := at + 1
		for end < len(t) && !(t[end].kind == nameToken && (t[end].text == "val" || t[end].text == "def")) {
			end++
		}
		body := t[at+1 : end]
		first := firstName(body)
		if first == "" {
			continue
		}
		switch dir, ok := sbtFolder(body); {
		case ok:
			take(dir)
		case first == "project" || first == "crossProject" && firstString(body) == "":
			take(name)
		default:
			for _, dir := range [...]string{firstString(body), name, "modules/" + name, "modules/" + firstString(body)} {
				if d.sbtSources(dir) {
					take(dir)
					break
				}
			}
		}
		i = end - 1
	}
}

// sbtName reads the name of a value, in back quotes or without, and returns its end.
func sbtName(t []token, at int) (name string, end int) {
	if t[at].text != "`" {
		if t[at].kind != nameToken {
			return "", at
		}
		return t[at].text, at + 1
	}
	for i := at + 1; i < len(t) && i < at+12; i++ {
		if t[i].text == "`" {
			return name, i + 1
		}
		name += t[i].text
	}
	return "", at
}

// firstName returns the name at the beginning of an expression.
func firstName(body []token) string {
	for _, t := range body {
		switch {
		case t.kind == nameToken:
			return t.text
		case t.kind == newlineToken, t.text == "(":
			continue
		}
		return ""
	}
	return ""
}

// sbtFolder returns the argument of file("…") in a project's definition.
func sbtFolder(body []token) (string, bool) {
	defines := false
	for i, t := range body {
		defines = defines || t.kind == nameToken && (t.text == "project" || t.text == "Project" || t.text == "crossProject" || t.text == "projectMatrix")
		if defines && t.kind == nameToken && t.text == "file" && i+2 < len(body) && body[i+1].text == "(" && body[i+2].kind == stringToken {
			return body[i+2].text, true
		}
		if i > 200 {
			break
		}
	}
	return "", false
}

// sbtSources distinguishes a project's folder from another one of the same name.
func (d *draft) sbtSources(dir string) bool {
	return dir != "" && dir != "modules/" &&
		slices.ContainsFunc([]string{"src", "shared", "jvm"}, func(inner string) bool { return d.folder(path.Join(dir, inner)) })
}

// folder reports whether the manifest has a folder of that name beside it.
func (d *draft) folder(name string) bool {
	info, err := fs.Stat(d.fsys, path.Join(path.Dir(d.Path), name))
	return err == nil && info.IsDir()
}

// firstString returns the first argument of an expression: module("core").
func firstString(body []token) string {
	if all := texts(body[:min(len(body), 4)]); len(all) > 0 {
		return all[0]
	}
	return ""
}
