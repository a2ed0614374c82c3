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

// The page's scripts and styles are embedded as they are edited: modules that a browser loads without a bundler.
//
//go:embed static
var static embed.FS

var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}

// assets are the embedded files, compressed once.
var assets = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{}
	_ = fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := static.ReadFile(name) // the name comes from the listing
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

// scripts returns the paths of the modules that a page preloads.
func scripts() (names []string) {
	files, _ := fs.Glob(static, "static/*.js") // the pattern is valid
	for _, name := range files {
		if path.Base(name) != "layout.js" { // only the worker loads it
			names = append(names, "/"+name)
		}
	}
	return append(names, tablesPath)
}

func packed(data []byte, level int) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, level) // the level is valid
	_, _ = z.Write(data)                   // a buffer never fails
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
	plain, _ := gzip.NewReader(bytes.NewReader(data)) // it was compressed here
	_, _ = io.Copy(w, plain)
}

func unpacks(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") }
