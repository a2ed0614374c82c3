package manifest

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
)

// ReadAll reads the manifests among the files (slash-separated, relative to the root of fsys), and completes them with what they inherit
// from each other: Cargo's workspace dependencies, Gradle's version catalogues and convention plugins, Maven's parents. The result is
// sorted by depth, then path. It never fails: a file that cannot be read is a Manifest with a Problem.
func ReadAll(fsys fs.FS, files []string) []*Manifest {
	var drafts []*draft
	for _, file := range files {
		if kind, ok := KindOf(file); ok {
			if d := read(fsys, file, kind); !d.foreign {
				drafts = append(drafts, d)
			}
		}
	}
	slices.SortFunc(drafts, func(a, b *draft) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), strings.Compare(a.Path, b.Path))
	})
	drafts = ofNx(drafts)
	inherit(drafts)
	manifests := make([]*Manifest, len(drafts))
	for i, d := range drafts {
		manifests[i] = d.finish()
	}
	return manifests
}

func read(fsys fs.FS, file string, kind Kind) *draft {
	d := newDraft(fsys, file, kind)
	text, wrong := load(fsys, file)
	if wrong != "" {
		d.problem(0, "%s", wrong)
	}
	if strings.TrimSpace(text) == "" {
		return d
	}
	parsers(kind)(d, text)
	return d
}

// parsers returns the parser of a kind. A switch rather than a table: nothing is built before it is needed.
func parsers(kind Kind) func(*draft, string) {
	switch kind {
	case PackageJSON:
		return parsePackageJSON
	case PnpmWorkspace:
		return parsePnpmWorkspace
	case LernaJSON:
		return parseLerna
	case RushJSON:
		return parseRush
	case NxJSON:
		return parseNx
	case NxProject:
		return parseNxProject
	case AngularJSON:
		return parseProjects
	case DenoJSON:
		return parseDeno
	case ComposerJSON:
		return parseComposer
	case CargoTOML:
		return parseCargo
	case PyprojectTOML:
		return parsePyproject
	case Requirements:
		return parseRequirements
	case SetupCfg:
		return parseSetupCfg
	case SetupPy:
		return parseSetupPy
	case Pipfile:
		return parsePipfile
	case CondaEnvironment:
		return parseConda
	case GoMod:
		return parseGoMod
	case GoWork:
		return parseGoWork
	case PomXML:
		return parsePom
	case BuildGradle, SettingsGradle:
		return parseGradle
	case VersionCatalog:
		return parseCatalog
	case BuildSBT:
		return parseSBT
	case ProjectClj:
		return parseProjectClj
	case DepsEdn:
		return parseDepsEdn
	case Gemfile, Gemspec:
		return parseGemfile
	case DotnetProject, BuildProps:
		return parseDotnetProject
	case Solution:
		return parseSolution
	case PackagesProps:
		return parsePackagesProps
	case PackagesConfig:
		return parsePackagesConfig
	case MixExs:
		return parseMix
	case PubspecYAML:
		return parsePubspec
	case MelosYAML:
		return parseMelos
	case PackageSwift:
		return parsePackageSwift
	case ChartYAML:
		return parseChart
	case Cabal:
		return parseCabal
	case Opam:
		return parseOpam
	case JuliaProject:
		return parseJuliaProject
	case RDescription:
		return parseRDescription
	case GleamTOML:
		return parseGleam
	case Nimble:
		return parseNimble
	case BuildZon:
		return parseZon
	case Rockspec:
		return parseRockspec
	case DuneProject:
		return parseDuneProject
	case Hpack:
		return parseHpack
	case RebarConfig:
		return parseRebar
	case ErlangApp:
		return parseApp
	}
	return func(*draft, string) {}
}
