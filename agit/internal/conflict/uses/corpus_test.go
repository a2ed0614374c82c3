package uses

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// more are texts with further shapes of each language: rare definitions, literals at their limits, and places where code only looks like a
// definition.
var more = map[string]string{
	"more.go": "package a // b\n\nimport f \"g/h\"\n\nvar x, y = 0x1F, 1.5e3\nvar big = 1_000 + 2.\nconst z = 'z' + '\\n' + '\\''\n\ntype (\n\tA struct{ B int }\n\tC[T any] []T\n)\n\nconst (\n\tD Kind = iota\n\tE\n\tF Kind = 7\n)\n\nvar (\n\tg int\n\th = func(i int) {}\n)\n\n" +
		"func (t *T[K, V]) M(a, b int, c ...string) (d error) {\n\tconst notThis = 1\n\tvar q = f.Call(a, b, t.m(1, 2)...)\n\tr := g[int](a)\n\tif a == b && c != nil || !d <= 3 {\n\t\treturn\n\t}\n\tlabel:\n\tfor i := range 3 { x.y.z(i) }\n\treturn nil\n}\n\nfunc (T) N() {}\nfunc O[P interface{ Q() }](r P) P { return r }\nfunc extern(s string)\nvar größe = \"ß\"\n",
	"more.py": "import os, sys as system\nfrom a.b import (c,\n  d as e,\n)\nfrom . import f\n\nA: int = 1\nBB = CC = 2\nlong_name = [\n    1,\n]\n\n@decorated(1)\ndef g(a, *, b: int = 1, **c): return a\n\n\nclass H(I, metaclass=J):\n    X = 1\n    y = 2\n\n    @property\n    async def k(self): pass\n\n    @classmethod\n    def l(cls, m): \n        def n(o): return o\n        class P: pass\n        return n(m)\n\n    class Q:\n        R = 1\n        def s(self): pass\n\nif True:\n    def t(): pass\n    UU = 1\n" +
		"def v(\n    a,\n    b=(1, 2),\n):\n    return a\n\nx = rb'\\' + Rb\"\\\" + f'{a(\"b\")!r:>{c}}' + fr\"{d}\\d\" + u'e' + of'{g}'\ny = '''a\n{b}''' + f\"\"\"{c\n}\"\"\"\nz = 'open\nlambda: g(1, b=2, *h, **i)\nprint(a, sep=g(1))\n",
	"more.ts": "import a, { b as c } from \"./d\";\nimport type { e } from '../f.js';\nimport * as g from \"h/i\";\nexport { j } from './k';\nexport * from 'l';\nexport default function m(n: string): void {}\nexport default class {}\nexport const o = (p: number, q?: string) => p, r = 1;\nconst s = async (t) => { u(t); };\nconst v = async function* w(x, y) {};\nconst z = (1 + 2);\nlet aa = function () {};\nvar bb = cc => cc;\n" +
		"function* dd<T extends { a: 1 }>(ee: T, { ff, gg } = {}, ...hh: any[]) { return /re[/]x/g.test(ee) }\nabstract class II<T> extends JJ<T> implements KK {\n  static ll = 1;\n  #mm = 2;\n  constructor(private nn: string, public oo = 1) { super(nn) }\n  get pp(): number { return 1 }\n  set pp(v) {}\n  async *qq() {}\n  static { rr(); }\n  [ss]() {}\n  'tt'() {}\n  abstract uu(): void;\n  vv = (a: number) => a;\n}\n" +
		"declare module 'ww' { export function xx(): void }\nnamespace YY.ZZ { const a1 = 1; }\nconst enum A2 { B2 = 1, C2, 'D2' = 3 }\ndeclare enum E2 { F2 }\ntype G2<T> = { [K in keyof T]: T[K] };\ntype H2 = string\ninterface I2 { j2?: number; k2(l: string): void; }\nx = a < b && c > d; y = a / b / c; z = typeof /x/; w = x ? /y/ : /z\\//;\nreturn /q/.exec(`a${b(`c${d}`)}e`);\nif (type in m2) { type(n2) }\nexports.o2 = 1; module.exports = p2;\nconst q2 = require('r2'), { s2 } = require(\"t2/u2\");\n",
	"more.java": "package a.b;\n\nimport c.d.*;\nimport static e.F.g;\n\n@H(i = 1, j = {\"k\"})\npublic final class L<T extends M & N> extends O<T> implements P, Q {\n  private static final int RS_T = 1, U = 2;\n  static final String V_W = \"x\";\n  int y = z(1);\n  { aa(); }\n  static { bb(); }\n  L() { this(1); }\n  protected <C, D> Map<C, List<D>> ee(final C c, D... d) throws E, F { return new G<>() { int h() { return 1; } }; }\n" +
		"  public abstract void ii(int[] a, @J(1) String b);\n  native int kk();\n  default int ll() { if (a) { return b(c); } for (;;) { d(); } switch (e) { case F: g(); } }\n  enum MM { NN(1), OO { void p() {} }, @Deprecated PP; MM(int a) {} int q; }\n  interface RR { int SS = 1; void tt(); }\n  record UU<T>(int a, T b) implements VV { UU { ww(); } static int xx() { return 1; } }\n  @interface YY { String value() default \"z\"; }\n  char a1 = 'b', c1 = '\\'', d1 = '\\u0041';\n  String e1 = \"\"\"\n    f1(\"g\")\n    \"\"\";\n}\n",
	"more.kt": "package a\nimport b.c.*\nimport d.e as f\n\n@G data class H<T>(val i: Int = 1, private var j: T?, vararg k: String) : L(i), M by n\nenum class O(val p: Int) { Q(1), R(2); fun s() = 1 }\nsealed interface T { object U : T\n  companion object V { const val W = 1 } }\nfun <A> List<A>.x(y: (A) -> Unit = {}): A where A : B = z(y)\ninline fun <reified C> String?.aa(): C? = null\nval bb by lazy { cc(1) }\nvar dd: Int = 0\n  get() = field\n  set(value) { field = value }\ntypealias EE = FF<GG>\nval hh = \"a $b ${c(\"d\")} e\"\nval ii = \"\"\"a ${j(1)}\n\"k\" \"\"\"\nval ll = 'm'\n/* a /* b */ c */ fun nn() {}\n",
	"more.rs": "#![allow(a)]\nuse b::{c, d as e};\nuse crate::f::*;\nextern crate g;\nmod h;\npub mod i { pub(super) fn j() {} }\n\n#[derive(K)]\npub struct L<'a, T: 'a + M = N> where T: O { pub p: &'a T }\nstruct Q(u8, pub R);\nstruct S;\nenum T { U, V(W), X { y: u8 }, Z = 3 }\nunion AA { b: u8 }\ntype CC<T> = DD<T>;\nconst EE: &str = \"f\\\"g\";\nstatic mut FF: u8 = b'\\'';\nstatic GG: [u8; 2] = [1, 2];\n" +
		"pub(crate) const fn hh<const N: usize>(self: &Self, mut i: u8, (j, k): (u8, u8)) -> Result<(), L<'static>> { 'outer: loop { break 'outer; } }\npub unsafe extern \"C\" fn mm(n: *const u8) {}\nasync fn oo() -> impl PP { qq!{ r } }\ntrait SS: TT { type U; const V: u8 = 1; fn w(&self, x: u8); fn y() -> u8 { 1 } }\nimpl<T> SS for &'static mut L<'_, T> where T: Z { fn w(&self, x: u8) { self.aa::<T>(x); Self::bb(x); cc::dd::<T>(1, 2) } }\nimpl L<'_, u8> { pub fn ee(&mut self, f: u8) {} }\nmacro_rules! ff { ($a:expr) => { $a } }\nlet gg = r\"\\\" ; let hh = r#\"a\"b\"#; let ii = br##\"c\"##; let jj = '\\u{1F600}'; let kk = b\"\\\"\";\n/* a /* b */ c */ fn ll() {}\n",
	"more.c": "#include \"a/b.h\"\n  #  include <c.h>\n#define D(x, y) \\\n  ((x) + (y))\n#define E\n#undef E\nstruct f;\nstruct g { int h; struct i *j; } k;\nstruct l m = { 1 };\ntypedef unsigned int n_t;\ntypedef int (*o_t)(int);\ntypedef struct p { int q; } r_t, *s_t;\nenum t { U, V = 1 << 2, W };\nenum { X, Y };\nunion z { int a; };\nextern int bb;\nextern \"C\" { void cc(int); }\nstatic inline const char *dd(const char *e, int (*f)(int), ...) { return e; }\nint gg(a, b) int a; { return a; }\nunsigned long hh(void);\nint *ii[3] = { 0 };\n" +
		"void jj(struct l *m) { if (m) { kk(m->n, 'ab', 'abcd', '\\'', '\"'); } else if (x) mm(); return; }\nstatic const int NN = 1;\nint OO = 2;\nPP qq(RR s) { TT u; vv *w = x * y; z(a, b); return sizeof(u); }\nint aaa(void) __attribute__((b));\nMACRO(ccc)\nint ddd = eee(1), fff;\n",
	"more.cpp": "namespace a::b { namespace { int c(); } }\nusing namespace std;\nusing D = std::vector<int>;\ntemplate <typename T, int N = 3> struct E : public F<T>, private G {\npublic:\n  explicit E(int a, const T &b = T()) noexcept : F(a), c_{b} { h(); }\n  E(const E &) = delete;\n  virtual ~E() = default;\n  T &operator[](int i) const override final { return x[i]; }\n  bool operator==(const E &o) const;\n  static constexpr int II = 1;\n  virtual void j() = 0;\n  auto k() -> decltype(l()) { return l(); }\nprivate:\n  int m_ = n(1);\n  friend class O;\n  enum class P : char { Q, R = 'r' };\n};\n" +
		"template <> void E<int, 3>::s(int t) {}\nvoid E::u() const & { v->w(); x.y(); z::aa(b); }\nint E::bb = 1;\nclass CC;\nclass DD final : EE { int ff(int) { return 1; } };\nauto gg = [](int a) { return hh(a); };\nextern template class II<int>;\ninline int jj(std::map<int, std::pair<int, int>> k) { return k < 1 || k > 2; }\nstd::unique_ptr<LL> mm() { return nn<oo>(p, q); }\n#if RR\nint ss() { return 1; }\n#else\nint ss() { return 2; }\n#endif\n",
	"more.cs": "using A;\nusing static B.C;\nusing D = E.F;\nglobal using G;\nnamespace H.I;\n[J(1)]\npublic abstract partial class K<T> : L<T>, M where T : N, new() {\n  public const int OP = 1;\n  private readonly int _q = 2;\n  public int R { get; set; } = 3;\n  public string S => t(1);\n  public event U V;\n  static K() { }\n  protected internal K(int a, string b = \"c\") : base(a) { }\n  ~K() { }\n  public static async Task<X> Y(this Z a, params int[] b) { await c(d); using (var e = f()) { } }\n  public abstract void G1();\n  public static K<T> operator +(K<T> a, K<T> b) => a;\n  public int this[int i] { get { return i; } }\n  enum H1 : byte { I1 = 1, [J1] K1 }\n  record L1(int M1, string N1);\n  interface O1 { void P1(); int Q1 { get; } }\n  delegate int R1(int a);\n  T S1<T>(T a) where T : class => a;\n}\nvar a = @\"b\"\"c\\\" + $\"d{e(1)}f{{g}}\" + $@\"h{i}\"\"\" + 'j';\n",
	"more.rb": "require 'a/b'\nrequire_relative \"c\"\nmodule D::E\n  F = 1\n  g = 2\n  class H < I::J\n    K_L = [1,\n      2]\n    attr_reader :m\n    include N\n    def initialize(o, p = 1, *q, r:, s: 2, **t, &u)\n      @v = w(o)\n    end\n    def self.x?(y) = z!(y)\n    private def aa; end\n    class << self\n      def bb\n      end\n    end\n    def ==(other)\n      cc? && !dd? ; ee != ff\n    end\n  end\n  def gg hh, ii\n    jj hh do |k|\n      l k\n    end if m\n    return n unless o?\n  end\nend\nStruct.new(:p) do\n  def q; end\nend\n" +
		"a = \"b #{c(\"d #{e}\")} f\" + 'g #{h}' + :\"i\" + %w[j k] + /l #{m}/ + ?n\nputs <<~O\n  p(q)\nO\n=begin\nr()\n=end\ns.t(u, v: 1, **w)\n__END__\n",
	"more.php":     "<?php\nnamespace A\\B;\nuse C\\D as E, F\\G;\nuse function H\\i;\nrequire_once __DIR__ . '/j.php';\n#[K(1)]\nabstract class L extends M implements N, O {\n  use P;\n  const Q = 1, R = 2;\n  public static ?int $s = 3;\n  public function __construct(private readonly int $t, protected string $u = 'v') { parent::__construct($t); }\n  abstract protected function &w(array $x, self ...$y): static;\n  public static function z() { return self::$s . static::Q . $this->w(1)?->aa(); }\n}\ninterface BB { public function cc(); }\ntrait DD { private $ee; }\nenum FF: string { case GG = 'h'; case II; const JJ = self::GG; function kk() {} }\nfunction ll(int|string $a = 1, &$b = null) { $c = fn($d) => $e; $f = function ($g) use ($h) {}; return \"i $j[k] {$l->m()} ${n}\"; }\ndefine('OO', 1);\n# pp()\n// qq()\n/* rr() */\n?>\n<p>ss()</p>\n<?= tt($u) ?>\n",
	"more.swift":   "import A\n@testable import B\n@C public final class D<T: E>: F, G where T: H {\n  let i = 1\n  static let J = 2\n  private var k: Int { get { l() } set { m(newValue) } }\n  init?(_ n: Int, o p: String = \"q\") throws { super.init() }\n  deinit { r() }\n  override func s<U>(t u: inout U, _ v: Int...) async throws -> (U, Int) { return w(\"x \\(y(\"z\")) a\") }\n  class func bb() {}\n  subscript(i: Int) -> Int { i }\n}\nindirect enum CC: String, DD { case ee(Int), ff(g: HH) = \"i\"\n case jj\n static func kk() {} }\nextension LL.MM: NN where T == OO { func pp() {} }\nprotocol QQ { associatedtype R; func ss(); var tt: Int { get } }\nstruct UU { let vv: Int }\nlet ww = \"\"\"\n  a \\(b(1))\n  \"\"\"\ntypealias XX = YY\nfunc + (a: ZZ, b: ZZ) -> ZZ { a }\nactor AB { }\n/* a /* b */ c */ func cd() {}\n",
	"more.sh":      "#!/bin/bash\n. ./a.sh\nsource \"$b/c.sh\" # d\nfunction e() { f; }\nfunction g { h \"$#\" \"${i#j}\" $(k l) `m`; }\nn() (\n  o\n)\np () { q; }\n  r() { s; }\nif t; then u() { v; }; fi\nw=\"x $(y \"z\") ${a:-b} $c\"\nd='e $f'\ncat <<EOF\ng()\nEOF\nh#i\nj;#k\n",
	"more.sql":     "CREATE TABLE IF NOT EXISTS a.b (c int default 'd''e', f text);\ncreate or replace view g as select 1;\nCREATE UNIQUE INDEX h ON b (c);\nCREATE OR REPLACE FUNCTION i(j int) RETURNS int AS $$ select 1 $$;\ncreate temporary table k (l int);\nCREATE TYPE m AS ENUM ('n');\ncreate trigger o before insert on b begin select 1; end;\ncreate procedure p() begin end;\ncreate materialized view q as select 1;\ncreate something r;\nALTER TABLE b ADD COLUMN s int; -- create table t (u int);\ndrop table v;\nselect 'create table w' from x /* create table y (z int) */;\ncreate",
	"more.lua":     "local a = require 'b.c'\nlocal d = require(\"e\")\nfunction f.g.h(i, ...) end\nfunction j:k(l) end\nlocal function m() end\nlocal n = function(o) end\nreturn { p = function() end }\n--[[ function q() end ]]\ns = [[t\nfunction u() end]]\nif v then function w() end end\n",
	"more.proto":   "syntax = \"proto3\";\npackage a.b;\nimport public \"c/d.proto\";\nmessage E {\n  reserved 4;\n  optional int32 f = 1 [deprecated = true];\n  map<string, G> h = 2;\n  oneof i { string j = 3; }\n  message K { bytes l = 1; }\n  enum M { N = 0; O = 1; }\n}\nservice P {\n  rpc Q (stream E) returns (E) { option (r) = 1; }\n  rpc S(E) returns (stream E);\n}\nextend T { int32 u = 100; }\n",
	"more.ex":      "defmodule A.B do\n  use C, d: 1\n  alias E.{F, G}\n  @h 1\n  def i(j, k \\\\ 1) when is_l(j), do: m(k)\n  defp n?(o), do: \"p #{q(\"r\")}\"\n  defmacro s(t) do\n    quote do: u!(t)\n  end\n  defstruct [:v]\n  def w, do: x\nend\n",
	"more.scala":   "package a\nimport b.{c => d, _}\ncase class E[T](f: Int = 1)(implicit g: H) extends I with J\nobject K extends App { val LM = 1; def n[O](p: => O*)(q: Int): O = { r(p) } }\ntrait S { type T; def u: Int; val v = 1; lazy val w = x(1) }\nsealed abstract class Y\nenum Z { case A, B(c: Int) }\ngiven d: E = ???\nextension (f: Int) def g = f\ndef `h i`() = \"\"\"j \"k\" \"\"\"\n",
	"more.dart":    "import 'a.dart' as b show c;\npart 'd.dart';\nabstract class E<T> extends F with G implements H {\n  static const int IJ = 1;\n  final int k;\n  E(this.k, {required int l, int m = 1});\n  E.n() : k = 1;\n  factory E.o() => E.n();\n  int get p => 1;\n  set q(int r) {}\n  Future<void> s([int t = 1]) async { await u(v); }\n  @override\n  bool operator ==(Object w) => true;\n}\nenum X { a, b(1), c; const X([int? d]); }\nmixin Y on Z {}\nextension AA on String { int bb() => 1; }\ntypedef CC = int Function(int);\nvoid main() => dd('e ${f(1)} $g');\n",
	"more.pl":      "package A::B;\nuse C::D qw(e);\nuse parent 'F';\nmy $g = 1;\nsub h { my ($i, $j) = @_; return $i->k($j); }\nsub l($m) { }\n  sub n { 'o' . \"p\" }\n# sub q {}\n1;\n",
	"more.zig":     "const a = @import(\"a.zig\");\npub const B = struct { c: u8, pub fn d(self: *B, e: u8) !void { f(e); } };\nconst G = enum { h, i };\nfn j(comptime T: type, k: []const u8) T { return l(k); }\nvar m: u8 = 1;\ntest \"n\" { o(); }\nexport fn p() void {}\n",
	"more.groovy":  "import a.b\nclass C extends D {\n  static final int EF = 1\n  def g(h, i = 1) { j(h) }\n  String k() { \"l ${m(1)}\" }\n  private void n() {}\n}\ndef o(p) { p }\nq = { r -> s(r) }\n",
	"more.graphql": "schema { query: A }\ntype A implements B & C @d { e(f: Int = 1): [G!]! }\ninterface B { h: ID }\ninput I { j: Int }\nenum K { L M @deprecated }\nunion N = A | O\nscalar P\nextend type A { q: Int }\nfragment R on A { e }\nquery S($t: Int) { u(v: $t) }\n",
}

