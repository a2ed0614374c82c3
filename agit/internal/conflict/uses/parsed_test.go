package uses

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// hard are texts whose tokens are hard to tell apart.
var hard = map[string]string{
	"regexp.js":   "x = a / b / c; y = /[/\"]+/g.test(z); if (q) /'x/.test(q)\nreturn /a\\/b/\nz = `a ${b(`c ${d}`)} e`\n",
	"quotes.py":   "a = 'it\\'s'\nb = \"\"\"three\nlines \\\"\"\" \"\"\"\nc = r'\\'\nd = f'{x!r} {{y}} {call(z)}'\ne = b'x' # f('y')\n\tif a:\n        b\n",
	"raw.rs":      "let a = r##\"x\"# y\"##; let b = b\"\\\"\"; let c = '\\''; let d = '\\u{1F600}'; fn f<'a>(x: &'a str) {} /* a /* b */ c */ g()\n",
	"strings.go":  "package a\n\nvar r = '\\''\nvar s = \"\\\"\" + `\\`\nvar t = 'a'\n\nfunc f() { g(`x`, \"y\") } // h()\n",
	"heredoc.rb":  "a = \"x #{b(\"y\")} z\"\nc = 'n #{no}'\nd = %w[e f]\n# g()\n=begin\nh()\n=end\ni()\n",
	"comments.c":  "/* a() */ b(); // c()\n#define D(x) \\\n  e(x)\nchar f = '\"'; char *g = \"/* h */\";\nint i = 'abcd';\n",
	"verbatim.cs": "var a = @\"x\"\"y\"; var b = $\"{c(1)} {{d}}\"; var e = '\"'; // f()\n",
	"text.java":   "String a = \"\"\"\n  x() \"y\"\n  \"\"\"; char b = '\\''; @A(c = 1) int d = 0x1F + 1_000;\n",
	"words.lua":   "a = [[x\ny()]] .. 'z' -- b()\n--[==[ c()\n]] ]==] d()\n",
	"names.php":   "<p>no()</p>\n<?php $a = \"x {$b->c()} $d\"; # e()\n$f = 'g'; /* h() */ i();\n",
	"query.sql":   "SELECT 'a''b', \"c d\" FROM e -- f()\n/* g() */ WHERE h = $1;\ncreate unique index if not exists main.idx on t (x);\ncreate table a.b.c (x int);\n",
	"script.sh":   "a=\"$(b \"c\")\" d='e' # f()\ng() { h; }\ni <<EOF\nj()\nEOF\n",
	"imports.ts":  "import a, { b as c,\n  d } from './e/f.js';\nexport { g } from \"../h\";\nexport * from '.';\nexport const i = 1;\nconst j = require('k/l'), m = 2;\nimport type { N } from 'o';\nusing(p);\n",
	"imports.py":  "from . import a\nfrom ..b.c import (d,\n    e)\nimport f.g as h, i\nx = 1\n",
	"imports.c":   "#include \"a/b.h\"\n# include <c.h>\nint d;\n",
	"late.ts":     "class A {\n  @x() b: number = 1;\n  get c() { return 2 }\n  static #d = () => 3;\n  constructor(private e: string, public f?: G) { super(); }\n}\nnamespace H { export function i() {} }\ndeclare function j(a: string): void;\nabstract class K<L extends M = N> {}\n",
	"late.go":     "package a\n\nimport (\n\t\"b\"\n\tc \"d/e\"\n)\n\ntype (\n\tF interface{ G(x int) error }\n\tH = map[string]int\n)\n\nvar i, j = 1, 2\n\nfunc (k *L) m() (n int, err error) { return }\nfunc init() {}\n",
	"late.java":   "package a.b;\nimport static c.D.e;\ninterface F<T> extends G { default int h(int... i) { return 1; } int J = 2; }\nrecord K(int l, String m) { K { n(); } }\n@interface O { int p() default 1; }\n",
	"late.rs":     "pub(crate) mod a { pub const B: u8 = 1; }\ntrait C { fn d(&self); fn e() {} }\nimpl<T: F> C for G<T> where T: H { fn d(&self) { i!(j) } }\n#[test]\nasync unsafe fn k() -> Result<()> { Ok(()) }\nstatic mut L: u8 = 2;\n",
	"late.cpp":    "template <typename T> class A final : public B<T> { public: explicit A(int x = 1); ~A(); T operator+(const T& o) const; static constexpr int C = 1; };\nenum class D : int { E, F = 2, };\nusing G = int; inline namespace H { int i(void) noexcept; }\n",
}

