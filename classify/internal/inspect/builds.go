package inspect

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/language"
)

// builds are the files at the root that build a program of a language whose manifests are not read, one for each language.
func builds(p part) (all []language.Declared) {
	modules := 0 // files of a Terraform module
	for i := range p.files {
		file := &p.files[i]
		if file.Link || strings.Contains(file.Path, "/") {
			continue
		}
		lang := cmp.Or(builders[file.Path], builders[path.Ext(file.Path)])
		if path.Ext(file.Path) == ".tf" {
			if modules++; modules == 2 {
				lang = "hcl"
			}
		}
		if lang != "" && !slices.ContainsFunc(all, func(d language.Declared) bool { return d.Hint == lang }) {
			all = append(all, language.Declared{Path: file.Path, Family: language.Family(lang), Named: true, Runtime: true, Hint: lang})
		}
	}
	return all
}

// builders are the languages of the programs that files build, by their names and endings.
var builders = map[string]string{
	"build.zig": "zig", "stack.yaml": "haskell", "dune-project": "ocaml", "shard.yml": "crystal", "gleam.toml": "gleam",
	"rebar.config": "erlang", "erlang.mk": "erlang",
	"cpanfile": "perl", "dist.ini": "perl", "Makefile.PL": "perl", "Build.PL": "perl",
	"platformio.ini": "c++", "library.properties": "c++", "CMakeLists.txt": "c++", "meson.build": "c++",
	"configure.ac": "c++", "conanfile.py": "c++",
	"elm.json": "elm", "project.godot": "gdscript", "foundry.toml": "solidity", ".nimble": "nim", ".rockspec": "lua", ".psd1": "powershell",
}
