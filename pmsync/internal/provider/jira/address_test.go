package jira

import "testing"

func TestSiteURL(t *testing.T) {
	for given, want := range map[string]string{
		"https://a.atlassian.net": "https://a.atlassian.net", "https://a.atlassian.net/": "https://a.atlassian.net", " a.atlassian.net ": "https://a.atlassian.net", "a": "https://a.atlassian.net",
		"https://a.atlassian.net/jira/software/projects/APP/boards/1": "https://a.atlassian.net", "https://a.atlassian.net/browse/APP-1": "https://a.atlassian.net", "https://a.atlassian.net/jira": "https://a.atlassian.net",
		"https://api.atlassian.com/ex/jira/1234": "https://api.atlassian.com/ex/jira/1234", "": "", "http://127.0.0.1:8080/rest/api/3": "http://127.0.0.1:8080",
	} {
		if got := siteURL(given); got != want {
			t.Errorf("%q is %q, not %q", given, got, want)
		}
	}
}
