package provider

import "slices"

// Kind is what pmsync's own parts must know of a tracker before they speak to it.
type Kind struct {
	Name  Name
	Title string // how people write its name
	// Part is what of the tracker is synced, as an option of connect; What is the same
	// for people, and Key where the project's file has it.
	Part, What, Key string
	ByName          bool // a project is named by its name, not by its key or id
	// Secret is the key of the credentials in the user's configuration, below providers.
	// Needs are all keys that must be set.
	Secret string
	Needs  []string
	// Env are variables of the environment that hold the secret too, and Program is one
	// that prints it.
	Env     []string
	Program string
	// Lacks are fields that its items do not have. Relations are those that its items can
	// be given.
	Lacks     []Field
	Relations []Relation
	// Within are fields that its items have only where this key of the configuration is set.
	Within map[Field]string
	// PriorityField says that its priorities are those of a field that the configuration names.
	PriorityField bool
	// More are further parts that can be named with connect.
	More []Part
	// Ask are the questions by which a person is asked for what is needed, by its key.
	Ask map[string]string
	// Page is where a person makes the secret, Rights what it must allow.
	Page, Rights string
}

// Part is what of a tracker can be named beside its project: an option of connect, what it
// is for people, and where the project's file has it.
type Part struct{ Option, What, Key string }

// LacksNow are the fields that its items do not have in a project whose configuration has
// the keys that set reports.
func (k Kind) LacksNow(set func(key string) bool) []Field {
	lacks := slices.Clone(k.Lacks)
	for field, key := range k.Within {
		if set == nil || !set(key) {
			lacks = append(lacks, field)
		}
	}
	return lacks
}

// kinds are the trackers. A new one is its package, the package of its fake, a row here, a
// row in package open and one in package fakes.
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

// waits are the relations of a tracker that knows only what waits for what.
func waits() []Relation { return []Relation{Blocks, BlockedBy} }

// Kinds are the trackers, in the order in which they are offered.
func Kinds() []Kind { return kinds }

// KindOf returns what is known of a tracker.
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

// Title is how people write the tracker's name.
func (n Name) Title() string {
	if k, ok := KindOf(n); ok {
		return k.Title
	}
	return string(n)
}

// Store names, within a sentence, how the tracker's secret is configured.
func (n Name) Store() string {
	k, _ := KindOf(n)
	return "store it with `pmsync config set providers." + k.Secret + " -`"
}

// NameOf is how one of the tracker's projects is named in the configuration.
func (k Kind) NameOf(p Project) string {
	switch {
	case k.ByName:
		return p.Name
	case p.Key != "":
		return p.Key
	}
	return p.ID
}
