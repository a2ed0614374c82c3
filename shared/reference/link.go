package reference

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// lines is the fragment of a link to lines as forges write it: L4, L4-L5, L4C2-L5C1. Columns are ignored.
var lines = text.Pattern{Expr: `^L(\d{1,9})(?:C\d+)?(?:-L?(\d{1,9})(?:C\d+)?)?$`}

// Link reads the destination of a link to lines of a file: path#L4. The path is decoded (RFC 3986, 2.1). A path that begins with a slash
// starts at the root of the repository, as on forges. Any other address is not a reference.
func Link(dest []byte) (f Reference, ok bool) {
	raw, fragment, _ := bytes.Cut(dest, []byte("#"))
	m := lines.Regexp().FindSubmatchIndex(fragment)
	path, err := url.PathUnescape(string(raw))
	if m == nil || err != nil || strings.Contains(path, "://") || strings.HasPrefix(path, "//") || !FileName([]byte(path)) {
		return f, false
	}
	f.Path, f.PathAt, f.Stop = strings.TrimPrefix(Clean(path), "/"), Span{0, len(raw)}, len(dest)
	f.LineAt = Span{m[2], m[3]}.moved(len(raw) + 1)
	f.Line, _ = strconv.Atoi(string(fragment[m[2]:m[3]])) // a number of a few digits
	if m[4] >= 0 {
		end, _ := strconv.Atoi(string(fragment[m[4]:m[5]]))
		if f.EndAt = (Span{m[4], m[5]}).moved(len(raw) + 1); end > f.Line {
			f.EndLine = end
		}
	}
	return f, f.Line > 0
}
