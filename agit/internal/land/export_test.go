package land

// WithoutMergeTree is for tests of the way that a git before 2.38 goes.
var WithoutMergeTree = &withoutMergeTree
