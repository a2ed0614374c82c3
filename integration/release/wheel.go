package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	homepage = "https://github.com/agit-suite/agit"
	summary  = "Several AI coding agents in one repository, with shared work, memory and facts."
)

// wheels makes one wheel for each platform. Its scripts are the programs themselves, so pip installs them among its programs.
type wheels struct{ version, out string }

func newWheels(version, out string) (*wheels, error) {
	version, err := pipVersion(version)
	return &wheels{version: version, out: out}, err
}

var prerelease = regexp.MustCompile(`^v(\d+\.\d+\.\d+)-(alpha|beta|rc|dev)\.?(\d+)$`)

// pipVersion converts a version to pip's order: v1.2.0-rc.1 is 1.2.0rc1, before 1.2.0. A prerelease without a form in pip is an error.
func pipVersion(version string) (string, error) {
	if !strings.Contains(version, "-") {
		return strings.TrimPrefix(version, "v"), nil
	}
	parts := prerelease.FindStringSubmatch(version)
	if parts == nil {
		return "", fmt.Errorf("pip has no form for version %s; end it with -alpha.N, -beta.N, -rc.N or -dev.N", version)
	}
	word := map[string]string{"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[parts[2]]
	return parts[1] + word + parts[3], nil
}

// tag returns the platform in pip's terms. The programs are static, so any Linux runs them; macOS is the oldest that Go supports.
func (p platform) tag() (string, error) {
	switch p {
	case platform{"linux", "amd64"}:
		return "manylinux2014_x86_64.musllinux_1_1_x86_64", nil
	case platform{"linux", "arm64"}:
		return "manylinux2014_aarch64.musllinux_1_1_aarch64", nil
	case platform{"darwin", "amd64"}:
		return "macosx_12_0_x86_64", nil
	case platform{"darwin", "arm64"}:
		return "macosx_12_0_arm64", nil
	case platform{"windows", "amd64"}:
		return "win_amd64", nil
	case platform{"windows", "arm64"}:
		return "win_arm64", nil
	}
	return "", fmt.Errorf("pip has no name for %s/%s", p.OS, p.Arch)
}

func (w *wheels) add(p packed) error {
	tag, err := p.tag()
	if err != nil {
		return err
	}
	name := "agit_suite-" + w.version
	info := name + ".dist-info/"
	files := map[string][]byte{
		info + "METADATA": fmt.Appendf(nil, "Metadata-Version: 2.1\nName: agit-suite\nVersion: %s\nSummary: %s\nHome-page: %s\nLicense: MIT\n", w.version, summary, homepage),
		info + "LICENSE":  p.licence,
	}
	kinds := "Wheel-Version: 1.0\nGenerator: agit release\nRoot-Is-Purelib: false\n"
	for one := range strings.SplitSeq(tag, ".") {
		kinds += "Tag: py3-none-" + one + "\n"
	}
	files[info+"WHEEL"] = []byte(kinds)
	for program, content := range p.programs {
		files[name+".data/scripts/"+program] = content
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	record := ""
	for _, file := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[file])
		record += fmt.Sprintf("%s,sha256=%s,%d\n", file, base64.RawURLEncoding.EncodeToString(sum[:]), len(files[file]))
		if err := put(out, file, files[file]); err != nil {
			return err
		}
	}
	if err := put(out, info+"RECORD", []byte(record+info+"RECORD,,\n")); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(w.out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.out, name+"-py3-none-"+tag+".whl"), b.Bytes(), 0o644)
}

func (w *wheels) finish() error { return nil }

func put(out *zip.Writer, name string, content []byte) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	header.SetMode(0o755)
	to, err := out.CreateHeader(header)
	if err == nil {
		_, err = to.Write(content)
	}
	return err
}
