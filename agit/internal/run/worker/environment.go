package worker

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/redact"
)

// passed are the variables that every program gets: the user, the user's folders, and settings of compilers, package managers and the
// network. No other variable is passed on, because a client's tools can read its environment, which may hold tokens for forges and
// clouds. A name that ends with * is a prefix.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "LC_*", "XDG_*", "TERMINFO",
	"AGIT_*", "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
	"GO*", "CGO_*", "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "DYLD_*",
	"JAVA_HOME", "GRADLE_*", "MAVEN_*", "ANDROID_HOME", "NODE_PATH", "NODE_OPTIONS", "NVM_*", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR",
	"npm_config_*", "PYTHON*", "VIRTUAL_ENV", "CONDA_*", "PYENV_*", "PIP_*", "UV_*", "POETRY_*", "RUSTUP_*", "CARGO_HOME", "CARGO_TARGET_DIR",
	"RUSTFLAGS", "GEM_*", "BUNDLE_*", "RBENV_*", "RUBY*", "PHP*", "COMPOSER_HOME", "DOTNET_*", "NUGET_PACKAGES", "SDKMAN_*", "ASDF_*", "MISE_*",
	"NIX_*", "DIRENV_*", "DOCKER_HOST", "MAKEFLAGS", "CI",
	// Windows
	"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "windir", "APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles*", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "USERNAME", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "OS",
}

// quiet are set for every program: it must not stop to ask, page or edit, and logs have no colours.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat", "PAGER=cat", "GIT_MERGE_AUTOEDIT=no"}

// Environment returns the environment of a client: the allowed part of env, the client's own variables, and those that more names.
// secrets are the values among them that must not appear in a log.
func (c Client) Environment(env, more []string) (kept, secrets []string) {
	for _, setting := range env {
		name, value, _ := strings.Cut(setting, "=")
		own := matches(name, slices.Concat(c.Pass, more))
		if name == "" || !own && (!matches(name, passed) || telling(name)) {
			continue
		}
		kept = append(kept, setting)
		if own && telling(name) {
			secrets = append(secrets, value)
		}
	}
	always := quiet
	if c.Speaks {
		always = slices.Concat(quiet, c.Asking)
	}
	for _, setting := range slices.Concat(always, c.Set) {
		name, _, _ := strings.Cut(setting, "=")
		given := slices.ContainsFunc(kept, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if !given || slices.Contains(always, setting) {
			kept = append(withoutVariable(kept, name), setting)
		}
	}
	return kept, secrets
}

// telling reports whether a variable's name suggests a secret, such as npm_config__authToken among npm's settings.
func telling(name string) bool {
	upper := strings.ToUpper(name)
	return redact.Telling(name) || strings.Contains(upper, "TOKEN") || strings.Contains(upper, "SECRET") || strings.Contains(upper, "PASSWORD") || strings.HasSuffix(upper, "_KEY")
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}
