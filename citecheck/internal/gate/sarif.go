package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
)

// The parts of SARIF 2.1.0 (OASIS, 2020) that are written.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"semanticVersion,omitempty"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	Help             sarifText `json:"help"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

type sarifArtifact struct {
	URI    string `json:"uri"`
	BaseID string `json:"uriBaseId,omitempty"`
}

// rules are the possible verdicts, with advice for each.
var rules = []sarifRule{
	{ID: "moved", ShortDescription: sarifText{"The cited text is at another line"}, Help: sarifText{"`citecheck fix` writes the new line."}},
	{ID: "renamed", ShortDescription: sarifText{"The cited file has another name"}, Help: sarifText{"`citecheck fix` writes the new name."}},
	{ID: "changed", ShortDescription: sarifText{"The cited text was edited"}, Help: sarifText{"See whether the memory still holds; then `citecheck fix --reviewed` writes the new text."}},
	{ID: "gone", ShortDescription: sarifText{"The cited text is gone"}, Help: sarifText{"Correct the memory, or cite what took the text's place."}},
	{ID: "ambiguous", ShortDescription: sarifText{"The cited text is at several places"}, Help: sarifText{"Cite a longer part of the line."}},
	{ID: "outside", ShortDescription: sarifText{"The cited path leaves the repository"}, Help: sarifText{"Cite a file of the repository."}},
	{ID: "unverifiable", ShortDescription: sarifText{"The citation cannot be checked"}, Help: sarifText{"Give it a snippet, or fetch more history."}},
	{ID: "removed", ShortDescription: sarifText{"Agents are told of something that was removed"}, Help: sarifText{"Correct the instruction, or name what took its place."}},
	{ID: "missing", ShortDescription: sarifText{"Agents are told of something that does not exist"}, Help: sarifText{"Correct the instruction, or add what it names."}},
	{ID: "hidden", ShortDescription: sarifText{"An instruction file is not read, since another one hides it"}, Help: sarifText{"Import it into the other file."}},
	{ID: Unreadable, ShortDescription: sarifText{"The memory cannot be read"}, Help: sarifText{"Correct the line."}},
}

// SARIF is the findings as a static analysis log.
func SARIF(findings []Finding, version string) (string, error) {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "citecheck", InformationURI: "https://github.com/agit-suite/agit", Rules: rules}
	if version != "" && version[0] >= '0' && version[0] <= '9' {
		run.Tool.Driver.Version = version
	}
	for _, f := range findings {
		level := "warning"
		if f.Fails {
			level = "error"
		}
		sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.File + "\x00" + f.Cited))
		r := sarifResult{
			RuleID: f.Rule, RuleIndex: slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == f.Rule }), Level: level, Message: sarifText{f.Message},
			Fingerprints: map[string]string{"citation/v1": hex.EncodeToString(sum[:16])},
		}
		if f.File != "" {
			var at sarifLocation
			at.Physical.Artifact, at.Physical.Region.StartLine = sarifArtifact{URI: uri(f.File), BaseID: "%SRCROOT%"}, f.Line
			if path.IsAbs(f.File) {
				at.Physical.Artifact = sarifArtifact{URI: "file://" + uri(f.File)}
			}
			r.Locations = []sarifLocation{at}
		}
		run.Results = append(run.Results, r)
	}
	out, err := json.MarshalIndent(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	}, "", "  ")
	return string(out) + "\n", err
}

// uri writes a path as a URI reference. A colon in its first part would end a
// scheme.
func uri(file string) string {
	parts := strings.Split(file, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
