package inspect

import (
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
		lang := buildsOf(file.Path)
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

// buildsOf returns the language of the program that a file builds, by its name.
func buildsOf(name string) string {
	switch name {
	case "build.zig":
		return "zig"
	case "stack.yaml":
		return "haskell"
	case "dune-project":
		return "ocaml"
	case "shard.yml":
		return "crystal"
	case "gleam.toml":
		return "gleam"
	case "rebar.config", "erlang.mk":
		return "erlang"
	case "cpanfile", "dist.ini", "Makefile.PL", "Build.PL":
		return "perl"
	case "platformio.ini", "library.properties", "CMakeLists.txt", "meson.build", "configure.ac", "conanfile.py":
		return "c++"
	case "elm.json":
		return "elm"
	case "project.godot":
		return "gdscript"
	case "foundry.toml":
		return "solidity"
	}
	switch path.Ext(name) {
	case ".nimble":
		return "nim"
	case ".rockspec":
		return "lua"
	case ".psd1":
		return "powershell"
	}
	return ""
}
