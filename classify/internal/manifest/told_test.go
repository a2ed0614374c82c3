package manifest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/shared/goldentest"
)

// quirks are manifests in the forms that people write beside the plain ones, with faults here and there.
var quirks = map[string]string{
	"setup.cfg":                        "; note\n# note\n[metadata]\nname = pkg\nversion: 1.2\nsummary = Does   things\n  and more\n[options]\ninstall-requires =\n    flask>=2 # web\n    requests[socks]; python_version < '3'\n    a; b\n    -bad\nsetup_requires = wheel;cython\ntests_require: pytest\npython_requires = >=3\n[options.extras_require]\ndocs = sphinx\nfast = ujson\n[other]\nname = no\nnothing\n",
	"py/setup.py":                      "from setuptools import setup\nBASE = ['flask', 'x'\n 'y']\nself.DEV = ['no']\nextras = {'test': ['pytest>=3', \"a\"], 'fast': BASE}\nsetup(name='pk' 'g', version=\"1\", description='''Long\ntext''', install_requires=BASE + ['b', 'c.txt'], tests_require=['t'], setup_requires=('s',), extras_require=extras, rust_extensions=[x], requires=unknown)\nopen('requirements.txt')\nopen('dev-requirements.txt')\nopen('no-requirements.txt')\n",
	"py/requirements.txt":              "# note\nflask==2.0 # web\n-r base.txt\n-c limits.txt\n--index-url https://x\n-e ./local\n-e git+https://x/y.git#egg=egg_name\nhttps://x/y/whl-1.0-py3-none-any.whl\nname @ file:///x\nUpper_Case.Name[extra]>=1 ; sys_platform == 'x' \\\n  --hash=sha256:1\n./other\n\n   indented\n-r https://x/r.txt\n-r ../../out.txt\n==1\n",
	"py/base.txt":                      "based\n-r requirements.txt\n",
	"py/limits.txt":                    "limited<3\n",
	"py/dev-requirements.txt":          "black\n",
	"other/setup.py":                   "def setup(x):\n    name = 'no'\n",
	"bad/setup.py":                     "setup(name='x', install_requires=['a'\n",
	"poetry/pyproject.toml":            "[tool.poetry]\nname='p'\nversion='2'\ndescription=' A  b '\n[tool.poetry.dependencies]\npython='^3'\nx='*'\ny={version='1',optional=true}\nz={path='./z'}\nw={path='w.whl'}\nv=[{version='1',optional=true},{path='v'}]\n[tool.poetry.dev-dependencies]\nd='*'\n[tool.poetry.group.main.dependencies]\nm='*'\n[tool.poetry.group.docs]\noptional=true\n[tool.poetry.group.docs.dependencies]\ns='*'\n[tool.poetry.group.test.dependencies]\nt='*'\n[build-system]\nrequires=['maturin>=1','poetry-core']\n",
	"uv/pyproject.toml":                "[project]\nname='u'\ndependencies=['a_b','c @ file:///c','','!']\n[project.optional-dependencies]\ndev=['q']\nfast=['r']\n[dependency-groups]\ntest=['s',{include-group='Fast-Two'},{include-group='none'}]\nfast_two=['f']\nbad='x'\n[tool.uv]\ndev-dependencies=['e']\n[tool.uv.workspace]\nmembers=['m/*']\nexclude=['m/x']\n[tool.uv.sources]\na-b={workspace=true}\nq={path='q'}\nf={git='x'}\n[tool.hatch.envs.default]\ndependencies=['h']\nextra-dependencies=['i']\n[tool.pdm.dev-dependencies]\nl=['j']\n[tool.rye]\ndev-dependencies=['k']\n[tool.pixi.dependencies]\npython='3'\nn='1'\n[tool.pixi.pypi-dependencies]\no='1'\n[tool.pixi.feature.test.dependencies]\np='1'\n[tool.pixi.feature.gpu.pypi-dependencies]\nz='1'\n[tool.flit.metadata]\nmodule='no'\nrequires=['y']\n[tool.setuptools.dynamic]\ndependencies={file=['base.txt','none.txt']}\noptional-dependencies.test={file=['base.txt']}\n",
	"uv/base.txt":                      "from-file\n",
	"pip/Pipfile":                      "[packages]\na='*'\nb={path='.'}\n[dev-packages]\nc='*'\n[docs]\nd='*'\n[requires]\npython_version='3'\n",
	"conda/environment.yml":            "name: env # the name\nchannels:\n  - x\ndependencies:\n  - python=3\n  - conda-forge::numpy>=1\n  - pytorch\n  - pip\n  - pip:\n    - flask\n    - -r ../py/base.txt\n",
	"gradle/settings.gradle.kts":       "rootProject.name = \"g\"\ninclude(\":a:b\", \"c\")\ninclude(\"x$y\")\nincludeFlat(\"d\")\nincludeBuild(\"./build-logic/\")\nincludeBuild(\"$z\")\nproject(\":c\").projectDir = file(\"$rootDir/e/c\")\nfun module(path: String) { include(path) }\nfun other() { }\nmodule(\":f\")\nother(\":g\")\ndependencyResolutionManagement { repositories { include(\"no\") }\n versionCatalogs { create(\"libs\") { library(\"ktor\", \"io.ktor\", \"ktor-core\").version(\"1\")\n library(\"x\", \"a:b:1\") } } }\npluginManagement { plugins { id(\"org.x\") version \"1\" } }\n",
	"gradle/build.gradle.kts":          "plugins {\n  java\n  id(\"org.y\") version \"1\" apply false\n  id(\"org.w\") version \"1\" apply true\n  kotlin(\"jvm\")\n  `java-library`\n  alias(libs.plugins.z)\n  id(CONST)\n  application; other\n}\ndescription = \"Does things\"\nval v by extra(\"1.0\")\nval g = \"com.g\"\ndependencies {\n  implementation(\"$g:art:$v\")\n  implementation(libs.ktor)\n  testImplementation(\"t:t:1\")\n  implementation(project(\":c\"))\n  implementation(platform(\"bom:bom:1\"))\n  api(\"a:b\") { exclude(group = \"e\") }\n  compileOnly(group = \"co\", name = \"cn\", version = \"1\")\n  kapt(\"k:k:1\"); ksp(\"q:q:1\")\n  \"dynamic\"(\"dy:dy:1\")\n  implementation(\"$unknown:x:1\")\n  constraints { implementation(\"cc:cc:1\") }\n}\napply(plugin = \"groovy\")\napply(from = \"more.gradle\")\napply(from = \"../../out.gradle\")\napply(from = \"none.gradle\")\napply(from = \"https://x/y.gradle\")\n",
	"gradle/more.gradle":               "ext.ver = '2'\next = [other: '3']\napply plugin: 'scala'\napply from: 'again.gradle'\ndependencies {\n  implementation \"more:more:$ver\", \"second:second:1\"\n  compile group: 'cg', name: 'cn',\n    version: '1'\n  implementation('x:y:1') {\n    transitive = false\n  }\n  runtimeOnly files('x.jar')\n  testRuntimeOnly \"tr:tr:${other}\"\n}\n/* dependencies { implementation 'no:no:1' } */\n// apply plugin: 'no'\n",
	"bad/build.gradle":                 "dependencies { implementation 'a:b:1\n",
	"gradle/gradle/libs.versions.toml": "[versions]\nv='1'\n[libraries]\nktor={module='io.ktor:ktor-x',version.ref='v'}\na={group='g',name='n'}\nb='x:y:1'\nbad=3\n[plugins]\nz={id='org.z',version='1'}\nw='org.w:1'\n[bundles]\nall=['a','b']\n",
	"Gemfile":                          "source 'x'\ngem 'rails', '~> 7', require: false # web\ngem \"a\" if x\ngem('b', path: './b')\ngem 'c', :group => :test\ngem 'd', groups: [:development, :production]\ngem 'e',\n  git: 'x'\ngroup :development, :test do\n  gem 'f'\nend\ngroup :deploy do gem 'no' end\npath 'engines' do\n  gem 'g'; gem 'h'\nend\n%w[i j].each do |lib|\n  gem lib\nend\nif x\n  gem 'k'\nend\ngem name\n=begin\ngem 'no'\n=end\neval_gemfile 'gemfiles/x.rb'\neval_gemfile 'Gemfile.more'\n__END__\ngem 'no'\n",
	"Gemfile.more":                     "gem 'more'\n",
	"gems/x.gemspec":                   "Gem::Specification.new do |s|\n  s.name = 'xname'\n  s.version = \"1.0\"\n  s.summary = %q{Does it}\n  s.description = <<~TXT\n    A longer\n    text\n  TXT\n  s.add_dependency 'a', '>= 1'\n  s.add_runtime_dependency(\"b\")\n  s.add_development_dependency 'c'\n  s.add_dependency name\n  s.executables << 'x'\n  s.homepage = 'y'\nend\n",
	"gems/Gemfile":                     "gemspec\ngem 'z'\ngem 'y', group: :test\n",
	"net/App.csproj":                   "<Project Sdk=\"Microsoft.NET.Sdk.Web\"><PropertyGroup><OutputType>Exe</OutputType><AssemblyName>A</AssemblyName><Description>D  e</Description><Version>1</Version><UseWPF>true</UseWPF><TargetFramework>net8.0-android</TargetFramework></PropertyGroup><ItemGroup><PackageReference Include=\"X.Y;Z\" /><PackageReference Update=\"U\"/><PackageReference Include=\"Dev\" PrivateAssets=\"all\"/><PackageReference Include=\"$(P)\"/><ProjectReference Include=\"..\\Lib\\Lib.csproj\"/><FrameworkReference Include=\"Microsoft.AspNetCore.App\"/></ItemGroup></Project>",
	"Directory.Build.props":            "<Project><PropertyGroup><UseWindowsForms>true</UseWindowsForms></PropertyGroup><ItemGroup><PackageReference Include=\"Above\"/></ItemGroup></Project>",
	"Directory.Packages.props":         "<Project><ItemGroup><PackageVersion Include=\"X.Y\" Version=\"1\"/><PackageVersion Include=\"$(a)\"/><GlobalPackageReference Include=\"Glob\"/><Other Include=\"No\"/></ItemGroup></Project>",
	"net/packages.config":              "<packages><package id=\"Old\"/><package id=\"OldDev\" developmentDependency=\"True\"/></packages>",
	"A.sln":                            "Project(\"{G}\") = \"App\", \"net\\App.csproj\", \"{1}\"\nEndProject\nProject(\"{G}\") = \"Top\", \"Top.csproj\", \"{1}\"\nEndProject\nProject(\"{F}\") = \"folder\", \"folder\", \"{2}\"\nEndProject\nProject(\"x\nEndProject\nProject(\"{G}\") = \"V\", \"v\\V.vbproj\", \"{1}\"\n",
	"B.slnx":                           "<Solution><Folder Name=\"/f/\"><Project Path=\"f/F.fsproj\"/></Folder><Project Path=\"x.esproj\"/></Solution>",
	"bad/x.csproj":                     "<Project><ItemGroup>\n<PackageReference Include=\"a\"/>\n</Project>",
	"bad/y.csproj":                     "<Other/>",
	"project.clj":                      "; note\n(defproject org.x/name \"1.0\" :description \"A \\\"b\\\"\" #_:no :dependencies [[org.clojure/clojure \"1\"] [ring \"1\" :scope \"test\"] [p/q$c \"1\" :scope \"provided\"] #_[no/no \"1\"] \"x\" []] :plugins [[lein-x \"1\"]] :profiles {:dev {:dependencies [[d \"1\"]]} :test {:dependencies [[t \"1\"]]}} :sub [\"s1\" 's2] :modules {:dirs [\"m\"]} :x \\( :re #\"[\")\n",
	"clj/deps.edn":                     "{:paths [\"src\"] :deps {a/b {:mvn/version \"1\"} c {:local/root \"./c\"} d/e {:local/root \"../d\"} j/j {:local/root \"x.jar\"}} :aliases {:test {:extra-deps {t/t {}}} :r {:replace-deps {r/r {}}} :d {:deps {z/z {}}}}}",
	"bad/deps.edn":                     "{:deps {a/b {:mvn/version \"1\"}",
	"h/x.cabal":                        "cabal-version: 2\nname: hx\nversion: 1\nsynopsis: Does\n  things\n-- note\nlibrary\n  build-depends: base >=4, aeson,\n    text >1 && <2, hx\nexecutable y\n  build-depends: cmd\ntest-suite t\n  name: no\n  build-depends: hspec\nbenchmark b\n  build-depends: crit\n",
	"r/DESCRIPTION":                    "Package: rx\nTitle: A title\nVersion: 1\nDepends: R (>= 3), methods\nImports: dplyr,\n    tidyr (>= 1)\nLinkingTo: Rcpp\nSuggests: testthat\n",
	"o/x.opam":                         "opam-version: \"2.0\"\nsynopsis: \"A tool\"\ndepends: [\n  \"ocaml\" {>= \"4\"}\n  \"dune\" {build}\n  \"alcotest\" {with-test}\n  \"x\"\n  \"lwt\"\n]\nbuild: [ \"no\" ]\n",
	"j/Project.toml":                   "name='J'\nversion='1'\ndesc='d'\n[deps]\nA='1'\n[weakdeps]\nB='1'\n[extras]\nC='1'\n[workspace]\nprojects=['p']\n",
}

