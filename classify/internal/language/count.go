// Package language finds the language in which a project is written: it weighs the languages of its files and the evidence of its
// manifests.
//
// It reads only through the tree it is given and only where a name is not enough. Its functions keep no state and are safe for concurrent
// use.
package language

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/classify/internal/filetree"
)

// Tree reads files for the count.
type Tree interface {
	Head(path string, n int64) ([]byte, error) // at most n bytes of its beginning
	Tail(path string, n int64) ([]byte, error) // at most n bytes of its end
}

// Weight is one language's share of a set of files.
type Weight struct {
	Language string  `json:"language"`
	Files    int     `json:"files"`
	Bytes    int64   `json:"bytes"`
	Share    float64 `json:"share"` // of the weighed bytes of programming languages, 0 to 1
	weighed  float64
	own      int64 // bytes of plain sources
	aside    int64 // those of them in scripts that maintain the project
}

// weightIn returns the weight of a language among others, a new one when it has none.
func weightIn(counts map[string]*Weight, language string) *Weight {
	if counts[language] == nil {
		counts[language] = &Weight{Language: language}
	}
	return counts[language]
}

func (w *Weight) add(files int, bytes int64) { w.Files, w.Bytes = w.Files+files, w.Bytes+bytes }

// Weights are sorted, the heaviest first.
type Weights []Weight

// Get returns a language's weight, the zero one when it has none.
func (ws Weights) Get(language string) Weight {
	for _, w := range ws {
		if w.Language == language {
			return w
		}
	}
	return Weight{}
}

// The weight of a file by its role: tests and samples may be in another language than the code that they are about.
var roleWeight = [...]float64{filetree.Source: 1, filetree.Asset: 0.15, filetree.Test: 0.2, filetree.Sample: 0.1, filetree.Docs: 0.05, filetree.Config: 0.02}

const (
	// maxCounted bounds the weight of one file: a longer text is hardly hand-written.
	maxCounted = 100 << 10
	// headBytes is how much of an ambiguous file is read.
	headBytes = 8 << 10
	// testsAlone is the factor for a language that only tests and samples use, while another one has sources.
	testsAlone = 0.1
	// scriptsAlone is the factor for a language that only such scripts use.
	scriptsAlone = 0.3
	// scriptsBeside is the factor for shells, editors' scripts and build rules beside a program. From leastScripts files, three in four of
	// all, they are the project itself.
	scriptsBeside = 0.2
	leastScripts  = 10
	// maxLooks bounds how many files are read.
	maxLooks = 300
)

// Counter weighs files one after another.
type Counter struct {
	tree   Tree
	counts map[string]*Weight
	markup map[string]*Weight
	looks  int
	odd    []oddFile
	xml    map[string]bool // by folder: whether its .ts files are XML
	roots  []string        // folders whose YAML is the program, each with a final slash
	module bool            // the root holds a Terraform module: its HCL is the program

	binaryLooks int             // files read to recognise data
	data        map[string]bool // by folder and extension: whether the last one was data
}

type oddFile struct {
	language string
	size     float64
	file     filetree.File
}

// Documents counts the texts and data of which some repositories consist, those with the most files first. Files of tests and of tools'
// configuration are not counted.
func Documents(files []filetree.File) Weights {
	counts := map[string]*Weight{}
	for i := range files {
		f := &files[i]
		lang := documentOf(base(f.Path))
		if lang == "" || f.Link || f.Role == filetree.Test || f.Role == filetree.Config {
			continue
		}
		weightIn(counts, lang).add(1, f.Size)
	}
	var all Weights
	for _, w := range counts {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b Weight) int {
		return cmp.Or(b.Files-a.Files, strings.Compare(a.Language, b.Language))
	})
	return all
}

// documentOf returns the language of texts and data that people write, by a file's name.
func documentOf(name string) string {
	dot := strings.LastIndexByte(name, '.')
	switch strings.ToLower(name[dot+1:]) {
	case "md", "markdown", "mdx":
		return "markdown"
	case "yml", "yaml":
		return "yaml"
	}
	return ""
}

// Count weighs the files of a tree for which keep returns true, all when keep is nil.
func Count(tree Tree, files []filetree.File, keep func(string) bool) Weights {
	c := &Counter{
		tree: tree, counts: map[string]*Weight{}, markup: map[string]*Weight{}, xml: map[string]bool{}, data: map[string]bool{},
		roots: declarative(files), module: terraform(files),
	}
	for i := range files {
		if keep == nil || keep(files[i].Path) {
			c.Add(&files[i])
		}
	}
	return c.Weights()
}

