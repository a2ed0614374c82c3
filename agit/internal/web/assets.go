package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/htmlpage"
)

// The page's scripts and styles are the files that are edited: modules that a browser
// loads as they are, so that no bundler stands between what is read and what runs.
//
//go:embed static
var static embed.FS

var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}

// assets are the embedded files, packed once.
var assets = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{}
	_ = fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := static.ReadFile(name) // it was listed
			all["/"+name] = packed(data, gzip.BestCompression)
		}
		return nil
	})
	all[tablesPath] = packed(tablesScript(), gzip.BestCompression)
	all[lookPath] = packed([]byte(htmlpage.CSS()), gzip.BestCompression)
	return all
})

const (
	lookPath   = "/static/look.css"
	tablesPath = "/static/tables.js"
)

// scripts are the paths of the modules, which a page loads ahead of asking.
func scripts() (names []string) {
	files, _ := fs.Glob(static, "static/*.js") // the pattern is sound
	for _, name := range files {
		if path.Base(name) != "layout.js" { // the worker's
			names = append(names, "/"+name)
		}
	}
	return append(names, tablesPath)
}

func packed(data []byte, level int) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, level) // the level is one of the package's
	_, _ = z.Write(data)                   // a buffer does not fail
	_ = z.Close()
	return b.Bytes()
}

func asset(w http.ResponseWriter, r *http.Request) {
	data, ok := assets()[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kinds[path.Ext(r.URL.Path)])
	if unpacks(r) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(data)
		return
	}
	plain, _ := gzip.NewReader(bytes.NewReader(data)) // it was packed here
	_, _ = io.Copy(w, plain)
}

func unpacks(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") }
