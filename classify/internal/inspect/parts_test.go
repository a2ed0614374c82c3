package inspect

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
)

// npmParts makes packages by their folders, each with its dependencies, and files beside them.
func npmParts(name string, dependencies map[string]string, files ...string) part {
	p := part{name: name}
	for dir, list := range dependencies {
		m := &manifest.Manifest{Path: path.Join(dir, "package.json"), Kind: manifest.PackageJSON, Ecosystem: manifest.NPM, Properties: map[string]string{"private": "true"}}
		for dep := range strings.FieldsSeq(list) {
			m.Dependencies = append(m.Dependencies, manifest.Dependency{Ecosystem: manifest.NPM, Name: dep})
		}
		p.manifests = append(p.manifests, m)
	}
	slices.SortFunc(p.manifests, func(a, b *manifest.Manifest) int { return strings.Compare(a.Path, b.Path) })
	for _, file := range files {
		p.files = append(p.files, filetree.File{Path: file})
	}
	return p
}

// named returns the candidates for the main framework, and why the others are not candidates.
func (p part) named(lang string, collection bool) (main []string, whys map[string]string) {
	whys = map[string]string{}
	for _, m := range ofParts(framework.Detect(framework.Facts{Language: "JavaScript", Manifests: p.manifests}), p, lang, collection) {
		if m.Main {
			main = append(main, m.Name)
		} else {
			whys[m.Name] = m.Why[len(m.Why)-1]
		}
	}
	return main, whys
}

func TestFewPartsDoNotNameTheWhole(t *testing.T) {
	t.Parallel()
	images := func(dirs ...string) (files []string) {
		for _, dir := range dirs {
			files = append(files, dir+"/Dockerfile")
		}
		return files
	}
	for name, c := range map[string]struct {
		p          part
		lang       string
		collection bool
		main       []string
		why        string
	}{
		"two packages":            {p: npmParts("shop", map[string]string{"front": "next", "back": ""}), main: []string{"next.js"}},
		"three packages":          {p: npmParts("shop", map[string]string{"front": "next", "back": "", "mail": ""}), main: []string{"next.js"}},
		"samples":                 {p: npmParts("shop", map[string]string{"front": "next", "back": "", "mail": ""}), collection: true, why: "the project is a collection of samples"},
		"samples, two of them":    {p: npmParts("shop", map[string]string{"front": "next", "back": ""}), collection: true, main: []string{"next.js"}},
		"samples, one at the top": {p: npmParts("shop", map[string]string{".": "next", "a": "", "b": "", "c": ""}), collection: true, main: []string{"next.js"}},
		"several languages":       {p: npmParts("shop", map[string]string{"front": "next", "back": "", "mail": ""}), lang: language.Unknown, why: "one of several languages is written with it"},
		"the package of the name": {p: npmParts("shop", map[string]string{"front": "next", "shop": "", "mail": ""}), why: "the package of the project's name is not"},
		"the namesake itself":     {p: npmParts("shop", map[string]string{"shop": "next", "back": "", "mail": ""}), main: []string{"next.js"}},
		"below the namesake":      {p: npmParts("shop", map[string]string{"shop": "", "shop/front": "next", "mail": ""}), main: []string{"next.js"}},
		"one of six services": {p: npmParts("shop", map[string]string{"front": "next", "back": "", "mail": ""}, images("front", "a", "b", "c", "d", "e")...),
			why: "one of several services is"},
		"one of five services":    {p: npmParts("shop", map[string]string{"front": "next", "back": "", "mail": ""}, images("front", "a", "b", "c", "d")...), main: []string{"next.js"}},
		"two of six services":     {p: npmParts("shop", map[string]string{"front": "next", "back": "next", "mail": ""}, images("front", "back", "b", "c", "d", "e")...), main: []string{"next.js"}},
		"images beside the whole": {p: npmParts("shop", map[string]string{"front": "next", "back": "", "mail": ""}, images("front", "docs", "examples/a", "tests", "d", "e")...), main: []string{"next.js"}},
		"outnumbered": {p: npmParts("shop", map[string]string{"a": "express", "b": "express", "c": "express", "front": "next"}),
			main: []string{"express"}, why: "more packages are built on another one"},
		"not outnumbered": {p: npmParts("shop", map[string]string{"a": "express", "b": "express", "c": "express", "d": "express", "front": "next", "back": "next"}), main: []string{"next.js", "express"}},
	} {
		lang := c.lang
		if lang == "" {
			lang = "javascript"
		}
		main, whys := c.p.named(lang, c.collection)
		slices.Sort(main)
		slices.Sort(c.main)
		if !slices.Equal(main, c.main) || whys["next.js"] != c.why {
			t.Errorf("%s: %q name it, next.js not since %q; want %q and %q", name, main, whys["next.js"], c.main, c.why)
		}
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, description string
		want              bool
	}{
		{"paint-samples", "", true}, {"go_recipes", "", true}, {"cloud-patterns", "", true}, {"patterns-cloud", "", false}, {"cook", "", false}, {"sampler", "", false},
		{"board", "JavaScript quickstarts for Board", true},
		{"board", "Some small JavaScript samples.", true},
		{"board", "A server for boards and samples", false},
		{"board", "A collection of very small code samples", true},
		{"board", "Here are many very small code samples", false},
		{"board", "A tool that runs samples", false},
		{"board", "A library with examples", false},
	} {
		if got := ofSamples(part{name: c.name}, c.description); got != c.want {
			t.Errorf("%s, %q: %t", c.name, c.description, got)
		}
	}
}