// Add weighs one file.
func (c *Counter) Add(f *filetree.File) {
	if f.Link || f.Undetectable || f.Size == 0 {
		return
	}
	name := base(f.Path)
	lang, kind := OfName(name)
	if f.Language != "" {
		if lang, kind = attributed(f.Language); kind == None {
			return
		}
	}
	if kind == None && f.Role == filetree.Source && c.declares(f.Path) {
		lang, kind = "yaml", Programming
	}
	if kind == None {
		if !strings.Contains(name, ".") && f.Size >= 3 && f.Size < 256<<10 && f.Role <= filetree.Asset {
			lang, kind = ofShebang(c.head(f)), Programming
		}
		if lang == "" {
			return
		}
	}
	if strings.HasSuffix(name, ".ts") && c.translation(f) || kind == Programming && strings.Contains(name, ".") && c.binary(f, name) {
		return
	}
	size := float64(min(f.Size, maxCounted))
	if strings.HasSuffix(name, ".ipynb") {
		size = min(size/20, 4<<10) // mostly outputs
	}
	if strings.HasSuffix(name, ".d.ts") {
		size /= 10
	}
	if kind == Markup {
		c.note(c.markup, lang, f, size)
		return
	}
	if strings.HasSuffix(lang, "?") {
		c.odd = append(c.odd, oddFile{strings.TrimSuffix(lang, "?"), size, *f})
		return
	}
	switch lang {
	case "vue", "svelte", "astro", "marko":
		lang = c.component(f, lang)
	case "javascript", "css", "python", "php":
		if f.Size > binaryFrom && c.generated(f) {
			return
		}
	}
	c.note(c.counts, lang, f, size)
}

// translation recognises Qt's translations, which have TypeScript's extension. One file of each folder is read.
func (c *Counter) translation(f *filetree.File) bool {
	dir := f.Path[:len(f.Path)-len(base(f.Path))]
	xml, known := c.xml[dir]
	if !known {
		text, _ := c.tree.Head(f.Path, 64) // an unreadable file does not count as XML
		xml = bytes.HasPrefix(bytes.TrimLeft(text, "\ufeff \r\n"), []byte("<?xml")) || bytes.HasPrefix(text, []byte("<!DOCTYPE TS"))
		c.xml[dir] = xml
	}
	return xml
}

// attributed returns the language set in .gitattributes; templates and data are not a program's language.
func attributed(name string) (string, Kind) {
	if lang := Named(name); lang != "" {
		if lang == "html" || lang == "css" {
			return lang, Markup
		}
		return lang, Programming
	}
	if strings.Contains(name, "html") || strings.Contains(name, "json") || slices.Contains(templates, name) {
		return "", None
	}
	return name, Programming
}

// templates are the languages of templates and data, beside those of HTML and JSON.
var templates = []string{"django", "jinja", "twig", "blade", "ejs", "handlebars", "mustache", "text", "yaml", "toml", "xml", "svg", "ini", "markdown", "csv", "diff", "mdx", "dotenv"}

func (c *Counter) note(in map[string]*Weight, lang string, f *filetree.File, size float64) {
	w := weightIn(in, lang)
	w.add(1, f.Size)
	role := f.Role
	if role == filetree.Asset && lang != "javascript" && lang != "typescript" && lang != "css" && lang != "html" {
		role = filetree.Source // public/index.php is not an asset
	}
	w.weighed += size * roleWeight[role]
	if role == filetree.Source {
		w.own += f.Size
		if aside(lang, f.Path) {
			w.aside += f.Size
		}
	}
}

// aside reports whether a script only maintains the project: it is in a folder for scripts at the root.
func aside(lang, file string) bool {
	return slices.Contains([]string{"python", "perl", "ruby", "javascript"}, lang) &&
		(strings.HasPrefix(file, "scripts/") || strings.HasPrefix(file, "tools/"))
}

func (c *Counter) head(f *filetree.File) []byte {
	if c.looks++; c.looks > maxLooks {
		return nil
	}
	text, _ := c.tree.Head(f.Path, headBytes) // an unreadable file has an empty head
	return text
}

// undecided stands for components that do not declare TypeScript: they count for the language of the files beside them.
const undecided = "component"

// component returns the language of the script inside a component file.
func (c *Counter) component(f *filetree.File, kind string) string {
	text := c.head(f)
	if hasAny(text, `lang="ts"`, `lang='ts'`, `lang="tsx"`) || kind == "astro" && hasAny(text, "interface Props") {
		return "typescript"
	}
	return undecided
}

func hasAny(text []byte, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return bytes.Contains(text, []byte(part)) })
}

// generated recognises minified and generated texts by their appearance.
func (c *Counter) generated(f *filetree.File) bool {
	text := c.head(f)
	if len(text) == 0 {
		return false
	}
	lines := bytes.Count(text, []byte{'\n'}) + 1
	if len(text)/lines > 300 {
		return true
	}
	first := text[:min(len(text), 400)]
	return hasAny(first, "@generated", "DO NOT EDIT", "Code generated by", "webpackBootstrap")
}

// settle decides the files whose extension several languages share.
func (c *Counter) settle() {
	var headers []oddFile // without evidence of their own: they count for the majority
	for _, o := range c.odd {
		if o.language != "c" {
			c.settleOne(o)
		} else if lang := ofHeader(c.head(&o.file)); lang != "" {
			c.note(c.counts, lang, &o.file, o.size)
		} else {
			headers = append(headers, o)
		}
	}
	for _, o := range headers {
		c.settleOne(o)
	}
	c.odd = nil
	c.settleComponents()
}

