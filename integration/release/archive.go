package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// platform is the target of an archive, in Go's terms.
type platform struct{ OS, Arch string }

// packed is the content of a release archive: the programs by file name, and the licence.
type packed struct {
	platform
	programs map[string][]byte
	licence  []byte
}

// packer makes packages from the archives, one after the other, and then the package that joins them.
type packer interface {
	add(packed) error
	finish() error
}

// eachArchive passes goreleaser's archives in dist to the packer: agit_VERSION_OS_ARCH.tar.gz, or .zip.
func eachArchive(version, dist string, to packer) error {
	files, err := filepath.Glob(filepath.Join(dist, "agit_"+strings.TrimPrefix(version, "v")+"_*_*"))
	if err != nil {
		return err
	}
	found := 0
	for _, file := range files {
		name, isTar := strings.CutSuffix(filepath.Base(file), ".tar.gz")
		name, isZip := strings.CutSuffix(name, ".zip")
		if !isTar && !isZip {
			continue
		}
		parts := strings.Split(name, "_")
		p := packed{platform: platform{OS: parts[len(parts)-2], Arch: parts[len(parts)-1]}, programs: map[string][]byte{}}
		open := p.readTar
		if isZip {
			open = p.readZip
		}
		if err := open(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := to.add(p); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		found++
	}
	if found == 0 {
		return fmt.Errorf("%s holds no archive of %s; `make dist` makes them", dist, version)
	}
	return to.finish()
}

// take keeps a file of an archive if a package needs it. Programs are at the top level, and have an extension only on Windows.
func (p *packed) take(name string, content io.Reader) (err error) {
	name = path.Clean(name)
	switch {
	case name == "LICENSE":
		p.licence, err = io.ReadAll(content)
	case !strings.Contains(name, "/") && (path.Ext(name) == "" || path.Ext(name) == ".exe"):
		p.programs[name], err = io.ReadAll(content)
	}
	return err
}

func (p *packed) readTar(file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	reader := tar.NewReader(plain)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := p.take(header.Name, reader); err != nil {
			return err
		}
	}
}

func (p *packed) readZip(file string) error {
	reader, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer reader.Close()
	for _, entry := range reader.File {
		content, err := entry.Open()
		if err != nil {
			return err
		}
		err = p.take(entry.Name, content)
		content.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
