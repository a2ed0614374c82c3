package manifest

import (
	"cmp"
	"encoding/json"
	"strings"
)

// maxKeywords bounds the keywords of a package; longer lists do not help to describe it.
const maxKeywords = 40

// parsePackageJSON reads the fields of package.json that npm, pnpm, yarn and bun share.
func parsePackageJSON(d *draft, text string) {
	o := d.object(text, !strings.HasSuffix(d.Path, ".json5"))
	d.Name, d.Version, d.Description = o.str("name"), o.str("version"), clean(o.str("description"))
	for _, f := range o {
		switch f.key {
		case "dependencies", "devDependencies", "optionalDependencies", "peerDependencies":
			for _, dep := range d.members(f) {
				d.npmDependency(dep.key, str(dep.value), npmGroups[f.key])
			}
		case "workspaces":
			d.globs(f, "packages")
		case "engines", "scripts":
			for _, one := range d.members(f) {
				d.property(f.key+"."+one.key, str(one.value))
			}
		case "bin", "contributes": // an editor extension contributes
			d.property(f.key, "yes")
		case "private":
			if string(f.value) == "true" {
				d.property("private", "yes")
			}
		case "exports", "files", "module", "publishConfig":
			d.property("published", "yes") // fields that only users of the package need
		case "types", "typings":
			d.property("published", "yes")
			d.speaks("TypeScript", "package.json declares types")
		case "keywords":
			var words []string
			if json.Unmarshal(f.value, &words) == nil && len(words) <= maxKeywords { // anything but a list of words is ignored
				d.property("keywords", clean(strings.Join(words, ", ")))
			}
		case "meteor":
			d.uses("meteor") // Meteor's entry point
		}
	}
	for _, dep := range d.Dependencies {
		if dep.Name == "typescript" {
			d.speaks("TypeScript", "dependency typescript")
		}
	}
}

var npmGroups = map[string]Group{"dependencies": Runtime, "devDependencies": Dev, "optionalDependencies": Optional, "peerDependencies": Peer}

// npmDependency adds a dependency by the name it is imported under and its specifier: a range, or a protocol that may name another package.
func (d *draft) npmDependency(name, spec string, group Group) {
	dep := Dependency{Name: strings.TrimSpace(name), Group: group}
	protocol, rest, found := strings.Cut(spec, ":")
	if found {
		switch protocol {
		case "npm", "workspace":
			if real := npmName(rest); real != "" {
				dep.Name, dep.Alias = real, dep.Name
			}
		case "jsr":
			dep.Name, dep.Alias = "jsr:"+cmp.Or(npmName(rest), dep.Name), dep.Name
		}
		switch protocol {
		case "workspace", "file", "link", "portal":
			dep.Local = true
		}
	}
	if mirrored, ok := strings.CutPrefix(dep.Name, "@jsr/"); ok { // npm's names for JSR
		if scope, name, ok := strings.Cut(mirrored, "__"); ok {
			dep.Name = "jsr:@" + scope + "/" + name
		}
	}
	d.add(dep)
}

// npmName returns the package of "name@range" or "@scope/name@range", "" when there is only a range.
func npmName(spec string) string {
	at := strings.Index(spec[min(1, len(spec)):], "@")
	name := spec
	if at >= 0 {
		name = spec[:at+1]
	}
	scoped := strings.HasPrefix(name, "@") && strings.Contains(name, "/")
	if !scoped && (name == "" || strings.ContainsAny(name[:1], "^~*<>=.@0123456789") || strings.ContainsAny(name, " |/")) {
		return ""
	}
	if name == "latest" || name == "next" || name == "workspace" {
		return ""
	}
	return name
}

// upTo returns s before the first of the characters.
func upTo(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}