// settleOne decides one such file.
func (c *Counter) settleOne(o oddFile) {
	lang := o.language
	has := func(parts ...string) bool { return hasAny(c.head(&o.file), parts...) }
	switch lang {
	case "python":
		lang = c.notebook(&o.file)
	case "c":
		switch {
		case c.counts["c++"] != nil && (c.counts["c"] == nil || c.counts["c++"].weighed > c.counts["c"].weighed):
			lang = "c++"
		case c.counts["objective-c"] != nil:
			lang = "objective-c"
		}
	case "objective-c":
		if !has("@interface", "@implementation", "#import") {
			lang = "matlab"
		}
	case "perl":
		if has(":- ") {
			lang = "prolog"
		}
	case "php":
		if !has("<?php") {
			return
		}
	case "d":
		if !has("import ", "module ") {
			return
		}
	case "v":
		if !has("fn ") {
			lang = "verilog"
		}
	}
	c.note(c.counts, lang, &o.file, o.size)
}

// settleComponents counts the components without a language for the language of the files beside them.
func (c *Counter) settleComponents() {
	if one := c.counts[undecided]; one != nil {
		delete(c.counts, undecided)
		into := "javascript"
		if ts := c.counts["typescript"]; ts != nil && (c.counts["javascript"] == nil || ts.weighed > c.counts["javascript"].weighed) {
			into = "typescript"
		}
		w := weightIn(c.counts, into)
		w.add(one.Files, one.Bytes)
		w.weighed, w.own = w.weighed+one.weighed, w.own+one.own
	}
}

// Weights ends the count.
func (c *Counter) Weights() Weights {
	c.settle()
	counts := c.counts
	if len(counts) == 0 {
		counts = c.markup
	}
	var all Weights
	var owned, matter int64
	files := 0
	for _, w := range counts {
		if w.Language != "makefile" && w.Language != "dockerfile" {
			files += w.Files
		}
		owned += w.own
		if w.aside < w.own {
			matter += w.own
		}
	}
	for _, w := range counts {
		switch w.Language {
		case "makefile", "dockerfile", "batchfile", "hcl", "sql", "nix":
			if w.Language != "hcl" || !c.module {
				w.weighed *= 0.1
			}
		case "shell", "powershell", "vim script", "starlark":
			if !(w.own > 0 && w.Files >= leastScripts && w.Files*4 >= files*3) {
				w.weighed *= scriptsBeside
			}
		}
		switch {
		case w.own == 0 && owned > 0:
			w.weighed *= testsAlone
		case w.aside == w.own && matter > 0:
			w.weighed *= scriptsAlone
		}
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b Weight) int {
		return cmp.Or(cmp.Compare(b.weighed, a.weighed), strings.Compare(a.Language, b.Language))
	})
	var total float64
	for _, w := range all { // in one order, since the last digit of a sum depends on it
		total += w.weighed
	}
	for i := range all {
		if total > 0 {
			all[i].Share = all[i].weighed / total
		}
	}
	return all
}

const (
	// binaryFrom is the size, in bytes, from which any source is read: a larger file may be data with a source's extension.
	binaryFrom = 20 << 10
	// binaryLook is how much of a file is read, the same as git does.
	binaryLook = 8000
	// maxBinaryLooks bounds how many files are read for it. After that many, a file counts as the last one of its folder and extension did.
	maxBinaryLooks = 2000
)

// binary reports whether a file with a source's extension is data: an MPEG stream (.ts), MATLAB's objects (.m), a resource (.res).
func (c *Counter) binary(f *filetree.File, name string) bool {
	ext := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	if f.Size <= binaryFrom && !(slices.Contains(sharedWithData, ext) || packets(ext, f.Size)) {
		return false
	}
	kind := f.Path[:len(f.Path)-len(name)] + ext
	if c.binaryLooks++; c.binaryLooks > maxBinaryLooks {
		return c.data[kind]
	}
	head, err := c.tree.Head(f.Path, binaryLook)
	if err != nil {
		return false // it cannot be read: only its name counts
	}
	data := isData(head)
	c.data[kind] = data
	return data
}

// isData reports whether bytes are not text. UTF-16 with its mark is text.
func isData(head []byte) bool {
	return bytes.IndexByte(head, 0) >= 0 && !bytes.HasPrefix(head, []byte("\xff\xfe")) && !bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// sharedWithData are the extensions of sources that data of any size also uses.
var sharedWithData = []string{"m", "pl", "pm", "d", "v", "r", "s", "f", "for", "fs", "cl", "ss", "sc", "res", "sol", "inc", "module", "st", "el", "lsp", "scm", "pas", "hx", "cr", "gd", "lua", "jl", "asm", "sql", "elm", "cob", "cbl"}

// packets reports whether a file has the length of an MPEG transport stream: its packets have 188 bytes, or 192 with their times.
func packets(ext string, size int64) bool {
	return (ext == "ts" || ext == "mts") && (size%188 == 0 || size%192 == 0)
}

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