// Golden files hold what is read from the samples: tokens, definitions with all that is known of them, and imports.
func TestParsed(t *testing.T) {
	t.Parallel()
	texts := maps.Clone(hard)
	for file, sample := range samples {
		texts[file] = sample.text
	}
	for file, text := range texts {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			clitest.Golden(t, filepath.Join("testdata", "parsed", file+".txt"), shown(parse(file, text)))
		})
	}
}

// shown returns what was read of a file, as text. In it ^ marks the first token of a line, and | one within a string.
func shown(f *parsed) string {
	var s strings.Builder
	line := int32(0)
	for _, t := range f.tokens {
		if t.line != line {
			fmt.Fprintf(&s, "\n%d,%d", t.line, t.indent)
			line = t.line
		}
		mark := map[bool]string{true: "^"}[t.first] + map[bool]string{true: "|"}[t.inside]
		fmt.Fprintf(&s, " %s%d:%q", mark, t.kind, t.text)
	}
	s.WriteString("\n\n")
	for _, d := range f.defs {
		fmt.Fprintf(&s, "%s %s of %q on %d, tokens %d to %d, called %t, compared %t, marked %t, declared %t, hidden %t\n",
			d.what, d.name, d.scope, d.line, d.at, d.end, d.called, d.body != 0, d.marked, d.declared, d.hidden)
		for _, p := range d.params {
			fmt.Fprintf(&s, "  %q: %q optional %t\n", p.name, p.text, p.optional)
		}
	}
	for _, st := range f.statements() {
		fmt.Fprintf(&s, "imports on %d to %d: %s, relative %t\n", st.first, st.last, strings.Join(slices.Sorted(maps.Keys(st.words)), " "), st.relative)
	}
	return s.String()
}

