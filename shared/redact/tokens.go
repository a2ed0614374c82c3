package redact

import "strings"

// A token is a form of secret that says by its beginning what it is.
type token struct {
	kind    string
	prefix  string
	letters string // the alphabet after the prefix, by the names below
	least   int    // characters after the prefix, at least
	loose   bool   // the prefix is short or a word: no letter or digit may stand before it, and what follows must look made
}

// Alphabets of tokens.
const (
	hexadecimal = "0123456789abcdefABCDEF"
	alphanum    = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	word        = alphanum + "_-"
	dotted      = word + "."
	base64ish   = alphanum + "+/=_-"
	wide        = base64ish + ".~%,:"
)

// tokens are the forms that providers document or show in their consoles.
var tokens = []token{

	{kind: "AWS key", prefix: "ABSK", letters: base64ish, least: 80, loose: true},
	{kind: "AWS session token", prefix: "IQoJb3JpZ2lu", letters: base64ish, least: 100, loose: true}, {kind: "AWS session token", prefix: "FwoGZXIvYXdz", letters: base64ish, least: 100, loose: true},
	{kind: "Alibaba key", prefix: "LTAI", letters: alphanum, least: 16, loose: true}, {kind: "Tencent key", prefix: "AKID", letters: alphanum, least: 32, loose: true},
	{kind: "GitHub token", prefix: "ghp_", letters: alphanum, least: 36}, {kind: "GitHub token", prefix: "gho_", letters: alphanum, least: 36},
	{kind: "GitHub token", prefix: "ghu_", letters: alphanum, least: 36}, {kind: "GitHub token", prefix: "ghs_", letters: alphanum, least: 36},
	{kind: "GitHub token", prefix: "ghr_", letters: alphanum, least: 36}, {kind: "GitHub token", prefix: "github_pat_", letters: word, least: 22},
	{kind: "GitLab token", prefix: "glpat-", letters: dotted, least: 20}, {kind: "GitLab token", prefix: "gldt-", letters: dotted, least: 20},
	{kind: "GitLab token", prefix: "glrt-", letters: dotted, least: 20}, {kind: "GitLab token", prefix: "glcbt-", letters: dotted, least: 20},
	{kind: "GitLab token", prefix: "glptt-", letters: dotted, least: 20}, {kind: "GitLab token", prefix: "glft-", letters: dotted, least: 20},
	{kind: "GitLab token", prefix: "glsoat-", letters: dotted, least: 20}, {kind: "GitLab token", prefix: "glagent-", letters: dotted, least: 20},
	{kind: "GitLab token", prefix: "gloas-", letters: dotted, least: 20}, {kind: "GitLab token", prefix: "glimt-", letters: dotted, least: 20},
	{kind: "GitLab token", prefix: "GR1348941", letters: word, least: 20, loose: true},
	{kind: "Slack token", prefix: "xoxb-", letters: word, least: 20}, {kind: "Slack token", prefix: "xoxp-", letters: word, least: 20},
	{kind: "Slack token", prefix: "xoxa-", letters: word, least: 20}, {kind: "Slack token", prefix: "xoxr-", letters: word, least: 20},
	{kind: "Slack token", prefix: "xoxs-", letters: word, least: 20}, {kind: "Slack token", prefix: "xoxe-", letters: word, least: 20},
	{kind: "Slack token", prefix: "xoxo-", letters: word, least: 20}, {kind: "Slack token", prefix: "xoxd-", letters: wide, least: 20},
	{kind: "Slack token", prefix: "xoxc-", letters: word, least: 20}, {kind: "Slack token", prefix: "xoxe.xox", letters: dotted, least: 20},
	{kind: "Slack token", prefix: "xapp-", letters: word, least: 20},
	{kind: "Slack webhook", prefix: "https://hooks.slack.com/", letters: base64ish, least: 24},
	{kind: "Discord webhook", prefix: "https://discord.com/api/webhooks/", letters: base64ish, least: 60},
	{kind: "Discord webhook", prefix: "https://discordapp.com/api/webhooks/", letters: base64ish, least: 60},
	{kind: "Zapier webhook", prefix: "https://hooks.zapier.com/hooks/catch/", letters: base64ish, least: 10},
	{kind: "Anthropic key", prefix: "sk-ant-", letters: word, least: 20}, {kind: "OpenRouter key", prefix: "sk-or-", letters: word, least: 20, loose: true},
	{kind: "OpenAI key", prefix: "sk-proj-", letters: word, least: 20, loose: true}, {kind: "OpenAI key", prefix: "sk-", letters: word, least: 20, loose: true},
	{kind: "OpenAI key", prefix: "sess-", letters: alphanum, least: 40, loose: true},
	{kind: "Groq key", prefix: "gsk_", letters: alphanum, least: 40}, {kind: "xAI key", prefix: "xai-", letters: alphanum, least: 40},
	{kind: "Replicate token", prefix: "r8_", letters: alphanum, least: 30, loose: true}, {kind: "Perplexity key", prefix: "pplx-", letters: alphanum, least: 32},
	{kind: "Hugging Face token", prefix: "hf_", letters: alphanum, least: 30, loose: true}, {kind: "Hugging Face token", prefix: "api_org_", letters: alphanum, least: 30},
	{kind: "NVIDIA key", prefix: "nvapi-", letters: word, least: 40}, {kind: "LangSmith key", prefix: "lsv2_", letters: word, least: 32},
	{kind: "Pinecone key", prefix: "pcsk_", letters: word, least: 40}, {kind: "Tavily key", prefix: "tvly-", letters: word, least: 24},
	{kind: "Jina key", prefix: "jina_", letters: word, least: 40}, {kind: "LlamaCloud key", prefix: "llx-", letters: word, least: 32, loose: true},
	{kind: "Cerebras key", prefix: "csk-", letters: alphanum, least: 32, loose: true}, {kind: "Fireworks key", prefix: "fw_", letters: alphanum, least: 22, loose: true},
	{kind: "ElevenLabs key", prefix: "sk_", letters: alphanum, least: 40, loose: true}, {kind: "Langfuse key", prefix: "sk-lf-", letters: word, least: 30},
	{kind: "Stripe key", prefix: "sk_live_", letters: alphanum, least: 10}, {kind: "Stripe key", prefix: "sk_test_", letters: alphanum, least: 10},
	{kind: "Stripe key", prefix: "rk_live_", letters: alphanum, least: 10}, {kind: "Stripe key", prefix: "rk_test_", letters: alphanum, least: 10},
	{kind: "Stripe key", prefix: "pk_live_", letters: alphanum, least: 20, loose: true}, {kind: "Stripe key", prefix: "whsec_", letters: base64ish, least: 20},
	{kind: "Square token", prefix: "sq0atp-", letters: word, least: 22}, {kind: "Square token", prefix: "sq0csp-", letters: word, least: 40},
	{kind: "Square token", prefix: "EAAA", letters: word, least: 56, loose: true}, {kind: "Facebook token", prefix: "EAA", letters: alphanum, least: 80, loose: true},
	{kind: "Braintree token", prefix: "access_token$", letters: wide + "$", least: 30}, {kind: "Shippo token", prefix: "shippo_", letters: word, least: 40},
	{kind: "EasyPost key", prefix: "EZAK", letters: alphanum, least: 54, loose: true}, {kind: "EasyPost key", prefix: "EZTK", letters: alphanum, least: 54, loose: true},
	{kind: "Flutterwave key", prefix: "FLWSECK", letters: word, least: 30}, {kind: "Plaid token", prefix: "access-production-", letters: word, least: 36},
	{kind: "Plaid token", prefix: "access-sandbox-", letters: word, least: 36}, {kind: "Plaid token", prefix: "access-development-", letters: word, least: 36},
	{kind: "Google key", prefix: "AIza", letters: word, least: 35, loose: true}, {kind: "Google key", prefix: "GOCSPX-", letters: word, least: 20},
	{kind: "Google key", prefix: "ya29.", letters: dotted, least: 20}, {kind: "Google key", prefix: "1//0", letters: word, least: 40, loose: true},
	{kind: "npm token", prefix: "npm_", letters: alphanum, least: 36, loose: true}, {kind: "PyPI token", prefix: "pypi-AgE", letters: word, least: 36},
	{kind: "PyPI token", prefix: "pypi-", letters: word, least: 40, loose: true}, {kind: "RubyGems key", prefix: "rubygems_", letters: hexadecimal, least: 40},
	{kind: "NuGet key", prefix: "oy2", letters: alphanum, least: 43, loose: true}, {kind: "crates.io token", prefix: "cio", letters: alphanum, least: 32, loose: true},
	{kind: "Clojars token", prefix: "CLOJARS_", letters: hexadecimal, least: 40}, {kind: "Packagist token", prefix: "packagist_", letters: word, least: 40, loose: true},
	{kind: "Artifactory key", prefix: "AKCp", letters: alphanum, least: 60, loose: true}, {kind: "Artifactory key", prefix: "cmVmdGtu", letters: alphanum, least: 50, loose: true},
	{kind: "SendGrid key", prefix: "SG.", letters: dotted, least: 40, loose: true}, {kind: "Brevo key", prefix: "xkeysib-", letters: word, least: 60},
	{kind: "Mailgun key", prefix: "key-", letters: hexadecimal, least: 32, loose: true}, {kind: "Mandrill key", prefix: "md-", letters: word, least: 22, loose: true},
	{kind: "Resend key", prefix: "re_", letters: word, least: 20, loose: true}, {kind: "Telnyx key", prefix: "KEY0", letters: word, least: 40, loose: true},
	{kind: "DigitalOcean token", prefix: "dop_v1_", letters: hexadecimal, least: 60}, {kind: "DigitalOcean token", prefix: "doo_v1_", letters: hexadecimal, least: 60},
	{kind: "DigitalOcean token", prefix: "dor_v1_", letters: hexadecimal, least: 60}, {kind: "Cloudflare token", prefix: "v1.0-", letters: word, least: 140},
	{kind: "Cloudflare token", prefix: "cfut_", letters: word, least: 40}, {kind: "Cloudflare token", prefix: "cfat_", letters: word, least: 40},
	{kind: "Linear key", prefix: "lin_api_", letters: alphanum, least: 20}, {kind: "Linear key", prefix: "lin_oauth_", letters: alphanum, least: 20},
	{kind: "Linear key", prefix: "lin_wh_", letters: alphanum, least: 20},
	{kind: "Atlassian token", prefix: "ATATT3", letters: base64ish, least: 40, loose: true}, {kind: "Atlassian token", prefix: "ATCTT3", letters: base64ish, least: 40, loose: true},
	{kind: "Bitbucket password", prefix: "ATBB", letters: base64ish, least: 24, loose: true}, {kind: "Shopify token", prefix: "shpat_", letters: hexadecimal, least: 32},
	{kind: "Shopify token", prefix: "shpca_", letters: hexadecimal, least: 32}, {kind: "Shopify token", prefix: "shppa_", letters: hexadecimal, least: 32},
	{kind: "Shopify token", prefix: "shpss_", letters: hexadecimal, least: 32}, {kind: "Databricks token", prefix: "dapi", letters: hexadecimal + "-", least: 32, loose: true},
	{kind: "Vault token", prefix: "hvs.", letters: word, least: 24}, {kind: "Vault token", prefix: "hvb.", letters: word, least: 24}, {kind: "Vault token", prefix: "hvr.", letters: word, least: 24},
	{kind: "Docker token", prefix: "dckr_pat_", letters: word, least: 20}, {kind: "Docker token", prefix: "dckr_oat_", letters: word, least: 20},
	{kind: "Doppler token", prefix: "dp.pt.", letters: dotted, least: 20}, {kind: "Doppler token", prefix: "dp.st.", letters: dotted, least: 20},
	{kind: "Doppler token", prefix: "dp.ct.", letters: dotted, least: 20}, {kind: "Doppler token", prefix: "dp.sa.", letters: dotted, least: 20},
	{kind: "Supabase key", prefix: "sbp_", letters: word, least: 40}, {kind: "Supabase key", prefix: "sb_secret_", letters: word, least: 20},
	{kind: "Grafana token", prefix: "glsa_", letters: word, least: 36}, {kind: "Grafana token", prefix: "glc_", letters: base64ish, least: 32},
	{kind: "Grafana token", prefix: "eyJrIjoi", letters: base64ish, least: 60, loose: true}, {kind: "Sentry token", prefix: "sntrys_", letters: base64ish, least: 40},
	{kind: "Sentry token", prefix: "sntryu_", letters: hexadecimal, least: 40}, {kind: "New Relic key", prefix: "NRAK-", letters: alphanum, least: 27},
	{kind: "New Relic key", prefix: "NRII-", letters: word, least: 25}, {kind: "New Relic key", prefix: "NRJS-", letters: hexadecimal, least: 19},
	{kind: "New Relic key", prefix: "NRRA-", letters: hexadecimal, least: 40}, {kind: "Notion token", prefix: "ntn_", letters: alphanum, least: 40},
	{kind: "Notion token", prefix: "secret_", letters: alphanum, least: 40, loose: true}, {kind: "Figma token", prefix: "figd_", letters: word, least: 36},
	{kind: "Figma token", prefix: "figu_", letters: word, least: 36}, {kind: "Figma token", prefix: "figo_", letters: word, least: 36},
	{kind: "Airtable token", prefix: "pat", letters: alphanum + ".", least: 60, loose: true}, {kind: "Postman key", prefix: "PMAK-", letters: hexadecimal + "-", least: 50},
	{kind: "Dropbox token", prefix: "sl.", letters: dotted, least: 60, loose: true}, {kind: "Contentful token", prefix: "CFPAT-", letters: word, least: 40},
	{kind: "Terraform token", prefix: "ATLAS", letters: dotted, least: 60, loose: true}, {kind: "Pulumi token", prefix: "pul-", letters: hexadecimal, least: 40},
	{kind: "Buildkite token", prefix: "bkua_", letters: hexadecimal, least: 40}, {kind: "Buildkite token", prefix: "bkat_", letters: word, least: 40},
	{kind: "CircleCI token", prefix: "CCIPAT_", letters: word, least: 40}, {kind: "CircleCI token", prefix: "CCIPRJ_", letters: word, least: 40},
	{kind: "Netlify token", prefix: "nfp_", letters: alphanum, least: 36}, {kind: "Netlify token", prefix: "nfc_", letters: alphanum, least: 36},
	{kind: "Netlify token", prefix: "nfo_", letters: alphanum, least: 36}, {kind: "Netlify token", prefix: "nfu_", letters: alphanum, least: 36},
	{kind: "Fly token", prefix: "FlyV1 ", letters: base64ish + ",", least: 40}, {kind: "Fly token", prefix: "fo1_", letters: word, least: 40},
	{kind: "Fly token", prefix: "fm2_", letters: base64ish + ",", least: 60}, {kind: "Fly token", prefix: "fm1", letters: base64ish + ",", least: 60, loose: true},
	{kind: "Heroku key", prefix: "HRKU-", letters: word, least: 36}, {kind: "Render key", prefix: "rnd_", letters: alphanum, least: 24, loose: true},
	{kind: "PlanetScale key", prefix: "pscale_", letters: dotted, least: 32, loose: true}, {kind: "Neon key", prefix: "napi_", letters: alphanum, least: 40},
	{kind: "Vercel token", prefix: "vcp_", letters: alphanum, least: 32}, {kind: "Vercel token", prefix: "vck_", letters: alphanum, least: 32},
	{kind: "Tailscale key", prefix: "tskey-", letters: word, least: 20, loose: true}, {kind: "Sonar token", prefix: "squ_", letters: hexadecimal, least: 40},
	{kind: "Sonar token", prefix: "sqp_", letters: hexadecimal, least: 40}, {kind: "Sonar token", prefix: "sqa_", letters: hexadecimal, least: 40},
	{kind: "Dynatrace token", prefix: "dt0c01.", letters: dotted, least: 60}, {kind: "Dynatrace token", prefix: "dt0s01.", letters: dotted, least: 60},
	{kind: "Prefect key", prefix: "pnu_", letters: alphanum, least: 36}, {kind: "ReadMe key", prefix: "rdme_", letters: alphanum, least: 60},
	{kind: "Sourcegraph token", prefix: "sgp_", letters: word, least: 40}, {kind: "Typeform token", prefix: "tfp_", letters: dotted + "=", least: 40},
	{kind: "Adafruit key", prefix: "aio_", letters: alphanum, least: 28}, {kind: "Adobe secret", prefix: "p8e-", letters: alphanum, least: 32},
	{kind: "Infracost key", prefix: "ico-", letters: alphanum, least: 32, loose: true}, {kind: "1Password token", prefix: "ops_eyJ", letters: base64ish, least: 60},
	{kind: "Mapbox token", prefix: "sk.eyJ", letters: dotted, least: 40}, {kind: "LaunchDarkly key", prefix: "sdk-", letters: hexadecimal + "-", least: 36, loose: true},
	{kind: "LaunchDarkly key", prefix: "api-", letters: hexadecimal + "-", least: 36, loose: true}, {kind: "Duffel token", prefix: "duffel_", letters: word, least: 40, loose: true},
	{kind: "Yandex key", prefix: "AQVN", letters: word, least: 35, loose: true},
	{kind: "Snyk token", prefix: "snyk_", letters: dotted, least: 36, loose: true}, {kind: "Axiom token", prefix: "xaat-", letters: word, least: 36},
	{kind: "PostHog key", prefix: "phx_", letters: alphanum, least: 40}, {kind: "Mailersend token", prefix: "mlsn.", letters: alphanum, least: 50},
	{kind: "age key", prefix: "AGE-SECRET-KEY-1", letters: alphanum, least: 58},
}

// tokenSigns makes a sign of each form.
func tokenSigns() []sign {
	signs := make([]sign, 0, len(tokens))
	for rank := range tokens {
		t := &tokens[rank]
		signs = append(signs, sign{strings.ToLower(t.prefix), func(s string, at int) (hit, bool) { return t.at(s, at, rank) }})
	}
	return signs
}

// at reports whether a token stands at s[at:].
func (t *token) at(s string, at, rank int) (hit, bool) {
	body := at + len(t.prefix)
	if s[at:body] != t.prefix || t.loose && at > 0 && isWord(s[at-1]) {
		return hit{}, false
	}
	end := spanEnd(s, body, t.letters)
	for end > body && s[end-1] == '.' { // of the sentence
		end--
	}
	value := s[body:end]
	if len(value) < t.least || different(value) < 4 || t.loose && !madeUp(value) {
		return hit{}, false
	}
	return hit{at, end, t.kind, rank}, true
}

// spanEnd is where the characters of an alphabet that begin at s[at:] end.
func spanEnd(s string, at int, letters string) int {
	for at < len(s) && strings.IndexByte(letters, s[at]) >= 0 {
		at++
	}
	return at
}

func isWord(c byte) bool { return c == '_' || c == '-' || isAlnum(c) }

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