// Manifests with quirks, read together: everything that is found in each, and the packages of all.
func TestQuirks(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for name, content := range quirks {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	all := manifest.ReadAll(files, slices.Sorted(maps.Keys(quirks)))
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s: %s of %s, %q %q %q\n", m.Path, m.Kind, m.Ecosystem, m.Name, m.Version, m.Description)
		for _, d := range m.Dependencies {
			fmt.Fprintf(&b, "\t%s", d.Name)
			if d.Ecosystem != m.Ecosystem {
				fmt.Fprintf(&b, " of %s", d.Ecosystem)
			}
			if d.Alias != "" {
				fmt.Fprintf(&b, " as %s", d.Alias)
			}
			if d.Group != manifest.Runtime {
				fmt.Fprintf(&b, ", %s", d.Group)
			}
			if d.Local {
				b.WriteString(", local")
			}
			b.WriteString("\n")
		}
		for _, l := range m.Languages {
			fmt.Fprintf(&b, "\tspeaks %s: %s\n", l.Language, l.Why)
		}
		if m.Workspace || len(m.Members) > 0 {
			fmt.Fprintf(&b, "\tworkspace %t of %q\n", m.Workspace, m.Members)
		}
		if len(m.Includes) > 0 {
			fmt.Fprintf(&b, "\tincludes %q\n", m.Includes)
		}
		for _, key := range slices.Sorted(maps.Keys(m.Properties)) {
			fmt.Fprintf(&b, "\t%s is %q\n", key, m.Properties[key])
		}
		for _, p := range m.Problems {
			fmt.Fprintf(&b, "\tproblem in %s:%d: %s\n", p.Path, p.Line, p.Message)
		}
	}
	for _, p := range manifest.Packages(all) {
		fmt.Fprintf(&b, "package %q %q of %s by %q:", p.Dir, p.Name, p.Ecosystem, p.By)
		for _, m := range p.Manifests {
			b.WriteString(" " + m.Path)
		}
		b.WriteString("\n")
	}
	goldentest.Same(t, "quirks.txt", b.String(), *update)
}