// A reference leads to a file as its language resolves it.
func TestLeads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, added, file string
		want              bool
	}{
		{"cmd/a.go", "package cmd\n\nimport \"example.com/x/shop/cart\"\n", "shop/cart/price.go", true},
		{"cmd/a.go", "package cmd\n\nimport \"example.com/x/shop/cart\"\n", "shop/cart/price_test.go", false},
		{"cmd/a.go", "package cmd\n\nimport \"example.com/x/shop/cart\"\n", "shop/price.go", false},
		{"cmd/a.go", "package cmd\n\nimport \"example.com/x/shop/cart\"\n", "cart.go", false},
		{"cmd/a.go", "package cmd\n\nimport \"example.com/x/shop/cart\"\n", "shop/cart/price.py", false},
		{"a/b.py", "from shop.cart import price\n", "shop/cart.py", true},
		{"a/b.py", "from shop.cart import price\n", "shop/cart/price.py", true},
		{"a/b.py", "from shop.cart import price\n", "src/shop/cart.py", true},
		{"a/b.py", "from shop.cart import price\n", "lib/shop/cart.py", true},
		{"a/b.py", "from shop.cart import price\n", "shop/tax.py", false},
		{"a/b.py", "import cart\n", "a/cart.py", true},
		{"a/b.py", "import cart\n", "lib/cart.py", false},
		{"a/b.py", "import cart\n", "cart/__init__.py", true},
		{"a/b/c.py", "from . import cart\n", "a/b/cart.py", true},
		{"a/b/c.py", "from .. import cart\n", "a/cart.py", true},
		{"a/b/c.py", "from ..cart import price\n", "a/cart.py", true},
		{"a/b/c.py", "from ..cart import price\n", "a/b/cart.py", false},
		{"a/b.ts", "import { x } from './cart';\n", "a/cart.ts", true},
		{"a/b.ts", "import { x } from './cart.js';\n", "a/cart.ts", true},
		{"a/b.ts", "import { x } from './cart';\n", "a/cart/index.tsx", true},
		{"a/b.ts", "import { x } from '../cart';\n", "cart.ts", true},
		{"a/b.ts", "import { x } from './cart';\n", "cart.ts", false},
		{"a/b.ts", "import { x } from '@/shop/cart';\n", "src/shop/cart.ts", true},
		{"a/b.ts", "import { x } from '~/shop';\n", "web/shop/index.ts", true},
		{"a/b.ts", "import { x } from 'shop/cart';\n", "shop/cart.ts", true},
		{"a/b.ts", "import { x } from 'shop/cart';\n", "src/shop/cart.ts", true},
		{"a/b.ts", "import { x } from 'cart';\n", "cart.ts", false},
		{"src/a.rs", "mod cart;\n", "src/a/cart.rs", true},
		{"src/main.rs", "mod cart;\n", "src/cart.rs", true},
		{"src/lib.rs", "mod cart;\n", "src/cart/mod.rs", true},
		{"src/shop/mod.rs", "pub mod cart;\n", "src/shop/cart.rs", true},
		{"src/a.rs", "mod cart;\n", "src/cart.rs", false},
		{"src/a.rs", "use crate::shop::cart::Price;\n", "src/shop/cart.rs", true},
		{"src/a.rs", "use crate::shop::cart;\n", "src/shop/cart.rs", true},
		{"src/a.rs", "use crate::shop::carts;\n", "src/shop/cart.rs", false},
		{"one/src/a.rs", "use crate::shop::cart;\n", "two/src/shop/cart.rs", false},
		{"src/a.rs", "use other::shop::cart;\n", "src/shop/cart.rs", false},
		{"a/b.c", "#include \"cart.h\"\n", "a/cart.h", true},
		{"a/b.c", "#include <shop/cart.h>\n", "include/shop/cart.h", true},
		{"a/b.c", "#include \"cart.h\"\n", "a/mycart.h", false},
		{"a/B.java", "import shop.Cart;\n", "src/main/java/shop/Cart.java", true},
		{"a/B.java", "import Cart;\n", "Cart.java", false},
		{"a/b.php", "<?php\nuse App\\Shop\\Cart;\n", "src/Shop/Cart.php", true},
		{"a/b.php", "<?php\nuse Shop\\Cart;\n", "Shop/Cart.php", true},
		{"a/b.php", "<?php\nrequire 'cart.php';\n", "a/cart.php", true},
		{"a/b.php", "<?php\nrequire 'cart.php';\n", "cart.php", true},
		{"a/b.php", "<?php\nrequire 'cart.php';\n", "c/cart.php", false},
		{"a/b.rb", "require_relative 'cart'\n", "a/cart.rb", true},
		{"a/b.rb", "require_relative('../cart.rb')\n", "cart.rb", true},
		{"a/b.rb", "require 'shop/cart'\n", "lib/shop/cart.rb", true},
		{"a/b.rb", "require 'shop/cart'\n", "shop/cart.rb", true},
		{"a/b.rb", "require 'shop/cart'\n", "app/shop/cart.rb", false},
		{"a/b.sh", ". ./cart.sh\n", "a/cart.sh", true},
		{"a/b.sh", "source lib/cart.sh\n", "lib/cart.sh", true},
		{"a/b.sh", "source lib/cart.sh\n", "x/lib/cart.sh", true},
		{"a/b.sh", "source cart.sh\n", "x/cart.sh", false},
		{"a/b.lua", "local c = require('shop.cart')\n", "shop/cart.lua", true},
		{"a/b.lua", "local c = require('shop.cart')\n", "src/shop/cart.lua", true},
		{"a/b.lua", "local c = require('cart')\n", "src/cart.lua", false},
		{"a/b.dart", "import 'cart.dart';\n", "a/cart.dart", true},
		{"a/b.dart", "import 'cart.dart';\n", "c/cart.dart", false},
		{"a/b.zig", "const c = @import(\"cart.zig\");\n", "a/cart.zig", true},
		{"a/b.proto", "import \"shop/cart.proto\";\n", "proto/shop/cart.proto", true},
		{"docs/a.md", "see ../src/cart.go.\n", "src/cart.go", true},
		{"docs/a.md", "see src/cart.go.\n", "src/cart.go", true},
		{"docs/a.md", "see src/tax.go.\n", "src/cart.go", false},
		{"Makefile", "test: web\n\tcd web/app && npm test\n", "web/app/package.json", true},
		{"Makefile", "test: web\n\tcd web/app && npm test\n", "web/app/index.ts", false},
		{"a/b.go", "package b\n\nvar x = \"data/cart.json\"\n", "data/cart.json", true},
		{"a/b.go", "package b\n\nvar x = \"data/cart.json\"\n", "a/data/cart.json", true},
		{"a/b.go", "package b\n\nvar x = \"data/cart.json\"\n", "c/data/cart.json", false},
	} {
		leads := false
		for _, r := range NewSide([]File{{Path: c.from, Now: c.added}}).refs {
			leads = leads || r.leads(c.file)
		}
		if leads != c.want {
			t.Errorf("%q in %s leads to %s: %v", c.added, c.from, c.file, leads)
		}
	}
}

