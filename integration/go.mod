module github.com/agit-suite/agit/integration

go 1.26.0

require github.com/agit-suite/agit/shared v0.0.0

require github.com/modelcontextprotocol/go-sdk v1.8.0

require github.com/google/go-cmp v0.7.0

replace github.com/agit-suite/agit/shared => ../shared
