package provider

import "slices"

// Kind describes a tracker for pmsync's own code.
type Kind struct {
	Name  Name
	Title string // its display name
	// Part is an option of connect that selects what is synced; What is its name for people, and Key its key in the project's file.
	Part, What, Key string
	ByName          bool // a project is named by its name, not by its key or id
	// Secret is the key of the credentials in the user's configuration, below providers. Needs are all required keys.
	Secret string
	Needs  []string
	// Env are environment variables that also supply the secret, and Program is a program that prints it.
	Env     []string
	Program string
	// Lacks are fields that its items do not have. Relations are the relations that it supports.
	Lacks     []Field
	Relations []Relation
	// Within are fields that its items have only if this configuration key is set.
	Within map[Field]string
	// PriorityField is true when priorities come from a configured field.
	PriorityField bool
	// More are further parts that connect accepts.
	More []Part
	// Ask are the questions to a person for required values, by key.
	Ask map[string]string
	// Page is where a person creates the secret, Rights its required permissions.
	Page, Rights string
}

// Part is a part of a tracker besides its project: an option of connect, its name for people, and its key in the project's file.
type Part struct{ Option, What, Key string }

// LacksNow returns the fields that items lack in a project; set reports whether a configuration key is set.
func (k Kind) LacksNow(set func(key string) bool) []Field {
	lacks := slices.Clone(k.Lacks)
	for field, key := range k.Within {
		if set == nil || !set(key) {
			lacks = append(lacks, field)
		}
	}
	return lacks
}

// kinds are the trackers. A new one needs its package, the package of its fake, and a row here, in package open and in package fakes.
var kinds = []Kind{
	{Name: Linear, Title: "Linear", Part: "team", What: "the team's key or id", Key: "provider.team_id",
		Lacks: []Field{FieldCustom}, Relations: Relations(),
		Secret: "linear.api_key", Needs: []string{"linear.api_key"},
		Ask:  map[string]string{"linear.api_key": "Its API key"},
		Page: "https://linear.app/settings/account/security", Rights: "read and write"},
	{Name: Jira, Title: "Jira", Part: "project-key", What: "the project's key", Key: "provider.project_key",
		Relations: Relations(), Secret: "jira.api_token", Needs: []string{"jira.url", "jira.email", "jira.api_token"},
		Ask:  map[string]string{"jira.url": "Address of the site, as https://example.atlassian.net", "jira.email": "Email of your account there", "jira.api_token": "The API token"},
		Page: "https://id.atlassian.com/manage-profile/security/api-tokens", Rights: "those of your account"},
	{Name: Asana, Title: "Asana", Part: "project-id", What: "the project's id", Key: "provider.project_id",
		PriorityField: true,
		Lacks:         []Field{FieldEstimate, FieldSprint}, Relations: waits(), Secret: "asana.access_token", Needs: []string{"asana.access_token"},
		Ask:  map[string]string{"asana.access_token": "The personal access token"},
		Page: "https://app.asana.com/0/my-apps", Rights: "those of your account"},
	{Name: AzureDevOps, Title: "Azure DevOps", Part: "project-name", What: "the project's name", Key: "provider.project", ByName: true,
		Relations: Relations(), Secret: "azure_devops.pat", Needs: []string{"azure_devops.organization", "azure_devops.pat"},
		Ask:  map[string]string{"azure_devops.organization": "Organization, as in https://dev.azure.com/ORGANIZATION", "azure_devops.pat": "The personal access token"},
		Page: "https://dev.azure.com/ORGANIZATION/_usersSettings/tokens", Rights: "work items: read and write"},
	{Name: GitHub, Title: "GitHub", Part: "repo", What: "the repository, as OWNER/NAME (default that of the clone's origin)", Key: "provider.project",
		More:  []Part{{"board", "a project of GitHub Projects as OWNER/NUMBER, for status, priority, iteration and points,", "provider.board"}},
		Lacks: []Field{FieldCustom}, Within: map[Field]string{FieldEstimate: "provider.board"}, Relations: waits(), Secret: "github.token", Needs: []string{"github.token"}, Env: []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}, Program: "gh",
		Ask:  map[string]string{"github.token": "The access token"},
		Page: "https://github.com/settings/personal-access-tokens", Rights: "issues: read and write; metadata: read; with a project also Projects: read and write"},
}

// waits are the relations of a tracker that has only blocking links.
func waits() []Relation { return []Relation{Blocks, BlockedBy} }

// Kinds returns the trackers in the order in which they are offered.
func Kinds() []Kind { return kinds }

// KindOf returns the description of a tracker.
func KindOf(n Name) (k Kind, ok bool) {
	for _, k := range kinds {
		if k.Name == n {
			return k, true
		}
	}
	return Kind{}, false
}

// Names are the names of all trackers.
func Names() (names []Name) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// Title returns the tracker's display name.
func (n Name) Title() string {
	if k, ok := KindOf(n); ok {
		return k.Title
	}
	return string(n)
}

// Store describes, within a sentence, how the tracker's secret is configured.
func (n Name) Store() string {
	k, _ := KindOf(n)
	return "store it with `pmsync config set providers." + k.Secret + " -`"
}

// NameOf returns how the configuration names one of the tracker's projects.
func (k Kind) NameOf(p Project) string {
	switch {
	case k.ByName:
		return p.Name
	case p.Key != "":
		return p.Key
	}
	return p.ID
}
