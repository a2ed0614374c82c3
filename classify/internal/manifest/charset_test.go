package manifest

import (
	"testing"
	"testing/fstest"
)

// TestDeclaredEncoding: a file that names its character set is read in it, and is not a problem.
func TestDeclaredEncoding(t *testing.T) {
	t.Parallel()
	pom := func(encoding, name string) string {
		return `<?xml version='1.0' encoding='` + encoding + `'?><project><artifactId>tide</artifactId><description>` + name + `</description></project>`
	}
	for name, c := range map[string]struct {
		file, text, want string
		wrong            bool
	}{
		"Latin-1":                      {"pom.xml", pom("ISO-8859-1", "f\xfcr alle"), "für alle", false},
		"Windows":                      {"pom.xml", pom("windows-1252", "20 \x80 im Monat"), "20 € im Monat", false},
		"its short name":               {"pom.xml", pom("cp1251", "\xcf\xf0\xe8\xeb\xe8\xe2"), "Прилив", false},
		"Japanese":                     {"pom.xml", pom("Shift_JIS", "\x92\xaa"), "潮", false},
		"Chinese":                      {"pom.xml", pom("GBK", "\xb3\xb1"), "潮", false},
		"R's description":              {"DESCRIPTION", "Package: tide\nEncoding: latin1\nTitle: Gezeiten f\xfcr alle\n", "Gezeiten für alle", false},
		"Python's cookie":              {"setup.py", "#!/usr/bin/python\n# -*- coding: latin-1 -*-\nsetup(name='tide', description='f\xfcr alle')\n", "für alle", false},
		"Ruby's comment":               {"a.gemspec", "# encoding: iso-8859-15\nGem::Specification.new do |s|\n  s.name = 'tide'\n  s.summary = 'f\xfcr alle'\nend\n", "für alle", false},
		"UTF-8 whatever it names":      {"pom.xml", pom("ISO-8859-1", "für alle"), "für alle", false},
		"UTF-8 that is not":            {"pom.xml", pom("UTF-8", "f\xfcr alle"), "f\uFFFDr alle", true},
		"a set that does not exist":    {"pom.xml", pom("none-such", "f\xfcr alle"), "f\uFFFDr alle", true},
		"bytes that are not of it":     {"pom.xml", pom("Shift_JIS", "f\xfcr alle"), "f\uFFFDr alle", true},
		"a cookie in the third line":   {"setup.py", "#\n#\n# coding: latin-1\nsetup(name='tide', description='f\xfcr alle')\n", "f\uFFFDr alle", true},
		"nothing that names character": {"pom.xml", "<project><artifactId>a</artifactId><description>f\xfcr alle</description></project>", "f\uFFFDr alle", true},
	} {
		all := ReadAll(fstest.MapFS{c.file: {Data: []byte(c.text)}}, []string{c.file})
		if got := all[0]; got.Description != c.want || len(got.Problems) > 0 != c.wrong {
			t.Errorf("%s: %q with problems %v, want %q", name, got.Description, got.Problems, c.want)
		}
	}
}

func FuzzRecode(f *testing.F) {
	f.Add("pom.xml", []byte("<?xml version='1.0' encoding='Shift_JIS'?>\x92\xaa"))
	f.Add("DESCRIPTION", []byte("Encoding: latin1\n\xfc"))
	f.Add("setup.py", []byte("# coding=utf_8\n\xfc"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		if text, ok := recode(file, data); ok && len(text) > 8*len(data)+8 {
			t.Errorf("%d bytes became %d", len(data), len(text))
		}
	})
}
