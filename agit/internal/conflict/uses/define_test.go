package uses

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// samples has a text of each row of the table of languages, with comments and strings that look like code, and its definitions.
var samples = map[string]struct {
	text string
	want []string
}{
	"a.go": {"package a\n\n// func Not() {}\nvar s = `func Not() {}`\n\nconst (\n\tOne = 1\n\tTwo = \"func Not()\"\n)\n\ntype T struct{ F int }\n\nfunc (t *T[K]) Get(a, b int) {}\nfunc Free[K any](k K) { x := 1 }\n",
		[]string{"constant s", "constant One", "constant Two", "type T", "method T.Get(a, b int)", "function Free(k K)"}},
	"a.py": {"LIMIT = 3\n\nclass A(Base):\n    \"\"\"def nope(): pass\"\"\"\n    MAX = 1\n\n    async def turn(self, x, *, y=1):\n        # def no(): pass\n        z = f\"{call(x)}\"\n        def inner(): pass\n\ndef free(a): return a\n",
		[]string{"constant LIMIT", "type A(Base)", "constant A.MAX", "method A.turn(x, *, y)", "method A.turn.inner()", "function free(a)"}},
	"a.ts": {"export const wait = async (ms: number) => ms;\nexport interface I { a(): void }\n// class No {}\nexport class C<T> extends B {\n  private static async run(a: string, b?: number): Promise<void> {\n    if (a) { other(b) }\n    const s = `class No { ${call(a)} }`;\n  }\n}\nenum E { Red, Green = 2 }\ntype Alias = string;\nfunction f(x = /[\"'}]/): number { return 1 }\n",
		[]string{"function wait(ms: number)", "type I", "method I.a()", "type C", "method C.run(a: string, b?: number)", "type E", "constant E.Red", "constant E.Green", "type Alias", "function f(x)"}},
	"a.js": {"exports.one = 1;\nclass A { turn(x) { return x } }\nconst two = function (a, b) { return a };\n",
		[]string{"constant one", "type A", "method A.turn(x)", "function two(a, b)"}},
	"A.java": {"package a;\n/* class No {} */\npublic class A<T> {\n  public static final int MAX_SIZE = 3;\n  public A(int x) { }\n  @Override\n  public List<String> turn(final Map<String, T> m, int... n) throws E { String s = \"void no() {\"; return x(m); }\n  abstract void later();\n}\nenum E { RED, GREEN }\n",
		[]string{"type A", "constant A.MAX_SIZE", "method A.A(int x)", "method A.turn(final Map<String, T> m, int ...n)", "method A.later()", "type E", "constant E.RED", "constant E.GREEN"}},
	"a.kt": {"class A(val x: Int) {\n  fun String.turn(n: Int = 1): Int = n\n}\nval LIMIT = 3\n",
		[]string{"type A(val x: Int)", "method A.turn(n: Int)", "constant LIMIT"}},
	"a.rs": {"pub struct S<'a> { x: &'a str }\nimpl<'a> Trait for S<'a> {\n    fn turn(&mut self, n: u32) -> char { let c = 'x'; '}' }\n}\nenum E { A, B(i32) }\nconst N: u8 = b'}';\nmacro_rules! m { () => {} }\nfn free<T>(t: T) { /* /* fn no() {} */ */ let s = r#\"fn no() { \"}\"#; }\n",
		[]string{"type S", "method S.turn(n: u32)", "type E", "constant E.A", "constant E.B", "constant N", "macro m", "function free(t: T)"}},
	"a.c": {"#define MAX(a, b) ((a) > (b))\nstruct point { int x; };\nstatic int add(int a, char *b)\n{\n\tif (a) { call(b); }\n\treturn '}';\n}\nvoid proto(void);\ntypedef struct { int y; } pair_t;\nenum color { RED, BLUE = 3 };\n",
		[]string{"type point", "function add(int a, char *b)", "function proto()", "type pair_t", "type color", "constant color.RED", "constant color.BLUE", "macro MAX"}},
	"a.cpp": {"namespace n {\nclass A : public B {\n public:\n  A(int x) : x_(x) {}\n  int turn(const std::string& s) const override { return f(s); }\n};\nint A::more() { return 1; }\n}\n",
		[]string{"module n", "type n.A", "method n.A.A(int x)", "method n.A.turn(const std::string &s)", "method n.A.more()"}},
	"a.cs": {"namespace N {\n  public class A {\n    public async Task<int> Go(int x = 1) { return await F(x); }\n    public int P => 1;\n  }\n}\n",
		[]string{"module N", "type N.A", "method N.A.Go(int x)"}},
	"a.rb": {"module M\n  class A < B\n    LIMIT = 3\n    def self.make(x) = new(x)\n    def ok?(y)\n      \"#{call(y)} def no\"\n    end\n  end\nend\n",
		[]string{"module M", "type M.A", "constant M.A.LIMIT", "method M.A.make(x)", "method M.A.ok?(y)"}},
	"a.php": {"<?php\n# function no() {}\nclass A {\n  const MAX = 1;\n  public function turn(int $x, ?string $y = null): int { return $x; }\n}\nfunction free($a) { }\n",
		[]string{"type A", "constant A.MAX", "method A.turn(int x, ? string y)", "function free(a)"}},
	"a.swift": {"struct S {\n  func turn(_ x: Int) -> Int { return x }\n}\nextension S { func more() {} }\nenum E { case red, green }\nlet limit = \"\\(call())\"\n",
		[]string{"type S", "method S.turn(_ x: Int)", "method S.more()", "type E", "constant E.red", "constant E.green", "constant limit"}},
	"a.sh":      {"#!/bin/sh\n# no() {\nturn() {\n  echo \"${#x} no() { $y\"\n}\nfunction more { :; }\n", []string{"function turn", "function more"}},
	"a.sql":     {"-- create table no (x int);\nCREATE TABLE IF NOT EXISTS app.Users (id int, note text default 'create table no');\ncreate or replace function total() returns int;\n", []string{"type users", "function total"}},
	"a.lua":     {"--[[ function no() end ]]\nlocal function turn(a) end\nfunction M.more(b) end\n", []string{"function turn(a)", "function more(b)"}},
	"a.proto":   {"message M { int32 a = 1; }\nservice S { rpc Go (M) returns (M); }\n", []string{"type M", "type S", "method S.Go(M)"}},
	"a.ex":      {"defmodule A do\n  def turn(x), do: x\nend\n", []string{"module A", "function turn(x)"}},
	"a.scala":   {"class A(x: Int) {\n  def turn(y: Int): Int = y\n}\nobject B { val Limit = 1 }\n", []string{"type A(x: Int)", "method A.turn(y: Int)", "type B", "constant B.Limit"}},
	"a.dart":    {"class A {\n  int turn(int x) { return x; }\n}\nint free(int a) { return a; }\n", []string{"type A", "method A.turn(int x)", "function free(int a)"}},
	"a.pl":      {"package A;\nsub turn { my $x = 1; }\n", []string{"module A", "function turn"}},
	"a.zig":     {"const std = 1;\npub fn turn(x: u8) void {}\n", []string{"constant std", "function turn(x: u8)"}},
	"a.groovy":  {"class A {\n  int turn(int x) { return x }\n}\n", []string{"type A", "method A.turn(int x)"}},
	"a.graphql": {"# type No\ntype User { id: ID }\nenum Color { RED }\n", []string{"type User", "type Color", "constant Color.RED"}},
}

