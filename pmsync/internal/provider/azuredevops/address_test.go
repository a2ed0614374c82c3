package azuredevops

import "testing"

func TestOrganizationOf(t *testing.T) {
	for given, want := range map[string]string{
		"fabrikam": "fabrikam", " fabrikam/ ": "fabrikam", "https://dev.azure.com/fabrikam": "fabrikam", "https://dev.azure.com/fabrikam/Web/_boards": "fabrikam",
		"https://fabrikam.visualstudio.com/Web": "fabrikam", "": "",
	} {
		if got := organizationOf(given); got != want {
			t.Errorf("%q is %q, not %q", given, got, want)
		}
	}
}
