package framework

import (
	"sync"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// table joins the ecosystems' rows on first use. To add a framework, add its row in the file of its ecosystem, before the rows that it is
// built on, and its fixture in testdata/rows.
var table = sync.OnceValue(func() []*row {
	all := make([]*row, 0, 800)
	for _, part := range []struct {
		eco  manifest.Ecosystem
		rows []row
	}{
		{manifest.NPM, npmRows},
		{manifest.PyPI, pypiRows},
		{manifest.RubyGems, rubyRows},
		{manifest.Composer, composerRows},
		{manifest.Go, goRows},
		{manifest.Cargo, cargoRows},
		{manifest.Maven, mavenRows},
		{manifest.NuGet, nugetRows},
		{manifest.Hex, hexRows},
		{manifest.Pub, pubRows},
		{manifest.SwiftPM, swiftRows},
		{manifest.Native, nativeRows},
	} {
		for i := range part.rows { // in place: copying them would take a noticeable part of a short command's time
			part.rows[i].eco = part.eco
			all = append(all, &part.rows[i])
		}
	}
	return all
})
