package framework_test

import (
	"testing"

	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/manifest"
)

// People write names with versions, dots, other cases and further words. A text that is not a framework must not match.
func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"next.js": "next.js", "NextJS": "next.js", "Next": "next.js", "Next.js 15 (App Router)": "next.js", "Nuxt 3": "nuxt",
		"Ruby on Rails": "rails", "Rails 8.0": "rails", "Spring Boot 3.4": "spring-boot", "springboot": "spring-boot",
		"Spring Framework": "spring", "NestJS": "nestjs", "Nest.js": "nestjs", "Vue 3": "vue", "Vue.js": "vue", "vue3": "vue",
		"React": "react", "React Native": "react-native", "React Router v7": "react-router", "Express.js": "express",
		"FastAPI": "fastapi", "Laravel 13": "laravel", "Laravel Framework": "laravel", "Actix Web": "actix-web", "actix": "actix-web",
		"SvelteKit": "sveltekit", "Svelte Kit": "sveltekit", "Angular 17": "angular", "Yii2": "yii", "Create React App": "react",
		"Django REST framework": "django", "discord.py": "discord.py", "Vert.x": "vert.x", "Jakarta EE 10": "jakarta-ee",
		"SolidJS": "solid", "three.js": "three.js", "ember": "ember",
		"": "", "   ": "", "none": "", "Jest 29": "", "docs are in Chinese": "", "Phoenix LiveReload": "", "Hibernate": "", "Phoenix 1.8": "phoenix", "ASP.NET Core": "aspnetcore", "[]types": "",
		"React and Vue": "", "built with love": "", "v3": "", "3": "", "js": "", "...": "",
		"a very long sentence that somebody wrote after the word framework in the file": "",
	} {
		got, ok := framework.Canonical(name)
		if got != want || ok != (want != "") {
			t.Errorf("Canonical(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
	if got := framework.EcosystemOf("Ruby on Rails"); got != manifest.RubyGems {
		t.Errorf("EcosystemOf(Ruby on Rails) = %q", got)
	}
	if got := framework.EcosystemOf("nothing of the kind"); got != "" {
		t.Errorf("EcosystemOf of no framework = %q", got)
	}
}

// Any input is either found or not, without a panic.
func FuzzCanonical(f *testing.F) {
	f.Add("Next.js 15 (App Router)")
	f.Add("\xff v1")
	f.Fuzz(func(t *testing.T, name string) {
		canonical, ok := framework.Canonical(name)
		if again, found := framework.Canonical(canonical); ok && (!found || again != canonical) {
			t.Errorf("Canonical(%q) = %q, which is not canonical itself: %q", name, canonical, again)
		}
	})
}
