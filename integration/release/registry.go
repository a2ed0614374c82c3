package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// registryServer is a server in the MCP registry: server.json of
// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json.
type registryServer struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"` // at most 100 characters
	Repository  map[string]string `json:"repository"`
	Version     string            `json:"version"`
	Website     string            `json:"websiteUrl"`
	Packages    []registryPackage `json:"packages"`
}

type registryPackage struct {
	Type       string             `json:"registryType"`
	Identifier string             `json:"identifier"`
	Version    string             `json:"version"`
	SHA256     string             `json:"fileSha256,omitempty"`
	Runtime    string             `json:"runtimeHint,omitempty"`
	Transport  registryTransport  `json:"transport"`
	Arguments  []registryArgument `json:"packageArguments,omitempty"`
}

type registryTransport struct {
	Type string `json:"type"`
}

var stdio = registryTransport{Type: "stdio"}

type registryArgument struct {
	Type  string `json:"type"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value"`
}

// mostDescription is the registry's limit for a description, in characters.
const mostDescription = 100

// registryServer is the server.json of a server: its bundles, and for agit the package of
// npm, whose mcpName names the server.
func (b *bundles) registryServer(name string, packages []registryPackage) ([]byte, error) {
	short, err := shortOf(b.root, name)
	if err != nil {
		return nil, err
	}
	s := registryServer{Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", Name: registryName + name, Title: name,
		Description: short, Repository: map[string]string{"url": homepage, "source": "github", "subfolder": name},
		Version: b.version, Website: homepage, Packages: packages}
	if len(short) > mostDescription {
		return nil, fmt.Errorf("%s is described in %d bytes; the MCP registry takes %d characters", name, len(short), mostDescription)
	}
	if name == npmServer {
		s.Packages = append(s.Packages, registryPackage{Type: "npm", Identifier: npmName, Version: b.version, Runtime: "npx", Transport: stdio,
			Arguments: []registryArgument{{Type: "positional", Value: "serve"}, {Type: "named", Name: coreTools[0], Value: coreTools[1]}}})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(s)
	return out.Bytes(), err
}
