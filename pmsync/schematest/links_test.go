package schematest

import (
	"os/exec"
	"strings"
	"testing"
)

// TestWhatIsLinked keeps the validators and the servers of the tests out of the
// programs, and the testing package out of the servers, which the sandbox runs too.
func TestWhatIsLinked(t *testing.T) {
	const module = "github.com/agit-suite/agit/pmsync"
	for _, c := range []struct{ pkg, without string }{
		{module, "kin-openapi gqlparser jsonschema providertest"},
		{module + "/cmd/pmsync-mcp", "kin-openapi gqlparser providertest"}, // the MCP library has a JSON schema of its own
		{module + "/internal/provider/open", "kin-openapi gqlparser jsonschema providertest testing"},
		{module + "/internal/provider/providertest/fakelinear", "kin-openapi testing"},
		{module + "/internal/provider/providertest/fakejira", "kin-openapi gqlparser testing"},
		{module + "/internal/provider/providertest/fakeasana", "kin-openapi gqlparser testing"},
		{module + "/internal/provider/providertest/fakeazure", "kin-openapi gqlparser testing"},
	} {
		out, err := exec.Command("go", "list", "-deps", c.pkg).Output()
		if err != nil {
			t.Fatalf("%s: %v", c.pkg, err)
		}
		for dep := range strings.Lines(string(out)) {
			for _, unwanted := range strings.Fields(c.without) {
				dep = strings.TrimSpace(dep)
				if dep == unwanted || unwanted != "testing" && strings.Contains(dep, "/"+unwanted) {
					t.Errorf("%s links %s", c.pkg, dep)
				}
			}
		}
	}
}
