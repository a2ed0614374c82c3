// Package history keeps, in the registry, the results of checks of citations, the commit at which each was last right, and the votes of
// agents on memories. It alone writes `cited_docs`, `citations`, `verifications` and `votes`; verifications and votes are only ever
// appended. It reads the memories of the registry through memoryd's views.
//
// It judges nothing and reads no code. A Store is safe for concurrent use.
package history