// TestDefinitions finds the definitions of the samples.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for file, c := range samples {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range parse(file, c.text).defs {
				text := fmt.Sprintf("%s %s", d.what, join(d.scope, d.name))
				if d.called {
					text += FormatParams(d.params)
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("definitions (-want +got):\n%s", diff)
			}
		})
	}
	for _, l := range languages() {
		if len(strings.Fields(l.extensions)) == 0 || l.family == nil || len(l.keywords) == 0 {
			t.Errorf("the row of %s is not whole", l.name)
		}
	}
}

// TestParameters has a definition and its parameters: the name of each, a question mark when a call may omit it, and its text without
// the default.
func TestParameters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"a.py", "def price(count, unit=one, *more, **named): pass\n", []string{"count: count", "unit?: unit", "more?: * more", "named?: * * named"}},
		{"a.py", "def price(count, /, unit, *, rate): pass\n", []string{"count: count", "?: /", "unit: unit", "?: *", "rate: rate"}},
		{"a.py", "def price(count: int, unit: str = one): pass\n", []string{"count: count : int", "unit?: unit : str"}},
		{"a.ts", "function price(count: number, unit?: string, ...more: string[]) {}\n", []string{"count: count : number", "unit?: unit ? : string", "more?: . . . more : string [ ]"}},
		{"a.go", "package a\n\nfunc Price(count *int, in io.Reader, with func(a interface{}) bool, more ...string) {}\n",
			[]string{"count: count * int", "in: in io . Reader", "with: with func ( a any ) bool", "more?: more . . . string"}},
		{"a.go", "package a\n\nfunc Price(...string) {}\n", []string{"string?: . . . string"}},
		{"a.c", "int price(const char *unit, int count) { return 1; }\n", []string{"unit: const char * unit", "count: int count"}},
		{"a.cpp", "int price(int count = one, int* unit) { return 1; }\n", []string{"count?: int count", "unit: int * unit"}},
		{"a.php", "<?php\nfunction price(?string $unit, int $count = 1) {}\n", []string{"unit: ? string unit", "count?: int count"}},
		{"a.kt", "class Price(private val count: Int, vararg more: Int)\n", []string{"count: private val count : Int", "more: vararg more : Int"}},
		{"a.rs", "fn price(mut count: u8) {}\n", []string{"count: mut count : u8"}},
		{"a.go", "package a\n\nfunc Price(mut bool) {}\n", []string{"mut: mut bool"}},
	} {
		defs := parse(c.file, c.text).defs
		if len(defs) != 1 {
			t.Fatalf("%s: %d definitions", c.text, len(defs))
		}
		var got []string
		for _, p := range defs[0].params {
			text := p.name
			if p.optional {
				text += "?"
			}
			got = append(got, text+": "+p.text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

// TestAssigned has texts in languages where an assignment defines a name.
func TestAssigned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, file, text string
		want             []string
	}{
		{"a variable at the top level", "a.py", "price = 1\n", []string{"price"}},
		{"with a type", "a.py", "price: int = 1\n", []string{"price"}},
		{"with a type alone", "a.py", "price: int\n", []string{"price"}},
		{"a key of a dictionary", "a.py", "x = {\nprice:\n1}\n", nil},
		{"a call", "a.py", "price(1)\n", nil},
		{"a comparison", "a.py", "price == 1\n", nil},
		{"a name behind others", "a.py", "total, price = 1, 2\n", nil},
		{"a short name", "a.py", "ab = 1\nabc = 2\n", []string{"abc"}},
		{"a keyword", "a.py", "self = 1\n", nil},
		{"a constant of a class", "a.py", "class A:\n    PRICE = 1\n", []string{"A", "A.PRICE"}},
		{"a field of a class", "a.py", "class A:\n    price = 1\n", []string{"A"}},
		{"a variable one column in", "a.py", "class A:\n price = 1\n", []string{"A"}},
		{"in a function", "a.py", "def run():\n    PRICE = 1\n", []string{"run"}},
		{"a constant of Ruby", "a.rb", "PRICE = 1\nPrice = 2\nABLE = 3\nZONE = 4\n", []string{"PRICE", "Price", "ABLE", "ZONE"}},
		{"a variable of Ruby", "a.rb", "price = 1\n_PRICE = 2\n", nil},
		{"a symbol with a colon, of Ruby", "a.rb", "PRICE: 1\n", nil},
	} {
		var got []string
		for _, d := range parse(c.file, c.text).defs {
			got = append(got, join(d.scope, d.name))
			if d.what == Constant && !d.marked {
				t.Errorf("%s: %s would clash with an assignment to it elsewhere", c.rule, d.name)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
	// Its text reaches to the end of the line, so that it is recognized under another name.
	one, other, changed := parse("a.py", "price = [1, 2]\nx = 1\n").defs, parse("a.py", "total = [1, 2]\ny = 2\n").defs, parse("a.py", "total = [1, 3]\n").defs
	if one[0].body != other[0].body || one[0].body == changed[0].body || one[0].body == 0 {
		t.Errorf("the bodies of equal assignments are %d and %d, of another one %d", one[0].body, other[0].body, changed[0].body)
	}
}

// TestWords has what belongs to a name and what ends it.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"price", "azAZ09", "_a_1", "größe"} {
		if got := parse("a.go", word).tokens; len(got) != 1 || got[0].text != word {
			t.Errorf("%s is read as %v", word, got)
		}
	}
	for _, c := range []byte("/:@[`{ \x7f") {
		if isWord(c) {
			t.Errorf("%q belongs to a name", c)
		}
	}
	for _, c := range []byte("azAZ09_\x80") {
		if !isWord(c) {
			t.Errorf("%q ends a name", c)
		}
	}
}

// FuzzParse: parsing ends for every text in every language, and each token is at its recorded place.
func FuzzParse(f *testing.F) {
	for _, l := range languages() {
		f.Add("x"+strings.Fields(l.extensions)[0], "func a(b) { \"x${y}\" 'c' /* d */ # e\n}\n@\"\"\"`r#\"")
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		p := parse(file, text)
		lines := int32(strings.Count(text, "\n") + 1)
		last := int32(0)
		for _, tok := range p.tokens {
			if tok.line < 1 || tok.line > lines || tok.line < last && !tok.inside {
				t.Fatalf("token %q on line %d of %d behind line %d", tok.text, tok.line, lines, last)
			}
			if !tok.inside {
				last = tok.line
			}
			if !strings.Contains(strings.ToLower(text), strings.ToLower(tok.text)) {
				t.Fatalf("token %q is not in the text", tok.text)
			}
		}
		for _, d := range p.defs {
			if d.at >= len(p.tokens) || p.tokens[d.at].text != d.name {
				t.Fatalf("definition %q is not at its token", d.name)
			}
		}
		before := &File{Path: file, Base: text, Now: text + "\nx"}
		NewSide([]File{*before})
	})
}

// TestNamesThatAreUsed has texts in which a keyword of definitions or the shape of a function names something else, and all definitions in
// them.
func TestNamesThatAreUsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"a.cpp", "using namespace std;\nint f() { return 1; }\n", "function f"},
		{"a.cpp", "class A { int f(); };\nint A::f() { return 1; }\nint B::C::g() { return 1; }\n", "type A, method A.f, method A.f, method B.C.g"},
		{"a.php", "<?php\nuse function A\\b;\nuse const A\\C;\nfunction d() {}\n", "function d"},
		{"a.ts", "const enum A { B = 1, C }\nexport const D = 2;\n", "type A, constant A.B, constant A.C, constant D"},
		{"a.kt", "fun String?.a() = 1\nfun B<C?>.d() = 2\n", "function a, function d"},
		{"a.swift", "extension A.B: C where D == E { func f() {} }\nextension G { func h() {} }\n", "method B.f, method G.h"},
		{"a.rs", "impl<T: A> B for C<T> where T: D { fn e() {} }\n", "method C.e"},
		{"a.dart", "typedef A = int Function(int);\nint b() { return c; }\n", "type A, function b"},
		{"a.js", "class Function { apply() {} }\n", "type Function, method Function.apply"},
	} {
		var got []string
		for _, d := range parse(c.file, c.text).defs {
			got = append(got, fmt.Sprintf("%s %s", d.what, join(d.scope, d.name)))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}
