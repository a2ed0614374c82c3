package framework_test

import (
	"flag"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "write the frameworks in testdata anew, for review")

// copies returns files whose names have a number for the star.
func copies(n int, name, text string) []string {
	var all []string
	for i := range n {
		all = append(all, strings.Replace(name, "*", fmt.Sprint(i), 1), text)
	}
	return all
}

func files(parts ...any) (all []string) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			all = append(all, part)
		case []string:
			all = append(all, part...)
		}
	}
	return all
}

const (
	ginMain    = "package main\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc main() { r := gin.Default(); r.Run() }\n"
	ginMod     = "module x\n\nrequire github.com/gin-gonic/gin v1\n"
	plainGo    = "package x\n\nimport \"fmt\"\n\nfunc f() { fmt.Println() }\n"
	flaskMain  = "from flask import Flask\napp = Flask(__name__)\n"
	plainPy    = "import os\n"
	reactFile  = "import React from 'react'\nexport default () => <p/>\n"
	expressApp = "const express = require('express')\nexpress().listen(3)\n"
)

// projects are small projects with declared, imported, started and merely mentioned frameworks.
var projects = []struct {
	name, language string
	files          []string // names and texts in turn
}{
	{"nothing", "Go", nil},
	{"gin started", "Go", files("go.mod", ginMod, "main.go", ginMain)},
	{"gin declared", "Go", files("go.mod", ginMod, copies(40, "p*.go", plainGo))},
	{"gin in one of many", "Go", files("go.mod", ginMod, copies(60, "p*.go", plainGo), "main.go", ginMain)},
	{"gin in half", "Go", files("go.mod", ginMod, copies(30, "p*.go", plainGo), copies(30, "g*.go", ginMain))},
	{"gin in tests alone", "Go", files("go.mod", ginMod, copies(30, "p*.go", plainGo), copies(30, "g*_test.go", ginMain))},
	{"gin below", "Go", files("web/go.mod", ginMod, "web/main.go", ginMain, "main.py", plainPy)},
	{"gin of another language", "Python", files("go.mod", ginMod, "main.go", ginMain)},
	{"several routers", "Go", files("go.mod", "module x\n\nrequire (\n\tgithub.com/gin-gonic/gin v1\n\tgithub.com/labstack/echo/v4 v4\n\tgithub.com/gofiber/fiber/v2 v2\n\tgithub.com/go-chi/chi/v5 v5\n\tgithub.com/spf13/cobra v1\n)\n", "main.go", ginMain, copies(30, "p*.go", plainGo))},
	{"cobra alone", "Go", files("go.mod", "module x\n\nrequire github.com/spf13/cobra v1\n", "cmd/root.go", "package cmd\n\nimport \"github.com/spf13/cobra\"\n")},
	{"imported, not declared", "Go", files("main.go", ginMain)},
	{"flask", "Python", files("requirements.txt", "flask\n", "app.py", flaskMain)},
	{"flask as an extra", "Python", files("pyproject.toml", "[project]\nname='x'\ndependencies=['click']\n[project.optional-dependencies]\nweb=['flask']\n[project.scripts]\nx='x:main'\n", "x/web.py", flaskMain, copies(30, "x/p*.py", plainPy))},
	{"flask for tests", "Python", files("pyproject.toml", "[project]\nname='x'\ndependencies=[]\n[dependency-groups]\ntest=['flask']\n", "tests/app.py", flaskMain, copies(30, "x/p*.py", plainPy))},
	{"django by a file", "Python", files("manage.py", "import django\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'x')\n", "x/settings.py", "INSTALLED_APPS = []\n")},
	{"django and rest", "Python", files("requirements.txt", "django\ndjangorestframework\nfastapi\n", "manage.py", "django\n", "x/a.py", "from django.db import models\n")},
	{"an extension of flask", "Python", files("setup.py", "from setuptools import setup\nsetup(name='flask-x', install_requires=['flask'])\n", "flask_x/__init__.py", "from flask import current_app\n")},
	{"pytorch", "Python", files("requirements.txt", "torch\nnumpy\nstreamlit\n", "train.py", "import torch\n", "app.py", "import streamlit as st\n")},
	{"react", "JavaScript", files("package.json", `{"name":"x","dependencies":{"react":"19","react-dom":"19"},"devDependencies":{"vite":"6"}}`, "src/a.jsx", reactFile)},
	{"react for developing", "JavaScript", files("package.json", `{"name":"x","devDependencies":{"react":"19"},"peerDependencies":{"react":"*"}}`, "src/a.jsx", reactFile)},
	{"react in a corner", "TypeScript", files("package.json", `{"name":"x","dependencies":{"react":"19"}}`, "web/a.tsx", reactFile, copies(80, "src/p*.ts", "export const a = 1\n"))},
	{"next around react", "TypeScript", files("package.json", `{"name":"x","dependencies":{"next":"15","react":"19"}}`, "app/page.tsx", reactFile, "next.config.js", "module.exports={}\n")},
	{"express and react", "JavaScript", files("package.json", `{"name":"x","dependencies":{"express":"5","react":"19"}}`, "server.js", expressApp, "web/a.jsx", reactFile)},
	{"express for tests", "JavaScript", files("package.json", `{"name":"x","devDependencies":{"express":"5"}}`, "test/a.js", expressApp, "index.js", "module.exports = 1\n")},
	{"a workspace", "TypeScript", files("package.json", `{"name":"x","private":true,"workspaces":["apps/*"],"devDependencies":{"typescript":"5"}}`, "apps/a/package.json", `{"name":"a","dependencies":{"next":"15"}}`, "apps/b/package.json", `{"name":"b","dependencies":{"nuxt":"3"}}`, "apps/docs/package.json", `{"name":"docs","dependencies":{"vitepress":"1"}}`, "apps/a/app/page.tsx", reactFile)},
	{"docs beside a program", "TypeScript", files("package.json", `{"name":"x","dependencies":{"commander":"12"},"devDependencies":{"vitepress":"1"},"bin":{"x":"x.js"}}`, "src/a.ts", "import { Command } from 'commander'\n", "docs/index.md", "# Docs\n")},
	{"vue files", "JavaScript", files("package.json", `{"name":"x","dependencies":{"vue":"3"}}`, copies(5, "src/c*.vue", "<template/>\n"), "src/a.js", "import { createApp } from 'vue'\n")},
	{"rails", "Ruby", files("Gemfile", "gem 'rails'\ngem 'sinatra'\n", "bin/rails", "#!/usr/bin/env ruby\n", "config/application.rb", "require 'rails'\n")},
	{"laravel with assets", "PHP", files("composer.json", `{"require":{"laravel/framework":"^12"}}`, "artisan", "#!/usr/bin/env php\n", "package.json", `{"devDependencies":{"vite":"6","vue":"3"}}`)},
	{"a package for laravel", "PHP", files("composer.json", `{"name":"a/b","type":"library","require":{"illuminate/support":"^12"},"require-dev":{"orchestra/testbench":"*"}}`, "src/A.php", "<?php\nuse Illuminate\\Support\\ServiceProvider;\n")},
	{"spring boot", "Java", files("pom.xml", "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId></parent><artifactId>x</artifactId><dependencies><dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>", "src/main/java/A.java", "import org.springframework.boot.SpringApplication;\nclass A { void m() { SpringApplication.run(A.class); } }\n")},
	{"ktor by gradle", "Kotlin", files("build.gradle.kts", "plugins { kotlin(\"jvm\") }\ndependencies { implementation(\"io.ktor:ktor-server-core:3\") }\n", "src/main/kotlin/A.kt", "import io.ktor.server.engine.*\nfun main() { embeddedServer(Netty) {} }\n")},
	{"actix and clap", "Rust", files("Cargo.toml", "[package]\nname='x'\n[dependencies]\nactix-web='4'\nclap='4'\n", "src/main.rs", "use actix_web::{App, HttpServer};\nfn main() { HttpServer::new(|| App::new()); }\n")},
	{"tauri", "TypeScript", files("package.json", `{"name":"x","dependencies":{"react":"19","@tauri-apps/api":"2"}}`, "src-tauri/Cargo.toml", "[package]\nname='x'\n[dependencies]\ntauri='2'\n", "src/a.tsx", reactFile, "src-tauri/src/main.rs", "fn main() { tauri::Builder::default(); }\n")},
	{"asp.net", "C#", files("A.csproj", "<Project Sdk=\"Microsoft.NET.Sdk.Web\"><PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup></Project>", "Program.cs", "var builder = WebApplication.CreateBuilder(args);\n")},
	{"flutter", "Dart", files("pubspec.yaml", "name: x\ndependencies:\n  flutter:\n    sdk: flutter\n", "lib/main.dart", "import 'package:flutter/material.dart';\nvoid main() => runApp(A());\n")},
	{"phoenix", "Elixir", files("mix.exs", "defmodule X do\n  defp deps do\n    [{:phoenix, \"~> 1.7\"}, {:plug, \"1\"}]\n  end\nend\n", "lib/x_web/endpoint.ex", "use Phoenix.Endpoint\n")},
	{"hugo", "", files("config.toml", "baseURL = 'x'\ntheme = 'y'\n", "content/a.md", "# A\n")},
	{"unity", "C#", files("ProjectSettings/ProjectVersion.txt", "m_EditorVersion: 6\n", "Assets/A.cs", "using UnityEngine;\n")},
	{"itself", "Go", files("go.mod", "module github.com/gin-gonic/gin\n", "gin.go", "package gin\n")},
}

