package manifest

// A Kind is a form of manifest, named by the file it is usually found in.
type Kind string

// The kinds of manifests, most telling first within an ecosystem.
const (
	PackageJSON      Kind = "package.json"
	PnpmWorkspace    Kind = "pnpm-workspace.yaml"
	DenoJSON         Kind = "deno.json"
	ComposerJSON     Kind = "composer.json"
	CargoTOML        Kind = "Cargo.toml"
	PyprojectTOML    Kind = "pyproject.toml"
	Requirements     Kind = "requirements.txt"
	SetupCfg         Kind = "setup.cfg"
	SetupPy          Kind = "setup.py"
	Pipfile          Kind = "Pipfile"
	CondaEnvironment Kind = "environment.yml"
	GoMod            Kind = "go.mod"
	GoWork           Kind = "go.work"
	PomXML           Kind = "pom.xml"
	BuildGradle      Kind = "build.gradle"
	SettingsGradle   Kind = "settings.gradle"
	VersionCatalog   Kind = "libs.versions.toml"
	Gemfile          Kind = "Gemfile"
	Gemspec          Kind = "gemspec"
)

// KindOf tells which kind of manifest the file at the slash-separated path is, by its name alone.
func KindOf(path string) (Kind, bool) { return "", false }

// Ecosystem is the registry whose names a manifest of this kind holds.
func (k Kind) Ecosystem() Ecosystem { return "" }
