package linear

// The queries. Page sizes keep each query below Linear's limit of 10,000 points: 0.1 for a property, 1 for an object, and connections
// multiply by their page size.
const (
	issuePage  = 160 // about 58 points each: an hour's 3,000,000 are enough for 50,000 issues
	changePage = 50  // of each of four lists in one query
	smallPage  = 100
	idPage     = 250 // Linear's largest page

	userFields = ` { id name displayName email active }`
	pageInfo   = ` pageInfo { hasNextPage endCursor }`

	issueFields = `
	id identifier previousIdentifiers title description priority priorityLabel estimate dueDate url
	createdAt updatedAt archivedAt trashed labelIds
	state { id name type }
	assignee` + userFields + `
	team { id key }
	parent { id identifier title }
	cycle { id number name }
	project { id name }
	projectMilestone { id name }
	attachments(first: 4) { nodes { id title url } }
	relations(first: 4) { nodes { id type relatedIssue { id identifier title } } pageInfo { hasNextPage } }
	inverseRelations(first: 4) { nodes { id type issue { id identifier title } } pageInfo { hasNextPage } }`

	projectFields = `
	id slugId name description content priority priorityLabel url createdAt updatedAt archivedAt trashed targetDate
	status { id name type }
	lead` + userFields

	milestoneFields = `
	id name description targetDate status createdAt updatedAt archivedAt
	project { id name url }`

	ascending = `sort: [{updatedAt: {order: Ascending}}]`

	queryConnection = `query Connection($team: String!) {
	viewer { id name email }
	organization { name urlKey }
	team(id: $team) { id key name timezone }
}`

	queryViewer = `query Viewer {
	viewer { id name email }
	organization { name urlKey }
}`

	queryTeams = `query Teams($after: String) {
	teams(first: 100, after: $after) { nodes { id key name archivedAt parent { id } }` + pageInfo + ` }
}`

	queryChanges = `query Changes($issues: IssueFilter, $archived: IssueFilter, $projects: ProjectFilter, $milestones: ProjectMilestoneFilter) {
	issues(first: 50, filter: $issues, ` + ascending + `) { nodes {` + issueFields + ` }` + pageInfo + ` }
	archived: issues(first: 50, filter: $archived, includeArchived: true, ` + ascending + `) { nodes {` + issueFields + ` }` + pageInfo + ` }
	projects(first: 50, filter: $projects, includeArchived: true, ` + ascending + `) { nodes {` + projectFields + ` }` + pageInfo + ` }
	projectMilestones(first: 50, filter: $milestones, includeArchived: true) { nodes {` + milestoneFields + ` }` + pageInfo + ` }
}`

	queryIssues = `query Issues($filter: IssueFilter, $archived: Boolean!, $first: Int!, $after: String) {
	issues(first: $first, after: $after, filter: $filter, includeArchived: $archived, ` + ascending + `) { nodes {` + issueFields + ` }` + pageInfo + ` }
}`

	queryProjects = `query Projects($filter: ProjectFilter, $first: Int!, $after: String) {
	projects(first: $first, after: $after, filter: $filter, includeArchived: true, ` + ascending + `) { nodes {` + projectFields + ` }` + pageInfo + ` }
}`

	queryMilestones = `query Milestones($filter: ProjectMilestoneFilter, $first: Int!, $after: String) {
	projectMilestones(first: $first, after: $after, filter: $filter, includeArchived: true) { nodes {` + milestoneFields + ` }` + pageInfo + ` }
}`

	queryIssue     = `query Issue($id: String!) { issue(id: $id) {` + issueFields + ` } }`
	queryProject   = `query Project($id: String!) { project(id: $id) {` + projectFields + ` } }`
	queryMilestone = `query Milestone($id: String!) { projectMilestone(id: $id) {` + milestoneFields + ` } }`

	queryLinks = `query Links($id: String!, $after: String) {
	issue(id: $id) { relations(first: 100, after: $after) { nodes { id type relatedIssue { id identifier title } }` + pageInfo + ` } }
}`
	queryInverseLinks = `query InverseLinks($id: String!, $after: String) {
	issue(id: $id) { inverseRelations(first: 100, after: $after) { nodes { id type issue { id identifier title } }` + pageInfo + ` } }
}`

	queryStates = `query States($filter: WorkflowStateFilter, $after: String) {
	workflowStates(first: 100, after: $after, filter: $filter) { nodes { id name type position }` + pageInfo + ` }
}`

	queryLabels = `query Labels($filter: IssueLabelFilter, $after: String) {
	issueLabels(first: 250, after: $after, filter: $filter, includeArchived: true) { nodes { id name isGroup archivedAt team { id } }` + pageInfo + ` }
}`

	queryCycles = `query Cycles($filter: CycleFilter, $after: String) {
	cycles(first: 100, after: $after, filter: $filter) { nodes { id number name description startsAt endsAt completedAt isActive isFuture }` + pageInfo + ` }
}`

	queryUsers = `query Users($filter: UserFilter) {
	users(first: 50, filter: $filter) { nodes` + userFields + ` }
}`

	queryComments = `query Comments($filter: CommentFilter, $after: String) {
	comments(first: 100, after: $after, filter: $filter, orderBy: createdAt) { nodes { ` + commentFields + ` }` + pageInfo + ` }
}`
	commentFields = `id body createdAt updatedAt url user` + userFields

	queryIssuesThere = `query IssuesThere($ids: [ID!]!) {
	issues(first: 250, filter: {id: {in: $ids}}, includeArchived: true) { nodes { id identifier archivedAt trashed team { id key } } }
}`
	queryProjectsThere = `query ProjectsThere($ids: [ID!]!) {
	projects(first: 250, filter: {id: {in: $ids}}, includeArchived: true) { nodes { id slugId archivedAt trashed } }
}`
	queryMilestonesThere = `query MilestonesThere($ids: [ID!]!) {
	projectMilestones(first: 250, filter: {id: {in: $ids}}, includeArchived: true) { nodes { id archivedAt } }
}`

	mutationUpdate = `mutation Update($id: String!, $input: IssueUpdateInput!) {
	issueUpdate(id: $id, input: $input) { success issue {` + issueFields + ` } }
}`
	mutationCreate = `mutation Create($input: IssueCreateInput!) {
	issueCreate(input: $input) { success issue {` + issueFields + ` } }
}`
	mutationLink = `mutation Link($input: IssueRelationCreateInput!) {
	issueRelationCreate(input: $input) { success issueRelation { id } }
}`
	mutationComment = `mutation Comment($input: CommentCreateInput!) {
	commentCreate(input: $input) { success comment { ` + commentFields + ` } }
}`
)