// Small projects: each framework that is found, how surely and why, with the sources read and without.
func TestManyProjects(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range projects {
		tree := fstest.MapFS{}
		var names []string
		for i := 0; i < len(p.files); i += 2 {
			names = append(names, p.files[i])
			tree[p.files[i]] = &fstest.MapFile{Data: []byte(p.files[i+1])}
		}
		manifests := manifest.ReadAll(tree, names)
		fmt.Fprintf(&b, "%s\n", p.name)
		facts := framework.Facts{Language: p.language, Manifests: manifests, Files: names, Read: func(path string) []byte {
			data, _ := fs.ReadFile(tree, path)
			return data
		}}
		rough := facts
		rough.Rough = true
		blind := facts
		blind.Read = nil
		last := ""
		for _, way := range []struct {
			name string
			framework.Facts
		}{{"", facts}, {"rough", rough}, {"without reading", blind}, {"proved", facts}, {"proved by little", facts}} {
			var said strings.Builder
			matches := framework.Detect(way.Facts)
			if way.name == "proved" || way.name == "proved by little" {
				var sources []framework.Source
				for _, name := range names {
					if ext := path.Ext(name); ext != ".json" && ext != ".toml" && ext != ".mod" && ext != ".txt" && !strings.Contains(name, "test") {
						sources = append(sources, framework.Source{Path: name, Size: map[bool]int64{true: 9000, false: 90}[way.name == "proved"]})
					}
				}
				matches = framework.Prove(way.Facts, sources, matches)
			}
			for _, m := range matches {
				fmt.Fprintf(&said, "\t%s of %s, %d, %.2f", m.Name, m.Ecosystem, m.Kind, m.Confidence)
				for _, is := range []struct {
					name string
					true bool
				}{{"main", m.Main}, {"arguments", m.Arguments}, {"router", m.Router}, {"few", m.Few}, {"book", m.Book}, {"at root", m.AtRoot()}, {"itself", framework.Itself(m.Name, manifests)}} {
					if is.true {
						said.WriteString(" " + is.name)
					}
				}
				fmt.Fprintf(&said, ": %s\n", strings.Join(m.Why, "; "))
			}
			if said.String() != last {
				fmt.Fprintf(&b, "%s:\n%s", way.name, said.String())
			}
			last = said.String()
		}
	}
	goldentest.Same(t, "projects.txt", b.String(), *update)
}
