package inspect

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
)

// Names of packages show what they extend, by their beginnings and endings.
var (
	hostsByStart = map[string]string{"eslint-plugin": "eslint", "eslint-config": "eslint", "babel-plugin": "babel", "babel-preset": "babel", "vite-plugin": "vite", "rollup-plugin": "rollup", "esbuild-plugin": "esbuild", "postcss": "postcss",
		"prettier-plugin": "prettier", "stylelint": "stylelint", "gatsby-plugin": "gatsby", "gatsby-theme": "gatsby", "tailwindcss": "tailwindcss", "grunt": "grunt", "gulp": "gulp", "remark": "remark", "rehype": "rehype", "hexo": "hexo", "cordova-plugin": "cordova",
		"pytest": "pytest", "flake8": "flake8", "pylint": "pylint", "sphinx": "sphinx", "sphinxcontrib": "sphinx", "mkdocs": "mkdocs", "django": "django", "flask": "flask", "rubocop": "rubocop", "jekyll": "jekyll", "fastlane-plugin": "fastlane", "vagrant": "vagrant",
		"terraform-provider": "terraform", "packer-plugin": "packer", "caddy": "caddy", "gradle": "gradle", "fastify": "fastify", "hubot": "hubot", "homebridge": "homebridge", "vim": "vim", "zsh": "zsh", "tmux": "tmux", "obsidian": "obsidian", "vscode": "vscode"}
	hostsByEnd = map[string]string{".nvim": "neovim", ".vim": "vim", "-webpack-plugin": "webpack", "-loader": "webpack", "-vscode": "vscode", "-maven-plugin": "maven", "-gradle-plugin": "gradle"}
	// hostsOfTypes are Composer's types of packages.
	hostsOfTypes = map[string]string{"wordpress-plugin": "wordpress", "wordpress-theme": "wordpress", "wordpress-muplugin": "wordpress", "drupal-module": "drupal", "drupal-theme": "drupal", "symfony-bundle": "symfony", "composer-plugin": "composer",
		"magento2-module": "magento", "typo3-cms-extension": "typo3", "yii2-extension": "yii", "craft-plugin": "craft", "shopware-platform-plugin": "shopware", "moodle-mod": "moodle", "phpstan-extension": "phpstan"}
)

// setExtends finds the program that a plugin, a theme or an extension is for. A package shows it by its type, its only peer dependency, or
// its name. A name counts only when the package calls itself a plugin, theme or extension, since libraries have such names too.
func setExtends(out *profile.Profile, p part) {
	host, from := "", ""
	for _, m := range p.manifests {
		if strings.Contains(m.Path, "/") || host != "" {
			continue
		}
		from = m.Path
		host = hostsOfTypes[m.Properties["type"]]
		if host == "" && slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool { return dep.Name == "org.jenkins-ci.plugins:plugin" }) {
			host = "jenkins"
		}
		if host == "" && addsTo(out) {
			host = hostOf(m.Name)
			if peers := peersOf(m); host == "" && len(peers) == 1 {
				host = peers[0]
			}
		}
	}
	if host == "" && (addsTo(out) || strings.HasSuffix(p.name, ".nvim") || strings.HasSuffix(p.name, ".vim")) {
		host, from = hostOf(p.name), "its name"
	}
	if host == "" || host == strings.ToLower(p.name) {
		return
	}
	out.Extends = host
	out.Origins["extends"] = profile.Origin{From: from, Confidence: language.Medium}
}

// addsTo reports whether a project calls itself a plugin, a theme or an extension.
func addsTo(out *profile.Profile) bool {
	return out.Domain == "plugin" || out.Domain == "theme" || out.Scope == "plugin" || out.Scope == "theme" ||
		slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(out.Name+" "+out.DeclaredName), func(r rune) bool { return r == '-' || r == '_' || r == '/' || r == ' ' }), func(word string) bool {
			return word == "plugin" || word == "theme" || word == "extension" || word == "addon"
		})
}

func peersOf(m *manifest.Manifest) (names []string) {
	for _, dep := range m.Dependencies {
		if dep.Group == manifest.Peer {
			names = append(names, dep.Name)
		}
	}
	return names
}

// hostOf returns the extended program in a package's name.
func hostOf(name string) string {
	name = strings.ToLower(name)
	if scope, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") {
		name = rest
	}
	name = strings.ReplaceAll(name, "_", "-")
	for end, host := range hostsByEnd {
		if strings.HasSuffix(name, end) && len(name) > len(end) {
			return host
		}
	}
	best := ""
	for start := range hostsByStart {
		if strings.HasPrefix(name, start+"-") && len(start) > len(best) {
			best = start
		}
	}
	return hostsByStart[best]
}
