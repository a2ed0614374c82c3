package uses

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