// Folders side by side with an image and a program each are packages, unless they are packages already.
func TestServices(t *testing.T) {
	t.Parallel()
	file := func(path string) filetree.File { return filetree.File{Path: path, Role: filetree.Source} }
	service := func(dirs ...string) (files []filetree.File) {
		for _, dir := range dirs {
			files = append(files, file(dir+"/Dockerfile"), file(dir+"/main.py"))
		}
		return files
	}
	requirements := &manifest.Manifest{Path: "src/b/requirements.txt", Ecosystem: manifest.Ecosystem("pypi")}
	for name, c := range map[string]struct {
		files []filetree.File
		taken []string
		want  string
	}{
		"three":                   {files: service("src/a", "src/b", "src/c"), want: "src/a src/b src/c"},
		"two":                     {files: service("src/a", "src/b")},
		"three at several places": {files: service("src/a", "src/b", "other/c")},
		"three at the top":        {files: service("a", "b", "c"), want: "a b c"},
		"the top itself":          {files: append(service("a", "b"), file("Dockerfile"), file("main.py"))},
		"too deep":                {files: service("w/x/y/a", "w/x/y/b", "w/x/y/c")},
		"deep enough":             {files: service("w/x/a", "w/x/b", "w/x/c"), want: "w/x/a w/x/b w/x/c"},
		"beside the whole":        {files: service("docs/a", "docs/b", "docs/c")},
		"one is a package":        {files: service("src/a", "src/b", "src/c"), taken: []string{"src/b"}, want: "src/a src/c"},
		"one holds a package":     {files: service("src/a", "src/b", "src/c"), taken: []string{"src/b/lib"}, want: "src/a src/c"},
		"one is in a package":     {files: service("src/a", "src/b", "src/c"), taken: []string{"src"}},
		"a name that begins so":   {files: service("src/a", "src/b", "src/c"), taken: []string{"src/bb"}, want: "src/a src/b src/c"},
		"one without a program":   {files: append(service("src/a", "src/b"), file("src/c/Dockerfile"), file("src/c/notes.md")), want: "src/a src/b"},
		"one with tests alone":    {files: append(service("src/a", "src/b"), file("src/c/Dockerfile"), filetree.File{Path: "src/c/main.py", Role: filetree.Test}), want: "src/a src/b"},
	} {
		f := &Folder{tree: &filetree.Tree{Files: c.files}}
		var taken []manifest.Package
		for _, dir := range c.taken {
			taken = append(taken, manifest.Package{Dir: dir})
		}
		more := f.services(taken, []*manifest.Manifest{requirements})
		var dirs []string
		for _, p := range more {
			dirs = append(dirs, p.Dir)
			if (len(p.Manifests) == 1 && p.Ecosystem == requirements.Ecosystem) != (p.Dir == "src/b") {
				t.Errorf("%s: %+v", name, p)
			}
		}
		slices.Sort(dirs)
		if got := strings.Join(dirs, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"eslint-plugin-quill": "eslint", "eslint-config-quill": "eslint", "eslint-pluginquill": "", "@acme/vite-plugin-quill": "vite", "acme/vite-plugin-quill": "", "Django_Quill": "django",
		"tailwindcss-quill": "tailwindcss", "gatsby-plugin-quill": "gatsby", "quill.nvim": "neovim", ".nvim": "", "quill.vim": "vim", "vim-quill": "vim", "css-loader": "webpack", "-loader": "",
		"html-webpack-plugin": "webpack", "quill-maven-plugin": "maven", "quill": "", "postcss-quill": "postcss", "babel-preset-quill": "babel",
	} {
		if got := hostOf(name); got != want {
			t.Errorf("%s is for %q, want %q", name, got, want)
		}
	}
}

func TestExtends(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out  profile.Profile
		p    part
		want string // the host and its origin
	}{
		"a type of Composer": {p: part{name: "quill", manifests: []*manifest.Manifest{{Path: "composer.json", Properties: map[string]string{"type": "wordpress-plugin"}}}}, want: "wordpress composer.json"},
		"a type, below":      {p: part{name: "quill", manifests: []*manifest.Manifest{{Path: "a/composer.json", Properties: map[string]string{"type": "wordpress-plugin"}}}}},
		"the first one counts": {p: part{name: "quill", manifests: []*manifest.Manifest{{Path: "composer.json", Properties: map[string]string{"type": "drupal-module"}}, {Path: "package.json", Properties: map[string]string{"type": "wordpress-plugin"}}}},
			want: "drupal composer.json"},
		"jenkins":       {p: part{name: "quill", manifests: []*manifest.Manifest{{Path: "pom.xml", Dependencies: []manifest.Dependency{{Name: "other"}, {Name: "org.jenkins-ci.plugins:plugin"}}}}}, want: "jenkins pom.xml"},
		"jenkins's own": {p: part{name: "Jenkins", manifests: []*manifest.Manifest{{Path: "pom.xml", Dependencies: []manifest.Dependency{{Name: "org.jenkins-ci.plugins:plugin"}}}}}},
		"by its name, calling itself a plugin": {out: profile.Profile{Details: profile.Details{Domain: "plugin"}}, p: part{name: "quill", manifests: []*manifest.Manifest{{Path: "package.json", Name: "vite-plugin-quill"}}},
			want: "vite package.json"},
		"by its name alone": {p: part{name: "django-quill", manifests: []*manifest.Manifest{{Path: "setup.py", Name: "django-quill"}}}},
		"by its one peer": {out: profile.Profile{Name: "quill-extension"}, p: part{name: "quill-extension", manifests: []*manifest.Manifest{{Path: "package.json", Name: "quill-extension",
			Dependencies: []manifest.Dependency{{Name: "left"}, {Name: "eslint", Group: manifest.Peer}}}}}, want: "eslint package.json"},
		"with two peers": {out: profile.Profile{Name: "quill-extension"}, p: part{name: "quill-extension", manifests: []*manifest.Manifest{{Path: "package.json", Name: "quill-extension",
			Dependencies: []manifest.Dependency{{Name: "a", Group: manifest.Peer}, {Name: "b", Group: manifest.Peer}}}}}},
		"of the editor":              {p: part{name: "quill.nvim"}, want: "neovim its name"},
		"of the older editor":        {p: part{name: "quill.vim"}, want: "vim its name"},
		"a folder, called a theme":   {out: profile.Profile{Scope: "theme"}, p: part{name: "jekyll-quill"}, want: "jekyll its name"},
		"a folder, called something": {p: part{name: "jekyll-quill"}},
	} {
		c.out.Origins = map[string]profile.Origin{}
		setExtends(&c.out, c.p)
		got := strings.TrimSpace(c.out.Extends + " " + c.out.Origins["extends"].From)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCallsItselfAPlugin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		out  profile.Profile
		want bool
	}{
		{profile.Profile{}, false}, {profile.Profile{Scope: "plugin"}, true}, {profile.Profile{Scope: "theme"}, true}, {profile.Profile{Scope: "server"}, false},
		{profile.Profile{Details: profile.Details{Domain: "plugin"}}, true}, {profile.Profile{Details: profile.Details{Domain: "theme"}}, true},
		{profile.Profile{Name: "quill-plugin"}, true}, {profile.Profile{Name: "Theme_quill"}, true}, {profile.Profile{Name: "quill addon"}, true}, {profile.Profile{Name: "plugins"}, false},
		{profile.Profile{Name: "quill", Details: profile.Details{DeclaredName: "@acme/extension"}}, true},
	} {
		if got := addsTo(&c.out); got != c.want {
			t.Errorf("%+v: %t", c.out, got)
		}
	}
}

func TestManifestsOfASkeleton(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       manifest.Kind
		name, of   string
		ofSkeleton bool
	}{
		{manifest.ComposerJSON, "laravel/laravel", "shop", true}, {manifest.ComposerJSON, "symfony/website-skeleton", "shop", true}, {manifest.ComposerJSON, "acme/shop", "shop", false},
		{manifest.ComposerJSON, "laravel/laravel", "laravel", false}, {manifest.ComposerJSON, "laravel", "shop", false}, {manifest.PackageJSON, "laravel/laravel", "shop", false},
	} {
		if got := ofSkeleton(&manifest.Manifest{Kind: c.kind, Name: c.name}, c.of); got != c.ofSkeleton {
			t.Errorf("%s of %s: %t", c.name, c.of, got)
		}
	}
}
