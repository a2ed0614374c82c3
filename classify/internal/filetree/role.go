package filetree

import (
	"slices"
	"strings"
)

// folderRole is the role of a file by the folders above it.
type folderRole struct {
	role Role
	out  bool // generated, or a tool's own: not walked
	// others means that its name is usual for folders of others' code: not walked unless .gitattributes marks it as the project's own.
	others bool
	// code means that the folders from here on are named for packages: com/example does not contain an example.
	code bool
}

// enter returns the role inside a folder of that name.
func (r folderRole) enter(parent, name string) folderRole {
	inner := folderRole{role: r.role, code: r.code || packageRoot(parent, name)}
	if vendored(parent, name) {
		inner.out = true
		return inner
	}
	inner.others = !r.code && othersCode(name)
	own := roleOf(strings.ToLower(name))
	if inner.code && own != Asset {
		return inner
	}
	if own > inner.role {
		inner.role = own
	}
	return inner
}

// packageRoot reports whether JVM languages keep their packages in such a folder.
func packageRoot(parent, name string) bool {
	switch name {
	case "main":
		return parent == "src/" || strings.HasSuffix(parent, "/src/")
	case "com", "org", "io", "net":
		return true
	case "java", "kotlin", "scala", "groovy":
		return parent != "" // at the root it is a part in that language
	}
	return false
}

// vendored reports whether a tool fetched or made the files of such a folder. Hidden folders contain tools' settings and caches.
func vendored(parent, name string) bool {
	switch name {
	case "node_modules", "bower_components", "jspm_packages",
		"__pycache__", "venv", "virtualenv", "site-packages", "__pypackages__", "Pods", "Carthage", "DerivedData", "elm-stuff", "_build", "Godeps",
		"coverage", "storybook-static", "dist":
		return true
	case "target", "deps":
		return parent == ""
	case "wrapper":
		return strings.HasSuffix(parent, "gradle/")
	case "lib": // ASP.NET's templates and LibMan put a page's libraries here
		return parent == "wwwroot/" || strings.HasSuffix(parent, "/wwwroot/")
	}
	return name[0] == '.' || strings.HasSuffix(name, ".egg-info") || strings.HasSuffix(name, ".xcodeproj") || strings.HasSuffix(name, ".xcworkspace")
}

// othersCode reports whether projects keep copies of others' code in folders of that name, in any case. A package of a program may have the
// name too.
func othersCode(name string) bool {
	switch strings.ToLower(name) {
	case "vendor", "vendors", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty", "third_parties", "third-parties", "thirdparties", "3rdparty", "3rd_party", "3rd-party", "3rdparties",
		"extern", "externs", "external", "externals":
		return true
	}
	return false
}

// amongOthers reports whether a folder, with a final slash, is where projects keep copies of others' code.
func amongOthers(rel string) bool {
	dir := strings.TrimSuffix(rel, "/")
	i := strings.LastIndexByte(dir, '/')
	if i < 0 {
		return false
	}
	switch dir[strings.LastIndexByte(dir[:i], '/')+1 : i] {
	case "deps", "dependencies", "submodules":
		return true
	}
	return false
}

// roleOf returns the role that a folder's name, in lower case, implies for its files.
func roleOf(name string) Role {
	if strings.HasPrefix(name, "template-") { // copied by a generator
		return Sample
	}
	switch name {
	case "test", "tests", "smoke_test", "integration_test", "integration-tests", "spec", "specs", "__tests__", "__mocks__", "__snapshots__", "e2e", "cypress", "testing", "testcases", "unittests", "androidtest", "test-d", "testutils", "test-utils", "revdep":
		return Test
	case "example", "examples", "sample", "samples", "demo", "demos", "fixture", "fixtures", "testdata", "__fixtures__", "benchmark", "benchmarks", "bench", "playground", "playgrounds", "starters", "boilerplates":
		return Sample
	case "doc", "docs", "documentation", "javadoc", "man", "website-docs", "vignettes":
		return Docs
	case "public", "static", "assets", "wwwroot", "webroot", "resources", "media", "htdocs", "inst":
		return Asset
	}
	return Source
}

// InAssets reports whether a folder is one of delivered files, or inside one.
func InAssets(dir string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(dir), "/"), func(segment string) bool { return roleOf(segment) == Asset })
}

// file returns the role of a file in the folder.
func (r folderRole) file(name string) Role {
	if r.role > Asset {
		return r.role // a sample's build script is part of the sample
	}
	return max(r.role, fileRole(name))
}

func fileRole(name string) Role {
	stem, ext := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		stem, ext = name[:i], name[i:]
	}
	switch {
	case strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"), strings.HasSuffix(stem, "_spec"),
		strings.HasPrefix(stem, "test_") && ext == ".py", stem == "conftest" && ext == ".py",
		(strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.HasSuffix(stem, "IT")) && (ext == ".java" || ext == ".kt" || ext == ".groovy" || ext == ".scala" || ext == ".php"):
		return Test
	case strings.HasSuffix(stem, ".config"), strings.HasSuffix(stem, ".conf") && ext != "", strings.HasSuffix(stem, "rc") && strings.HasPrefix(stem, "."),
		ext == ".kts", ext == ".gradle", ext == ".sbt", ext == ".cmake",
		strings.EqualFold(stem, "gulpfile"), strings.EqualFold(stem, "gruntfile"), name == "setup.py", name == "noxfile.py", name == "fabfile.py",
		name == "build.rs", name == "webpack.mix.js", name == "next-env.d.ts", name == "vite-env.d.ts", name == "env.d.ts", name == "app.d.ts",
		name == "reportWebVitals.js", name == "reportWebVitals.ts", name == "karma.conf.js",
		name == "Rakefile", name == "Gemfile", name == "Dangerfile", name == "Fastfile", name == "Podfile", name == "Brewfile", name == "Vagrantfile", name == "Capfile", name == "Guardfile",
		name == "magefile.go", name == "tools.go", name == "mix.exs", name == "Package.swift", name == ".formatter.exs", name == "_ide_helper.php", name == "deploy.php":
		return Config
	}
	return Source
}

// generatedName recognises files that a tool wrote by their name alone.
func generatedName(name string) bool {
	switch name {
	case "mvnw", "mvnw.cmd", "gradlew", "gradlew.bat", "lein", "lein.bat", "millw", "millw.bat", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "composer.lock",
		"Cargo.lock", "poetry.lock", "pdm.lock", "uv.lock", "Pipfile.lock", "go.sum", "go.work.sum", "Gemfile.lock", "gems.locked", "MavenWrapperDownloader.java",
		".pnp.cjs", ".pnp.js", ".pnp.loader.mjs", "mockServiceWorker.js":
		return true
	}
	for _, suffix := range [...]string{".min.js", ".min.css", ".min.mjs", "-min.js", ".bundle.js", ".chunk.js", ".map", ".pb.go", ".connect.go", "_pb2.py", "_pb2_grpc.py", ".pb.cc", ".pb.h", ".pb.rs",
		".g.dart", ".freezed.dart", ".designer.cs", ".g.cs", "_generated.go", ".gen.go", ".generated.ts", ".snap"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasPrefix(name, "zz_generated.")
}
