package uses

import (
	"maps"
	"path"
	"strings"
	"sync"
)

// A What is a kind of definition.
type What string

// The kinds of definitions.
const (
	Function What = "function"
	Method   What = "method"
	Type     What = "type"
	Constant What = "constant"
	Module   What = "module"
	Macro    What = "macro"
)

// shape is how a language marks blocks.
type shape uint8

const (
	braces shape = iota
	indents
	statements // definitions begin a statement, blocks do not matter
)

// language is a row of the table.
type language struct {
	name       string
	group      string // languages that use each other's definitions
	extensions string
	family     *family
	shape      shape
	keywords   map[string]What // keywords before the name of a definition
	typed      bool            // functions are written as in C: type, name, parameters
	members    bool            // classes hold methods that are written without a keyword
	bare       bool            // within its class, a method is called without a qualifier
	overloads  bool            // one scope may define a name several times, with different parameters
	named      bool            // arguments may be passed by the names of parameters
}

func words(kind What, list string) map[string]What {
	m := map[string]What{}
	for word := range strings.FieldsSeq(list) {
		m[word] = kind
	}
	return m
}

func with(tables ...map[string]What) map[string]What {
	all := map[string]What{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// languages are the rows of the table.
var languages = sync.OnceValue(func() []*language {
	return []*language{
		{name: "Go", group: "go", extensions: ".go", family: familyGo,
			keywords: with(words(Function, "func"), words(Type, "type"), words(Constant, "const var"))},
		{name: "Python", group: "python", extensions: ".py .pyi", family: familyPython, shape: indents, named: true,
			keywords: with(words(Function, "def"), words(Type, "class"))},
		{name: "TypeScript", group: "js", extensions: ".ts .tsx .mts .cts", family: familyJS, members: true, overloads: true,
			keywords: with(words(Function, "function"), words(Type, "class interface type enum"), words(Module, "namespace"), words(Constant, "const let var"))},
		{name: "JavaScript", group: "js", extensions: ".js .jsx .mjs .cjs .vue .svelte", family: familyJS, members: true,
			keywords: with(words(Function, "function"), words(Type, "class"), words(Constant, "const let var"))},
		{name: "Java", group: "jvm", extensions: ".java", family: familyJava, typed: true, bare: true, overloads: true,
			keywords: words(Type, "class interface enum record")},
		{name: "Kotlin", group: "jvm", extensions: ".kt .kts", family: familyKotlin, bare: true, overloads: true, named: true,
			keywords: with(words(Function, "fun"), words(Type, "class interface object typealias"), words(Constant, "val"))},
		{name: "Scala", group: "jvm", extensions: ".scala .sc", family: familyKotlin, bare: true, overloads: true, named: true,
			keywords: with(words(Function, "def"), words(Type, "class trait object"), words(Constant, "val"))},
		{name: "Groovy", group: "jvm", extensions: ".groovy .gradle", family: familyJS, typed: true, bare: true, overloads: true,
			keywords: with(words(Type, "class interface enum trait"), words(Function, "def"))},
		{name: "Rust", group: "rust", extensions: ".rs", family: familyRust,
			keywords: with(words(Function, "fn"), words(Type, "struct enum trait type union"), words(Constant, "const static"), words(Module, "mod"))},
		{name: "C", group: "c", extensions: ".c .h", family: familyC, typed: true, bare: true,
			keywords: words(Type, "struct union enum")},
		{name: "C++", group: "c", extensions: ".cc .cpp .cxx .hpp .hh .hxx .inl .ipp .m .mm", family: familyC, typed: true, bare: true, overloads: true,
			keywords: with(words(Type, "struct union enum class"), words(Module, "namespace"))},
		{name: "C#", group: "cs", extensions: ".cs", family: familyJava, typed: true, bare: true, overloads: true, named: true,
			keywords: with(words(Type, "class interface enum record struct"), words(Module, "namespace"))},
		{name: "Ruby", group: "ruby", extensions: ".rb .rake .gemspec", family: familyRuby, shape: indents, bare: true,
			keywords: with(words(Function, "def"), words(Type, "class"), words(Module, "module"))},
		{name: "PHP", group: "php", extensions: ".php", family: familyPHP, named: true,
			keywords: with(words(Function, "function"), words(Type, "class interface trait enum"), words(Constant, "const"))},
		{name: "Swift", group: "swift", extensions: ".swift", family: familySwift, bare: true, overloads: true,
			keywords: with(words(Function, "func"), words(Type, "class struct enum protocol actor typealias"), words(Constant, "let var"))},
		{name: "Dart", group: "dart", extensions: ".dart", family: familyJS, typed: true, bare: true,
			keywords: words(Type, "class enum mixin typedef")},
		{name: "shell", group: "shell", extensions: ".sh .bash .zsh .ksh", family: familyShell, shape: statements, bare: true,
			keywords: words(Function, "function")},
		{name: "SQL", group: "sql", extensions: ".sql", family: familySQL, shape: statements,
			keywords: with(words(Function, "function procedure trigger"), words(Type, "table view type sequence index"))},
		{name: "Lua", group: "lua", extensions: ".lua", family: familyLua, shape: statements,
			keywords: words(Function, "function")},
		{name: "Elixir", group: "elixir", extensions: ".ex .exs", family: familyElixir, shape: statements, bare: true, overloads: true,
			keywords: with(words(Function, "def defp defmacro"), words(Module, "defmodule"))},
		{name: "Perl", group: "perl", extensions: ".pl .pm", family: familyPHP, shape: statements,
			keywords: with(words(Function, "sub"), words(Module, "package"))},
		{name: "Zig", group: "zig", extensions: ".zig", family: familyC,
			keywords: with(words(Function, "fn"), words(Constant, "const"))},
		{name: "Protobuf", group: "proto", extensions: ".proto", family: familyProto,
			keywords: with(words(Type, "message enum service"), words(Method, "rpc"))},
		{name: "GraphQL", group: "graphql", extensions: ".graphql .gql", family: familyData,
			keywords: words(Type, "type input enum interface scalar union")},
	}
})

// byExtension finds the row of a file.
var byExtension = sync.OnceValue(func() map[string]*language {
	m := map[string]*language{}
	for _, l := range languages() {
		for ext := range strings.FieldsSeq(l.extensions) {
			m[ext] = l
		}
	}
	return m
})

// languageOf returns the row of a file by its name, nil when there is none.
func languageOf(file string) *language { return byExtension()[strings.ToLower(path.Ext(file))] }

// reserved are words of languages that are never the name or a use of a definition.
var reserved = sync.OnceValue(func() map[string]What {
	return words("", `if else elif for while do switch case default break continue return goto try catch finally throw throws raise except
	new delete in is as not and or with yield await async import from export include require package using use
	public private protected internal static final abstract virtual override sealed readonly extern inline volatile const let var val
	true false null nil None True False undefined this self super cls void int long short char float double bool boolean string byte unsigned signed
	func function def fn fun class struct enum interface type trait impl module mod namespace object record union typedef
	sizeof typeof instanceof defer go select chan map range where when match loop move ref mut pub crate unsafe dyn
	lambda pass assert global nonlocal del print end then unless until begin rescue ensure elsif
	extends implements operator template typename auto register noexcept constexpr friend
	fi done esac local echo unset exit
	of any never unknown number str list dict tuple usize isize u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 size_t error len append make init main _ __init__`)
})

func isReserved(word string) bool { _, ok := reserved()[word]; return ok }

// Known reports whether Judge reads the language of a file, by the file's name.
func Known(file string) bool { return languageOf(file) != nil }

// family is how a group of languages writes comments and strings.
type family struct {
	lineComments []string // to the end of the line
	blocks       [][2]string
	nested       bool     // block comments nest
	quotes       string   // delimiters of one-line strings, with backslash escapes
	long         []string // delimiters of strings over several lines, the longest first
	rawLong      string   // delimiters of long strings without escapes
	chars        bool     // a single quote holds one character; it may also begin a lifetime
	doubled      bool     // doubling a quote escapes it inside a string
	regexp       bool     // slashes may delimit a regular expression
	interpolate  string   // what begins code within a string of `long`: "${"
	inString     string   // what begins code within any string: "#{", "\\(", "{"
	identifier   string   // characters of names besides letters, digits and underscore
	fold         bool     // names are case-insensitive
}

var (
	slashes = [][2]string{{"/*", "*/"}}

	familyC      = &family{lineComments: []string{"//"}, blocks: slashes, quotes: `"`, chars: true}
	familyGo     = &family{lineComments: []string{"//"}, blocks: slashes, quotes: `"`, chars: true, long: []string{"`"}, rawLong: "`"}
	familyRust   = &family{lineComments: []string{"//"}, blocks: slashes, nested: true, chars: true, long: []string{`"`}}
	familyJava   = &family{lineComments: []string{"//"}, blocks: slashes, quotes: `"`, chars: true, long: []string{`"""`}}
	familyKotlin = &family{lineComments: []string{"//"}, blocks: slashes, nested: true, quotes: `"`, chars: true, long: []string{`"""`}, inString: "${"}
	familySwift  = &family{lineComments: []string{"//"}, blocks: slashes, nested: true, quotes: `"`, long: []string{`"""`}, inString: `\(`}
	familyJS     = &family{lineComments: []string{"//"}, blocks: slashes, quotes: `"'`, long: []string{"`"}, interpolate: "${", regexp: true, identifier: "$"}
	familyPython = &family{lineComments: []string{"#"}, quotes: `"'`, long: []string{`"""`, "'''"}}
	familyRuby   = &family{lineComments: []string{"#"}, blocks: [][2]string{{"\n=begin", "\n=end"}}, long: []string{`"`, "'"}, inString: "#{", identifier: "?!"}
	familyPHP    = &family{lineComments: []string{"//", "#"}, blocks: slashes, long: []string{`"`, "'"}, identifier: "$"}
	familyShell  = &family{lineComments: []string{"#"}, long: []string{`"`, "'"}, inString: "$"}
	familySQL    = &family{lineComments: []string{"--"}, blocks: slashes, quotes: "'", doubled: true, fold: true}
	familyLua    = &family{lineComments: []string{"--"}, blocks: [][2]string{{"--[[", "]]"}}, quotes: `"'`, long: []string{"[["}}
	familyElixir = &family{lineComments: []string{"#"}, long: []string{`"""`, `"`}, inString: "#{", identifier: "?!"}
	familyData   = &family{lineComments: []string{"#"}, quotes: `"'`}
	familyProto  = &family{lineComments: []string{"//"}, blocks: slashes, quotes: `"'`}
)
