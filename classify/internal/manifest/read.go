package manifest

import "io/fs"

// ReadAll reads those of the files (slash-separated, relative to the root of fsys) that are manifests, and completes them with
// what they inherit from each other: Cargo's workspace dependencies, Gradle's version catalogues and convention plugins. The
// result is sorted by depth, then path. It never fails: a file that cannot be read is a Manifest with a Problem.
func ReadAll(fsys fs.FS, files []string) []*Manifest { return nil }

// Read reads the one manifest at path, without what it would inherit from others; nil when KindOf knows no such manifest.
func Read(fsys fs.FS, path string) *Manifest { return nil }