// A dependency provides the modules that its language's packages are imported by, below the folder of its manifest.
func TestProvides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, name, file, text string
		want                   bool
	}{
		{"go", "github.com/a/b", "x.go", "github.com/a/b", true},
		{"go", "github.com/a/b", "x.go", "github.com/a/b/c", true},
		{"go", "github.com/a/b", "x.go", "github.com/a/bc", false},
		{"js", "left", "x.ts", "left", true},
		{"js", "left", "x.ts", "left/pad", true},
		{"js", "left", "x.ts", "leftpad", false},
		{"rust", "serde-json", "x.rs", "serde_json::Value", true},
		{"rust", "serde", "x.rs", "serde_json::Value", false},
		{"python", "My.Pack-age", "x.py", "my_pack_age.more", true},
		{"python", "PyYAML", "x.py", "yaml", true},
		{"python", "PyYAML", "x.py", "pyyaml", false},
		{"python", "requests", "x.py", "request", false},
		{"python", "requests", "x.py", ".requests", false},
		{"ruby", "rails", "x.rb", "rails", true},
		{"ruby", "rails", "x.rb", "rails/all", true},
		{"ruby", "net-ssh", "x.rb", "net/ssh", true},
		{"ruby", "rails", "x.rb", "rake", false},
		{"jvm", "org.slf4j", "X.java", "org.slf4j.Logger", true},
		{"jvm", "org.slf4j", "X.java", "org.slf4jx.Logger", false},
		{"cs", "Json", "X.cs", "Json", true},
		{"cs", "Json", "X.cs", "Json.Linq", true},
		{"cs", "Json", "X.cs", "JsonLinq", false},
		{"go", "github.com/a/b", "x.ts", "github.com/a/b", false},
	} {
		r := &ref{text: c.text, imported: true, file: &changed{now: parse(c.file, "")}}
		if got := (dependency{kind: c.kind, name: c.name, file: "m"}).provides(r); got != c.want {
			t.Errorf("%s %s provides %s: %v", c.kind, c.name, c.text, got)
		}
		r.imported = false
		if (dependency{kind: c.kind, name: c.name, file: "m"}).provides(r) {
			t.Errorf("%s %s provides %s, which is not imported", c.kind, c.name, c.text)
		}
	}
	for file, want := range map[string]bool{"web/a.ts": true, "web/b/c.ts": true, "webs/a.ts": false, "a.ts": false} {
		if got := (dependency{file: "web/package.json"}).covers(file); got != want {
			t.Errorf("web/package.json covers %s: %v", file, got)
		}
		if !(dependency{file: "package.json"}).covers(file) {
			t.Errorf("package.json does not cover %s", file)
		}
	}
}