// Golden files hold what is read from the further texts, and what a side that adds them has: its uses, references, numbers and definitions.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for file, text := range more {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			clitest.Golden(t, filepath.Join("testdata", "corpus", file+".txt"), shown(parse(file, text))+"\n"+sideShown(NewSide([]File{{Path: file, Now: text}})))
		})
	}
}

// sideShown returns all that a side holds, as text.
func sideShown(s *Side) string {
	var b strings.Builder
	for _, k := range slices.SortedFunc(maps.Keys(s.uses), compareKeys) {
		for _, u := range s.uses[k] {
			fmt.Fprintf(&b, "use of %s on %d behind %q before %q, %d arguments %q, imported %t\n", k.name, u.line, u.qualifier, u.next, u.args, u.named, u.imported)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		fmt.Fprintf(&b, "%s binds %q\n", file, slices.Sorted(maps.Keys(s.files[file].bound)))
	}
	slices.SortFunc(s.refs, func(x, y ref) int { return cmp.Or(cmp.Compare(x.line, y.line), strings.Compare(x.text, y.text)) })
	for _, r := range s.refs {
		fmt.Fprintf(&b, "names %q on %d, imported %t\n", r.text, r.line, r.imported)
	}
	for _, n := range s.numbers {
		fmt.Fprintf(&b, "takes %s %q of %q for %q on %d behind %d, sure %t\n", n.what, n.value, n.domain, n.taker, n.line, n.anchor, n.sure)
	}
	for _, k := range slices.SortedFunc(maps.Keys(s.news), compareKeys) {
		slices.SortFunc(s.news[k], func(x, y *fresh) int {
			return cmp.Or(strings.Compare(x.file.now.path, y.file.now.path), cmp.Compare(x.at, y.at))
		})
		for _, f := range s.news[k] {
			fmt.Fprintf(&b, "adds %s %s of %q on %d of %s\n", f.what, k.name, f.scope, f.line, f.file.now.path)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(s.gone), compareKeys) {
		slices.SortFunc(s.gone[k], func(x, y *gone) int {
			return cmp.Or(strings.Compare(x.file.before.path, y.file.before.path), cmp.Compare(x.at, y.at))
		})
		for _, g := range s.gone[k] {
			fmt.Fprintf(&b, "has no longer %s %s of %q in %s, now %q near %v\n", g.what, k.name, g.scope, g.file.before.path, g.to, g.near)
		}
	}
	for _, r := range s.reshaped {
		fmt.Fprintf(&b, "changes %s%s to %s\n", r.before.name, FormatParams(r.before.params), FormatParams(r.now.params))
	}
	for _, file := range slices.Sorted(maps.Keys(s.removed)) {
		fmt.Fprintf(&b, "moves %s to %q\n", file, s.removed[file])
	}
	for _, d := range s.dropped {
		fmt.Fprintf(&b, "drops %s on %d of %s\n", d.key(), d.line, d.file)
	}
	fmt.Fprintf(&b, "keeps %q\n", slices.Sorted(maps.Keys(s.kept)))
	return b.String()
}

// Every beginning of a text can be read: a file that ends in the middle of anything has tokens and definitions at their places.
func TestBeginnings(t *testing.T) {
	t.Parallel()
	texts := maps.Clone(more)
	maps.Copy(texts, hard)
	for file, text := range texts {
		for end := 1; end < len(text); end += 5 {
			for !utf8.RuneStart(text[end]) {
				end--
			}
			p := parse(file, text[:end])
			last := int32(0)
			for _, tok := range p.tokens {
				if !tok.inside && (tok.line < last || int(tok.line) > strings.Count(text[:end], "\n")+1) {
					t.Fatalf("%s: %q is on line %d behind %d", file, tok.text, tok.line, last)
				}
				if last = max(last, tok.line); !strings.Contains(strings.ToLower(text), strings.ToLower(tok.text)) {
					t.Fatalf("%s: %q is not in the text", file, tok.text)
				}
			}
			for _, d := range p.defs {
				if p.tokens[d.at].text != d.name || d.end <= d.at || d.end > len(p.tokens) {
					t.Fatalf("%s: %q is at %d to %d of %d", file, d.name, d.at, d.end, len(p.tokens))
				}
			}
			NewSide([]File{{Path: file, Base: text, Now: text[:end]}})
		}
	}
}

// A side of changed files holds each kind of change of definitions, files, manifests and numbers.
func TestSides(t *testing.T) {
	t.Parallel()
	lines := func(all ...string) string { return strings.Join(all, "\n") + "\n" }
	s := NewSide([]File{
		{Path: "shop/cart.go", Base: lines("package cart", "", "func Price(n int) int {", "\treturn n * 3", "}", "", "func Total(n int) int { return n + 4 }", "", "func Drop() {}", "", "func Keep(a int) {}"),
			Now: lines("package cart", "", "func UnitPrice(n int) int {", "\treturn n * 3", "}", "", "func Total(n int, tax bool) int { return n + 5 }", "", "func Keep(a int) {}", "", "func Fresh() { Keep(UnitPrice(1)) }")},
		{Path: "shop/new.py", OldPath: "shop/old.py", Base: "def a(): pass\n", Now: "def a(): pass\ndef b(): pass\n"},
		{Path: "gone.ts", Base: "export function gone() {}\n", Removed: true},
		{Path: "go.mod", Base: lines("module x", "require a.b/c v1.0.0", "require a.b/d v1.0.0"), Now: lines("module x", "require a.b/d v1.1.0")},
		{Path: "package.json", Base: `{"dependencies": {"left": "1"}}`, Removed: true},
		{Path: "db/migrations/0007_users.sql", Now: "create table users (id int);\n"}, {Path: "db/migrations/V8__more.sql", Now: "x\n"}, {Path: "db/migrations/0009_old.sql", Base: "x\n", Now: "y\n"}, {Path: "docs/0007_users.sql", Now: "x\n"},
		{Path: "kinds.go", Base: lines("package a", "", "const (", "\tA Kind = 1", ")"), Now: lines("package a", "", "const (", "\tA Kind = 1", "\tB Kind = 2", "\tC Kind = 1 + 2", ")")},
		{Path: "kinds.ts", Now: lines("enum Kind { One = 1, Two = 2 }", "class Not { X = 3 }")}, {Path: "kinds.py", Now: lines("class Kind(IntEnum):", "    ONE = 1", "class Not:", "    TWO = 2")},
		{Path: "api.proto", Base: lines("message M {", "  int32 a = 1;", "}"), Now: lines("message M {", "  int32 a = 1;", "  int32 b = 2 [x = 1];", "  message N { int32 c = 1; }", "}")},
		{Path: "routes.py", Now: lines("@app.get('/users')", "def users(): pass", "@bp.route(\"/a/<id>\", methods=['POST'])", "def a(): pass", "# @app.get('/no')")},
		{Path: "routes.ts", Now: lines("app.get('/users', users);", "router.post(\"/a/b\", b);", "x.get('/no');", "app.get('no slash');")},
		{Path: "Routes.java", Now: lines("class R {", "  @GetMapping(\"/users\")", "  void a() {}", "  @PostMapping(value = \"/b\")", "  void b() {}", "}")}, {Path: "routes.rs", Now: lines("#[get(\"/users\")]", "fn a() {}")}, {Path: "routes.go", Now: lines("package a", "func f() { mux.HandleFunc(\"GET /users\", g) }")},
		{Path: "compose.yaml", Now: lines("ports:", "  - \"8080:80\"", "  - 127.0.0.1:9090:90/tcp", "  - 80")}, {Path: "app.yml", Now: lines("port: 8081", "db_port = \"5432\",", "report: 1", "port: 80")}, {Path: "notes.md", Now: lines("port: 8082", "see src/a/b.go and ./c.txt.")},
		{Path: "long.md", Now: "a/b" + strings.Repeat(" ", longLine-3) + "\nc/d" + strings.Repeat(" ", longLine-2) + "\n"},
	})
	clitest.Golden(t, filepath.Join("testdata", "sides.txt"), sideShown(s))
}
