package language

import (
	"regexp"
	"strings"
	"sync"
)

// headerSigns are the patterns by which the language of a .h file is recognised.
var headerSigns = sync.OnceValue(func() (signs struct{ comment, guarded, cpp, objective *regexp.Regexp }) {
	signs.comment = regexp.MustCompile(`(?s)/\*.*?(?:\*/|\z)|//[^\n]*|"(?:[^"\\\n]|\\.)*"`)
	signs.guarded = regexp.MustCompile(`(?s)#\s*if(?:def\s+|\s+defined\s*\(?\s*)__cplusplus.*?(?:#\s*endif|#\s*else|\z)`)
	signs.cpp = regexp.MustCompile(`(?m)^[ \t]*(?:template[ \t]*<|(?:inline[ \t]+)?namespace\b|(?:enum[ \t]+)?class[ \t]+[A-Za-z_]|(?:public|private|protected)[ \t]*:|using[ \t]+(?:namespace[ \t]|[A-Za-z_]\w*[ \t]*=)|(?:static[ \t]+|inline[ \t]+)*constexpr[ \t]|#[ \t]*include[ \t]*<(?:algorithm|array|atomic|chrono|concepts|functional|initializer_list|iostream|iterator|limits|map|memory|mutex|optional|ranges|set|span|sstream|string|string_view|thread|tuple|type_traits|unordered_map|utility|variant|vector|cstd\w+|cstring|cmath|cassert)>)|\bstd::\w|\boperator[ \t]*(?:==|<<|\(\))|\bnoexcept\b|\bvirtual[ \t]+\w`)
	signs.objective = regexp.MustCompile(`(?m)^[ \t]*(?:@(?:interface|protocol|class|import|property)\b|#[ \t]*import\b)`)
	return signs
})

// ofHeader returns the language of a header's beginning, "c++" or "objective-c"; "" when it may be C. Parts for C++ only in a header for
// both (#ifdef __cplusplus) do not count.
func ofHeader(head []byte) string {
	signs := headerSigns()
	text := signs.comment.ReplaceAllString(strings.ReplaceAll(string(head), "\r\n", "\n"), " ")
	text = signs.guarded.ReplaceAllString(text, "")
	// The name of an included file is between < and >, which the first expression leaves alone.
	switch {
	case signs.objective.MatchString(text):
		return "objective-c"
	case signs.cpp.MatchString(text):
		return "c++"
	}
	return ""
}
