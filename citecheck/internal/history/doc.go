// Package history keeps, in the registry, what was found when citations were
// checked, the commit each was last right at, and what agents say of memories.
// It alone writes `cited_docs`, `citations`, `verifications` and `votes`;
// verifications and votes are only ever appended. It reads the memories of the
// registry through memoryd's views.
//
// It judges nothing and reads no code. A Store is safe for concurrent use.
package history
