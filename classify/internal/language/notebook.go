package language

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/agit-suite/agit/classify/internal/filetree"
)

// notebookEnd is how much of a notebook's beginning and end is read: Jupyter writes its metadata behind its cells.
const notebookEnd = 64 << 10

// notebook returns the language of a Jupyter notebook: that of its kernel, Python when it names none.
// https://nbformat.readthedocs.io/en/latest/format_description.html#top-level-structure
func (c *Counter) notebook(f *filetree.File) string {
	if c.looks++; c.looks > maxLooks {
		return "python"
	}
	end, err := c.tree.Tail(f.Path, notebookEnd)
	lang := ofKernel(end)
	if err == nil && lang == "" && f.Size > notebookEnd { // widgets' data may follow, or the metadata comes first
		start, _ := c.tree.Head(f.Path, filetree.MaxFile)
		lang = ofKernel(start)
	}
	return cmp.Or(lang, "python")
}

// ofKernel reads the language from a part of a notebook: the named language, else the kernel's. Within cells, the quotes of such a key
// would be escaped.
func ofKernel(text []byte) string {
	var info struct{ Name string }
	if lastObject(text, `"language_info"`, &info) {
		if lang := kernelLanguage(info.Name); lang != "" {
			return lang
		}
	}
	var spec struct {
		Language, Name string
		Display        string `json:"display_name"`
	}
	if lastObject(text, `"kernelspec"`, &spec) {
		for _, name := range [...]string{spec.Language, spec.Name, spec.Display} {
			if lang := kernelLanguage(name); lang != "" {
				return lang
			}
		}
	}
	return ""
}

// lastObject returns the object behind the last member of that name; name includes the quotes.
func lastObject(text []byte, key string, into any) bool {
	for end := len(text); ; {
		i := bytes.LastIndex(text[:end], []byte(key))
		if i < 0 {
			return false
		}
		end = i
		rest, colon := bytes.CutPrefix(bytes.TrimLeft(text[i+len(key):], " \t\r\n"), []byte(":"))
		if !colon || i > 0 && text[i-1] == '\\' {
			continue
		}
		if json.NewDecoder(bytes.NewReader(rest)).Decode(into) == nil {
			return true
		}
	}
}

// kernelLanguage returns the language in a kernel's name: "ir", "julia-1.10", "xcpp17", ".net-csharp".
func kernelLanguage(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if lang := Named(name); lang != "" {
		return lang
	}
	bare, _, _ := strings.Cut(name, " ")
	bare = strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(bare, ".net-"), "conda-env-"), "0123456789.-_")
	return cmp.Or(Named(bare), kernels()[bare])
}

// kernels are the names of kernels that no language has.
var kernels = table(`
sas, stata, prolog, scheme, racket, gnuplot, raku, maxima, apl, scilab
python: ipython, pyspark, sage, sagemath, xpython, xeus-python, pyodide, pyolite, cython, vpython
r: ir, xr, sparkr
java: ijava, rapaio-jupyter-kernel, jjava
scala: almond, spylon-kernel, spark, toree
c++: xcpp, xeus-cling, cling, cling-cpp, xeus-cpp
c: xc, xeus-c
rust: evcxr
go: gophernotes, gonb, lgo
ruby: iruby
haskell: ihaskell
javascript: ijavascript, jslab, nodejs, pixiedust-node
typescript: deno, tslab, itypescript
c#: csharp, polyglot-notebook, icsharp
f#: ifsharp
powershell: pwsh
shell: bash, calysto_bash, zsh
lua: ilua, xlua
clojure: iclojure, clojupyter
perl: iperl
sql: xsql, postgres
matlab: matlab, octave, xoctave, matlab_kernel, imatlab, jupyter_matlab_kernel, jupyter_matlab
mathematica: wolfram, wolframlanguage, mathematica
common lisp: common-lisp, cl-jupyter
`)
